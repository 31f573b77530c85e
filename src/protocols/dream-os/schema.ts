/** What Dream.OS writes, with the names of its specification: mailboxes and their messages, events, tasks, lines of logs. */

export const mailboxStatuses = ['online', 'offline', 'idle', 'busy'] as const
export type MailboxStatus = (typeof mailboxStatuses)[number]

type Unknown = { readonly [key: string]: unknown }

/** Dream.OS, 1. Shared Mailbox Message Structure. */
export interface Mailbox extends Unknown {
  readonly status: MailboxStatus
  readonly assigned_agent_id: string | null
  readonly last_seen_utc: string | null
  readonly messages: readonly unknown[]
  readonly processed_message_ids: readonly string[]
}

/** Dream.OS, 2. Individual Message Object. */
export interface MailboxMessage extends Unknown {
  readonly message_id: string
  readonly sender_agent_id: string
  readonly timestamp_dispatched: string
  readonly command: string
  readonly params: Readonly<Record<string, unknown>>
  readonly task_id?: string
}

export const outcomeStatuses = ['COMPLETED', 'FAILED'] as const
export type OutcomeStatus = (typeof outcomeStatuses)[number]

/** Dream.OS, 3. Status Reporting Structure: one line of `completed_tasks.json`. All seven fields are always written. */
export interface CompletedTask extends Unknown {
  readonly message_id: string | null
  readonly task_id: string | null
  readonly agent_id: string
  readonly status: OutcomeStatus
  readonly timestamp: string
  readonly output: unknown
  readonly error_details: unknown
}

/** Dream.OS, Supported Message Types. */
export const eventTypes = {
  plan: 'GENERATE_TASK_SEQUENCE',
  completed: 'TASK_COMPLETED',
  failed: 'TASK_FAILED',
  /** Of our own: what a person said to an escalation. */
  answered: 'HUMAN_ANSWER',
} as const

export interface PlannerEvent extends Unknown {
  readonly type: string
  readonly source_id: string
  readonly target_id: string
  readonly data: Readonly<Record<string, unknown>>
}

export const taskStatuses = ['PENDING', 'IN_PROGRESS', 'COMPLETED', 'FAILED', 'BLOCKED'] as const
export type TaskStatus = (typeof taskStatuses)[number]

/** One task of `task_list.json`. `priority`: lower is more urgent. */
export interface Task extends Unknown {
  readonly task_id: string
  readonly action: string
  readonly params: Readonly<Record<string, unknown>>
  readonly target_agent: string
  readonly status: TaskStatus
  readonly priority: number
  readonly depends_on: readonly string[]
  /** Of our own: the parts that this task was expanded into. */
  readonly subtasks?: readonly string[]
  /** Of our own: why it is BLOCKED. */
  readonly blocked_reason?: string | null
}

/** One line of `governance_memory.jsonl`. */
export interface GovernanceEvent extends Unknown {
  readonly event_id: string
  readonly timestamp: string
  readonly event_type: string
  readonly agent_source: string
  readonly details: Readonly<Record<string, unknown>>
}

/** The events that operations write by themselves, and the details of each. Agents may add events of their own. */
export const significantEvents = {
  MAILBOX_TAKEN_OVER: 'mailbox, from, to, last_seen_utc',
  LOCK_BROKEN: 'lock, holder, reason',
  MESSAGE_RESENT: 'mailbox, message_id',
  TASK_FAILED: 'task_id, message_id, error_details, outcome',
  PLAN_SENT: 'plan_id, target, goal, under',
  PLAN_JOINED: 'plan_id, planner, tasks',
  PLAN_REFUSED: 'plan_id, planner, reasons',
  PLAN_LATE: 'plan_id, planner, joined_from',
  TASKS_DISPATCHED: 'task_id, target_agent',
  TASKS_BLOCKED: 'task_id, reason',
  ESCALATION_ANSWERED: 'path, by, verdict, answer',
  POLICY_DENIED: 'what, agent, reason',
} as const
export type SignificantEvent = keyof typeof significantEvents

/** `runtime/supervisor_state.json`. */
export interface SupervisorState extends Unknown {
  readonly last_updated: string
  readonly current_focus: string | null
  readonly active_goals: readonly unknown[]
  readonly agent_states: Readonly<Record<string, unknown>>
  readonly task_assignments: Readonly<Record<string, unknown>>
  readonly system_notes: readonly unknown[]
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
