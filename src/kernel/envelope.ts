/**
 * The neutral view of a message. Each protocol lifts its record into an envelope and lowers a draft into a record (its
 * `envelope.ts`); lifting what was lowered gives the same. The words follow A2A where that has one.
 */

/** What a list shows of a message, in every protocol. */
export interface Headline {
  readonly protocol: string
  readonly id: string
  readonly from: string
  readonly to: string
  /** The protocol's own word for where in its lifecycle the message is. */
  readonly state: string
  readonly path: string
  readonly summary: string
  /** ISO 8601, always UTC: when the message says it was sent; the time of its file if it does not say. */
  readonly createdAt: string
  /** The mission, session or other place it belongs to, for protocols that have some. */
  readonly place?: string
}

/** `ask` wants something done or answered, `tell` wants nothing, `answer` answers an ask. */
export type MessageKind = 'ask' | 'tell' | 'answer'

/** How far a message has come, whatever its protocol calls it. Only a surface knows of `shown`. */
export type Stage = 'written' | 'claimed' | 'shown' | 'finished' | 'failed'

export type Urgency = 'high' | 'normal' | 'low'

/** What a message was carried from. */
export interface Origin {
  readonly protocol: string
  readonly handle: string
  /** Of the bytes of the original. */
  readonly digest: string
  /** How often it was carried: 1 for the first copy. */
  readonly hops: number
}

/** What a sender says, whatever the protocol. Absent: not said. */
export interface Draft {
  readonly from: string
  readonly to: string
  readonly text: string
  /** One line; else the first line of the text. */
  readonly summary?: string
  /** The mission or session, for protocols that have some. Where there is only one, it need not be named. */
  readonly place?: string
  /** Without it: an answer where `replyTo` is given, else an ask. */
  readonly kind?: MessageKind
  /** The id of the message that this one answers. */
  readonly replyTo?: string
  /** A name of the sender's own for messages that belong together. */
  readonly thread?: string
  /** The piece of work that it is about. */
  readonly task?: string
  readonly urgency?: Urgency
  /** ISO 8601, UTC. */
  readonly deadline?: string
  /** The ids of messages that must be finished before this one is handed out. */
  readonly dependsOn?: readonly string[]
  /** Without it: an ask does. */
  readonly needsAnswer?: boolean
  /** Paths. */
  readonly attachments?: readonly string[]
  readonly origin?: Origin
}

/** Who has a message, which time it was handed out, and until when. */
export interface HeldBy {
  readonly by: string
  readonly attempt?: number
  /** ISO 8601. */
  readonly until?: string
}

/** What `lift` adds. */
export interface Lifted {
  /** How the message is named outside of its protocol. */
  readonly handle: string
  readonly kind: MessageKind
  readonly stage: Stage
  readonly urgency: Urgency
  readonly needsAnswer: boolean
  readonly dependsOn: readonly string[]
  readonly attachments: readonly string[]
  readonly replyTo?: string
  readonly thread?: string
  readonly task?: string
  readonly deadline?: string
  readonly origin?: Origin
  /** Who has it or had it last, where its record tells. */
  readonly claim?: HeldBy
  /** The record as its protocol has it. */
  readonly native: unknown
}

export type Envelope = Headline & Lifted

/** `acmq:shop:a1b2c3d4`, `mr:msg_a3f5d8b2`. An id that names its place already does not name it twice. */
export const handleOf = ({ protocol, place, id }: Pick<Headline, 'protocol' | 'place' | 'id'>): string =>
  place === undefined || id.startsWith(`${place}:`) ? `${protocol}:${id}` : `${protocol}:${place}:${id}`

/** What a draft does not say, filled in. */
export const kindOf = ({ kind, replyTo }: Pick<Draft, 'kind' | 'replyTo'>): MessageKind =>
  kind ?? (replyTo === undefined ? 'ask' : 'answer')
export const needsAnswerOf = (draft: Pick<Draft, 'kind' | 'replyTo' | 'needsAnswer'>): boolean =>
  draft.needsAnswer ?? kindOf(draft) === 'ask'
