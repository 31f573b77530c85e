/** SHA-256 of a text. Bun has a hasher built in, and loading `node:crypto` takes it 4 ms. */
export function sha256(text: string): string {
  const { Bun: bun } = globalThis as { Bun?: { CryptoHasher: { hash(name: string, text: string, as: 'hex'): string } } }
  if (bun) return bun.CryptoHasher.hash('sha256', text, 'hex')
  return process.getBuiltinModule('node:crypto').hash('sha256', text, 'hex')
}

/**
 * Names texts that a person was shown, so that an answer can say which ones it is for. 128 bits: with fewer, the author of a
 * text could find another one with the same digest.
 */
export const digestOf = (...texts: readonly string[]): string => sha256(JSON.stringify(texts)).slice(0, 32)
