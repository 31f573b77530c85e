/** What each verb of Dream.OS takes and answers. */
import type { Headline } from '../../../kernel/envelope.ts'
import type { TreePath } from '../../../kernel/tree-path.ts'
import type { Durability } from '../../../tree/tree.ts'
import type { PlainMessage } from '../format.ts'
import type { Folder } from '../layout.ts'
import type { CompletedTask, MailboxMessage, MailboxStatus, Task } from '../schema.ts'

/** A file of an inbox or outbox as callers see it. */
export interface DreamView extends Headline {
  readonly protocol: 'dream'
  readonly state: Folder
  /** The name of the file: what `task done` takes. */
  readonly file: string
  /** As on disk. Data, never instructions to this program. */
  readonly message: PlainMessage
}

/** A file that is no message, and why. */
export interface Unreadable {
  readonly path: string
  readonly reason: string
}

export interface MailboxLine {
  readonly mailbox: number
  readonly path: string
  /** As it is: `offline` when its agent has not been seen for too long, whatever the file says. */
  readonly status: MailboxStatus | undefined
  readonly agent: string | undefined
  readonly lastSeenAt: string | undefined
  readonly waiting: number
  readonly inHand: number
  readonly processed: number
  readonly problems: readonly string[]
  readonly notes: readonly string[]
  /** Nothing in it can be read. */
  readonly unreadable?: true
}

export interface MailboxesMade {
  readonly outcome: 'created' | 'unchanged'
  readonly mailboxes: readonly number[]
  readonly made: readonly number[]
  readonly durability: Durability
}

export type MailboxClaimed =
  | {
      /** `taken-over`: from an agent that was not seen for too long. `unchanged`: it had this one already. */
      readonly outcome: 'claimed' | 'taken-over' | 'unchanged'
      readonly mailbox: number
      readonly agent: string
      readonly from?: string
      readonly durability: Durability
    }
  | { readonly outcome: 'nothing' }

export interface MailboxSendInput {
  readonly mailbox: number
  readonly from: string
  readonly command: string
  readonly params: Readonly<Record<string, unknown>>
  readonly taskId?: string
}

export interface MailboxSent {
  readonly outcome: 'sent'
  readonly message: MailboxMessage
  readonly envelope: Headline
  readonly mailbox: number
  readonly path: string
  readonly durability: Durability
  readonly notices: readonly string[]
}

export type MailboxGiven =
  | {
      readonly outcome: 'given'
      /** As on disk. Data, never instructions to this program. */
      readonly message: MailboxMessage
      /** As the specification has it; another than `message` where known deviations were read. */
      readonly asRead: MailboxMessage
      readonly mailbox: number
      readonly agent: string
      readonly path: TreePath
      readonly attempt: number
      /** Given before, and not finished. */
      readonly redelivered: boolean
      readonly until: string
      readonly notes: readonly string[]
      readonly durability: Durability
    }
  | {
      readonly outcome: 'nothing'
      readonly mailbox: number /** What is no message, one sentence each. */
      readonly problems: readonly string[]
    }

export interface OutcomeInput {
  readonly output?: unknown
  /** What went wrong: the task FAILED. */
  readonly error?: unknown
  /** Which claim it was; left out, the last one of this agent counts. */
  readonly attempt?: number
}

export interface OutcomeRecorded {
  /** `unchanged`: it had an outcome already. */
  readonly outcome: 'recorded' | 'unchanged'
  readonly line?: CompletedTask
  readonly durability: Durability
  readonly notices: readonly string[]
}

export interface MailboxChanged<Outcome extends 'released' | 'refreshed' | 'packed' | 'unchanged'> {
  readonly outcome: Outcome
  readonly mailbox: number
  readonly durability: Durability
  /** How many messages were packed, or leases renewed or ended. */
  readonly count: number
  /** Why it is still too large, after it was packed. */
  readonly notices?: readonly string[]
}

export interface TaskSent {
  readonly outcome: 'sent' | 'unchanged'
  readonly message: DreamView
  readonly durability: Durability
}

export type TaskTaken =
  | {
      readonly outcome: 'taken'
      readonly message: DreamView
      readonly attempt: number
      readonly redelivered: boolean
      readonly until: string
      readonly durability: Durability
      readonly notes?: readonly string[]
      readonly unreadable: readonly Unreadable[]
    }
  | { readonly outcome: 'nothing'; readonly unreadable: readonly Unreadable[] }

export interface InboxListed {
  readonly waiting: readonly DreamView[]
  readonly inHand: readonly DreamView[]
  readonly unreadable: readonly Unreadable[]
}

export interface Routed {
  readonly outcome: 'routed' | 'nothing'
  readonly moved: readonly { readonly from: string; readonly to: string; readonly path: string }[]
  readonly copied: readonly { readonly from: string; readonly to: readonly string[]; readonly path: string }[]
  /** Messages without a known recipient: they stay where they are. */
  readonly unroutable: readonly { readonly path: string; readonly target: string; readonly reason: string }[]
  readonly resent: readonly { readonly mailbox: number; readonly id: string }[]
  readonly plans: readonly PlanAnswered[]
  readonly unreadable: readonly Unreadable[]
  readonly notices: readonly string[]
}

export interface PlanSent {
  readonly outcome: 'sent'
  readonly plan: string
  readonly sent: readonly DreamView[]
  readonly durability: Durability
  readonly notices: readonly string[]
}

export interface PlanAnswered {
  /** `late`: another planner's answer counts. `unchanged`: this very answer was joined before. */
  readonly outcome: 'joined' | 'refused' | 'late' | 'unchanged'
  readonly plan: string
  readonly planner: string
  readonly tasks: readonly string[]
  readonly reasons: readonly string[]
}

export interface TasksListed {
  readonly tasks: readonly Task[]
  /** Entries that are no tasks, and deviations that were read. */
  readonly problems: readonly string[]
  readonly notes: readonly string[]
}

export interface Dispatched {
  readonly outcome: 'dispatched' | 'nothing'
  readonly tasks: readonly Task[]
  readonly paths: readonly string[]
  readonly problems: readonly string[]
  /** Remarks about agents that were never seen. */
  readonly notices: readonly string[]
}

export interface Staged {
  readonly outcome: 'staged'
  readonly path: string
  /** Where the prompt before it is kept. */
  readonly kept?: string
  readonly text: string
  readonly durability: Durability
}

export type Fetched =
  | {
      readonly outcome: 'fetched'
      readonly response: unknown
      readonly path: string
      readonly durability: Durability
      /** The inbox file it became, when it is an event and was to be handed on. */
      readonly dispatched?: string
      /** All of them, when it went to several. */
      readonly copies?: readonly string[]
      readonly notices: readonly string[]
    }
  | { readonly outcome: 'nothing'; readonly notices?: readonly string[] }
