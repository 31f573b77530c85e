/**
 * Where a message can be, and the ways between. The folder is the state; nothing in the file repeats it. Every move looks its
 * target up here (`store/moving.ts`): a way that is not in the table cannot be gone. Spec: CIRCE, "Message Locations".
 */
import type { Stage } from '../../kernel/envelope.ts'

export const places = ['new', 'inbox', 'workspace', 'logged', 'rejected'] as const
export type CirceState = (typeof places)[number]

export type Transition = 'claim' | 'start' | 'settle' | 'release' | 'reject' | 'putBack'

/**
 * `settle`: it is dealt with, by its reader or because its task is over. `release`: its task is given back, and the message
 * waits for another. What is logged stays: a released message that was logged before is copied back, never moved. `putBack`:
 * a person has corrected what was no message.
 */
export const transitions = {
  new: { claim: 'inbox', settle: 'logged', reject: 'rejected' },
  inbox: { start: 'workspace', settle: 'logged', release: 'new', reject: 'rejected' },
  workspace: { settle: 'logged', release: 'new' },
  logged: {},
  rejected: { putBack: 'new' },
} as const satisfies Readonly<Record<CirceState, Partial<Record<Transition, CirceState>>>>

/** How far a message has come, in the words of all protocols. In an inbox it may still wait to be handed out. */
export const stages = {
  new: 'written',
  inbox: 'claimed',
  workspace: 'claimed',
  logged: 'finished',
  rejected: 'failed',
} as const satisfies Readonly<Record<CirceState, Stage>>

const ways: Readonly<Record<CirceState, Partial<Record<Transition, CirceState>>>> = transitions

/** Where a transition leads. That there is no such way is a mistake in this program, never of a caller. */
export function nextPlace(from: CirceState, transition: Transition): CirceState {
  const next = ways[from][transition]
  if (next === undefined) throw new Error(`CIRCE has no way to ${transition} a message that is ${from}.`)
  return next
}
