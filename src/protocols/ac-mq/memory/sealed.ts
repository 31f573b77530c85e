/** A file of a cache: a line with its kind and a checksum, and the bytes. It notices a write that a power cut stopped. Pure. */
import { hash } from 'node:crypto'

const sumOf = (bytes: Uint8Array): string => hash('md5', bytes, 'hex').slice(0, 16)

export const seal = (kind: string, bytes: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`${kind} ${sumOf(bytes)}\n`), bytes])

export function unseal(kind: string, sealed: Uint8Array): Buffer | undefined {
  const file = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.length)
  const bytes = file.subarray(file.indexOf(10) + 1)
  return file.toString('latin1', 0, file.length - bytes.length) === `${kind} ${sumOf(bytes)}\n` ? bytes : undefined
}
