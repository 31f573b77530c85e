/**
 * A message in neutral words: `lift` makes an envelope of a message in a queue or the archive, `lower` makes of a draft what
 * `send` takes. Pure. What no field of AC-MQ can hold goes into the field `envelope:`, as JSON; `reply_to:` is a field of its own.
 */
import { type Draft, type Envelope, handleOf, type Lifted, type Urgency } from '../../kernel/envelope.ts'
import { carriedFieldsIn, unsaidFields } from '../../messaging/envelope/carried-fields.ts'
import type { ArchivedEntry } from './archive/archive.ts'
import { readDependency } from './dependencies.ts'
import { stages } from './lifecycle.ts'
import { isQueueName } from './schema.ts'
import type { SendInput } from './store/sending.ts'
import type { AcmqView, ArchivedView } from './store/view.ts'

const priorities: Readonly<Record<Urgency, number>> = { high: 1, normal: 3, low: 5 }

const urgencyOf = (priority: number): Urgency =>
  priority < priorities.normal ? 'high' : priority > priorities.normal ? 'low' : 'normal'

export type PlacedView = (AcmqView | ArchivedView) & {
  readonly place: string
  /** Where an archived message lies, if that is known already. */
  readonly entry?: ArchivedEntry
  /** When the claim on the message runs out. */
  readonly until?: number
}

const endOf = ({ until }: PlacedView) => (until === undefined ? {} : { until: new Date(until).toISOString() })

/**
 * An archived message counts as an ask of normal urgency: only its pack, which is not opened here, says more. Written without
 * spreads: in Node they took half as long as writing the file of the message.
 */
export function lift(view: PlacedView): Envelope {
  const { protocol, id, from, to, state, path, summary, createdAt, place } = view
  const { kind, needsAnswer, urgency, dependsOn, attachments, replyTo } = said('priority' in view ? view : {})
  const envelope: { -readonly [Field in keyof Envelope]: Envelope[Field] } = {
    protocol,
    id,
    from,
    to,
    state,
    path,
    summary,
    createdAt,
    place,
    handle: handleOf(view),
    stage: stageOf(view),
    kind,
    needsAnswer,
    urgency,
    dependsOn,
    attachments,
    native: 'entry' in view ? withoutEntry(view) : view,
  }
  if (replyTo !== undefined) envelope.replyTo = replyTo
  if ('envelope' in view && view.envelope !== undefined) Object.assign(envelope, carriedFieldsIn(parsed(view.envelope)))
  // A claim writes the claimer into `to`.
  if ('attempt' in view && state !== 'pending') envelope.claim = { by: to, attempt: view.attempt, ...endOf(view) }
  return envelope
}

const withoutEntry = ({ entry: _, ...view }: PlacedView) => view

function stageOf(view: AcmqView | ArchivedView): Lifted['stage'] {
  const state = 'status' in view ? view.status : view.state
  return stages[isQueueName(state) ? state : 'completed']
}

function said(fields: Partial<Pick<AcmqView, 'priority' | 'dependencies' | 'replyTo'>>) {
  const { priority = priorities.normal, dependencies = [], replyTo } = fields
  return {
    kind: replyTo === undefined ? 'ask' : 'answer',
    needsAnswer: replyTo === undefined,
    urgency: urgencyOf(priority),
    dependsOn: dependencies.length === 0 ? [] : dependencies.flatMap(messageIn),
    attachments: [],
    replyTo,
  } as const
}

function messageIn(text: string): readonly string[] {
  const dependency = readDependency(text)
  return dependency.kind === 'message' ? [dependency.id] : []
}

/** Without a summary in the draft, `send` takes the first line of the text. */
export function lower(draft: Draft): Omit<SendInput, 'id'> {
  const { from, to, text: body, summary, urgency = 'normal', dependsOn = [], replyTo } = draft
  const priority = priorities[urgency]
  const dependencies = dependsOn.map((id) => `msg:${id}`)
  const spoken = said(replyTo === undefined ? { priority, dependencies } : { priority, dependencies, replyTo })
  const unsaid = unsaidFields(draft, { ...spoken, summary: summary ?? '' })
  const input: { -readonly [Field in keyof SendInput]: SendInput[Field] } = { from, to, body, priority }
  if (summary !== undefined) input.summary = summary
  if (dependencies.length > 0) input.dependencies = dependencies
  if (replyTo !== undefined) input.replyTo = replyTo
  if (unsaid !== undefined) input.envelope = JSON.stringify(unsaid)
  return input
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // Not JSON: another program uses the name for something else.
  }
}
