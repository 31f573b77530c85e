/**
 * The fields of a message: its schema as data, and one table of the payloads.
 * Spec: Message Routing, "Message Format Specification" and "Message Types Catalog".
 */

export const messageTypes = ['status-update', 'task-delegation', 'result', 'command', 'heartbeat'] as const
export type MessageType = (typeof messageTypes)[number]

/** A message as it is in its file, unknown fields included. */
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

export const isObject = (value: unknown): value is Payload =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The values of absent fields. An absent `correlation_id` has none. */
export const defaults = { requires_ack: false, priority: 5 } as const

/** The part of JSON Schema (draft-07) that the two tables below need, and `validate.ts` implements. */
export interface Schema {
  readonly type: 'object' | 'string' | 'integer' | 'number' | 'boolean' | 'array'
  /** What is expected, in words that follow "expected". */
  readonly description: string
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly enum?: readonly string[]
  readonly pattern?: RegExp
  readonly format?: 'date-time'
  readonly minimum?: number
  readonly maximum?: number
}

const messageId: Schema = {
  type: 'string',
  pattern: /^msg_[a-f0-9]{8}$/u,
  description: '`msg_` and eight of 0-9 and a-f, such as msg_a3f5d8b2',
}
const agentId: Schema = {
  type: 'string',
  pattern: /^[a-z0-9_-]+$/u,
  description: 'a name of lower-case letters, digits, `_` and `-`, such as coder-1',
}
const oneOf = (...words: string[]): Schema => ({
  type: 'string',
  enum: words,
  description: `one of ${words.map((word) => `'${word}'`).join(', ')}`,
})

export const messageSchema: Schema = {
  type: 'object',
  description: 'a JSON object',
  required: ['version', 'msg_id', 'from', 'to', 'timestamp', 'sequence', 'type', 'payload'],
  properties: {
    version: {
      type: 'string',
      pattern: /^\d+\.\d+\.\d+$/u,
      description: 'three numbers with dots between them, such as 1.0.0',
    },
    msg_id: messageId,
    from: agentId,
    to: agentId,
    timestamp: {
      type: 'string',
      format: 'date-time',
      description: 'a time with a zone, such as 2025-10-06T14:32:15.234Z',
    },
    sequence: { type: 'integer', minimum: 1, description: 'a whole number from 1 up' },
    type: oneOf(...messageTypes),
    payload: { type: 'object', description: 'a JSON object' },
    requires_ack: { type: 'boolean', description: 'true or false' },
    correlation_id: messageId,
    priority: { type: 'integer', minimum: 0, maximum: 10, description: 'a whole number from 0 to 10' },
  },
}

const text: Schema = { type: 'string', description: 'text' }
const texts: Schema = { type: 'array', items: text, description: 'a list of texts' }
const ratio: Schema = { type: 'number', minimum: 0, maximum: 1, description: 'a number from 0.0 to 1.0' }
const amount: Schema = { type: 'number', minimum: 0, description: 'a number from 0 up' }
const count: Schema = { type: 'integer', minimum: 0, description: 'a whole number from 0 up' }
const time: Schema = { type: 'string', format: 'date-time', description: 'a time with a zone' }

const parts = (properties: Readonly<Record<string, Schema>>, ...required: string[]): Schema => ({
  type: 'object',
  description: 'a JSON object',
  required,
  properties,
})

/**
 * Every payload field with its type and range, and at the end of each object its required fields. The specification calls no field
 * required, and one of its examples is a task with only `task`. So the one field is required without which a message of its type
 * says nothing. See docs/decisions/0016-message-routing-payloads.md.
 */
export const payloadSchemas: Readonly<Record<MessageType, Schema>> = {
  'status-update': parts(
    {
      status: oneOf('in_progress', 'completed', 'failed', 'blocked'),
      progress: ratio,
      message: text,
      confidence: ratio,
      blockers: texts,
    },
    'status',
  ),
  'task-delegation': parts(
    {
      task: text,
      context: parts({ files: texts, dependencies: texts, deadline: time }),
      metadata: parts({ original_requester: text, delegation_reason: text }),
    },
    'task',
  ),
  result: parts(
    {
      status: oneOf('success', 'failure', 'partial'),
      deliverables: parts({ files_modified: texts, tests_added: texts, artifacts: texts }),
      metrics: parts({ confidence: ratio, test_coverage: ratio, duration_ms: amount }),
      issues: texts,
      next_steps: texts,
    },
    'status',
  ),
  command: parts(
    {
      action: oneOf('start', 'pause', 'resume', 'stop', 'health_check'),
      parameters: parts({ reason: text, timeout_ms: amount }),
    },
    'action',
  ),
  heartbeat: parts(
    {
      health: oneOf('healthy', 'degraded', 'unhealthy'),
      metrics: parts({ cpu_usage: ratio, memory_mb: amount, active_tasks: count }),
      uptime_ms: amount,
    },
    'health',
  ),
}

type Role = 'agent' | 'coordinator'

/**
 * The usual sender and recipient of each type. Roles are taken from the names, as in the specification's examples. A message with
 * an unusual direction is delivered with a note.
 */
const usualDirections: Readonly<Record<MessageType, readonly `${Role} to ${Role}`[]>> = {
  'status-update': ['agent to coordinator'],
  'task-delegation': ['agent to agent', 'coordinator to agent'],
  result: ['agent to agent', 'agent to coordinator'],
  command: ['coordinator to agent'],
  heartbeat: ['agent to coordinator'],
}

const roleOf = (name: string): Role => (/^coordinator(?:[-_]|$)/.test(name) ? 'coordinator' : 'agent')

/** A sentence about an unusual direction. An acknowledgement may go in any direction. */
export function unusualDirection({ from, to, type, correlation_id }: MrMessage): string | undefined {
  if (type === 'status-update' && typeof correlation_id === 'string') return undefined
  const direction = `${roleOf(from)} to ${roleOf(to)}` as const
  if (!Object.hasOwn(usualDirections, type) || usualDirections[type].includes(direction)) return undefined
  return `A ${type} usually goes from ${usualDirections[type].join(' or ')}; this one goes from ${direction}.`
}
