/** A message as callers see it: neutral fields and those of AC-MQ. */
import type { Headline } from '../../../kernel/envelope.ts'
import type { Problem } from '../../../kernel/problem.ts'
import type { ArchivedEntry } from '../archive/archive.ts'
import type { AcmqRecord, State } from '../schema.ts'
import { asUtc } from '../times.ts'

export interface AcmqView extends Headline {
  readonly protocol: 'acmq'
  readonly state: State
  readonly mission: string
  readonly name: string
  readonly priority: number
  readonly timeoutSeconds: number
  readonly dependencies: readonly string[]
  readonly attempt: number
  readonly replyTo?: string
  readonly envelope?: string
  /** Sentences about fields that are wrong or missing. */
  readonly notices: readonly string[]
}

export interface AcmqViewWithBody extends AcmqView {
  /** The Markdown below the header, with results and reports. */
  readonly body: string
}

export function viewOf(record: AcmqRecord, state: State, path: string, problems: readonly Problem[] = []): AcmqView {
  const view = {
    protocol: 'acmq',
    id: record.id,
    from: record.from,
    to: record.to,
    state,
    path,
    summary: record.summary,
    createdAt: asUtc(record.timestamp),
    mission: record.mission_id,
    name: path.slice(path.lastIndexOf('/') + 1),
    priority: record.priority,
    timeoutSeconds: record.timeout_seconds,
    dependencies: record.dependencies,
    attempt: record.attempt,
    notices: problems.length === 0 ? none : problems.map(({ message }) => message),
  } as const
  const { reply_to: replyTo, envelope } = record
  if (replyTo === undefined && envelope === undefined) return view
  return { ...view, ...(replyTo === undefined ? {} : { replyTo }), ...(envelope === undefined ? {} : { envelope }) }
}

export interface ArchivedView extends Headline {
  readonly protocol: 'acmq'
  readonly state: 'archived'
  readonly mission: string
  readonly name: string
  readonly status: string
}

export function archivedView(entry: ArchivedEntry, mission: string): ArchivedView {
  const { id, from, to, pack: path, summary, name, status } = entry
  const createdAt = asUtc(entry.timestamp)
  return { protocol: 'acmq', id, from, to, state: 'archived', path, summary, createdAt, mission, name, status }
}

/** Changes the view itself, which is quicker than a copy: for a view that was just made. */
export const withBody = (view: AcmqView, body: string): AcmqViewWithBody => Object.assign(view, { body })

const none: readonly string[] = Object.freeze([])
