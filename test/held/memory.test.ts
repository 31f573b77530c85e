/** Every protocol in memory: one process is paused before every verb of the tree while another goes on. */
import { afterAll, describe, expect } from 'vitest'
import { verifies } from '../support/verifies.ts'
import { explore, type Tried } from './explorer.ts'
import { memoryEngine } from './memory-engine.ts'
import { protocols } from './protocols.ts'
import { failuresIn, tableOf } from './report.ts'
import { TreeStage } from './tree-stage.ts'

const isFull = Number(process.env.SIGNALBOX_TEST_SCALE ?? 1) > 1
/** A world of CIRCE has hundreds of pairs. */
const longest = isFull ? 3_600_000 : undefined
/** The verbs of CIRCE take many steps; which ones are tried differs from pair to pair all the same. */
const everyOf = { acmq: 1, mr: 1, circe: 3, dream: 3, session: 1, neutral: 1 } as const
const tried: Tried[] = []

describe('held before every verb, in memory', () => {
  afterAll(() => console.log(tableOf(tried)))
  const stage = new TreeStage(memoryEngine)

  for (const protocol of ['acmq', 'mr', 'circe', 'dream', 'session', 'neutral'] as const) {
    for (const world of Object.keys(protocols[protocol].worlds)) {
      verifies(
        'X-held',
        `${protocol}, ${world}: every pair keeps every promise`,
        async () => {
          const some = { world, closely: true, every: everyOf[protocol] }
          const now = await explore(stage, protocol, isFull ? { world, thorough: true } : some)
          tried.push(...now)
          expect(failuresIn(now)).toBe('')
        },
        longest,
      )
    }
  }
})
