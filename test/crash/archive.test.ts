/** Archiving is killed, and the disk fails, at every step: each message is there exactly once, and the next run ends it. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { realDisk } from '../../src/engines/file-system/disk.ts'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { loadNative } from '../../src/engines/file-system/native.ts'
import { SignalboxError } from '../../src/kernel/errors.ts'
import { childOf, parentOf, treePath } from '../../src/kernel/tree-path.ts'
import { archiveMessages, listArchived, readArchived } from '../../src/protocols/ac-mq/archive/archive.ts'
import { inspectArchive } from '../../src/protocols/ac-mq/archive/inspect.ts'
import { missionAddress } from '../../src/protocols/ac-mq/names.ts'
import { defaultSettings } from '../../src/protocols/ac-mq/settings.ts'
import { Mission } from '../../src/protocols/ac-mq/store/mission.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { isShort, runtime, spawnChild } from '../support/child.ts'
import { steppingDisk } from '../support/stepping-disk.ts'
import { quickTempDir } from '../support/temp.ts'
import { archive, prepared, textOf } from './archive.child.ts'

const base = quickTempDir()
let counter = 0

/** A minute later, when the lease of the one that died has run out. */
const later = { now: () => Date.now() + 60_000 }

async function freshRoot(): Promise<string> {
  const root = join(base, `${counter++}`)
  mkdirSync(root)
  const tree = await openFileTree({ root })
  for (const message of prepared) await tree.create(message.path, Buffer.from(textOf(message)))
  await tree.close()
  return root
}

/** Every message by where it is: in its queue, or by its status in the archive. */
async function whereabouts(tree: Tree): Promise<string[]> {
  const found: string[] = []
  for (const folder of new Set(prepared.map(({ path }) => parentOf(path)))) {
    for (const { name } of await tree.list(folder)) {
      const message = prepared.find((one) => one.name === name)
      const leaf = await tree.read(message!.path)
      expect(Buffer.from(leaf!.bytes).toString('utf8')).toBe(textOf(message!))
      found.push(`${message!.id} ${message!.status}`)
    }
  }
  for (const entry of await listArchived(tree, archive)) {
    const message = prepared.find(({ id }) => id === entry.id)
    expect(Buffer.from(await readArchived(tree, entry)).toString('utf8')).toBe(textOf(message!))
    found.push(`${entry.id} ${entry.status}`)
  }
  return found.sort()
}

const everyOne = prepared.map(({ id, status }) => `${id} ${status}`).sort()

/** Nothing waits for a pack or lies beside the one it is in, and every pack has its index. */
async function expectNothingHalfDone(tree: Tree, place: string): Promise<void> {
  const names: string[] = []
  for (const { name: month } of await tree.list(archive)) {
    for (const status of ['completed', 'failed']) {
      const lying = await tree.list(childOf(childOf(archive, month), status))
      expect(lying, `${place}: ${month}/${status}`).toEqual([])
    }
    names.push(
      ...(await tree.list(childOf(archive, month))).filter(({ kind }) => kind === 'leaf').map(({ name }) => name),
    )
  }
  const stems = (ending: string) =>
    names.filter((name) => name.endsWith(ending)).map((name) => name.slice(0, -ending.length))
  expect(stems('.index.jsonl'), place).toEqual(stems('.md.gz'))
  const ids = (await listArchived(tree, archive)).map(({ id }) => id)
  expect(new Set(ids).size, place).toBe(ids.length)
  const found = await inspectArchive(tree, archive)
  expect(found, place).toEqual([])
}

/** The mission as its commands see it. */
function missionOn(tree: Tree): Mission {
  return new Mission({ tree, clock: later, settings: defaultSettings, root: treePath('') }, missionAddress('m'))
}

