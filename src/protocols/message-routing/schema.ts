/**
 * What a message says, in the specification's own field names: its schema as data, and one table of the payloads.
 * `scripts/validator.mjs` makes `validate.generated.ts` of both. Spec: Message Routing, "Message Format Specification"
 * and "Message Types Catalog".
 */

export const messageTypes = ['status-update', 'task-delegation', 'result', 'command', 'heartbeat'] as const
export type MessageType = (typeof messageTypes)[number]

/** A message as it stands in its file, unknown fields included. */
export interface MrMessage {
  readonly version: string
  readonly msg_id: string
  readonly from: string
  readonly to: string
  readonly timestamp: string
  readonly sequence: number
  readonly type: MessageType
  readonly requires_ack?: boolean
  readonly correlation_id?: string
  readonly priority?: number
  readonly payload: Payload
  readonly [unknown: string]: unknown
}

export type Payload = { readonly [field: string]: unknown }

/** One thing that is wrong with a message: where, what was expected, what was found, all in words. */
export interface Issue {
  /** `priority`, `payload.metrics.confidence`, `payload.issues[2]`; empty for the whole. */
  readonly field: string
  readonly expected: string
  readonly found: string
  /** The three as one sentence. */
  readonly message: string
}
