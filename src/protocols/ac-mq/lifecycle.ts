/** The states of a message and the ways between them. A state is a folder (AC-MQ §4); so a transition is a move. */
import type { State } from './schema.ts'

export const transitionNames = ['claim', 'complete', 'fail', 'stall', 'retry', 'archive', 'quarantine'] as const
export type Transition = (typeof transitionNames)[number]

export type Lifecycle = Readonly<Record<State, Readonly<Partial<Record<Transition, State>>>>>

// Quarantine: a file that cannot be read as a message, and that nobody is still writing, fails unclaimed (AC-MQ §8.1).
export const transitions = {
  pending: { claim: 'processing', quarantine: 'failed' },
  processing: { complete: 'completed', fail: 'failed', stall: 'failed' },
  completed: { archive: 'archived' },
  failed: { retry: 'pending' },
  archived: {},
} as const satisfies Lifecycle

/** Where a transition leads from a state, or `undefined` when it is none of its transitions. */
export const nextState = (from: State, transition: Transition): State | undefined =>
  (transitions as Lifecycle)[from][transition]

export const canMove = (from: State, transition: Transition): boolean => nextState(from, transition) !== undefined
