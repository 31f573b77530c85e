/**
 * What may stand between a message and its file: rate limits, signatures, encryption, measurements. Each hook is optional and knows
 * nothing of the store. The store calls them in this order:
 *
 *   sending      admit → (number issued) → seal → written → observe
 *   receiving    version → schema → (taken) → open → handed out → observe
 *   answering    verify → counted as an answer, or answered
 *
 * A refusal by `admit` costs no sequence number. A rejection by `open` moves the file to `rejected/` and adds a line to
 * `error.log`; the other messages are handed out.
 */
import type { MrMessage } from './schema.ts'

/** The message is not sent; the sender can do something about it. */
export interface Refusal {
  readonly outcome: 'refused'
  readonly code: string
  readonly reason: string
  readonly hint: string
  /** After so many milliseconds the sender can try again. */
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
  /** With the same id, sender, recipient, number and type; fields may be added and the payload replaced. */
  readonly message: MrMessage
}

export interface Incoming {
  /** The owner of the inbox. */
  readonly agent: string
  /** What the file says, valid by the schema and addressed to this agent. */
  readonly message: MrMessage
  /** By the tree's time. */
  readonly now: number
  /** When the file was last written, by the tree's time, where that is known without another look. */
  readonly arrivedAt?: number
  /** The reader only looks: the hook must not remember the message. */
  readonly isPeek: boolean
}

export interface Opened {
  readonly outcome: 'opened'
  /** For the reader: the payload decrypted, unknown fields kept. */
  readonly message: MrMessage
  /** Remarks for the reader, one sentence each. */
  readonly notes?: readonly string[]
}

export type Metric = 'message_write_latency_ms' | 'message_read_latency_ms' | 'inbox_depth' | 'eviction_count'

export interface Hooks {
  /** Whether this sender may send now, by the tree's time. Called before anything is written; counts the attempt. */
  admit?(from: string, to: string, now: number): Promise<Refusal | undefined>
  /** Signs and encrypts a complete message. Called in the turn of the recipient's inbox, so it must be quick and take no lock. */
  seal?(message: MrMessage): Promise<Sealed | Refusal>
  /** Verifies and decrypts. Called after the message was taken, so that no two readers open the same one. */
  open?(incoming: Incoming): Promise<Opened | Rejection>
  /**
   * Why a message in a folder of `agent` is not genuine: the sender that it names did not sign it, or it is for another agent.
   * Remembers nothing, and does not ask whether it is a copy. Called before a file counts as an answer, or is answered. Absent
   * where messages are not signed.
   */
  verify?(agent: string, message: MrMessage): Promise<Rejection | undefined>
  /** Signs a message that an agent keeps as its own proof. Unlike `seal`, it does not encrypt. */
  vouch?(message: MrMessage): Promise<MrMessage>
  /** A taken message goes back into the inbox: it may be handed out again. `message`: as it is on disk. */
  recover?(agent: string, message: MrMessage): Promise<void>
  /**
   * One measurement: a latency in milliseconds, the depth of an inbox after the step, or 1 for an eviction. `agent`: the owner of
   * the inbox. Must not throw and must not wait.
   */
  observe?(metric: Metric, value: number, agent: string): void
}