async function expectRecovered(root: string, place: string): Promise<void> {
  const tree = await openFileTree({ root, clock: later })
  try {
    expect(await whereabouts(tree), place).toEqual(everyOne)
    // Nothing in the queue is old enough: what was begun is finished all the same, and no more than that.
    const inQueue = (await tree.list(treePath('m/queue/completed'))).length
    await (await missionOn(tree).upkeep()).archive({ olderThanMs: 1e9 })
    await expectNothingHalfDone(tree, place)
    expect((await tree.list(treePath('m/queue/completed'))).length, place).toBe(inQueue)
    expect(await (await missionOn(tree).upkeep()).archive({ olderThanMs: 1e9 }), place).toEqual({
      outcome: 'nothing',
      archived: 0,
    })
    expect(await whereabouts(tree), place).toEqual(everyOne)
    expect(await archiveMessages(tree, archive, prepared, { owner: 'next' }), place).not.toHaveProperty('busy')
    expect(await whereabouts(tree), place).toEqual(everyOne)
    const problems: string[] = []
    const listed = await listArchived(tree, archive, { onProblem: ({ message }) => void problems.push(message) })
    expect(problems, place).toEqual([])
    // All of them are in packs, and there are no more packs than indexes.
    expect(listed.map(({ pack }) => /\/(completed|failed)-\d{14}-[0-9a-f]{8}\.md\.gz$/.test(pack))).toEqual(
      Array(prepared.length).fill(true),
    )
    expect((await archiveMessages(tree, archive, prepared, { owner: 'next' })).archived, place).toBe(0)
  } finally {
    await tree.close()
  }
}

async function run(root: string, killAt: number, durability: string, renames: string) {
  const child = spawnChild('archive', [root, `${killAt}`, durability, renames])
  const { code, signal } = await child.exited
  if (signal !== 'SIGKILL' && code !== 0) throw new Error(`The child failed: ${child.stderr()}`)
  const line = child.stdout[0]
  return {
    killed: signal === 'SIGKILL',
    ...(line === undefined ? {} : (JSON.parse(line) as { archived: number; changes: string[] })),
  }
}

// The calls are the same whichever runtime makes them: native ones are left to Bun, portable ones to Node.
const native = runtime === 'bun' ? loadNative() : undefined

describe(`archiving killed at every step, on ${runtime}`, () => {
  const renames = native ? 'native' : 'portable'
  it(`loses nothing and doubles nothing, ${renames} renames`, async () => {
    const whole = await run(await freshRoot(), 0, 'process', renames)
    expect(whole).toMatchObject({ killed: false, archived: prepared.length })
    expect(whole.changes!.length).toBeGreaterThan(20)
    const waiting = whole.changes!.map((_, i) => i + 1).filter((at) => !isShort || at % 3 === 1)
    const worker = async () => {
      for (let killAt = waiting.shift(); killAt !== undefined; killAt = waiting.shift()) {
        const root = await freshRoot()
        const place = `killed before change ${killAt} (${whole.changes![killAt - 1]})`
        expect((await run(root, killAt, 'process', renames)).killed, place).toBe(true)
        await expectRecovered(root, place)
      }
    }
    await Promise.all([worker(), worker()])
  })
})

describe(`archiving on a disk that fails, on ${runtime}`, () => {
  for (const [title, isLasting] of [
    ['once', false],
    ['from then on', true],
  ] as const) {
    it(`at every step, ${title}`, async () => {
      for (let failAt = 1; ; failAt++) {
        const root = await freshRoot()
        let step = 0
        let armed = false
        let failed: string | undefined
        const disk = steppingDisk(realDisk(), (name, _values, call) => {
          if (!armed || !(isLasting ? ++step >= failAt : ++step === failAt)) return call()
          failed ??= name
          // A descriptor is closed even when closing reports a failure.
          if (name === 'close') call()
          throw Object.assign(new Error(`ENOSPC: planted, ${name}`), { code: 'ENOSPC' })
        })
        const tree = await openFileTree({ root, disk })
        armed = true
        const error = await archiveMessages(tree, archive, prepared, { owner: 'unlucky' }).then(
          () => undefined,
          (thrown: unknown) => thrown,
        )
        armed = false
        const place = `ENOSPC at step ${failAt} (${failed})`
        if (error !== undefined) expect(error, place).toBeInstanceOf(SignalboxError)
        expect(await whereabouts(tree), place).toEqual(everyOne)
        await tree.close()
        await expectRecovered(root, place)
        if (failed === undefined) break
      }
    })
  }
})
