/**
 * A session as one document: everything that changes in one step changes in it. Read as a stranger's file, written as it
 * stands here. Pure.
 */
import type { SessionState, TaskState } from './lifecycle.ts'
import type { Priority } from './schema.ts'
import { parseShaped, type Shape } from './shape.ts'

export interface SavedValue {
  readonly key: string
  readonly value: string
  readonly persistent: boolean
  readonly at: number
  readonly by: string
}

export interface Task {
  readonly id: string
  readonly agent: string
  readonly task: string
  readonly priority: Priority
  readonly state: TaskState
  readonly by: string
  readonly at: number
  readonly changedAt: number
  readonly attempts: number
  /** One line that says what it is about, where its words are more. */
  readonly summary?: string
  /** How far it is, in its agent's words. */
  readonly progress?: string
  /** What came of it: a result, or why it failed. */
  readonly result?: string
  /** Where it went: a role's program, another protocol, or nobody yet. */
  readonly via?: string
  /** The message that carries it in another protocol. */
  readonly message?: string
  /** Who sends it there, and since when: one of the few senders of the session, whom no other task uses meanwhile. */
  readonly sender?: string
  readonly sentAt?: number
  /** It is about to be sent: whoever finds this looks whether it was. */
  readonly sending?: boolean
  /** The message that told the result, until it is put away. */
  readonly answer?: string
  /** What its sender said that this record has no field for: see `envelope.ts`. */
  readonly more?: unknown
  /** The key under which it was sent, and a digest of what was sent. */
  readonly key?: string
  readonly digest?: string
}

/** Whether something may have come of it that nobody has written down: its runner was lost, or a protocol has an answer. */
export const mayHaveNews = ({ state, via, answer }: Task): boolean =>
  (state === 'in_progress' && via !== undefined) || answer !== undefined

/** The tasks of `by` wait until that one is done. */
export interface Dependency {
  readonly by: string
  readonly agent: string
  readonly task: string
}

export interface Definition {
  readonly term: string
  readonly text: string
  readonly at: number
  readonly by: string
}

export interface Escalation {
  readonly id: string
  readonly by: string
  readonly at: number
  readonly issue: string
  readonly answer?: string
  readonly answeredBy?: string
  readonly answeredAt?: number
}

/** One change, as `session log` tells it. What is sent to somebody is one too, and is read from here. */
export interface Change {
  readonly n: number
  readonly at: number
  readonly by: string
  /** `STATE:save`, `start`, `end`: the command, or what else it was. */
  readonly did: string
  /** What it was about: a key, a task, a channel. */
  readonly about?: string
  readonly text?: string
  /** Whom it is for, when it is a message. */
  readonly to?: readonly string[]
}

export type ExportedKind = 'persistent' | 'temporary' | 'tasks' | 'configuration'

/** What readers of an agent have been given beyond its mark in `read`. Numbers are those of changes. */
export interface Handing {
  readonly agent: string
  /** Up to here somebody was given it: who gets it now is told so. */
  readonly given: number
  /** Up to here a reader has it in hand, until `until`: others wait that long. */
  readonly upTo: number
  readonly until: number
}

export interface Session {
  readonly id: string
  readonly status: SessionState
  readonly startedAt: number
  /** Counts how often it was started. Locks and signals are of one generation, so that its end is theirs. */
  readonly generation: number
  /** Counts changes: the number of the newest one. */
  readonly changes: number
  readonly state: readonly SavedValue[]
  readonly variables: readonly (readonly [name: string, value: string])[]
  readonly definitions: readonly Definition[]
  readonly tasks: readonly Task[]
  readonly lastTask: number
  readonly depends: readonly Dependency[]
  readonly escalations: readonly Escalation[]
  readonly channels: readonly { readonly channel: string; readonly agents: readonly string[] }[]
  /** Up to which change each agent has read what was sent to it. */
  readonly read: readonly (readonly [agent: string, n: number])[]
  /** Messages that a reader was given and has not been seen to write out. */
  readonly handing?: readonly Handing[]
  /** How each user speaks: in words or in commands, and what a `yes` would run. */
  readonly modes: readonly {
    readonly user: string
    readonly mode: 'natural' | 'protocol'
    readonly shows?: 'plain' | 'show' | 'explain'
    readonly asked?: string
    /** What was said last, and whether it was asked back; kept only where corrections are learned. */
    readonly heard?: string
    readonly isUnsure?: boolean
  }[]
  /** Up to which change each kind of thing was exported: the number before the last export that had it. 0: none was. */
  readonly exported: 0 | Readonly<Record<ExportedKind, number>>
  /** When a phase of the work last began: a milestone, or another value of the key `phase`. */
  readonly phaseAt?: number
  /** Since when a checkpoint or a rollback of it is under way. Whoever finds this waits for it, or finishes it. */
  readonly underWay?: number
  /** The newest changes; older ones are in pages. */
  readonly log: readonly Change[]
}

export const newSession = (id: string, at: number): Session => ({
  id,
  status: 'ended',
  startedAt: at,
  generation: 0,
  changes: 0,
  state: [],
  variables: [],
  definitions: [],
  tasks: [],
  lastTask: 0,
  depends: [],
  escalations: [],
  channels: [],
  read: [],
  modes: [],
  exported: 0,
  log: [],
})

export const printSession = (session: Session): string => `${JSON.stringify(session)}\n`

/** The session, or which field is not as it should be. */
export function parseSession(bytes: Uint8Array, id: string): Session | { readonly wrong: string } {
  const session = parseShaped<Session>(bytes, shape, largest)
  if ('wrong' in session || session.id === id) return session
  return { wrong: `it is the session ${JSON.stringify(session.id.slice(0, 80))}` }
}

const largest = 16 * 1024 * 1024

const shape: Shape = {
  id: 'text',
  status: 'running|ended',
  startedAt: 'time',
  generation: 'count',
  changes: 'count',
  state: [{ key: 'key', value: 'text', persistent: 'flag', at: 'time', by: 'text' }],
  variables: ['pair'],
  definitions: [{ term: 'text', text: 'text', at: 'time', by: 'text' }],
  tasks: [
    {
      id: 'text',
      agent: 'text',
      task: 'text',
      priority: 'priority',
      state: 'pending|in_progress|completed|failed',
      by: 'text',
      at: 'time',
      changedAt: 'time',
      attempts: 'count',
      summary: 'text?',
      progress: 'text?',
      result: 'text?',
      via: 'text?',
      message: 'text?',
      sender: 'text?',
      sentAt: 'time?',
      sending: 'flag?',
      answer: 'text?',
      key: 'text?',
      digest: 'text?',
    },
  ],
  lastTask: 'count',
  depends: [{ by: 'text', agent: 'text', task: 'text' }],
  escalations: [
    { id: 'text', by: 'text', at: 'time', issue: 'text', answer: 'text?', answeredBy: 'text?', answeredAt: 'time?' },
  ],
  channels: [{ channel: 'text', agents: ['text'] }],
  read: ['cursor'],
  handing: [{ agent: 'text', given: 'count', upTo: 'count', until: 'time' }, '?'],
  modes: [
    { user: 'text', mode: 'natural|protocol', shows: 'text?', asked: 'text?', heard: 'text?', isUnsure: 'flag?' },
  ],
  // A number was written before each kind was counted by itself.
  exported: 'exported',
  phaseAt: 'time?',
  underWay: 'time?',
  log: [{ n: 'count', at: 'time', by: 'text', did: 'text', about: 'text?', text: 'text?', to: ['text', '?'] }],
}

export const changeShape: Shape = (shape as { log: readonly [Shape] }).log[0]
