/**
 * The disk fails at every step of what is done with the memory of a mission, once or from then on: a clear error, nothing is
 * lost, and when the disk is well again it is finished.
 */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { realDisk } from '../../src/engines/file-system/disk.ts'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { SignalboxError } from '../../src/kernel/errors.ts'
import { type Picture, paint, pictureOf } from '../held/picture.ts'
import { runtime } from '../support/child.ts'
import { failingDisk } from '../support/failing-disk.ts'
import { brokenAtAnyTime, brokenAtRest, type Promised, seenIn } from '../support/memory-checker.ts'
import { quickTempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'
import { fill, type MemoryVerb, memoryVerbs, missionOn, promisedBy } from './memory-verbs.ts'

const isLong = Number(process.env.SIGNALBOX_TEST_SCALE ?? 1) > 1
/** So many steps of each verb, reads too, spread over all of them; every step in the long run. */
const few = 12

const kinds = (['ENOSPC', 'EIO', 'EACCES'] as const).flatMap((code) =>
  [false, true].map((lasting) => ({ code, lasting, half: code === 'ENOSPC' })),
)

const later = { now: () => Date.now() + 60_000 }

interface Before {
  readonly picture: Picture
  readonly promised: Promised
  readonly expected: unknown
  readonly steps: number
}

async function begin(root: string, verb: MemoryVerb): Promise<Before> {
  mkdirSync(root)
  fill(root, verb)
  const first = await openFileTree({ root })
  await verb.prepare?.(await missionOn(first), root)
  await first.close()
  const picture = pictureOf(root)
  const promised = promisedBy(seenIn(root))
  const faulty = failingDisk(realDisk(), 'EIO', false)
  const tree = await openFileTree({ root, disk: faulty.disk })
  const mission = await missionOn(tree)
  faulty.arm(Number.MAX_SAFE_INTEGER)
  await verb.act(mission)
  const steps = faulty.steps()
  faulty.heal()
  await tree.close()
  const expected = verb.end(seenIn(root))
  rmSync(root, { recursive: true })
  return { picture, promised, expected, steps }
}

async function failAt(
  root: string,
  verb: MemoryVerb,
  { promised, expected }: Before,
  step: number,
  { code, lasting, half }: (typeof kinds)[number],
): Promise<void> {
  const faulty = failingDisk(realDisk(), code, lasting, half)
  const tree = await openFileTree({ root, disk: faulty.disk })
  const mission = await missionOn(tree)
  faulty.arm(step)
  const error = await verb.act(mission).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  faulty.heal()
  const place = `${code}${lasting ? ' for good' : ''} at step ${step} (${faulty.failed[0]})`
  if (error !== undefined) {
    expect(error, `${place}: ${(error as Error).stack}`).toBeInstanceOf(SignalboxError)
    const { hint, message, kind } = error as SignalboxError
    expect(hint, `${place}: ${message}`).toBeTypeOf('string')
    expect(['Unavailable', 'Denied', 'Corrupt', 'Conflict'], `${place}: ${message}`).toContain(kind)
  }
  expect(brokenAtAnyTime(seenIn(root), promised), place).toEqual([])
  await verb.act(mission)
  await tree.close()
  // An archiver whose disk failed could not give its lease back, and nobody archives until it has run out.
  const next = await openFileTree({ root, clock: later })
  await verb.act(await missionOn(next, later))
  await next.close()
  expect(brokenAtRest(seenIn(root), promised), place).toEqual([])
  // A message that may not be read while a snapshot is taken is in none, and stays where it is.
  if (code !== 'EACCES' || !verb.leavesUnreadable) expect(verb.end(seenIn(root)), place).toEqual(expected)
}

describe(`the memory of a mission on a disk that fails, on ${runtime}`, () => {
  for (const [name, verb] of Object.entries(memoryVerbs)) {
    verifies(
      'X-disk',
      `${name}: a clear error, nothing lost, and the next time it is finished`,
      async () => {
        const base = quickTempDir()
        const before = await begin(join(base, 'before'), verb)
        expect(before.steps).toBeGreaterThan(10)
        const stride = isLong ? 1 : Math.max(1, before.steps / few)
        for (let n = 0, at = 1; at <= before.steps; n++, at += stride) {
          const root = join(base, 'root')
          paint(root, before.picture)
          await failAt(root, verb, before, Math.floor(at), kinds[n % kinds.length]!)
          rmSync(root, { recursive: true })
        }
      },
      3_600_000,
    )
  }
})
