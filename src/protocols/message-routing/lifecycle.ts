/**
 * The states of a message, and the transitions between them. The folder is the state; nothing in the file repeats it. Every move
 * looks its target up here (`store/moving.ts`).
 */
import type { Stage } from '../../kernel/envelope.ts'
import { type Folder, folders } from './layout.ts'

export const transitionNames = ['take', 'evict', 'reject', 'recover', 'putBack'] as const
export type Transition = (typeof transitionNames)[number]

export const transitions: Readonly<Record<Folder, Partial<Record<Transition, Folder>>>> = {
  inbox: { take: 'taken', evict: 'evicted', reject: 'rejected' },
  /**
   * `reject`: signature and encryption are checked only after the message was taken. `putBack`: the message could not be judged,
   * because of a disk error for instance, or did not reach its reader; it waits again.
   */
  taken: { recover: 'inbox', putBack: 'inbox', reject: 'rejected' },
  evicted: { recover: 'inbox' },
  /** A person has corrected it, or it is to be read with `compat`. */
  rejected: { recover: 'inbox' },
}

/** The stage of each state, in the words of all protocols. */
export const stages = {
  inbox: 'written',
  taken: 'claimed',
  evicted: 'failed',
  rejected: 'failed',
} as const satisfies Readonly<Record<Folder, Stage>>

/** Where a transition leads. A missing one is a mistake in this program, never of a caller. */
export function nextFolder(from: Folder, transition: Transition): Folder {
  const next = transitions[from][transition]
  if (next === undefined) throw new Error(`Message Routing has no way to ${transition} a message from ${from}/.`)
  return next
}

/** The folders that a transition leads from, in the order of `folders`. */
export const foldersWith = (transition: Transition): Folder[] =>
  folders.filter((from) => transition in transitions[from])
