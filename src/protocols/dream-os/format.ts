/**
 * Plain channels: files of an inbox or outbox. A task, an event or any other object in JSON; what it says of itself is read
 * where it says it. The two stricter codecs are `mailbox-format.ts` and `event-format.ts`.
 */
import type { Parsed } from '../../kernel/problem.ts'
import { isEvent } from './event-format.ts'
import { type JsonOptions, readJsonText } from './json-text.ts'
import { malformed } from './problem.ts'
import { isObject } from './schema.ts'
import { momentOf } from './times.ts'

export type PlainMessage = Readonly<Record<string, unknown>>

export function parseMessage(bytes: Uint8Array, options: JsonOptions): Parsed<PlainMessage> {
  const read = readJsonText(bytes, options)
  if (read.outcome === 'malformed') return read
  if (!isObject(read.value)) return malformed('NOT_A_MESSAGE', 'It is JSON, but no object.', 'Write { … } around it.')
  return { outcome: 'message', message: read.value, problems: [] }
}

export const printMessage = (message: PlainMessage): string => `${JSON.stringify(message, null, 2)}\n`

/** What a message says of itself, wherever it says it. */
export interface StatedFields {
  readonly id: string | undefined
  readonly from: string | undefined
  readonly to: string | undefined
  readonly summary: string | undefined
  readonly sentAt: number | undefined
  readonly taskId: string | undefined
  readonly priority: number | undefined
}

export function statedFieldsOf(message: PlainMessage): StatedFields {
  const data = isObject(message.data) ? message.data : {}
  const params = isObject(message.params) ? message.params : isObject(data.params) ? data.params : {}
  const first = (...values: unknown[]) =>
    values.find((value): value is string => typeof value === 'string' && value.trim() !== '')
  const isOne = isEvent(message)
  const subject = isOne ? first(data.correlation_id, data.task_id) : undefined
  const at = first(message.timestamp_dispatched, message.timestamp, message.created_at, data.timestamp)
  return {
    // An event names the task that it is about, and has no id of its own: its file has.
    id: isOne ? first(message.message_id) : first(message.message_id, message.task_id),
    from: first(message.source_id, message.sender_agent_id, message.source_agent, message.sender),
    to: first(message.target_id, message.target_agent, message.recipient_agent_id),
    summary: first(
      params.summary,
      params.goal,
      params.text,
      message.action,
      message.command,
      subject && `${message.type} ${subject}`,
      message.type,
    ),
    sentAt: at === undefined ? undefined : momentOf(at),
    taskId: first(message.task_id, data.task_id),
    priority: typeof message.priority === 'number' ? message.priority : undefined,
  }
}
