/** A session as one document: everything that changes in one step changes in it. Read as a stranger's file. Pure. */
import { type Of, parseShaped, type Wrong } from './shape.ts'

const task = {
  id: 'text',
  agent: 'text',
  task: 'text',
  priority: 'priority',
  state: 'pending|in_progress|completed|failed',
  by: 'text',
  at: 'time',
  changedAt: 'time',
  attempts: 'count',
  /** One line that says what it is about, where its words are more. */
  summary: 'text?',
  /** How far it is, in its agent's words. */
  progress: 'text?',
  /** What came of it: a result, or why it failed. */
  result: 'text?',
  /** Where it went: a role's program, another protocol, or nowhere yet. */
  via: 'text?',
  /** The message that carries it in another protocol. */
  message: 'text?',
  /** Who sends it there, and since when: one of the few senders of the session, whom no other task uses meanwhile. */
  sender: 'text?',
  sentAt: 'time?',
  /** It is about to be sent: the process that finds this looks whether it was. */
  sending: 'flag?',
  /** The message that told the result, until it is put away. */
  answer: 'text?',
  /** What its sender said that this record has no field for: see `envelope.ts`. */
  more: 'any?',
  /** The key under which it was sent, and a digest of what was sent. */
  key: 'text?',
  digest: 'text?',
  /** Of what was only told: the number of the change that told it. */
  line: 'count?',
} as const
export type Task = Of<typeof task>

/** The tasks of `by` wait until that one is done. */
const dependency = { by: 'text', agent: 'text', task: 'text' } as const
export type Dependency = Of<typeof dependency>

const escalation = {
  id: 'text',
  by: 'text',
  at: 'time',
  issue: 'text',
  answer: 'text?',
  answeredBy: 'text?',
  answeredAt: 'time?',
} as const
export type Escalation = Of<typeof escalation>

/** One change, as `session log` tells it. A message is one too, and is read from here. */
export const change = {
  n: 'count',
  at: 'time',
  by: 'text',
  /** `STATE:save`, `start`, `end`: the command, or what else it was. */
  did: 'text',
  /** What it was about: a key, a task, a channel. */
  about: 'text?',
  text: 'text?',
  /** Whom it is for, when it is a message. */
  to: 'texts?',
} as const
export type SessionChange = Of<typeof change>

/** What readers of an agent have been given beyond its mark in `read`. Numbers are those of changes. */
const handing = {
  agent: 'text',
  /** Up to here a reader was given it: who gets it now is told so. */
  given: 'count',
  /** Up to here a reader has it in hand, until `until`: others wait that long. */
  upTo: 'count',
  until: 'time',
} as const
export type Handing = Of<typeof handing>

const session = {
  id: 'text',
  status: 'running|ended',
  startedAt: 'time',
  /** Counts how often it was started. Locks and signals are of one generation, so that its end is theirs. */
  generation: 'count',
  /** Counts changes: the number of the newest one. */
  changes: 'count',
  state: [{ key: 'key', value: 'text', persistent: 'flag', at: 'time', by: 'text' }],
  /** Names and values. */
  variables: ['pair'],
  definitions: [{ term: 'text', text: 'text', at: 'time', by: 'text' }],
  tasks: [task],
  lastTask: 'count',
  /** What was told to one agent (`#DIRECT`, `#BROADCAST`), as the verbs of all protocols hand it out: a task that is over when read. */
  tells: [task, '?'],
  depends: [dependency],
  escalations: [escalation],
  channels: [{ channel: 'text', agents: ['text'] }],
  /** Up to which change each agent has read what was sent to it. */
  read: ['cursor'],
  /** Messages that a reader was given and has not been seen to write out. */
  handing: [handing, '?'],
  /** How each user speaks, and what a `yes` would run. `heard` and `isUnsure`: only where corrections are learned. */
  modes: [
    {
      user: 'text',
      mode: 'natural|protocol',
      shows: 'plain|show|explain?',
      asked: 'text?',
      heard: 'text?',
      isUnsure: 'flag?',
    },
  ],
  /** Up to which change each kind of thing was exported: the number before the last export that had it. 0: none was. */
  exported: 'exported',
  /** When a phase of the work last began: a milestone, or another value of the key `phase`. */
  phaseAt: 'time?',
  /** Since when a checkpoint or a rollback of it is under way. The process that finds this waits for it, or finishes it. */
  underWay: 'time?',
  /** The newest changes; older ones are in pages. */
  log: [change],
} as const
export type Session = Of<typeof session>

/** Whether something may have come of it that is not recorded yet: its runner was lost, or a protocol has an answer. */
export const mayHaveNews = ({ state, via, answer }: Task): boolean =>
  (state === 'in_progress' && via !== undefined) || answer !== undefined

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
export function parseSession(bytes: Uint8Array, id: string): Session | Wrong {
  const read = parseShaped<Session>(bytes, session, largest)
  if ('wrong' in read || read.id === id) return read
  return { wrong: `it is the session ${JSON.stringify(read.id.slice(0, 80))}` }
}

const largest = 16 * 1024 * 1024
