/** A session as one document: everything that changes in one step is in it. Checked when read: another program may have written it. */
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
  /** One line about the task, where its text is longer. */
  summary: 'text?',
  /** How far it is, as its agent reported. */
  progress: 'text?',
  /** Its result, or why it failed. */
  result: 'text?',
  /** Where it goes: to a role's program (`program`), or to the protocol that its agent is at home in. Absent: its agent is here. */
  via: 'text?',
  /** The message by which an earlier version handed it over, without the bridge. */
  message: 'text?',
  /** Fields of its draft that this record has no place for: see `envelope.ts`. */
  more: 'any?',
  /** The key under which it was sent, and a digest of what was sent. */
  key: 'text?',
  digest: 'text?',
} as const
export type Task = Of<typeof task>

/** All tasks of agent `by` wait until this task of `agent` is done. */
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

/** One change, as `session log` shows it. A message to agents is a change too, and is read from here. */
export const change = {
  n: 'count',
  at: 'time',
  by: 'text',
  /** `STATE:save`, `start`, `end`: the command, or what else it was. */
  did: 'text',
  /** A key, a task or a channel. */
  about: 'text?',
  text: 'text?',
  /** The recipients of a message. */
  to: 'texts?',
  /** Fields of its draft that a line has no place for: see `envelope.ts`. */
  more: 'any?',
} as const
export type SessionChange = Of<typeof change>

/** Messages that readers of an agent were given and have not confirmed, beyond its mark in `read`. Numbers are those of changes. */
const handing = {
  agent: 'text',
  /** Messages up to here were given to a reader before; the next reader is told so. */
  given: 'count',
  /** A reader has the messages up to here in hand; other readers wait until `until`. */
  upTo: 'count',
  until: 'time',
} as const
export type Handing = Of<typeof handing>

/** What an agent was told (`isTold`), as far as it is taken one by one (`take`) and not by the inbox. */
const mailbox = {
  agent: 'text',
  /** The newest one. */
  last: 'count',
  /** Those up to here are read. */
  upTo: 'count',
  /** Those that were taken, and how often: beyond `upTo`, or not read yet. */
  taken: [{ n: 'count', attempt: 'count', state: 'unread|taken|read' }],
} as const
export type Mailbox = Of<typeof mailbox>

/** Whether a line is a message of its own: what others tell an agent is about a task, an escalation or a lock. */
export const isTold = ({ did }: Pick<SessionChange, 'did'>): boolean => did === 'DIRECT' || did === 'BROADCAST'

const session = {
  id: 'text',
  status: 'running|ended',
  startedAt: 'time',
  /** Counts how often the session was started. Locks and signals belong to one generation, and end with it. */
  generation: 'count',
  /** The number of the newest change. */
  changes: 'count',
  state: [{ key: 'key', value: 'text', persistent: 'flag', at: 'time', by: 'text' }],
  /** Names and values. */
  variables: ['pair'],
  definitions: [{ term: 'text', text: 'text', at: 'time', by: 'text' }],
  tasks: [task],
  lastTask: 'count',
  depends: [dependency],
  escalations: [escalation],
  channels: [{ channel: 'text', agents: ['text'] }],
  /** The number of the change up to which each agent has read its messages. */
  read: ['cursor'],
  handing: [handing, '?'],
  mailboxes: [mailbox, '?'],
  /** The newest messages that were sent under a key. Tasks have theirs themselves. */
  keys: [{ key: 'text', digest: 'text', n: 'count' }, '?'],
  /** How each user speaks, and what a `yes` runs. `heard` and `isUnsure`: only where corrections are learned. */
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
  /** For each kind of content, the number of the last change that was exported. 0: nothing was. */
  exported: 'exported',
  /** When a phase of the work last began: a milestone, or another value of the key `phase`. */
  phaseAt: 'time?',
  /** Since when a checkpoint or a rollback is under way. A process that finds this waits for it, or finishes it. */
  underWay: 'time?',
  /** The newest changes; older ones are in pages. */
  log: [change],
} as const
export type Session = Of<typeof session>

/** Whether a task goes to another protocol. */
export const isAway = ({ via }: Task): boolean => via !== undefined && via !== 'program'

/** Whether a task may have an outcome that is not recorded yet: its runner was lost, or another protocol has an answer. */
export const mayHaveNews = ({ state, via }: Task): boolean => state === 'in_progress' && via !== undefined

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
