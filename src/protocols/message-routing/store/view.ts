/** A message as callers see it. */
import { printableLine } from '../../../kernel/printable.ts'
import type { Folder } from '../layout.ts'
import { defaults, type MrMessage } from '../schema.ts'
import type { MrView } from './outcomes.ts'

type Remarks = Partial<Pick<MrView, 'problems' | 'notes' | 'isConverted'>>

export function viewOf(message: MrMessage, state: Folder, path: string, about: Remarks = {}): MrView {
  return {
    protocol: 'mr',
    id: message.msg_id,
    from: message.from,
    to: message.to,
    state,
    path,
    summary: summaryOf(message),
    createdAt: message.timestamp,
    type: message.type,
    sequence: message.sequence,
    requiresAck: message.requires_ack ?? defaults.requires_ack,
    priority: message.priority ?? defaults.priority,
    correlationId: message.correlation_id,
    message,
    problems: about.problems ?? none,
    notes: about.notes ?? none,
    ...(about.isConverted ? { isConverted: true } : {}),
  }
}

const none: readonly string[] = Object.freeze([])
const longestSummary = 120

/** The text of the payload, else its status, action or health, else the type. */
export function summaryOf({ type, payload }: Pick<MrMessage, 'type' | 'payload'>): string {
  const { message, task, status, action, health } = payload
  const text = [message, task, status, action, health].find((one) => typeof one === 'string' && one.trim() !== '')
  const line = printableLine(`${text ?? type}`.trim().split(/\r?\n/, 1)[0]!)
  return line.length > longestSummary ? `${line.slice(0, longestSummary - 1)}…` : line
}
