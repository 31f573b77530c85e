/** A message as callers see it: the neutral envelope and AC-MQ's own fields beside it. */
import type { Envelope } from '../../../kernel/envelope.ts'
import type { AcmqRecord, Problem, State } from '../schema.ts'

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

export function viewOf(record: AcmqRecord, state: State, path: string, problems: readonly Problem[] = []): AcmqView {
  return {
    protocol: 'acmq',
    id: record.id,
    from: record.from,
    to: record.to,
    state,
    path,
    summary: record.summary,
    createdAt: record.timestamp,
    mission: record.mission_id,
    name: path.slice(path.lastIndexOf('/') + 1),
    priority: record.priority,
    timeoutSeconds: record.timeout_seconds,
    dependencies: record.dependencies,
    attempt: record.attempt,
    problems,
  }
}

export const withBody = (view: AcmqView, bytes: Uint8Array, bodyStart: number): AcmqViewWithBody => ({
  ...view,
  body: Buffer.from(bytes.buffer, bytes.byteOffset + bodyStart, bytes.length - bodyStart).toString('utf8'),
})
