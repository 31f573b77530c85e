/** Dream.OS for tests: on a tree in memory with a clock that stands still, or on whatever tree is given. */
import { openMemoryTree } from '../../src/engines/memory/index.ts'
import { type Clock, heldClock } from '../../src/kernel/clock.ts'
import { defaultsOf, type InputOf } from '../../src/kernel/field.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import type { DreamPorts } from '../../src/protocols/dream-os/ports.ts'
import { section, settingsFrom } from '../../src/protocols/dream-os/settings.ts'
import { Dream } from '../../src/protocols/dream-os/store/dream.ts'
import type { Tree } from '../../src/tree/tree.ts'

export type DreamSection = Partial<InputOf<typeof section>>

export const dreamSettings = (set: DreamSection = {}) => settingsFrom({ ...defaultsOf(section), ...set })

export const dreamOn = (
  tree: Tree,
  clock: Clock,
  set: DreamSection = {},
  more: Partial<DreamPorts> & { compat?: boolean } = {},
) => new Dream({ tree, clock, settings: dreamSettings(set), ...more })

export function openDream(set: DreamSection = {}, more: Partial<DreamPorts> & { compat?: boolean } = {}) {
  const clock = heldClock(Date.parse('2026-01-01T12:00:00Z'))
  const tree = openMemoryTree({ clock })
  const read = async (path: string): Promise<string | undefined> => {
    const leaf = await tree.read(treePath(path))
    return leaf && Buffer.from(leaf.bytes).toString('utf8')
  }
  const json = async (path: string) => JSON.parse((await read(path)) ?? 'null')
  const put = async (path: string, content: unknown) => {
    const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2)
    await tree.remove(treePath(path))
    await tree.create(treePath(path), text)
  }
  const names = async (folder: string) => (await tree.list(treePath(folder))).map(({ name }) => name)
  const lines = async (path: string) =>
    ((await read(path)) ?? '')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  return {
    clock,
    tree,
    dream: dreamOn(tree, clock, set, more),
    another: () => dreamOn(tree, clock, set, more),
    read,
    json,
    put,
    names,
    lines,
  }
}

export const shared = '_agent_coordination/shared_mailboxes'
export const mailboxFile = (number: number) => `${shared}/mailbox_${number}.json`
