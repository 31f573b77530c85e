/** Where a message can be, and the ways between. The folder is the state; nothing in the file repeats it. */
import type { Folder } from './layout.ts'

export const transitions = {
  inbox: { take: 'taken', evict: 'evicted', reject: 'rejected' },
  /** A seal that does not open is found out only after the message was taken. */
  taken: { recover: 'inbox', reject: 'rejected' },
  evicted: { recover: 'inbox' },
  rejected: {},
} as const satisfies Readonly<Record<Folder, Partial<Record<Transition, Folder>>>>

export const transitionNames = ['take', 'evict', 'reject', 'recover'] as const
export type Transition = (typeof transitionNames)[number]

/** Where a transition leads; `undefined` where there is no such way. */
export const nextFolder = (from: Folder, transition: Transition): Folder | undefined =>
  (transitions[from] as Partial<Record<Transition, Folder>>)[transition]
