/** Both protocols in memory: one process is paused before every verb of the tree while another goes on. */
import { afterAll, describe, expect } from 'vitest'
import { verifies } from '../support/verifies.ts'
import { explore, type Tried } from './explorer.ts'
import { memoryEngine } from './memory-engine.ts'
import { protocols } from './protocols.ts'
import { failuresIn, tableOf } from './report.ts'
import { TreeStage } from './tree-stage.ts'

const isFull = Number(process.env.SIGNALBOX_TEST_SCALE ?? 1) > 1
const tried: Tried[] = []

describe('held before every verb, in memory', () => {
  afterAll(() => console.log(tableOf(tried)))
  const stage = new TreeStage(memoryEngine)

  for (const protocol of ['acmq', 'mr'] as const) {
    for (const world of Object.keys(protocols[protocol].worlds)) {
      verifies('X-held', `${protocol}, ${world}: every pair keeps every promise`, async () => {
        const now = await explore(stage, protocol, isFull ? { world, thorough: true } : { world, closely: true })
        tried.push(...now)
        expect(failuresIn(now)).toBe('')
      })
    }
  }
})
