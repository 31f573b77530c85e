/**
 * An agent of Dream.OS dies before every single change on the disk, or the disk fails there; afterwards every message is where it
 * may be, once. Within the process of the test (`mortalDisk`), and read with nothing of the library.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { realDisk } from '../../src/engines/file-system/disk.ts'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { SignalboxError } from '../../src/kernel/errors.ts'
import { dreamPorts } from '../../src/operations/dream/ports.ts'
import { spawnChild } from '../support/child.ts'
import { type DreamSection, dreamOn } from '../support/dream.ts'
import { DreamFolder, openDreamFiles } from '../support/dream-files.ts'
import { Killed, mortalDisk } from '../support/mortal-disk.ts'
import { isChange, steppingDisk } from '../support/stepping-disk.ts'
import { withTempDir } from '../support/temp.ts'
import { type Verb, verbs } from './dream-verbs.ts'

// In `npm test` some of the changes; which ones differs from verb to verb.
const isWhole = Number(process.env.SIGNALBOX_TEST_SCALE ?? 1) > 1
const strideOf = (usual: number) => (isWhole ? 1 : usual)
// What somebody fetched and did not live to show is given again soon.
const settings: DreamSection = { packAfter: 0, settle: 20 }

async function prepared(root: string, verb: Verb): Promise<void> {
  const { dream, close } = await openDreamFiles(root, settings)
  await verb.prepare(dream, root)
  await close()
}

/** Somebody else comes by, and then it is asked for again. */
async function recovered(root: string, verb: Verb, wasTold: boolean): Promise<void> {
  const folder = new DreamFolder(root)
  const { dream, close } = await openDreamFiles(root, settings)
  await dream.router.route('Supervisor')
  await dream.inspect({ repair: true })
  const bad = (await dream.inspect()).filter(({ severity }) => severity === 'error')
  expect(bad).toEqual([])
  verb.check(folder, wasTold)
  expect(folder.isLocked()).toBe(false)
  await verb.act(dream)
  verb.checkAgain?.(folder)
  expect(folder.isLocked()).toBe(false)
  expect(folder.names('.signalbox/state/delivery/dream/journal')).toEqual([])
  await close()
}

/** The same by a real process, which says how many changes it made when it was not killed. */
async function killedChild(root: string, child: string, verb: Verb, change: number): Promise<boolean> {
  await prepared(root, verb)
  const process = spawnChild('dream-moves', [root, child, `${change}`])
  const { code, signal } = await process.exited
  if (signal !== 'SIGKILL' && code !== 0) throw new Error(process.stderr())
  // It is killed in the end, too; before that it says how many changes there were.
  const wasTold = process.stdout.length > 0
  await recovered(root, verb, wasTold)
  return !wasTold
}

/** Answers false when it was done before it came to that change. */
async function killedAt(root: string, scratch: string, verb: Verb, change: number): Promise<boolean> {
  if (verb.child !== undefined) return killedChild(root, verb.child, verb, change)
  await prepared(root, verb)
  const { disk, fate, bury } = mortalDisk(scratch)
  // With a time of its own it does not ask the disk for it, which nobody would wait for any more once it is dead.
  const tree = await openFileTree({ root, disk, clock: systemClock })
  const dream = dreamOn(tree, systemClock, settings, dreamPorts)
  fate.left = change
  const ended = await verb.act(dream).then(
    () => 'told',
    (error: unknown) => error,
  )
  const isDead = fate.isDead
  if (ended !== 'told' && !isDead) throw ended
  if (ended !== 'told') expect(String(ended)).toContain(new Killed().message)
  bury()
  await recovered(root, verb, ended === 'told')
  return isDead
}

async function failingAt(root: string, verb: Verb, change: number): Promise<boolean> {
  await prepared(root, verb)
  let [count, isArmed, hasFailed] = [0, false, false]
  const disk = steppingDisk(realDisk(), (step, values, call) => {
    if (!isArmed || !isChange(step, values) || ++count !== change || step === 'close') return call()
    hasFailed = true
    throw Object.assign(new Error(`ENOSPC: planted, ${step}`), { code: 'ENOSPC' })
  })
  const tree = await openFileTree({ root, disk })
  const dream = dreamOn(tree, systemClock, settings, dreamPorts)
  isArmed = true
  const error: unknown = await verb.act(dream).then(
    () => undefined,
    (thrown) => thrown,
  )
  isArmed = false
  if (error !== undefined) expect(error).toBeInstanceOf(SignalboxError)
  await tree.close()
  await recovered(root, verb, error === undefined)
  return hasFailed || count >= change
}

describe.each(Object.entries(verbs))('%s', (_, verb) => {
  it('[X-crash] killed before any change: nothing is lost, nothing is done twice, and the next one does the rest', async () => {
    const stride = strideOf(7)
    let changes = 0
    for (let change = 1; ; change += stride) {
      const place = `killed before change ${change}`
      const isDead = await withTempDir((root) =>
        withTempDir((scratch) =>
          killedAt(root, scratch, verb, change).catch((error) => {
            throw new Error(`${place}: ${error instanceof Error ? error.stack : error}`)
          }),
        ),
      )
      if (!isDead) break
      changes++
    }
    expect(changes).toBeGreaterThan(0)
  }, 300_000)

  it('[X-disk] a full disk at any change is a clear error, and costs nothing that was acknowledged', async () => {
    const stride = strideOf(11)
    for (let change = 1; ; change += stride) {
      const place = `full at change ${change}`
      const isReached = await withTempDir((root) =>
        failingAt(root, verb, change).catch((error) => {
          throw new Error(`${place}: ${error instanceof Error ? error.stack : error}`)
        }),
      )
      if (!isReached) break
    }
  }, 300_000)
})

it('[X-crash] a response whose fetcher is killed, wherever, is brought back by nothing but the next fetch, once', async () => {
  let kills = 0
  for (let change = 1, isKilled = true; isKilled; change += strideOf(3)) {
    await withTempDir(async (root) => {
      mkdirSync(join(root, 'temp'))
      writeFileSync(join(root, 'temp/cursor_output.json'), '{"answer": 1}')
      const child = spawnChild('dream-moves', [root, 'show', `${change}`])
      await child.exited
      // It is killed in the end, too, before anybody is told.
      isKilled = child.stdout.length === 0
      if (isKilled) kills++
      const { dream, close } = await openDreamFiles(root, settings)
      expect(await dream.prompts.fetch(), `killed before change ${change}`).toMatchObject({ response: { answer: 1 } })
      expect(await dream.prompts.fetch()).toEqual({ outcome: 'nothing' })
      await close()
    })
  }
  expect(kills).toBeGreaterThan(0)
}, 120_000)
