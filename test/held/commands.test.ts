/** The real command line, paused by strace before its changes while others go on. */
import { afterAll, describe, expect } from 'vitest'
import { haveStrace, runtime } from '../support/child.ts'
import { verifies } from '../support/verifies.ts'
import { CommandStage } from './command-stage.ts'
import { explorePair, type Tried } from './explorer.ts'
import { failuresIn, tableOf } from './report.ts'

const { reason } = haveStrace()
const tried: Tried[] = []

const cases = [
  ['absent', 'send', 'send'],
  ['pending', 'claim', 'claim, fail, retry'],
  ['pending', 'claim', 'edit'],
  ['pending', 'claim', 'put'],
  ['processing', 'complete barely', 'fail, retry, claim'],
  ['processing', 'complete', 'supervise, retry, claim'],
  ['processing', 'renew', 'fail, retry, claim'],
] as const

describe(`commands held by strace, on ${runtime}`, () => {
  const stage = new CommandStage()
  afterAll(() => console.log(tableOf(tried)))

  for (const [world, first, second] of cases) {
    verifies.unless(reason, 'X-held', `${world}: ${first} / ${second}`, async () => {
      const one = await explorePair(stage, { protocol: 'acmq', world }, first, second)
      tried.push(one)
      expect(failuresIn([one])).toBe('')
    })
  }
})
