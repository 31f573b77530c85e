/**
 * What may be put between a message and its file: limits, seals and measures. Each is optional and knows nothing of the
 * store; the store calls them in this order.
 *
 *   sending      admit → (number issued) → seal → written → observe
 *   receiving    version → schema → (taken) → open → handed out → observe
 *   answering    verify → counted as an answer, or answered
 *
 * A refusal by `admit` costs no sequence number. A rejection when receiving moves the file to `rejected/` and writes a line
 * to `error.log`; the other messages are handed out all the same.
 */
import type { MrMessage } from './schema.ts'

/** The message is not sent, and the sender can act. */
export interface Refusal {
  readonly outcome: 'refused'
  readonly code: string
  readonly reason: string
  readonly hint: string
  /** When trying again makes sense, in milliseconds from now. */
  readonly retryAfterMs?: number
}

/** The message is set aside and never handed out. */
export interface Rejection {
  readonly outcome: 'rejected'
  /** The `error` of the line in `error.log`: `BAD_SIGNATURE`, `REPLAYED`, `UNSUPPORTED_VERSION`. */
  readonly code: string
  /** The `issues` of that line, one sentence each, without a full stop as in the specification's example. */
  readonly issues: readonly string[]
}

export const rejected = (code: string, issue: string): Rejection => ({ outcome: 'rejected', code, issues: [issue] })

export interface Sealed {
  readonly outcome: 'sealed'
  /** The same id, sender, recipient, number and type; fields may be added and the payload exchanged. */
  readonly message: MrMessage
}

export interface Incoming {
  /** Whose inbox it was found in. */
  readonly agent: string
  /** What the file says, valid by the schema and addressed to this agent. */
  readonly message: MrMessage
  /** By the tree's time, as `arrivedAt` is. */
  readonly now: number
  /** When the file was last written, where that is known at no cost. */
  readonly arrivedAt?: number
  /** Only looked at: nothing may be remembered of it. */
  readonly isPeek: boolean
}

export interface Opened {
  readonly outcome: 'opened'
  /** What the reader gets: the payload decrypted, unknown fields kept. */
  readonly message: MrMessage
  /** Remarks for the reader, one sentence each. */
  readonly notes?: readonly string[]
}

export type Metric = 'message_write_latency_ms' | 'message_read_latency_ms' | 'inbox_depth' | 'eviction_count'

export interface Hooks {
  /** May this sender send now, by the tree's time? Asked before anything is done; counts the attempt. */
  admit?(from: string, to: string, now: number): Promise<Refusal | undefined>
  /**
   * Signs and encrypts a complete message, number and id included. Called in the turn of the recipient's inbox, so it must be
   * quick and take no lock.
   */
  seal?(message: MrMessage): Promise<Sealed | Refusal>
  /** Verifies and decrypts. Called after the message was taken, so that no two readers see the same one. */
  open?(incoming: Incoming): Promise<Opened | Rejection>
  /**
   * Why a message in the folders of its recipient is not what it says: not from the sender it names, or for another agent.
   * Only looks; whether it was handed out before plays no part. Asked before a file counts as an answer, or is answered.
   * Left out where messages are not signed.
   */
  verify?(agent: string, message: MrMessage): Promise<Rejection | undefined>
  /** Signs what an agent keeps as its own proof. Unlike `seal` it leaves the payload as it is. */
  vouch?(message: MrMessage): Promise<MrMessage>
  /** A person is about to put a taken message back into the inbox: it may be handed out once more. As it is on disk. */
  recover?(agent: string, message: MrMessage): Promise<void>
  /**
   * One measurement of one agent: the recipient of what was written, the owner of the inbox that was read. Latencies in
   * milliseconds, the depth after the step, and 1 for each eviction. Must not throw and must not wait.
   */
  observe?(metric: Metric, value: number, agent: string): void
}
