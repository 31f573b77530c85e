/** What each verb of CIRCE takes and answers. */
import type { Section } from '../../../formats/header-markdown.ts'
import type { Headline } from '../../../kernel/envelope.ts'
import type { Durability } from '../../../tree/tree.ts'
import type { CirceEvent } from '../events.ts'
import type { CirceState } from '../lifecycle.ts'
import type { MessageStatus } from '../schema.ts'
import type { Checks, TaskStatus } from '../task.ts'

/** A message as callers see it: the neutral headline, and the fields of CIRCE. Its id is the name of its file without `.md`. */
export interface CirceView extends Headline {
  readonly state: CirceState
  readonly file: string
  readonly intent: string
  readonly task: string | undefined
  readonly status: MessageStatus
  /** Headers that the specification does not name, such as a priority or a due time. */
  readonly headers: Readonly<Record<string, string>>
  /** What is wrong with a message that can be used all the same. */
  readonly notices: readonly string[]
}

export interface CirceViewWithBody extends CirceView {
  /** The text below the headers, as written. */
  readonly body: string
}

export interface CirceInitialised {
  readonly outcome: 'created' | 'unchanged'
  readonly agent: string
  readonly path: string
}

export interface CirceSendInput {
  readonly from: string
  readonly to: string
  readonly intent: string
  readonly task?: string
  /** `new` unless said. */
  readonly status?: string
  readonly summary?: string
  /** Markdown, with sections or without. */
  readonly body?: string
  /** The whole text below the headers. Summary, body, sections and artifacts are ignored then. */
  readonly lead?: string
  readonly sections?: readonly Section[]
  /** Paths or links, listed under `Artifacts`. */
  readonly artifacts?: readonly string[]
  /** Further headers, in their order. */
  readonly headers?: readonly (readonly [key: string, value: string])[]
  /** The file of the message that this one answers. */
  readonly replyTo?: string
}

export interface CirceSent {
  readonly outcome: 'sent'
  readonly message: CirceView
  readonly durability: Durability
  /** The agents that got a copy of a message to all. */
  readonly delivered: readonly string[]
  /** What a sender should know, one sentence each. */
  readonly notices: readonly string[]
}

/** `unchanged`: it was sent before, under the same key. */
export interface CirceSentOnce extends Omit<CirceSent, 'outcome'> {
  readonly outcome: 'sent' | 'unchanged'
}

/** An entry of an inbox. */
export interface InboxLine extends CirceView {
  /** In whose inbox or workspace it lies. */
  readonly agent?: string
  readonly ageSeconds: number
  /** The agent has claimed it. */
  readonly isClaimed: boolean
  readonly isAcknowledged: boolean
  /** The owner of its task, if the message is work and another agent owns the task. */
  readonly ownedBy?: string
}

export interface Inbox {
  readonly outcome: 'listed' | 'empty'
  readonly agent: string
  readonly messages: readonly InboxLine[]
  /** Files that are no messages and were set aside just now, and those that this user may not read. */
  readonly rejected: readonly CirceRejected[]
}

export interface CirceClaimOptions {
  /** Only this message. */
  readonly file?: string
  /** Only one about this task. */
  readonly task?: string
  /** Only one of these intents. */
  readonly intents?: readonly string[]
  readonly waitMs?: number
  readonly signal?: AbortSignal
  /** The caller promises to call `handedOut` when it has shown the message. Without that call the agent can claim it again. */
  readonly untilHandedOut?: boolean
}

/** Work of a task that another agent owns. */
export interface OwnedByOther {
  readonly file: string
  readonly task: string
  readonly owner: string
}

export type CirceClaimed =
  | {
      readonly outcome: 'claimed'
      readonly message: CirceViewWithBody
      readonly durability: Durability
      /** A process of this agent claimed it before, and is not known to have shown it. */
      readonly redelivered?: true
    }
  | { readonly outcome: 'nothing'; readonly owned: readonly OwnedByOther[] }

/** What an agent can do with a message that it has. */
export type Handled = 'started' | 'acknowledged' | 'handled' | 'returned'

/** `unchanged`: it was so already. */
export interface CirceSettled<Did extends Handled = Handled> {
  readonly outcome: Did | 'unchanged'
  readonly message: CirceView
  readonly durability: Durability
}

export interface TaskView {
  readonly id: string
  readonly status: TaskStatus
  readonly owner: string | undefined
  readonly checks: Checks
  /** How long no change was made to a claimed task, if that is too long. */
  readonly stalledSeconds: number | undefined
  readonly startedAt: string | undefined
  readonly updatedAt: string | undefined
  /** The agent that asked for it, and its intent, where that is known. */
  readonly request: { readonly from: string; readonly intent: string } | undefined
  /** The messages about it that are not logged. */
  readonly messages: readonly InboxLine[]
  /** What is wrong with its files. */
  readonly notices: readonly string[]
}

export interface TaskList {
  readonly tasks: readonly TaskView[]
  /** How many more there are. */
  readonly leftOut: number
  readonly notices: readonly string[]
}

export interface TaskChanged {
  readonly outcome: 'changed' | 'unchanged'
  readonly task: TaskView
  readonly durability: Durability
}

export interface HistoryEntry extends Omit<CirceEvent, 'at'> {
  readonly at: string
  /** Of the message that the event is about. */
  readonly summary: string | undefined
}

export interface History {
  readonly outcome: 'told' | 'nothing'
  readonly entries: readonly HistoryEntry[]
  /** Earlier ones that were left out. */
  readonly leftOut: number
}

export interface CirceAnswer {
  readonly text: string
  /** Who answers; ROOSTER by default. */
  readonly by?: string
  /** `approve` and `answer` give the answer the status `completed`, `deny` gives it `failed`. */
  readonly verdict?: 'answer' | 'approve' | 'deny'
}

export interface CirceAnswered {
  readonly outcome: 'answered' | 'unchanged'
  /** The answer. */
  readonly message: CirceView
  readonly durability: Durability
}

export interface CirceRejected {
  readonly file: string
  /** Where it is now. */
  readonly path: string
  readonly code: string
  readonly reason: string
}
