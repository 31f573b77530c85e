/**
 * Plain channels: files of an inbox or outbox. A task, an event or any other object in JSON. The two stricter codecs are
 * `mailbox-format.ts` and `event-format.ts`.
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

/** Sender, target and other fields of a message, under whichever known name it has them. */
export function statedFieldsOf(message: PlainMessage) {
  const data = isObject(message.data) ? message.data : {}
  const params = isObject(message.params) ? message.params : isObject(data.params) ? data.params : {}
  const first = (...values: unknown[]) =>
    values.find((value): value is string => typeof value === 'string' && value.trim() !== '')
  const isAnEvent = isEvent(message)
  const subject = isAnEvent ? first(data.correlation_id, data.task_id) : undefined
  const at = first(message.timestamp_dispatched, message.timestamp, message.created_at, data.timestamp)
  return {
    // The task id of an event is that of its subject. Without an id of its own, the name of its file serves as one.
    id: isAnEvent ? first(message.message_id) : first(message.message_id, message.task_id),
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
