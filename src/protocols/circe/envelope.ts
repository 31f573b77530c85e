/**
 * Lifts a message that the store read into an envelope, and lowers a draft into the input of a send. Pure.
 *
 * An ask is a `question`, a tell `inform`, an answer `answer`. Task and reply use CIRCE's own headers. What CIRCE has no header for
 * goes into further ones: `priority` (high, low), `due` (a time) and `signalbox` (the rest, as JSON).
 */
import { readJson } from '../../formats/plain-data.ts'
import {
  type Draft,
  type Envelope,
  type Headline,
  type HeldBy,
  handleOf,
  kindOf,
  type MessageKind,
  type Stage,
} from '../../kernel/envelope.ts'
import { carriedFieldsIn, unsaidFields } from '../../messaging/envelope/carried-fields.ts'
import { bodyOf, plainTextOf, summaryLine, timeOf } from './format.ts'
import { isFileName, isTaskId } from './names.ts'
import type { CirceMessage, Head } from './schema.ts'
import type { CirceSendInput } from './store/outcomes.ts'
import { idOf } from './store/view.ts'

export interface HeadView extends Headline {
  readonly head: Head
  readonly stage: Stage
  readonly claim?: HeldBy
}

const intents = { ask: 'question', tell: 'inform', answer: 'answer' } as const
/** Every other intent is an ask, also one that only its sender knows. */
const kinds: Readonly<Record<string, MessageKind>> = {
  status_update: 'tell',
  claim_task: 'tell',
  release_task: 'tell',
  coordinate: 'tell',
  inform: 'tell',
  answer: 'answer',
  test_results: 'answer',
  audit_report: 'answer',
}

/** The header for the fields that no other header holds. */
export const carryingHeader = 'signalbox'

export function lift({ head, stage, ...headline }: HeadView): Envelope {
  return { ...headline, handle: handleOf(headline), stage, native: head, ...saidBy(head) }
}

export function lower(draft: Draft): CirceSendInput {
  const { from, to, text, task, replyTo, deadline, urgency = 'normal' } = draft
  const kind = kindOf(draft)
  // A text with headings would be split into sections: it is written as it is, and the summary goes into a header.
  const isPlain = !/^## /m.test(text)
  const summary = isPlain && draft.summary === summaryLine(draft.summary ?? '') ? draft.summary : undefined
  const said = {
    intent: intents[kind],
    ...(task !== undefined && isTaskId(task) ? { task } : {}),
    ...(replyTo !== undefined && isOwnId(replyTo) ? { replyTo } : {}),
  }
  const further = {
    ...(urgency === 'normal' ? {} : { priority: urgency }),
    ...(deadline === undefined || timeOf(deadline) === undefined ? {} : { due: deadline }),
  }
  const unsaid = unsaidFields(draft, saidBy({ ...said, summary: summary ?? '', further }))
  const carried = { ...unsaid, ...(isPlain ? {} : { isWhole: true }) }
  const isCarrying = Object.keys(carried).length > 0
  return {
    from,
    to,
    ...said,
    status: kind === 'answer' ? 'completed' : 'new',
    ...(summary === undefined ? {} : { summary }),
    ...(isPlain ? { body: text } : { lead: text }),
    headers: Object.entries({ ...further, ...(isCarrying ? { [carryingHeader]: JSON.stringify(carried) } : {}) }),
  }
}

/** The text that a sender wrote, without what the envelope repeats. */
export function textOf(message: CirceMessage): string {
  const { isWhole } = carriedBy(message) as { readonly isWhole?: unknown }
  return isWhole === true ? bodyOf(message).trimEnd() : plainTextOf(message)
}

/** An id of CIRCE, not one of another protocol: those have colons. */
const isOwnId = (id: string): boolean => isFileName(`${id}.md`) && id.trim() === id && !id.includes(':')

function saidBy(head: Pick<Head, 'intent' | 'task' | 'replyTo' | 'summary' | 'further'>) {
  const { intent, task, replyTo, summary } = head
  const kind = kinds[intent] ?? 'ask'
  const urgency = headerOf(head, 'priority')?.toLowerCase()
  const due = headerOf(head, 'due') ?? ''
  return {
    summary,
    kind,
    urgency: urgency === 'high' || urgency === 'low' ? urgency : 'normal',
    needsAnswer: kind === 'ask',
    dependsOn: [],
    attachments: [],
    ...(task === undefined ? {} : { task }),
    ...(replyTo === undefined ? {} : { replyTo: idOf(replyTo) }),
    ...(timeOf(due) === undefined ? {} : { deadline: due }),
    ...carriedFieldsIn(carriedBy(head)),
  } as const
}

/** Unchecked: another program may have written it. */
const carriedBy = (head: Pick<Head, 'further'>): object =>
  readJson((value) => (typeof value === 'object' ? value : null), headerOf(head, carryingHeader) ?? 'null') ?? {}

const headerOf = ({ further }: Pick<Head, 'further'>, name: string): string | undefined =>
  Object.entries(further).find(([key]) => key.toLowerCase() === name)?.[1]
