/**
 * Bus documents, merging, organizing, undoing and reporting are killed before every change on the disk. The next process
 * finishes, nothing is lost, and what is seen in between can be used. Checked by `memory-checker.ts`, which shares no code with
 * the library.
 */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { realDisk } from '../../src/engines/file-system/disk.ts'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { type Picture, paint, pictureOf } from '../held/picture.ts'
import { runtime, spawnChild } from '../support/child.ts'
import { brokenAtAnyTime, brokenAtRest, type Promised, seenIn } from '../support/memory-checker.ts'
import { Killed, mortalDisk } from '../support/mortal-disk.ts'
import { quickTempDir } from '../support/temp.ts'
import { fill, type MemoryVerb, memoryVerbs, missionOn, promisedBy } from './memory-verbs.ts'

const isLong = Number(process.env.SIGNALBOX_TEST_SCALE ?? 1) > 1
/** So many places each in a short run, spread over all changes; every change in the long one. */
const few = 8

/** A minute later, when the lease of an archiver that died has run out. */
const later = { now: () => Date.now() + 60_000 }

interface Before {
  readonly picture: Picture
  readonly promised: Promised
  readonly expected: unknown
  readonly changes: number
}

async function begin(base: string, verb: MemoryVerb): Promise<Before> {
  const root = join(base, 'before')
  mkdirSync(root)
  fill(root, verb)
  const tree = await openFileTree({ root })
  await verb.prepare?.(await missionOn(tree), root)
  await tree.close()
  const picture = pictureOf(root)
  const promised = promisedBy(seenIn(root))
  const { changes } = await live(base, root, verb, Number.POSITIVE_INFINITY)
  const expected = verb.end(seenIn(root))
  expect(brokenAtRest(seenIn(root), promised)).toEqual([])
  rmSync(root, { recursive: true })
  return { picture, promised, expected, changes }
}

/** A process that dies before change number `killAt`. */
async function live(base: string, root: string, verb: MemoryVerb, killAt: number) {
  const mortal = mortalDisk(base, realDisk())
  const tree = await openFileTree({ root, disk: mortal.disk })
  const mission = await missionOn(tree)
  const many = Number.MAX_SAFE_INTEGER
  mortal.fate.left = Math.min(killAt, many)
  try {
    await verb.act(mission)
    return { isDone: true, changes: Math.min(killAt, many) - mortal.fate.left }
  } catch (error) {
    if (!(error instanceof Killed)) throw error
    return { isDone: false, changes: killAt }
  } finally {
    mortal.bury()
  }
}

/** What the next process finds, and what it makes of it. */
async function putRight(root: string, verb: MemoryVerb, { promised, expected }: Before, place: string): Promise<void> {
  expect(brokenAtAnyTime(seenIn(root), promised), place).toEqual([])
  const tree = await openFileTree({ root, clock: later })
  const mission = await missionOn(tree, later)
  // A name that a shell knows still leads somewhere.
  const names = [...promised.context.keys()].map((name) => `context/${name}`)
  expect((await mission.settling.checkLinks(names)).notices, place).toEqual([])
  await verb.act(mission)
  const files = seenIn(root)
  expect(brokenAtRest(files, promised), place).toEqual([])
  expect(verb.end(files), place).toEqual(expected)
  expect(
    (await (await mission.inspection()).run()).filter(({ severity }) => severity !== 'note'),
    place,
  ).toEqual([])
  await tree.close()
}

describe(`the memory of a mission, killed before every change, on ${runtime}`, () => {
  for (const [name, verb] of Object.entries(memoryVerbs)) {
    it(`[X-crash] ${name}: the next process finishes it, and nothing is lost`, async () => {
      const base = quickTempDir()
      const before = await begin(base, verb)
      expect(before.changes).toBeGreaterThan(3)
      const stride = isLong ? 1 : Math.max(1, before.changes / few)
      for (let at = 1; at <= before.changes; at += stride) {
        const killAt = Math.floor(at)
        const root = join(base, `${killAt}`)
        paint(root, before.picture)
        const place = `${name}, killed before change ${killAt} of ${before.changes}`
        expect((await live(base, root, verb, killAt)).isDone, place).toBe(false)
        await putRight(root, verb, before, place)
        rmSync(root, { recursive: true })
      }
    }, 600_000)
  }

  // The same with a real process and a real signal.
  for (const name of ['bus, renewed', 'merge', 'organize', 'undo']) {
    it(`[X-crash] ${name}: really killed`, async () => {
      const verb = memoryVerbs[name]!
      const base = quickTempDir()
      const before = await begin(base, verb)
      const stride = isLong ? Math.ceil(before.changes / 60) : before.changes
      for (let killAt = Math.ceil(stride / 2); killAt <= before.changes; killAt += stride) {
        const root = join(base, `${killAt}`)
        paint(root, before.picture)
        const child = spawnChild('memory-crash', [root, name, `${killAt}`])
        const { code, signal } = await child.exited
        expect(signal, `${code} ${child.stderr()}`).toBe('SIGKILL')
        await putRight(root, verb, before, `${name}, really killed before change ${killAt}`)
        rmSync(root, { recursive: true })
      }
    }, 600_000)
  }

  it('[X-crash][X-doctor] doctor --fix finishes an organize and an undo that were cut off', async () => {
    for (const name of ['organize', 'organize, joining', 'undo']) {
      const verb = memoryVerbs[name]!
      const base = quickTempDir()
      const before = await begin(base, verb)
      for (let killAt = 1; killAt <= before.changes; killAt += isLong ? 1 : Math.ceil(before.changes / 5)) {
        const root = join(base, `${killAt}`)
        paint(root, before.picture)
        await live(base, root, verb, killAt)
        const place = `${name}, killed before change ${killAt}`
        const tree = await openFileTree({ root, clock: later })
        const isCutOff = (await (await (await missionOn(tree)).inspection()).run()).some(
          ({ code }) => code === 'UNFINISHED_CHANGE',
        )
        await tree.close()
        const findings = await repaired(root)
        expect(findings.filter(({ code, repaired: isIt }) => code === 'UNFINISHED_CHANGE' && isIt).length, place).toBe(
          isCutOff ? 1 : 0,
        )
        expect(
          findings.filter(({ repaired: isIt, severity }) => !isIt && severity !== 'note'),
          place,
        ).toEqual([])
        const files = seenIn(root)
        expect(brokenAtRest(files, before.promised), place).toEqual([])
        if (isCutOff) expect(verb.end(files), place).toEqual(before.expected)
        rmSync(root, { recursive: true })
      }
    }
  }, 600_000)
})

/** As `doctor --fix` asks the protocol. */
async function repaired(root: string) {
  const tree = await openFileTree({ root, clock: later })
  const { acmq } = await import('../../src/protocols/ac-mq/index.ts')
  const missions = await acmq.open({ tree, clock: later, settings: acmq.defaults })
  const findings = await (await missions.neutral()).inspect({ repair: true, isSeen: async () => true })
  await tree.close()
  return findings
}
