/** Moving a file that is not what it should be out of the way, and writing down why. Nothing is deleted. */
import { childOf, longestSegment, nameOf, type TreePath } from '../../kernel/tree-path.ts'
import type { Durability, Times, Tree } from '../../tree/tree.ts'

export interface SetAsideOptions {
  /** Asked when the file has been won, with its first `atMost` bytes: false leaves it, since its writer has changed it. */
  readonly isMeant?: (head: Uint8Array, times: Times) => boolean
  readonly atMost?: number
  /** `isMeant` goes by the times too. To find them out takes a look of its own. */
  readonly timed?: boolean
  /** A file that changed or moved less than so many milliseconds ago may still be being written, and stays. */
  readonly quietMs?: number
  /** Writes down the reason. Called by the one who moved the file, with its new place. */
  readonly tell?: (path: TreePath) => Promise<unknown>
}

export type SetAside =
  | { readonly outcome: 'moved'; readonly path: TreePath; readonly name: string; readonly durability: Durability }
  /** Somebody else moved it first; it is not what was meant any more; it is too young to judge. */
  | { readonly outcome: 'gone' | 'kept' | 'young' }

/** Of all who try, one sees 'moved'. The name stays as it is, unless the folder has one like it already. */
export async function setAside(
  tree: Tree,
  path: TreePath,
  folder: TreePath,
  options: SetAsideOptions = {},
): Promise<SetAside> {
  const { isMeant, atMost, timed, quietMs, tell } = options
  if (quietMs !== undefined) {
    const found = await tree.look(path)
    if (!found) return { outcome: 'gone' }
    if ((await tree.now()) - found.changedAt < quietMs) return { outcome: 'young' }
  }
  const judge = {
    ...(isMeant ? { change: (before: Uint8Array, times: Times) => (isMeant(before, times) ? before : undefined) } : {}),
    ...(atMost === undefined ? {} : { atMost }),
    ...(timed === undefined ? {} : { timed }),
  }
  for (let n = 1; ; n++) {
    const name = n === 1 ? nameOf(path) : spareName(nameOf(path), n)
    const target = childOf(folder, name)
    const moved = await tree.move(path, target, judge)
    if (moved.outcome === 'taken') continue
    if (moved.outcome !== 'moved') return { outcome: moved.outcome === 'kept' ? 'kept' : 'gone' }
    await tell?.(target)
    return { outcome: 'moved', path: target, name, durability: moved.durability }
  }
}

/** The name that a file had before it got a spare one; any other name as it is. */
export const nameBefore = (spare: string): string => spare.replace(/~[1-9]\d*(?=(?:\.[^.]*)?$)/, '')

/** A name for a file whose own is taken in the folder it goes to: `msg_a3f5d8b2~2.json`. */
export function spareName(name: string, n: number): string {
  const dot = name.lastIndexOf('.')
  const end = `~${n}${dot > 0 ? name.slice(dot) : ''}`
  const stem = Array.from(dot > 0 ? name.slice(0, dot) : name)
  while (Buffer.byteLength(stem.join('') + end) > longestSegment && stem.length > 1) stem.pop()
  return stem.join('') + end
}
