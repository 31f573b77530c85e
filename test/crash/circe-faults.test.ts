/**
 * The disk fails at every step of what agents and people do with CIRCE, once or from then on: a clear error, nothing that was
 * acknowledged is lost, nothing is done twice, and when the disk is well again the same works.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { realDisk } from '../../src/engines/file-system/disk.ts'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { SignalboxError } from '../../src/kernel/errors.ts'
import { type Picture, paint, pictureOf } from '../held/picture.ts'
import { runtime } from '../support/child.ts'
import { CirceFolder, circeOn, withCirce } from '../support/circe.ts'
import { brokenIn, filesIn } from '../support/circe-checker.ts'
import { failingDisk } from '../support/failing-disk.ts'
import { quickTempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'
import { namesWith, task, type Verb, verbs } from './circe-verbs.ts'

const isLong = Number(process.env.SIGNALBOX_TEST_SCALE ?? 1) > 1
/** Reads fail too. Every step in the long run; otherwise some of each, others for each kind of failure. */
const stride = isLong ? 3 : 101

const kinds = (['ENOSPC', 'EIO', 'EACCES'] as const).flatMap((code) =>
  [false, true].map((lasting) => ({ code, lasting, half: code === 'ENOSPC' })),
)

const messagesIn = (root: string): string[] => [
  ...new Set(
    filesIn(root).flatMap(
      ({ path }) => /(?:NEW_MESSAGES|INBOX|WORKSPACE|LOGS)\/(\d{8}_[^/]+\.md)$/.exec(path)?.[1] ?? [],
    ),
  ),
]

interface Tried {
  readonly isReached: boolean
}

async function failAt(
  root: string,
  name: string,
  verb: Verb,
  step: number,
  { code, lasting, half }: (typeof kinds)[number],
): Promise<Tried> {
  const folder = new CirceFolder(root)
  const before = messagesIn(root)
  const faulty = failingDisk(realDisk(), code, lasting, half)
  const tree = await openFileTree({ root, disk: faulty.disk })
  const circe = circeOn(tree)
  faulty.arm(step)
  let [answer, error]: [{ outcome?: string } | undefined, unknown] = [undefined, undefined]
  try {
    answer = ((await verb.act(circe, folder)) ?? {}) as { outcome?: string }
  } catch (thrown) {
    error = thrown
  }
  const isReached = faulty.failed.length > 0
  faulty.heal()
  const isUnfinished = filesIn(root).some(({ path }) => path.includes('/unfinished/'))
  const place = `${name}: ${code}${lasting ? ' for good' : ''} at step ${step} (${faulty.failed[0]})`
  if (error !== undefined) {
    expect(error, `${place}: ${(error as Error).stack}`).toBeInstanceOf(SignalboxError)
    const { hint, message, kind } = error as SignalboxError
    expect(hint, `${place}: ${message}`).toBeTypeOf('string')
    expect(['Unavailable', 'Denied', 'Corrupt', 'NotFound', 'Conflict'], `${place}: ${message}`).toContain(kind)
  }
  // The same process once the disk is well again, then the next one, which is asked for the same.
  await circe.overview.tasks()
  await tree.close()
  const sent = before
  if (!verb.needsPerson) expect(brokenIn(filesIn(root), { sent, isAtRest: true }), place).toEqual([])
  const come = messagesIn(root).filter((one) => !before.includes(one))
  // Nearly always an error means that nothing was sent: it can only be otherwise where making the file itself fails at its end.
  if (verb.isNewEachTime) expect(error === undefined ? [1] : [0, 1], `${place}: ${error}`).toContain(come.length)
  await withCirce(root, async (next) => {
    if (verb.isNewEachTime && come.length > 0) return
    const again = (await verb.act(next, folder)) as { outcome?: string } | undefined
    expect(brokenIn(filesIn(root), { sent, isAtRest: true }), `${place}, then once more`).toEqual([])
    if (verb.sendsOnce !== undefined) expect(namesWith(filesIn(root), verb.sendsOnce), place).toHaveLength(1)
    if (verb.claims !== undefined) {
      if (isUnfinished) expect(again?.outcome, place).toBe('claimed')
      if (answer?.outcome === 'claimed') expect(again?.outcome, place).toBe('nothing')
      const { messages } = await next.overview.inbox(verb.claims)
      expect(messages.filter(({ isClaimed }) => isClaimed).length, place).toBe(1)
    }
    if (verb.stands === undefined) return
    const [view] = await next.overview.tasks(task)
    expect(`${view!.status} ${view!.owner ?? ''}`, place).toBe(verb.stands)
  })
  return { isReached }
}

describe(`CIRCE on a disk that fails, on ${runtime}`, () => {
  for (const [name, verb] of Object.entries(verbs)) {
    verifies(
      ['X-disk', 'CI-8'],
      `${name}: a clear error, nothing lost, nothing twice`,
      async () => {
        const base = quickTempDir()
        const template = join(base, 'before')
        await withCirce(template, (circe) => verb.prepare(circe, new CirceFolder(template)))
        const picture: Picture = pictureOf(template)
        for (const [n, kind] of kinds.entries()) {
          for (let step = 1 + Math.floor((n * stride) / kinds.length); ; step += stride) {
            const root = join(base, 'root')
            paint(root, picture)
            const { isReached } = await failAt(root, name, verb, step, kind)
            rmSync(root, { recursive: true })
            if (!isReached) break
          }
        }
      },
      600_000,
    )
  }
})
