/**
 * CIRCE killed before every single change on the disk. The next process puts everything right without a person; the one after
 * repeats what was asked for. `circe-checker.ts`, which shares no code with the library, then finds every message once and every
 * task in step with its messages; and when all agents have dealt with everything, the log has each message once.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { realDisk } from '../../src/engines/file-system/disk.ts'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import type { Circe } from '../../src/protocols/circe/store/circe.ts'
import { type Picture, paint, pictureOf } from '../held/picture.ts'
import { runtime, spawnChild } from '../support/child.ts'
import { CirceFolder, circeOn, withCirce } from '../support/circe.ts'
import { brokenIn, filesIn } from '../support/circe-checker.ts'
import { Killed, mortalDisk } from '../support/mortal-disk.ts'
import { quickTempDir } from '../support/temp.ts'
import { namesWith, task, type Verb, verbs } from './circe-verbs.ts'

const isLong = Number(process.env.SIGNALBOX_TEST_SCALE ?? 1) > 1
/** Every change in the long run, and every third otherwise. */
const stride = isLong ? 1 : 3

async function pictureBefore(base: string, verb: Verb): Promise<Picture> {
  const root = join(base, 'before')
  await withCirce(root, (circe) => verb.prepare(circe, new CirceFolder(root)))
  const picture = pictureOf(root)
  rmSync(root, { recursive: true })
  return picture
}

interface Lived {
  /** What it answered, if it lived that long. */
  readonly answer: { readonly outcome?: string } | undefined
  readonly changes: number
}

/** A process that dies before change number `killAt`. */
async function live(base: string, root: string, verb: Verb, killAt: number): Promise<Lived> {
  const mortal = mortalDisk(base, realDisk())
  const tree = await openFileTree({ root, disk: mortal.disk })
  mortal.fate.left = killAt
  try {
    const answer = (await verb.act(circeOn(tree), new CirceFolder(root))) as Lived['answer']
    return { answer: answer ?? {}, changes: killAt - mortal.fate.left }
  } catch (error) {
    if (!(error instanceof Killed)) throw error
    return { answer: undefined, changes: killAt }
  } finally {
    mortal.bury()
  }
}

const sentIn = (picture: Picture) =>
  picture.files.flatMap(({ path }) => /(?:NEW_MESSAGES|INBOX|LOGS)\/([^/]+\.md)$/.exec(path)?.[1] ?? [])

/** Everybody claims all there is and deals with it. */
async function dealWithAll(circe: Circe): Promise<string[]> {
  const handed: string[] = []
  for (const agent of ['engineer', 'qa', 'scribe', 'coordinator']) {
    for (;;) {
      const claimed = await circe.claiming.claim(agent)
      if (claimed.outcome === 'nothing') break
      handed.push(`${agent} ${claimed.message.file}`)
    }
    for (const { file, isClaimed, state } of (await circe.overview.inbox(agent)).messages)
      if (isClaimed || state === 'workspace') await circe.settling.done(agent, file)
  }
  return handed
}

async function putRight(root: string, place: string, verb: Verb, before: Picture, lived: Lived): Promise<void> {
  const folder = new CirceFolder(root)
  const sent = sentIn(before)
  const wasUnfinished = filesIn(root).some(({ path }) => path.includes('/unfinished/'))
  await withCirce(root, (circe) => circe.overview.tasks())
  if (!verb.needsPerson) expect(brokenIn(filesIn(root), { sent, isAtRest: true }), `${place}, then tasks`).toEqual([])
  await withCirce(root, async (circe) => {
    const again = verb.isNewEachTime ? undefined : ((await verb.act(circe, folder)) as Lived['answer'])
    expect(brokenIn(filesIn(root), { sent, isAtRest: true }), `${place}, then once more`).toEqual([])
    if (verb.sendsOnce !== undefined) expect(namesWith(filesIn(root), verb.sendsOnce), place).toHaveLength(1)
    if (verb.claims !== undefined) await expectHanded(circe, verb.claims, again, lived, wasUnfinished, place)
    if (verb.stands !== undefined) expect(await standing(circe), place).toBe(verb.stands)
    const findings = await circe.inspect()
    expect(
      findings.filter(({ severity, code }) => severity !== 'note' || code === 'UNFINISHED_CHANGE'),
      place,
    ).toEqual([])
    const handed = await dealWithAll(circe)
    expect(new Set(handed).size, `${place}: ${handed}`).toBe(handed.length)
    const over = filesIn(root)
    expect(brokenIn(over, { sent, isAtRest: true, isOver: true }), `${place}, at the end`).toEqual([])
  })
}

/** Who was told has it, and does not get it twice. Who was not told gets it, or sees it as claimed in the inbox. */
async function expectHanded(
  circe: Circe,
  agent: string,
  again: Lived['answer'],
  { answer }: Lived,
  wasUnfinished: boolean,
  place: string,
): Promise<void> {
  if (answer) expect(again?.outcome, place).toBe('nothing')
  else if (wasUnfinished) expect(again?.outcome, place).toBe('claimed')
  const { messages } = await circe.overview.inbox(agent)
  expect(messages.filter(({ isClaimed }) => isClaimed).length, place).toBe(1)
}

async function standing(circe: Circe): Promise<string> {
  const [view] = await circe.overview.tasks(task)
  return `${view!.status} ${view!.owner ?? ''}`
}

describe(`CIRCE killed before every change, on ${runtime}`, () => {
  for (const [name, verb] of Object.entries(verbs)) {
    it(`[X-crash][CI-8] ${name}: the next process puts it right`, async () => {
      const base = quickTempDir()
      const before = await pictureBefore(base, verb)
      for (let killAt = 1; ; killAt += stride) {
        const root = join(base, `${killAt}`)
        paint(root, before)
        const lived = await live(base, root, verb, killAt)
        await putRight(root, `${name}, killed before change ${killAt}`, verb, before, lived)
        rmSync(root, { recursive: true })
        if (lived.answer) break
      }
    }, 300_000)
  }

  // The same with real processes and a real signal: a few steps, or all of them in the long run.
  for (const name of ['claim work', 'complete', 'send to all']) {
    it(`[X-crash] ${name}: really killed`, async () => {
      const verb = verbs[name]!
      const base = quickTempDir()
      const before = await pictureBefore(base, verb)
      const run = async (root: string, killAt: number) => {
        const child = spawnChild('circe-crash', [root, name, `${killAt}`])
        const { code, signal } = await child.exited
        if (signal !== 'SIGKILL' && code !== 0) throw new Error(child.stderr())
        return child.stdout[0] === undefined ? undefined : Number(child.stdout[0])
      }
      const first = join(base, 'first')
      paint(first, before)
      const changes = (await run(first, 0))!
      expect(changes).toBeGreaterThan(10)
      for (let killAt = 5; killAt <= changes; killAt += isLong ? 1 : Math.ceil(changes / 3)) {
        const root = join(base, `${killAt}`)
        paint(root, before)
        const isTold = (await run(root, killAt)) !== undefined
        await putRight(root, `${name}, killed before change ${killAt}`, verb, before, {
          answer: isTold ? {} : undefined,
          changes,
        })
        rmSync(root, { recursive: true })
      }
    }, 300_000)
  }
})
