/** What each verb of Message Routing takes and answers. */
import type { Headline } from '../../../kernel/envelope.ts'
import type { Durability } from '../../../tree/tree.ts'
import type { Folder, KeptFolder } from '../layout.ts'
import type { MessageType, MrMessage, Payload } from '../schema.ts'
import type { FieldProblem } from '../validate.ts'

/** The folder of its recipient that a message lies in. */
export type MrState = Folder

/** A message as callers see it: the neutral headline, the fields with defaults filled in, and the message itself. */
export interface MrView extends Headline {
  readonly protocol: 'mr'
  readonly state: MrState
  readonly type: MessageType
  readonly sequence: number
  readonly requiresAck: boolean
  readonly priority: number
  readonly correlationId: string | undefined
  /** As on disk, or as decrypted; unknown fields included. Data, never instructions to this program. */
  readonly message: MrMessage
  /** What is wrong with the payload, one sentence each. Such a message is delivered. */
  readonly problems: readonly string[]
  /** What else a reader should know, one sentence each: an unusual direction, a newer version, a signature. */
  readonly notes: readonly string[]
  /** Another program wrote it in its own form: it is answered with `compat`. */
  readonly isConverted?: boolean
}

export interface Initialised {
  readonly outcome: 'created' | 'reset' | 'unchanged'
  readonly agent: string
  readonly path: string
  readonly sequencesReset: number
  readonly notices: readonly string[]
}

export interface MrSendInput {
  readonly from: string
  readonly to: string
  readonly type: MessageType
  readonly payload: Payload
  /** 0 (last) to 10 (first), for readers that ask for that order; 5 when left out. */
  readonly priority?: number | undefined
  readonly requiresAck?: boolean
  /** The id of the message that this one answers. */
  readonly replyTo?: string | undefined
  /** Write in the form of the message that `replyTo` names; without `replyTo`, in the usual form of other programs. */
  readonly compat?: boolean
  /** Further fields, kept as they are. */
  readonly extra?: Readonly<Record<string, unknown>>
}

export interface MrSendOptions {
  /** Repeating a key sends once, even if the first call failed half-way. The same key with other content is a conflict. */
  readonly key?: string
}

export interface MrSent {
  /** `unchanged`: it was sent under this key before. */
  readonly outcome: 'sent' | 'unchanged'
  readonly message: MrView
  readonly durability: Durability
  /** The ids of the messages that were evicted, oldest first. */
  readonly evicted: readonly string[]
  readonly depth: number
  readonly notices: readonly string[]
  /** The notices about a lasting condition that people have seen before. */
  readonly toldBefore: readonly string[]
}

export interface MrBroadcast {
  readonly outcome: 'sent' | 'nobody'
  readonly sent: readonly MrSent[]
  /** Recipients that could not be reached, and why. All other recipients have the message. */
  readonly failed: readonly { readonly to: string; readonly code: string; readonly reason: string }[]
  readonly notices: readonly string[]
}

export interface ReceiveOptions {
  readonly peek?: boolean
  /** At most this many; all of them when left out. */
  readonly limit?: number | undefined
  readonly id?: string | undefined
  /** `time` (the default): by timestamp, number, sender and id. `priority`: the highest first, then by time. */
  readonly order?: 'time' | 'priority'
  /** Wait this long for a first one to arrive. */
  readonly waitMs?: number | undefined
  /** Read the known deviations of other programs. */
  readonly compat?: boolean
  /** Ends the wait early. */
  readonly signal?: AbortSignal | undefined
  /** Called before a message is moved, which may still go to another reader. */
  readonly beforeTaking?: ((message: MrMessage) => Promise<unknown>) | undefined
}

/** A file that is no message for this inbox. It lies in `rejected/` now, unless the reader only peeked. */
export interface Rejected {
  readonly file: string
  readonly path: string
  /** As in `error.log`: `VALIDATION_FAILED`, `NAME_MISMATCH`, … */
  readonly code: string
  readonly msgId: string | undefined
  readonly issues: readonly string[]
  /** Another program wrote it in its own form: with `compat` it is a message. */
  readonly isForeign: boolean
}

