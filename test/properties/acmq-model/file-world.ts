/**
 * The world on real files. Its process dies as `mortalDisk` does, and the disk shows times as the test's clock had them,
 * because nobody can set when a file was last moved.
 */
import fs from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type FilePlace, realDisk, type Stats } from '../../../src/engines/file-system/disk.ts'
import { openFileTree } from '../../../src/engines/file-system/index.ts'
import type { Tree } from '../../../src/tree/tree.ts'
import { type MortalDisk, mortalDisk } from '../../support/mortal-disk.ts'
import type { StepName } from '../../support/stepping-disk.ts'
import { missionFolder, missionOn, missionsOn, type World } from './world.ts'

export async function openFileWorld(base: string): Promise<World> {
  const root = join(base, 'root')
  const at = (path: string) => join(root, missionFolder, path)
  const time = new HeldTime(join(base, 'tick'))
  let life: MortalDisk & { tree: Tree }
  const open = async () => {
    const mortal = mortalDisk(base, realDisk(), timed(time))
    const tree = await openFileTree({ root, disk: mortal.disk, clock: { now: time.now } })
    life = { ...mortal, tree }
    return missionsOn(tree, time.now)
  }
  const handles = await open()
  return {
    now: time.now,
    advance: (milliseconds) => time.advance(milliseconds),
    handles,
    armKill(step) {
      life.fate.left = step
    },
    disarm() {
      life.fate.left = Number.POSITIVE_INFINITY
      return life.fate.isDead
    },
    async restart() {
      life.bury()
      handles.splice(0, handles.length, ...(await open()))
    },
    async refresh(handle) {
      handles[handle] = await missionOn(life.tree, time.now)
    },
    files: async (folders) =>
      folders.flatMap((folder) =>
        fs.readdirSync(at(folder)).map((name) => {
          const path = at(`${folder}/${name}`)
          const { mtimeMs, ctimeMs } = fs.lstatSync(path)
          const changedAt = Math.max(time.heldAt(mtimeMs), time.heldAt(ctimeMs))
          return { folder, name, text: fs.readFileSync(path, 'utf8'), changedAt }
        }),
      ),
    archived: async () =>
      fs
        .readdirSync(at('archive'), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.gz'))
        .map((name) => gunzipSync(fs.readFileSync(at(`archive/${name}`))).toString('utf8')),
    byHand: {
      async write(to, text) {
        const hidden = join(base, 'by-hand')
        fs.writeFileSync(hidden, text)
        fs.renameSync(hidden, at(to))
      },
      async move(from, to) {
        fs.renameSync(at(from), at(to))
      },
      async edit(path, change) {
        fs.writeFileSync(at(path), change(fs.readFileSync(at(path), 'utf8')))
      },
    },
    async close() {
      await life.tree.close()
      life.bury()
    },
  }
}

/** A clock that stands still between advances, and knows what it showed when a file was written. */
class HeldTime {
  readonly #probe: string
  readonly #shown: { readonly since: number; readonly time: number }[]

  constructor(probe: string) {
    this.#probe = probe
    this.#shown = [{ since: 0, time: Date.now() }]
  }

  readonly now = (): number => this.#shown.at(-1)!.time

  advance(milliseconds: number): void {
    // File times tick every few milliseconds: what is written from here on must have another one than all before.
    const before = this.#tick()
    let since = before
    while (since <= before) since = this.#tick()
    this.#shown.push({ since, time: this.now() + milliseconds })
  }

  heldAt(fileTime: number): number {
    let at = this.#shown.length - 1
    while (at > 0 && this.#shown[at]!.since > fileTime) at--
    return this.#shown[at]!.time
  }

  #tick(): number {
    fs.writeFileSync(this.#probe, '.')
    return fs.lstatSync(this.#probe).mtimeMs
  }
}

/** Times as the test's clock had them. */
const timed =
  (time: HeldTime) =>
  (step: StepName, values: readonly unknown[], call: () => unknown): unknown => {
    if (step === 'setTimes') return fs.lutimesSync((values[0] as FilePlace).path, new Date(), new Date())
    const result = call()
    return (step === 'stat' || step === 'statOpen') && result ? asHeld(result as Stats, time) : result
  }

/** Folders keep their real times: they only tell whether names came or went. */
function asHeld(stats: Stats, time: HeldTime): Stats {
  if (stats.isDirectory()) return stats
  return Object.assign(stats, { mtimeMs: time.heldAt(stats.mtimeMs), ctimeMs: time.heldAt(stats.ctimeMs) })
}
