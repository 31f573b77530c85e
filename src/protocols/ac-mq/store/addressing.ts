/**
 * The recipient that the sender of a message named. A claim of a message to all writes the claimer into `to:` and keeps the file
 * name (AC-MQ §7.3), so `…-to-all.md` tells it. If another program chose the file name, or `retry --to` named another agent, a
 * field of ours, `sent_to:`, tells it. The field wins over the name.
 */
import { readFrontMatterBytes } from '../../../formats/front-matter.ts'
import type { FieldChanges } from '../format.ts'
import { everyone, isAgentId, parseFileName } from '../layout.ts'
import type { AcmqRecord } from '../schema.ts'

const nameSaysAll = (name: string): boolean => parseFileName(name)?.to === everyone

/** The header fields that a claim of a message to all changes. */
export const claimedFromAll = (name: string, agent: string): FieldChanges => ({
  to: agent,
  ...(nameSaysAll(name) ? {} : { sent_to: everyone }),
})

/** The header fields that change when a message waits again, for its first recipient or for `to`. */
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
