/** The states of a message, which are folders (AC-MQ §4). `store/moving.ts` looks up here where each transition leads. */
import type { Stage } from '../../kernel/envelope.ts'
import type { QueueName, State } from './schema.ts'

/**
 * `refuse`: a person denies the message (AC-MQ §11.2). `quarantine`: the file cannot be read as a message, and no program is
 * still writing it (AC-MQ §8.1). `correct`: the status disagrees with the folder, and the folder counts. `setAside`: a second
 * copy of a message goes to `archive/duplicates/` (AC-MQ §9.1).
 */
export const transitions = {
  pending: { claim: 'processing', refuse: 'failed', quarantine: 'failed', correct: 'pending', setAside: 'archived' },
  processing: {
    renew: 'processing',
    release: 'pending',
    complete: 'completed',
    fail: 'failed',
    stall: 'failed',
    quarantine: 'failed',
    correct: 'processing',
    setAside: 'archived',
  },
  completed: { archive: 'archived', quarantine: 'failed', correct: 'completed', setAside: 'archived' },
  failed: { retry: 'pending', correct: 'failed', setAside: 'archived' },
  archived: {},
} as const satisfies Readonly<Record<State, Readonly<Record<string, State>>>>

export type Transition = { [From in State]: keyof (typeof transitions)[From] }[State]
export const transitionNames = [...new Set(Object.values(transitions).flatMap(Object.keys))] as readonly Transition[]

/** How far a message has come, in neutral words. The stage of an archived message follows from its status. */
export const stages = {
  pending: 'written',
  processing: 'claimed',
  completed: 'finished',
  failed: 'failed',
} as const satisfies Readonly<Record<QueueName, Stage>>

export const firstState = 'pending' satisfies QueueName

/** The state after a transition; `undefined` when the state has no such transition. */
export const nextState = (from: State, transition: Transition): State | undefined =>
  (transitions as Readonly<Record<State, Readonly<Partial<Record<Transition, State>>>>>)[from][transition]
