/**
 * Where a message can be, and the ways between. The folder is the state; nothing in the file repeats it. Every move looks
 * its target up here (`store/moving.ts`): a way that is not in the table cannot be gone.
 */
import type { Stage } from '../../kernel/envelope.ts'
import { type Folder, folders } from './layout.ts'

export const transitionNames = ['take', 'evict', 'reject', 'recover', 'putBack'] as const
export type Transition = (typeof transitionNames)[number]

export const transitions: Readonly<Record<Folder, Partial<Record<Transition, Folder>>>> = {
  inbox: { take: 'taken', evict: 'evicted', reject: 'rejected' },
  /**
   * A seal that does not open is found out only after the message was taken. What could not be judged at all, because
   * the disk failed for instance, was not handed out and waits again.
   */
  taken: { recover: 'inbox', putBack: 'inbox', reject: 'rejected' },
  evicted: { recover: 'inbox' },
  /** A person has corrected it, or it is to be read with `compat`. */
  rejected: { recover: 'inbox' },
}

/** How far a message has come, in the words of all protocols. What was taken is its reader's for good. */
export const stages = {
  inbox: 'written',
  taken: 'claimed',
  evicted: 'failed',
  rejected: 'failed',
} as const satisfies Readonly<Record<Folder, Stage>>

/** Where a transition leads. A way that is not in the table is a mistake in this program, never of a caller. */
export function nextFolder(from: Folder, transition: Transition): Folder {
  const next = transitions[from][transition]
  if (next === undefined) throw new Error(`Message Routing has no way to ${transition} a message from ${from}/.`)
  return next
}

/** The folders that a transition leads from, in their order. */
export const foldersWith = (transition: Transition): Folder[] =>
  folders.filter((from) => transition in transitions[from])
