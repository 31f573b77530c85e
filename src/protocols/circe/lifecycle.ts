/**
 * The states of a message, and the transitions between them. The folder is the state; nothing in the file repeats it. Every move
 * looks its target up here (`store/moving.ts`). Spec: CIRCE, "Message Locations".
 */
import type { Stage } from '../../kernel/envelope.ts'

export type CirceState = 'new' | 'inbox' | 'workspace' | 'logged' | 'rejected'
export type Transition = 'claim' | 'start' | 'settle' | 'release' | 'reject' | 'putBack'

/**
 * `settle`: its reader is done with the message, or its task is over. `release`: its task is given back, and the message waits for
 * another agent; one that was logged before is copied back, since nothing leaves the log. `putBack`: a person has corrected a
 * rejected file.
 */
const transitions: Readonly<Record<CirceState, Partial<Record<Transition, CirceState>>>> = {
  new: { claim: 'inbox', settle: 'logged', reject: 'rejected' },
  inbox: { start: 'workspace', settle: 'logged', release: 'new', reject: 'rejected' },
  workspace: { settle: 'logged', release: 'new' },
  logged: {},
  rejected: { putBack: 'new' },
}

/** The stage of each state, in the words of all protocols. In an inbox a message may still be `written`: see `stageOf`. */
export const stages = {
  new: 'written',
  inbox: 'claimed',
  workspace: 'claimed',
  logged: 'finished',
  rejected: 'failed',
} as const satisfies Readonly<Record<CirceState, Stage>>

/** Where a transition leads. A missing one is a mistake in this program, never of a caller. */
export function nextPlace(from: CirceState, transition: Transition): CirceState {
  const next = transitions[from][transition]
  if (next === undefined) throw new Error(`CIRCE has no way to ${transition} a message that is ${from}.`)
  return next
}
