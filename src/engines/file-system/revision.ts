/**
 * A revision is a hash of the content, because modification times collide. Bun has a hasher built in; loading the crypto
 * module there would take ten milliseconds. Node loads the module for the first revision. See
 * docs/decisions/0009-revisions-are-hashes.md.
 */
import type { Revision } from '../../tree/tree.ts'

interface BunHasher {
  update(bytes: Uint8Array): { digest(encoding: 'base64url'): string }
}
type Hashing = (bytes: Uint8Array) => string

let sha256: Hashing | undefined

function loadHashing(): Hashing {
  const bun = (globalThis as { Bun?: { CryptoHasher: new (algorithm: string) => BunHasher } }).Bun
  if (bun) return (bytes) => new bun.CryptoHasher('sha256').update(bytes).digest('base64url')
  const { hash } = process.getBuiltinModule('node:crypto')
  return (bytes) => hash('sha256', bytes, 'base64url')
}

/** Hashing so many bytes takes a good part of a millisecond; comparing them takes next to nothing. */
const large = 64 * 1024
/** More is not kept in memory for it. */
const largest = 16 * 1024 * 1024
/** The last large content, in a copy of our own: most callers that read it replace it next. */
let last: { readonly bytes: Uint8Array; readonly revision: Revision } | undefined

export function revisionOf(bytes: Uint8Array): Revision {
  if (bytes.length < large || bytes.length > largest) return hashOf(bytes)
  if (last && Buffer.compare(last.bytes, bytes) === 0) return last.revision
  last = { bytes: Buffer.from(bytes), revision: hashOf(bytes) }
  return last.revision
}

function hashOf(bytes: Uint8Array): Revision {
  sha256 ??= loadHashing()
  return sha256(bytes).slice(0, 27)
}
