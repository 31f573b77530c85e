/**
 * Small files of our own below `.signalbox/state/`. Another program may have written them: a note that cannot be read counts
 * as missing, and `inspect` reports it.
 */
import { parseJson } from '../../../formats/json.ts'
import { SignalboxError } from '../../../kernel/errors.ts'
import { childOf, isSegment, type TreePath } from '../../../kernel/tree-path.ts'
import { changeLeaf } from '../../../messaging/leaves/change.ts'
import { isUnread } from '../../../messaging/leaves/readable.ts'
import { listIfFolder, readOrSayWhyIfLeaf } from '../../../messaging/leaves/tolerant.ts'
import type { Durability, Tree } from '../../../tree/tree.ts'
import { hashedName } from '../names.ts'
import { isObject } from '../schema.ts'
import { bytesOf } from './parts.ts'

export type Note = Readonly<Record<string, unknown>>

const largest = 4 * 1024 * 1024

export async function readNote(tree: Tree, path: TreePath, { fresh = false } = {}): Promise<Note | undefined> {
  const read = await readOrSayWhyIfLeaf(tree, path, { most: largest, fresh })
  if (!read || isUnread(read)) return undefined
  try {
    const value = parseJson(read.bytes, { maxBytes: largest })
    return isObject(value) ? value : undefined
  } catch (error) {
    if (error instanceof SignalboxError) return undefined
    throw error
  }
}

export async function writeNote(tree: Tree, path: TreePath, note: Note): Promise<Durability> {
  const changed = await changeLeaf(tree, path, () => bytesOf(`${JSON.stringify(note)}\n`))
  return changed.outcome === 'unchanged' ? 'process' : changed.durability
}

export async function noteNames(tree: Tree, folder: TreePath): Promise<string[]> {
  const entries = await listIfFolder(tree, folder)
  return entries.flatMap(({ name, kind }) =>
    kind === 'leaf' && isSegment(name) && name.endsWith('.json') ? [name] : [],
  )
}

/** The name of a note about something that these texts identify. */
export const noteNameOf = (...about: readonly string[]): string => `${hashedName(...about)}.json`

export const noteIn = (folder: TreePath, ...about: readonly string[]): TreePath => childOf(folder, noteNameOf(...about))

/** The attempt that a note is about; 0 where it names none. */
export const attemptIn = (note: Note | undefined): number =>
  typeof note?.attempt === 'number' && Number.isSafeInteger(note.attempt) && note.attempt > 0 ? note.attempt : 0
