/** The world in memory. A process dies between two verbs of its tree; the tree itself stays, as a disk would. */
import { gunzipSync } from 'node:zlib'
import { openMemoryTree } from '../../../src/engines/memory/index.ts'
import { heldClock } from '../../../src/kernel/clock.ts'
import { treePath } from '../../../src/kernel/tree-path.ts'
import type { Tree } from '../../../src/tree/tree.ts'
import { Killed } from '../../support/mortal-disk.ts'
import { missionFolder, missionOn, missionsOn, type World } from './world.ts'

const changing: readonly (keyof Tree)[] = ['create', 'replace', 'touch', 'append', 'move', 'remove', 'lease', 'release']

export async function openMemoryWorld(): Promise<World> {
  const clock = heldClock(Date.now())
  const tree = openMemoryTree({ clock })
  const path = (text: string) => treePath(`${missionFolder}/${text}`)
  let life = mortalTree(tree)
  const handles = await missionsOn(life.tree, clock.now)
  return {
    now: clock.now,
    advance: clock.advance,
    handles,
    armKill(step) {
      life.fate.left = step
    },
    disarm() {
      life.fate.left = Number.POSITIVE_INFINITY
      return life.fate.isDead
    },
    async restart() {
      life.fate.isDead = true
      life = mortalTree(tree)
      handles.splice(0, handles.length, ...(await missionsOn(life.tree, clock.now)))
    },
    async refresh(handle) {
      handles[handle] = await missionOn(life.tree, clock.now)
    },
    async files(folders) {
      const seen = []
      for (const folder of folders) {
        for (const { name } of await tree.list(path(folder))) {
          const leaf = await tree.read(path(`${folder}/${name}`))
          const text = Buffer.from(leaf!.bytes).toString('utf8')
          seen.push({ folder, name, text, changedAt: leaf!.changedAt })
        }
      }
      return seen
    },
    async archived() {
      const texts: string[] = []
      const walk = async (folder: string): Promise<void> => {
        for (const { name, kind } of await tree.list(path(folder))) {
          if (kind === 'folder') await walk(`${folder}/${name}`)
          else if (name.endsWith('.gz')) {
            texts.push(gunzipSync((await tree.read(path(`${folder}/${name}`)))!.bytes).toString('utf8'))
          }
        }
      }
      await walk('archive')
      return texts
    },
    byHand: {
      async write(to, text) {
        await tree.create(path(to), Buffer.from(text))
      },
      async move(from, to) {
        await tree.move(path(from), path(to))
      },
      async edit(at, change) {
        await tree.move(path(at), path(at), {
          change: (before) => Buffer.from(change(Buffer.from(before).toString('utf8'))),
        })
      },
    },
    close: () => tree.close(),
  }
}

/** Once it is dead, every call of the old process fails, also those that would tidy up. */
function mortalTree(tree: Tree) {
  const fate = { left: Number.POSITIVE_INFINITY, isDead: false }
  const mortal = new Proxy(tree, {
    get(target, key: keyof Tree) {
      const call = target[key]
      if (typeof call !== 'function') return call
      return (...values: never[]) => {
        if (changing.includes(key) && --fate.left <= 0) fate.isDead = true
        if (fate.isDead) return Promise.reject(new Killed())
        return (call as (...values: never[]) => unknown).apply(target, values)
      }
    },
  })
  return { tree: mortal, fate }
}
