/** What a session's verbs answer. */
import type { SessionChange } from '../record.ts'

export type { Translation } from '../language/translation.ts'
export type { Session, SessionChange, Task as SessionTask } from '../record.ts'
export type { ErrorCode } from '../refusal.ts'
export type { Worked } from './working.ts'

export interface SayOutcome {
  /** `nothing`: done, and nothing was found. `refused`: an error of the protocol. */
  readonly outcome: 'answered' | 'nothing' | 'refused'
  readonly session: string
  /** As the specification writes it. */
  readonly answer: string
  readonly lines: readonly string[]
  readonly exit: 0 | 1 | 2
  /** `E001` to `E005`. */
  readonly code?: string
  /** Why it was refused, in a sentence. */
  readonly reason?: string
  /** Where in the line, counted from 0. */
  readonly at?: number
  /** The lock that was taken or renewed, with its fence. */
  readonly lock?: Omit<LockView, 'waiting'>
}

export interface Started {
  /** `unchanged`: it was running. */
  readonly outcome: 'started' | 'unchanged'
  readonly session: string
}

export interface Ended {
  /** `unchanged`: it had ended, or never was. */
  readonly outcome: 'ended' | 'unchanged'
  readonly session: string
  /** The ids of tasks whose program was running and was stopped. */
  readonly stopped: readonly string[]
}

export interface SessionView {
  readonly session: string
  readonly status: 'running' | 'ended'
  readonly isCurrent: boolean
  /** ISO 8601. */
  readonly startedAt: string
  readonly keys: number
  readonly tasks: number
  readonly changes: number
}

/** A message of a session as its reader gets it. */
export interface Mail {
  readonly n: number
  readonly from: string
  readonly to: string
  /** Absent for what was sent to this agent alone. */
  readonly channel?: string
  /** What it is: `BROADCAST`, `DIRECT`, `DELEGATE`, `DONE`, … */
  readonly kind: string
  /** The task or escalation that it is about. */
  readonly about?: string
  readonly text: string
  /** ISO 8601. */
  readonly sentAt: string
  /** A reader was given it before and did not confirm it: the agent may have it already. */
  readonly redelivered?: true
}

export interface LockView {
  readonly resource: string
  readonly owner: string
  /** ISO 8601. */
  readonly until: string
  readonly fence: number
  readonly waiting: readonly { readonly owner: string; readonly priority: string }[]
}

export type LogLine = Omit<SessionChange, 'at' | 'more'> & {
  /** ISO 8601. */
  readonly at: string
}

export interface SayOptions {
  /** Else the current one; it is started where it is not running. */
  readonly session?: string
  /** Who speaks; else the orchestrator. */
  readonly agent?: string
  /** Ends a wait early, as if its time were up. */
  readonly signal?: AbortSignal
}

export interface WorkOptions extends Pick<SayOptions, 'session' | 'signal'> {
  readonly task?: string
}

export interface InboxOptions extends Pick<SayOptions, 'session' | 'signal'> {
  /** Wait so long for a first message. */
  readonly waitMs?: number
  readonly limit?: number
  /** Look without taking. */
  readonly peek?: boolean
  /** They count as read only when `handedOut` is called; until then the next reader gets them again. */
  readonly untilHandedOut?: boolean
}