/** A file in an inbox that this user may not read. It stays where it is. */
export interface Unreadable {
  readonly path: string
  readonly reason: string
}

/** Numbers of one sender that never came. */
export interface Gap {
  readonly from: string
  readonly first: number
  readonly last: number
  readonly count: number
}

/** A sender that began again at 1, which is no loss. */
export interface Restart {
  readonly from: string
  readonly after: number
}

export interface MrReceived {
  readonly outcome: 'received' | 'nothing'
  readonly messages: readonly MrView[]
  readonly rejected: readonly Rejected[]
  readonly unreadable: readonly Unreadable[]
  readonly gaps: readonly Gap[]
  readonly restarts: readonly Restart[]
  /** The ids of messages that were evicted first, because other programs had exceeded the limit. */
  readonly evicted: readonly string[]
  readonly depth: number
  readonly durability: Durability
  /** What went wrong after the messages were taken, and what to do next, one sentence each. */
  readonly notices: readonly string[]
  /** The notes of messages and reasons of unreadable files that people have seen before. */
  readonly toldBefore: readonly string[]
}

export type Replied =
  | ({ readonly outcome: 'received'; readonly message: MrView } & Pick<MrReceived, 'durability' | 'notices'>)
  | { readonly outcome: 'nothing' }

export interface Acknowledged {
  /** `unchanged`: it had been acknowledged before; nothing was sent. */
  readonly outcome: 'acknowledged' | 'unchanged'
  /** The acknowledgement. Its recipient may have taken it by now. */
  readonly message: MrView
  readonly durability: Durability
  readonly notices: readonly string[]
}

export interface Unacknowledged {
  /** `sent`: this agent sent it, and awaits the acknowledgement. `taken`: this agent took it, and owes the acknowledgement. */
  readonly direction: 'sent' | 'taken'
  readonly id: string
  readonly from: string
  readonly to: string
  readonly type: MessageType
  readonly createdAt: string
  readonly ageMs: number
}

export interface Validated {
  readonly outcome: 'valid' | 'invalid'
  /** Problems by the schema: with one of these the message is not delivered. */
  readonly issues: readonly FieldProblem[]
  /** Problems by the table of payloads: sending refuses them, receiving reports them. */
  readonly payloadIssues: readonly FieldProblem[]
  readonly notes: readonly string[]
  readonly size: number
}

export interface AgentStatus {
  readonly agent: string
  readonly depth: number
  readonly limit: number
  readonly taken: number
  readonly evicted: number
  readonly rejected: number
  /** The oldest waiting message by its own time. */
  readonly oldest: { readonly id: string; readonly ageMs: number } | undefined
  readonly unreadable: readonly Unreadable[]
}

export interface RoutingStatus {
  readonly agents: readonly AgentStatus[]
  readonly notices: readonly string[]
}

/** A message that left an inbox, and that a person can move back. */
export interface Kept {
  readonly id: string
  /** `undefined` when the file cannot be read as a message. */
  readonly message: MrView | undefined
  /** Why it cannot even be read, if so. */
  readonly problem?: string
  readonly path: string
  /** When it was taken, evicted or rejected. */
  readonly movedAt: number
  readonly size: number
}

export interface RecoverOptions {
  /** Only from this folder. By default from `taken`, else `evicted`, else `rejected`. */
  readonly from?: KeptFolder | undefined
}

export interface Recovered {
  /** `unchanged`: it is in the inbox already. */
  readonly outcome: 'recovered' | 'unchanged'
  readonly from: MrState
  readonly path: string
  readonly durability: Durability
  /** It is in the form of another program: received without `compat`, it would be rejected again. */
  readonly needsCompat: boolean
}
