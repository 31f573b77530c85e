/**
 * A revision is a hash of the content: modification times collide, a hash does not. Loading the crypto module takes
 * ten milliseconds on Bun, which has a hasher at hand; on Node the module is loaded when the first revision is asked for.
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

export function revisionOf(bytes: Uint8Array): Revision {
  sha256 ??= loadHashing()
  return sha256(bytes).slice(0, 27)
}
