/** Real processes, stopped by a signal before every change while others go on; then they continue, or are killed. */
import { afterAll, describe, expect } from 'vitest'
import { isShort, runtime } from '../support/child.ts'
import { verifies } from '../support/verifies.ts'
import { type Explored, explorePair, type Tried } from './explorer.ts'
import { ProcessStage } from './process-stage.ts'
import { failuresIn, tableOf } from './report.ts'
import { withoutNative } from './variants.ts'

// The steps do not depend on the runtime, so native ones are tried on Bun only and portable ones on Node only.
const variant = runtime === 'bun' && withoutNative() === undefined ? 'native' : 'portable'
const reason = process.platform === 'linux' ? undefined : 'whether a process is stopped is read from /proc'
// Node takes ten times as long to start as Bun, so it tries only some steps unless the scale is raised.
const every = runtime === 'bun' || Number(process.env.SIGNALBOX_TEST_SCALE ?? 1) > 1 ? 1 : isShort ? 12 : 4
const tried: Tried[] = []

const cases: readonly (readonly [Explored['protocol'], world: string, first: string, second: string])[] = [
  ['acmq', 'absent', 'send', 'send'],
  ['acmq', 'pending', 'claim', 'claim, fail, retry'],
  ['acmq', 'processing', 'complete barely', 'fail, retry, claim'],
  ['acmq', 'processing', 'renew', 'fail, retry, claim'],
  ['mr', 'waiting', 'receive', 'receive, recover'],
]
/** Kills. `doctor --fix` two hours later must leave living processes alone; the next process recovers what the dead left. */
const deaths: typeof cases = [
  ['acmq', 'processing', 'complete', 'doctor'],
  ['acmq', 'processing', 'supervise', 'complete'],
  ['acmq', 'failed', 'retry', 'doctor'],
]

describe(`real processes held, on ${runtime}`, () => {
  afterAll(() => console.log(tableOf(tried)))

  for (const [fate, list] of [
    ['continues', cases],
    ['is killed', deaths],
  ] as const) {
    const stage = new ProcessStage(variant, fate)
    for (const [protocol, world, first, second] of list) {
      verifies.unless(reason, 'X-held', `${world}: ${first} / ${second}; the first ${fate}`, async () => {
        const one = await explorePair(stage, { protocol, world }, first, second, { every })
        tried.push(one)
        expect(failuresIn([one])).toBe('')
      })
    }
  }
})
