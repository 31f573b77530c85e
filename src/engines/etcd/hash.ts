/** A revision is a hash of the content, so equal bytes have equal revisions on every engine. */
import { createHash } from 'node:crypto'
import type { Revision } from '../../tree/tree.ts'

export const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

export const revisionOfBytes = (bytes: Uint8Array): Revision =>
  createHash('sha256').update(bytes).digest('base64url').slice(0, 27)
