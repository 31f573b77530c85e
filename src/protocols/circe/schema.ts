/** What a message of CIRCE says, and the words it may use. Spec: CIRCE, "Message Schema" and "Required Headers". */
import type { Section } from '../../formats/header-markdown.ts'
import type { TaskId } from './names.ts'

/** How the work stands, as the sender says. A task has statuses of its own. */
export const messageStatuses = ['new', 'in_progress', 'completed', 'blocked', 'failed'] as const
export type MessageStatus = (typeof messageStatuses)[number]

export const taskStatuses = ['new', 'claimed', 'in_progress', 'blocked', 'failed', 'completed'] as const
export type TaskStatus = (typeof taskStatuses)[number]

export const settableChecks = ['tests_passed', 'coverage_threshold_met', 'peer_reviewed'] as const
export type SettableCheck = (typeof settableChecks)[number]

export const requiredHeaders = ['from', 'to', 'intent', 'status', 'created_at'] as const
/** The headers that the specification names, in its order. */
export const knownHeaders = ['from', 'to', 'intent', 'task_id', 'status', 'created_at'] as const

/** Our own header of an answer: the file name of the message that it answers. */
export const replyHeader = 'in_reply_to'

/** `to` of a message for every agent. */
export const everybody = 'all'

/** The person. Has no folder: messages to ROOSTER wait in the human inbox. */
export const rooster = 'ROOSTER'

/** What a message can ask of a person. */
export const questionKinds = ['question', 'escalation', 'approval'] as const
export type QuestionKind = (typeof questionKinds)[number]

/** What the headers of a message say, with a summary: enough to decide what is done with it. */
export interface Head {
  /** As written; compare agents with `isSameAgent`. */
  readonly from: string
  readonly to: string
  readonly intent: string
  readonly task?: TaskId | undefined
  readonly status: MessageStatus
  /** As written, and in milliseconds. */
  readonly createdAt: string
  readonly time: number
  readonly replyTo?: string | undefined
  readonly summary: string
  /** Headers that the specification does not name. */
  readonly further: Readonly<Record<string, string>>
  /** What it asks of a person; `undefined` when it is for agents alone. */
  readonly asks?: QuestionKind | undefined
}

/** A message as it was read. Its file is never edited: writing it means copying `bytes`. */
export interface CirceMessage extends Head {
  readonly bytes: Uint8Array
  /** Every header in the order of the file, the known ones too. */
  readonly headers: ReadonlyMap<string, string>
  /** What stands before the first section; usually nothing. */
  readonly lead: string
  readonly sections: readonly Section[]
}

export interface CirceDraft
  extends Pick<CirceMessage, 'from' | 'to' | 'intent' | 'status' | 'time' | 'replyTo' | 'lead' | 'sections'> {
  readonly task?: string | undefined
  readonly headers: readonly (readonly [key: string, value: string])[]
}

/** True for a text that begins as a whole message does, and is not only the body of one. */
export const isWhole = (text: string): boolean => /^\ufeff?# MESSAGE[ \t]*(?:\r?\n|$)/.test(text)

/** The text of a section, by its name in any case; `undefined` when there is none. */
export const sectionOf = ({ sections }: Pick<CirceMessage, 'sections'>, name: string): string | undefined =>
  sections.find((section) => section.name.toLowerCase() === name.toLowerCase())?.text
