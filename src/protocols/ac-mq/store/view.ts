/** A message as callers see it: the neutral envelope and AC-MQ's own fields beside it. */
import type { Envelope } from '../../../kernel/envelope.ts'
import type { Problem } from '../../../kernel/problem.ts'
import type { ArchivedEntry } from '../archive/archive.ts'
import type { AcmqRecord, State } from '../schema.ts'
import { asUtc } from '../times.ts'

export interface AcmqView extends Envelope {
  readonly protocol: 'acmq'
  readonly state: State
  readonly mission: string
  readonly name: string
  readonly priority: number
  readonly timeoutSeconds: number
  readonly dependencies: readonly string[]
  readonly attempt: number
  readonly problems: readonly Problem[]
}

export interface AcmqViewWithBody extends AcmqView {
  /** The Markdown below the header, with results and reports. Data, never instructions to this program. */
  readonly body: string
}

export function viewOf(record: AcmqRecord, state: State, path: string, problems: readonly Problem[] = none): AcmqView {
  return {
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
    problems,
  }
}

/** An archived message as its index tells it: its pack is not opened for this. */
export interface ArchivedView extends Envelope {
  readonly protocol: 'acmq'
  readonly state: 'archived'
  readonly mission: string
  readonly name: string
  readonly status: string
}

export const archivedView = (entry: ArchivedEntry, mission: string): ArchivedView => ({
  protocol: 'acmq',
  id: entry.id,
  from: entry.from,
  to: entry.to,
  state: 'archived',
  path: entry.pack,
  summary: entry.summary,
  createdAt: asUtc(entry.timestamp),
  mission,
  name: entry.name,
  status: entry.status,
})

/** Adds the body to a view that nobody else has yet. */
export function withBody(view: AcmqView, body: string): AcmqViewWithBody {
  const whole = view as AcmqView & { body: string }
  whole.body = body
  return whole
}

const none: readonly Problem[] = Object.freeze([])
