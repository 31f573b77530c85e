/**
 * Where a file of an agent can be, and the ways between. The folder is the state; nothing in the file repeats it. Every move
 * looks its target up here (`store/moving.ts`): a move that is not in the table cannot be made. The status of a mailbox
 * has a table too.
 */
import type { Stage } from '../../kernel/envelope.ts'
import type { Folder } from './layout.ts'
import type { MailboxStatus } from './schema.ts'

export const transitionNames = ['route', 'take', 'putBack', 'finish', 'keep', 'reject'] as const
export type Transition = (typeof transitionNames)[number]

export const transitions = {
  /** `route` and `take` lead into the folders of the target, `keep` into the sender's own archive. */
  outbox: { route: 'inbox', take: 'working', keep: 'archive/outbox', reject: 'archive/rejected' },
  inbox: { take: 'working', finish: 'archive/inbox', reject: 'archive/rejected' },
  working: { finish: 'archive/inbox', putBack: 'inbox' },
  'archive/inbox': {},
  'archive/outbox': {},
  'archive/rejected': {},
} as const satisfies Readonly<Record<Folder, Partial<Record<Transition, Folder>>>>

/** How far a message has come, in the words of all protocols. */
export const stages = {
  outbox: 'written',
  inbox: 'written',
  working: 'claimed',
  'archive/inbox': 'finished',
  'archive/outbox': 'finished',
  'archive/rejected': 'failed',
} as const satisfies Readonly<Record<Folder, Stage>>

const ways: Readonly<Record<Folder, Partial<Record<Transition, Folder>>>> = transitions

/** Where a transition leads. A transition that is not in the table is a bug of Signalbox, never a mistake of a caller. */
export function nextFolder(from: Folder, transition: Transition): Folder {
  const next = ways[from][transition]
  if (next === undefined) throw new Error(`Dream.OS has no way to ${transition} a file from ${from}/.`)
  return next
}

/** What happens to a mailbox, and the status it has then. */
export const mailboxStatusAfter = {
  claim: 'online',
  give: 'busy',
  rest: 'idle',
  release: 'offline',
} as const satisfies Readonly<Record<string, MailboxStatus>>
