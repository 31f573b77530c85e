/**
 * For whom a message was when it was sent. A message to all gets its claimer in `to:` and keeps its file name (AC-MQ §7.3),
 * so the name tells it: `…-to-all.md`. Where the name does not, because another program chose it or the message was given
 * to somebody else since, a field of ours in the header does; it wins over the name.
 */
import { readFrontMatterBytes } from '../../../formats/front-matter.ts'
import type { FieldChanges } from '../format.ts'
import { everyone, isAgentId, parseFileName } from '../layout.ts'
import type { AcmqRecord } from '../schema.ts'

const nameSaysAll = (name: string): boolean => parseFileName(name)?.to === everyone

/** What a claim of a message to all changes in the header. */
export const claimedFromAll = (name: string, agent: string): FieldChanges => ({
  to: agent,
  ...(nameSaysAll(name) ? {} : { sent_to: everyone }),
})

/** What changes in the header of a message that waits again: for those it was for, or for somebody else. */
export function readdressed(
  bytes: Uint8Array,
  name: string,
  record: AcmqRecord,
  to: string | undefined,
): FieldChanges & { readonly to: string } {
  const field = readFrontMatterBytes(bytes)?.fields.get('sent_to')?.text
  const isKnown = field === everyone || (field !== undefined && isAgentId(field))
  const recipient = to ?? (isKnown ? field : nameSaysAll(name) ? everyone : record.to)
  const needsField = recipient !== everyone && nameSaysAll(name)
  if (needsField) return { to: recipient, sent_to: recipient }
  return field === undefined ? { to: recipient } : { to: recipient, sent_to: undefined }
}
