/**
 * From a file of an inbox or outbox to the neutral envelope (`lift`) and from a draft to such a file (`lower`). Pure.
 *
 * An ask is a task; a tell and an answer are messages, whose command is MESSAGE. What these have no field for lies in
 * `params.signalbox`.
 */
import {
  type Draft,
  type Envelope,
  type HeldBy,
  handleOf,
  kindOf,
  type Lifted,
  type MessageKind,
} from '../../kernel/envelope.ts'
import { type CarriedField, carriedFieldsIn, unsaidFields } from '../../messaging/envelope/carried-fields.ts'
import { eventSubject, isEvent } from './event-format.ts'
import { type PlainMessage, statedFieldsOf } from './format.ts'
import { messageFileName, taskFileName } from './layout.ts'
import { stages } from './lifecycle.ts'
import { isTaskId } from './names.ts'
import { eventTypes, isObject } from './schema.ts'
import type { DreamView } from './store/outcomes.ts'
import { summaryOf } from './store/view.ts'

/** The action of a task, and the command of a message, that is meant to be read. */
const plainMessage = 'MESSAGE'
const priorities = { high: 1, normal: 3, low: 5 } as const
const answering: readonly string[] = [eventTypes.completed, eventTypes.failed, eventTypes.answered]

/** With what the folder of a file does not tell: whether its task failed (`completed_tasks.json` does), and who holds it. */
export interface SettledView extends DreamView {
  readonly hasFailed?: boolean
  readonly claim?: HeldBy
}

type LiftedFields = Pick<Lifted, 'kind' | 'urgency' | 'needsAnswer' | 'dependsOn' | 'attachments'> &
  Pick<Envelope, CarriedField> & { readonly summary: string }

export function lift({ message, file: _, hasFailed = false, ...headline }: SettledView): Envelope {
  const stage = hasFailed ? 'failed' : stages[headline.state]
  return { ...headline, handle: handleOf(headline), stage, native: message, ...fieldsOf(message, headline.summary) }
}

/** The message for a draft, under this id and with this time. */
export function lower(draft: Draft, { id, at }: { readonly id: string; readonly at: string }): PlainMessage {
  const { from, to, text, summary, replyTo, urgency = 'normal', dependsOn = [] } = draft
  const words = { ...(summary === undefined ? {} : { summary }), text }
  const priority = priorities[urgency]
  const message: PlainMessage =
    kindOf(draft) === 'ask'
      ? {
          task_id: id,
          action: plainMessage,
          params: words,
          source_id: from,
          target_agent: to,
          status: 'PENDING',
          priority,
          depends_on: dependsOn.every(isTaskId) ? dependsOn : [],
          timestamp: at,
        }
      : {
          message_id: id,
          sender_agent_id: from,
          target_agent: to,
          timestamp_dispatched: at,
          command: plainMessage,
          params: words,
          priority,
          ...(replyTo === undefined ? {} : { correlation_id: replyTo }),
        }
  const signalbox = unsaidFields(draft, fieldsOf(message, summaryOf(message)))
  return signalbox ? { ...message, params: { ...words, signalbox } } : message
}

/** The name of its file. */
export const fileNameOf = ({ task_id, message_id }: PlainMessage): string =>
  task_id === undefined ? messageFileName(String(message_id)) : taskFileName(String(task_id))

function fieldsOf(message: PlainMessage, summary: string): LiftedFields {
  const { priority = priorities.normal, taskId } = statedFieldsOf(message)
  const kind = kindIn(message)
  return {
    summary,
    kind,
    urgency: priority < priorities.normal ? 'high' : priority > priorities.normal ? 'low' : 'normal',
    needsAnswer: kind === 'ask',
    dependsOn: [],
    attachments: [],
    ...carriedFieldsIn({
      replyTo: replyToIn(message),
      dependsOn: message.depends_on,
      // A task without a message id is the message itself, not what the message is about.
      task: message.task_id === taskId && message.message_id === undefined ? undefined : taskId,
    }),
    ...carriedFieldsIn(paramsOf(message).signalbox),
  }
}

/** A message of unknown shape is an ask, so that an agent deals with it. */
function kindIn(message: PlainMessage): MessageKind {
  if (typeof replyToIn(message) === 'string') return 'answer'
  return message.command === plainMessage ? 'tell' : 'ask'
}

/** The id of the task whose end an event reports, or of the message that this one answers. Earlier versions sent answers as tasks. */
function replyToIn(message: PlainMessage): unknown {
  if (isEvent(message)) return answering.includes(message.type) ? eventSubject(message) : undefined
  return message.action === undefined ? message.correlation_id : paramsOf(message).reply_to
}

/** The text of a message; all of it as JSON where it has no text. */
export function textOf(message: PlainMessage): string {
  const { text } = paramsOf(message)
  return typeof text === 'string' ? text : JSON.stringify(message, null, 2)
}

const paramsOf = ({ params }: PlainMessage): Readonly<Record<string, unknown>> => (isObject(params) ? params : {})
