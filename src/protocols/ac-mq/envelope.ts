/**
 * A message in neutral words: `lift` makes an envelope of a message in a queue or the archive, `lower` makes of a draft what
 * `send` takes. Pure. What no field of AC-MQ can hold goes into the field `envelope:`, as JSON; `reply_to:` is a field of its own.
 */
import { type Draft, type Envelope, handleOf, type Lifted, type Urgency } from '../../kernel/envelope.ts'
import { withoutUndefined } from '../../kernel/field.ts'
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

/** An archived message counts as an ask of normal urgency: only its pack, which is not opened here, says more. */
export function lift({ entry: _, ...view }: PlacedView): Envelope {
  const { protocol, id, from, to, state, path, summary, createdAt, place } = view
  const head = { protocol, id, from, to, state, path, summary, createdAt, place }
  const carried = 'envelope' in view && view.envelope !== undefined ? carriedFieldsIn(parsed(view.envelope)) : {}
  const until = view.until === undefined ? undefined : new Date(view.until).toISOString()
  return {
    ...head,
    handle: handleOf(head),
    stage: stageOf(view),
    ...said('priority' in view ? view : {}),
    ...carried,
    // A claim writes the claimer into `to`.
    ...('attempt' in view && state !== 'pending'
      ? { claim: withoutUndefined({ by: to, attempt: view.attempt, until }) }
      : {}),
    native: view,
  }
}

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
    dependsOn: dependencies.flatMap((text) => {
      const dependency = readDependency(text)
      return dependency.kind === 'message' ? [dependency.id] : []
    }),
    attachments: [],
    ...(replyTo === undefined ? {} : { replyTo }),
  } as const satisfies Partial<Lifted>
}

/** Without a summary in the draft, `send` takes the first line of the text. */
export function lower(draft: Draft): Omit<SendInput, 'id'> {
  const { from, to, text: body, summary, urgency = 'normal', dependsOn = [], replyTo } = draft
  const priority = priorities[urgency]
  const dependencies = dependsOn.map((id) => `msg:${id}`)
  const unsaid = unsaidFields(draft, {
    ...said(withoutUndefined({ priority, dependencies, replyTo })),
    summary: summary ?? '',
  })
  return withoutUndefined({
    from,
    to,
    body,
    priority,
    summary,
    dependencies: dependencies.length === 0 ? undefined : dependencies,
    replyTo,
    envelope: unsaid && JSON.stringify(unsaid),
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // Not JSON: another program uses the name for something else.
  }
}
