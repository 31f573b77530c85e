/**
 * What is no message: it is moved out of the way as it is, shown to a person with the reason, and put back once it is one.
 * Nothing is deleted. Where the reason is written down is the protocol's own rule.
 */
import { sha256 } from '../../formats/digest.ts'
import { isoTime } from '../../kernel/clock.ts'
import { corrupt, type SignalboxError } from '../../kernel/errors.ts'
import { childOf, longestSegment, nameOf, type TreePath } from '../../kernel/tree-path.ts'
import type { Durability, Times, Tree } from '../../tree/tree.ts'
import { isUnread, readOrSayWhy } from '../leaves/readable.ts'
import { isOddEntry } from '../leaves/tolerant.ts'

/** How a file begins, so that a person can see what it was meant to be. */
export interface Beginning {
  readonly path: TreePath
  /** Since when it has been there. */
  readonly since: string
  readonly text: string
  /** Names what it says, as far as it was read. */
  readonly digest: string
}

/** A file where a message should be, which no agent is handed until a person has seen to it. Its text is data. */
export interface Quarantined extends Beginning {
  readonly id: string
  /** The mission, or the agent whose it was, where names alone would not tell two apart. */
  readonly place?: string
  /** Why it is no message, in one sentence. */
  readonly reason: string
  /** What a person is to do, in the imperative. Without the name, which a stranger may have chosen: people copy commands. */
  readonly next: string
}

/** The `reason` of one that a person has corrected where it lies. */
export const isMessageNow = 'It is a message by now, and waits to be put back.'

/** A quarantined file that was to be put back and would be set aside again. */
export const stillNoMessage = (path: TreePath, reason: string): SignalboxError =>
  corrupt('STILL_NO_MESSAGE', `${path} is still no message: ${reason}`, {
    hint: 'Correct that file, then put it back again.',
    details: { path },
  })

const mostRead = 64 * 1024
const mostShown = 2000

/**
 * One of them, for people. `undefined` when it is gone, or is no leaf: `doctor` tells of that. Of one that this user may not
 * read, nothing is shown.
 */
export async function quarantinedAt(
  tree: Tree,
  path: TreePath,
  about: Pick<Quarantined, 'reason' | 'next' | 'place'>,
): Promise<Quarantined | undefined> {
  try {
    const entry = await tree.look(path)
    const read = entry && (await readOrSayWhy(tree, path, { most: Number.MAX_SAFE_INTEGER, atMost: mostRead }))
    if (!entry || !read) return undefined
    const bytes = Buffer.from(isUnread(read) ? [] : read.bytes)
    const text = bytes.toString('utf8')
    const shown = text.length > mostShown ? `${text.slice(0, mostShown).toWellFormed()}…` : text
    const digest = sha256(`${entry.size} ${bytes.toString('latin1')}`).slice(0, 32)
    return { path, since: isoTime(entry.changedAt), text: shown, digest, id: nameOf(path), ...about }
  } catch (error) {
    if (isOddEntry(error)) return undefined
    throw error
  }
}

export interface SetAsideOptions {
  /** Asked when the file has been won, with its first `atMost` bytes: false leaves it, since its writer has changed it. */
  readonly isMeant?: (head: Uint8Array, times: Times) => boolean
  readonly atMost?: number
  /** `isMeant` needs the times too. Finding them out costs a call. */
  readonly timed?: boolean
}

export type SetAside =
  | { readonly outcome: 'moved'; readonly path: TreePath; readonly name: string; readonly durability: Durability }
  /** Another process moved it first; or it is not what was meant any more. */
  | { readonly outcome: 'gone' | 'kept' }

/** Of all callers that try, one sees 'moved', and writes down the reason. The name stays, unless the folder has one like it already. */
export async function setAside(
  tree: Tree,
  path: TreePath,
  folder: TreePath,
  options: SetAsideOptions = {},
): Promise<SetAside> {
  const { isMeant, ...rest } = options
  const change = isMeant && ((before: Uint8Array, times: Times) => (isMeant(before, times) ? before : undefined))
  const judge = change ? { ...rest, change } : rest
  for (let n = 1; ; n++) {
    const name = n === 1 ? nameOf(path) : spareName(nameOf(path), n)
    const target = childOf(folder, name)
    const moved = await tree.move(path, target, judge)
    if (moved.outcome === 'taken') continue
    if (moved.outcome !== 'moved') return { outcome: moved.outcome === 'kept' ? 'kept' : 'gone' }
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
