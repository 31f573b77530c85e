/**
 * Lifts a message into an envelope, and lowers a draft into the input of a send. Pure.
 *
 * An ask is a task-delegation, a tell a status-update, an answer a result. What the payload of that type has no field for goes into
 * `payload.signalbox`, so that it is encrypted with the payload.
 */
import { type Draft, type Envelope, handleOf, kindOf, type Lifted, type MessageKind } from '../../kernel/envelope.ts'
import type { Claim } from '../../messaging/claims/claim.ts'
import { type CarriedField, carriedFieldsIn, unsaidFields } from '../../messaging/envelope/carried-fields.ts'
import { isMessageId } from './layout.ts'
import { stages } from './lifecycle.ts'
import { defaults, isObject, type MessageType, type MrMessage, type Payload } from './schema.ts'
import type { MrSendInput, MrView } from './store/outcomes.ts'
import { summaryOf } from './store/view.ts'

const types = { ask: 'task-delegation', tell: 'status-update', answer: 'result' } as const
const kinds: Readonly<Record<MessageType, MessageKind>> = {
  'task-delegation': 'ask',
  command: 'ask',
  'status-update': 'tell',
  heartbeat: 'tell',
  result: 'answer',
}
/** The status of a message whose draft gave none. `textOf` leaves it out. */
const plainStatus = { 'status-update': 'in_progress', result: 'success' } as const
const priorities = { high: 9, normal: undefined, low: 1 } as const

type LiftedFields = Pick<Lifted, 'kind' | 'urgency' | 'needsAnswer' | 'dependsOn' | 'attachments'> &
  Pick<Envelope, CarriedField> & { readonly summary: string }
type Content = Pick<MrMessage, 'type' | 'payload' | 'requires_ack'> & {
  readonly priority?: number | undefined
  readonly correlation_id?: string | undefined
}

/** `claim`: of an agent that took it by the neutral `take` and has not ended it. A message taken by `receive` is finished. */
export const lift = ({ claim, ...view }: MrView & { readonly claim?: Claim }): Envelope => {
  const { protocol, id, from, to, state, path, createdAt, message } = view
  const headline = { protocol, id, from, to, state, path, createdAt }
  const held = claim ? { claim: { by: claim.holder, attempt: claim.attempt } } : {}
  const stage = state === 'taken' && !claim ? 'finished' : stages[state]
  return { ...headline, handle: handleOf(view), stage, native: message, ...held, ...liftedFields(message) }
}

/** Sending adds id, number and time. */
export function lower(draft: Draft): MrSendInput {
  const { from, to, text, summary, urgency = 'normal', attachments, dependsOn, deadline } = draft
  const type = types[kindOf(draft)]
  // A status-update with a `correlation_id` is an acknowledgement, so a tell carries its reply in `payload.signalbox`.
  const isNamed = type !== 'status-update' && draft.replyTo !== undefined && isMessageId(draft.replyTo)
  const replyTo = isNamed ? draft.replyTo : undefined
  const context = {
    ...(attachments?.length ? { files: attachments } : {}),
    ...(dependsOn?.length ? { dependencies: dependsOn } : {}),
    ...(deadline === undefined ? {} : { deadline }),
  }
  const words: Payload =
    type === 'task-delegation'
      ? {
          task: text,
          ...(summary === undefined ? {} : { message: summary }),
          ...(Object.keys(context).length === 0 ? {} : { context }),
        }
      : { status: plainStatus[type], message: text }
  const priority = priorities[urgency]
  const signalbox = unsaidFields(draft, liftedFields({ type, payload: words, priority, correlation_id: replyTo }))
  return { from, to, type, payload: signalbox ? { ...words, signalbox } : words, replyTo, priority }
}

function liftedFields(message: Content): LiftedFields {
  const { type, payload, priority = defaults.priority, correlation_id: replyTo, requires_ack = false } = message
  // A type of another program, which `compat` lets in, is an ask.
  const kind = (kinds as Readonly<Record<string, MessageKind>>)[type] ?? 'ask'
  const { files, dependencies, deadline } = isObject(payload.context) ? payload.context : {}
  const carried = carriedFieldsIn({ attachments: files, dependsOn: dependencies, deadline })
  return {
    summary: summaryOf(message),
    kind,
    urgency: priority > 6 ? 'high' : priority < 4 ? 'low' : 'normal',
    needsAnswer: kind === 'ask' || requires_ack,
    dependsOn: [],
    attachments: [],
    ...(replyTo === undefined ? {} : { replyTo }),
    ...carried,
    ...carriedFieldsIn(payload.signalbox),
  }
}

/** The text of the payload. Fields that neither it nor the envelope holds follow as JSON. */
export function textOf({ type, payload }: Pick<MrMessage, 'type' | 'payload'>): string {
  const field = ['task', 'message'].find((name) => typeof payload[name] === 'string')
  const { signalbox: _, ...rest } = payload
  if (field === undefined) return JSON.stringify(rest, null, 2)
  // Beside a task, `message` is its summary.
  const { [field]: words, message: _summary, ...others } = rest
  const besides = Object.entries(others).filter(
    ([name, value]) =>
      !(name === 'status' && value === plainStatus[type as keyof typeof plainStatus]) &&
      !(name === 'context' && isToldByEnvelope(value)),
  )
  return besides.length === 0 ? `${words}` : `${words}\n\n${JSON.stringify(Object.fromEntries(besides), null, 2)}`
}

const isToldByEnvelope = (context: unknown): boolean => {
  if (!isObject(context)) return false
  const { files: attachments, dependencies: dependsOn, deadline, ...others } = context
  const told = carriedFieldsIn({ attachments, dependsOn, deadline })
  return Object.keys(others).length === 0 && Object.keys(told).length === Object.keys(context).length
}
