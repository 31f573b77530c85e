/** What the archive says of a message, from its own words. */
import { parseFileName } from '../file-name.ts'
import { parseAnyMessage } from '../format.ts'
import type { MissionAddress } from '../names.ts'
import { standardTimeout } from '../schema.ts'
import { fromCompact } from '../times.ts'
import type { FinalStatus, PackedMessage } from './pack.ts'

export function describe(
  bytes: Uint8Array,
  name: string,
  known: FinalStatus | undefined,
  finishedAt: number,
): PackedMessage {
  const address = '' as MissionAddress
  // One that does not say when it was sent counts from when it was finished.
  const context = { fileName: name, address, timeoutSeconds: standardTimeout, modifiedAt: finishedAt }
  const read = parseAnyMessage(bytes, context)
  if (read.outcome === 'malformed') {
    const { shortId = name.replace(/\.md$/, ''), from = '', to = '', timestamp = '' } = parseFileName(name) ?? {}
    const time = fromCompact(timestamp) ?? ''
    return { id: shortId, name, status: known ?? 'completed', from, to, summary: '', timestamp: time, finishedAt }
  }
  const { record } = read.message
  const { id, from, to, summary, timestamp } = record
  const status = known ?? (record.status.trim() === 'failed' ? 'failed' : 'completed')
  return { id, name, status, from, to, summary, timestamp, finishedAt }
}
