/** The tests of one protocol on files: every world, with the portable calls and with the native ones. */
import { afterAll, describe, expect } from 'vitest'
import { runtime } from '../support/child.ts'
import { verifies } from '../support/verifies.ts'
import { type Explored, explore, type Tried } from './explorer.ts'
import { FilesStage } from './files-stage.ts'
import { protocols } from './protocols.ts'
import { failuresIn, tableOf } from './report.ts'
import { withoutNative } from './variants.ts'

const isFull = Number(process.env.SIGNALBOX_TEST_SCALE ?? 1) > 1
const longest = isFull ? 3_600_000 : undefined

/**
 * `few`: outside of `npm run soak`, only the pairs that each world lists in `closely`, only before changes by native calls, and
 * only every so many of them: for a protocol whose verbs take many steps, all of which `memory.test.ts` tries as verbs of the tree.
 */
export function describeHeldOnFiles(title: string, protocol: Explored['protocol'], few?: number): void {
  const tried: Tried[] = []
  const stages = {
    changes: { native: new FilesStage('native', 'changes'), portable: new FilesStage('portable', 'changes') },
    all: { native: new FilesStage('native', 'all'), portable: new FilesStage('portable', 'all') },
  }

  describe(`${title} on files, held before every step, on ${runtime}`, () => {
    afterAll(async () => {
      console.log(tableOf(tried))
      for (const group of Object.values(stages)) for (const stage of Object.values(group)) await stage.close()
    })

    const variants = few !== undefined && !isFull ? (['native'] as const) : (['native', 'portable'] as const)
    for (const variant of variants) {
      const missing = variant === 'native' ? withoutNative() : undefined
      for (const world of Object.keys(protocols[protocol].worlds)) {
        verifies.unless(
          missing,
          'X-held',
          `${world}, ${variant}: every pair keeps every promise`,
          async () => {
            const now = await tryWorld(variant, world)
            tried.push(...now)
            expect(failuresIn(now)).toBe('')
          },
          longest,
        )
      }
    }
  })

  /** Every step for `npm run soak`. Otherwise every change, and reads only for pairs that the world lists in `closely`. */
  async function tryWorld(variant: 'native' | 'portable', world: string): Promise<Tried[]> {
    const [all, changes] = [stages.all[variant], stages.changes[variant]]
    if (isFull) return explore(all, protocol, { world, thorough: true })
    if (few !== undefined) return explore(changes, protocol, { world, closely: true, every: few })
    if (variant === 'portable') return explore(changes, protocol, { world, closely: true })
    return [
      ...(await explore(changes, protocol, { world, closely: false })),
      ...(await explore(all, protocol, { world, closely: true })),
    ]
  }
}
