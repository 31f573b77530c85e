/** AC-MQ on files, with one process held before every step while another goes on. */
import { afterAll, describe, expect } from 'vitest'
import { runtime } from '../support/child.ts'
import { verifies } from '../support/verifies.ts'
import { explore, type Tried } from './explorer.ts'
import { FilesStage } from './files-stage.ts'
import { protocols } from './protocols.ts'
import { failuresIn, tableOf } from './report.ts'
import { type Variant, withoutNative } from './variants.ts'

const isFull = Number(process.env.SIGNALBOX_TEST_SCALE ?? 1) > 1
const tried: Tried[] = []
const stages = {
  changes: { native: new FilesStage('native', 'changes'), portable: new FilesStage('portable', 'changes') },
  all: { native: new FilesStage('native', 'all'), portable: new FilesStage('portable', 'all') },
}

describe(`AC-MQ held before every step, on ${runtime}`, () => {
  afterAll(async () => {
    console.log(tableOf(tried))
    for (const group of Object.values(stages)) for (const stage of Object.values(group)) await stage.close()
  })

  for (const variant of ['native', 'portable'] as const satisfies readonly Variant[]) {
    const missing = variant === 'native' ? withoutNative() : undefined
    for (const world of Object.keys(protocols.acmq.worlds)) {
      verifies.unless(missing, 'X-held', `${world}, ${variant}: every pair keeps every promise`, async () => {
        // Which steps only look matters where decisions are: in full for `npm run soak`.
        const { all, changes } = stages
        const now = isFull
          ? await explore(all[variant], 'acmq', { worlds: [world] })
          : variant === 'portable'
            ? await explore(changes[variant], 'acmq', { worlds: [world], closely: true })
            : [
                ...(await explore(changes[variant], 'acmq', { worlds: [world], closely: false })),
                ...(await explore(all[variant], 'acmq', { worlds: [world], closely: true })),
              ]
        tried.push(...now)
        expect(failuresIn(now)).toBe('')
      })
    }
  }
})
