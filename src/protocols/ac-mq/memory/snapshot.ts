/** A snapshot of a queue: a table of its messages at one moment, in slow missions with their texts. AC-MQ §14.1. */
import { inlineCode, quote } from '../../../kernel/quotation.ts'
import type { QueueName } from '../schema.ts'
import type { AcmqViewWithBody } from '../store/view.ts'
import { compactOf } from '../times.ts'
import { generatedMark } from './generated.ts'
import type { Detail } from './merging.ts'
import { plainText, printTable } from './plain-text.ts'

type SnapshotMessage = Pick<
  AcmqViewWithBody,
  'id' | 'name' | 'createdAt' | 'from' | 'to' | 'priority' | 'summary' | 'body'
>

export interface Snapshot {
  readonly mission: string
  readonly queue: QueueName
  readonly takenAt: string
  readonly detail: Detail
  readonly rate: number
  readonly messages: readonly SnapshotMessage[]
}

/** `mostBytes`: of all texts together. A message whose text does not fit is in the table alone. */
export function printSnapshot(snapshot: Snapshot, mostBytes: number): string {
  const { mission, queue, takenAt, detail, rate, messages } = snapshot
  const head = `# Queue Snapshot: ${queue}

${generatedMark}

**Mission:** ${plainText(mission, 1000)}
**Taken:** ${takenAt}
**Messages:** ${messages.length}
**Rate:** ${rate} messages in the last hour
**Detail:** ${detail}

`
  const rows = messages.map(({ createdAt, id, from, to, priority, summary }) => [
    compactOf(createdAt),
    id,
    from,
    to,
    String(priority),
    summary,
  ])
  const table = printTable(['Timestamp', 'Id', 'From', 'To', 'Priority', 'Summary'], rows)
  return `${head}${table}${detail === 'full' ? bodiesOf(messages, mostBytes) : ''}`
}

function bodiesOf(messages: readonly SnapshotMessage[], mostBytes: number): string {
  let text = '\n## Messages\n'
  let left = mostBytes
  for (const [i, { name, body }] of messages.entries()) {
    const entry = `\n### ${inlineCode(name)}\n\n${quote(body, 'quoted')}`
    left -= Buffer.byteLength(entry)
    if (left < 0) return `${text}\nThe texts of ${messages.length - i} more did not fit.\n`
    text += entry
  }
  return text
}

/** The ids in the table of a snapshot; what messages say comes after it. */
export const idsInSnapshot = (text: string): string[] =>
  [...text.split('\n## Messages\n', 1)[0]!.matchAll(/^\| \d{14} \| ([^|]+) \|/gm)].map(([, id]) =>
    id!.replaceAll('\\', ''),
  )
