/**
 * A cache as bytes: a line with its kind and a checksum, and JSON with lists of numbers in base64. It lies where strangers can write,
 * so whatever is odd about it makes it none, and what it held is worked out once more. Pure.
 */
import { hash } from 'node:crypto'
import type { Features } from '../../text/features.ts'

/** The checksum notices a write that a power cut stopped. */
const headOf = (kind: string, bytes: Uint8Array): Buffer =>
  Buffer.from(`${kind} ${hash('md5', bytes, 'hex').slice(0, 16)}\n`)

export function sealed(kind: string, value: unknown): Buffer {
  const bytes = Buffer.from(JSON.stringify(value))
  return Buffer.concat([headOf(kind, bytes), bytes])
}

/** What `parse` makes of it; `undefined` for what is of another kind, damaged, or makes `parse` throw. */
// biome-ignore lint/suspicious/noExplicitAny: odd shapes make `parse` throw, and all failures mean the same
export function unsealed<T>(kind: string, bytes: Uint8Array, parse: (value: any) => T | undefined): T | undefined {
  try {
    const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    const text = file.subarray(file.indexOf(10) + 1)
    return headOf(kind, text).equals(file.subarray(0, file.length - text.length))
      ? parse(JSON.parse(text.toString('utf8')))
      : undefined
  } catch {
    return undefined // Odd shapes fail in many ways.
  }
}

interface PackedFeatures {
  readonly sizes: readonly (readonly number[])[]
  readonly terms: string
  readonly counts: string
  readonly numbers: string
}

/** All in one: to unpack three lists for each of many texts takes long. */
export const packFeatures = (features: readonly Features[]): PackedFeatures => ({
  sizes: features.map(({ terms, numbers }) => [terms.length, numbers.length]),
  terms: packed(features.map(({ terms }) => terms)),
  counts: packed(features.map(({ counts }) => counts)),
  numbers: packed(features.map(({ numbers }) => numbers)),
})

/** Throws where they do not fit together. */
export function unpackFeatures({ sizes, ...lists }: PackedFeatures): Features[] {
  const terms = unpacked(Uint32Array, lists.terms)
  const counts = unpacked(Int8Array, lists.counts)
  const numbers = unpacked(Uint32Array, lists.numbers)
  let [term, number] = [0, 0]
  const features = sizes.map(([termCount = 0, numberCount = 0]) => {
    const one = {
      terms: terms.subarray(term, term + termCount),
      counts: counts.subarray(term, term + termCount),
      numbers: numbers.subarray(number, number + numberCount),
    }
    term += termCount
    number += numberCount
    return one
  })
  if (term === terms.length && term === counts.length && number === numbers.length) return features
  throw new Error('The lists are not as long as they should be.')
}

export const packed = (lists: readonly ArrayBufferView[]): string =>
  Buffer.concat(
    lists.map(({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength)),
  ).toString('base64')

export const unpacked = <T>(list: new (buffer: ArrayBuffer) => T, text: string): T =>
  new list(new Uint8Array(Buffer.from(text, 'base64')).buffer)
