/**
 * JSON from strangers: limited in size and depth before it is parsed, and errors say where.
 *
 * Keys such as `__proto__` come out as own properties of the parsed object and change no prototype. Copy such an
 * object by spreading, never with `Object.assign`, which would run the setter.
 */
import { isUtf8 } from 'node:buffer'
import { corrupt, invalidInput, type SignalboxError } from '../kernel/errors.ts'
import { printableLine } from '../kernel/printable.ts'
import { backslash, closeBrace, closeBracket, doubleQuote, openBrace, openBracket } from './codes.ts'
import { findDuplicateKey, findJsonFault } from './json-fault.ts'

export interface JsonLimits {
  readonly maxBytes?: number
  readonly maxDepth?: number
  /** Of two equal keys JSON takes the last. `refuse` makes it an error, and costs a second pass over the text. */
  readonly onDuplicate?: 'last' | 'refuse'
}

/** Parses text or UTF-8 bytes, with or without a byte-order mark. */
export function parseJson(source: string | Uint8Array, limits: JsonLimits = {}): unknown {
  const { maxBytes = 1024 * 1024, maxDepth = 64, onDuplicate = 'last' } = limits
  const text = textWithin(source, maxBytes)
  const tooDeep = findDepth(text, maxDepth)
  if (tooDeep >= 0) throw badJson(text, tooDeep, `it is nested more than ${maxDepth} deep`)
  const value = parseText(text)
  const twin = onDuplicate === 'refuse' ? findDuplicateKey(text) : undefined
  if (twin) throw badJson(text, twin.at, `the key ${JSON.stringify(twin.key.slice(0, 40))} is given twice`)
  return value
}

/**
 * Where a whole number stands that is too large to be exact after parsing, as in `params.id`; `undefined` if there is none.
 * Beyond 1e21 a number is printed with an exponent, so it is no id.
 */
export function findInexact(value: unknown): string | undefined {
  if (typeof value === 'number')
    return Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21 ? '' : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, inner] of Object.entries(value)) {
    const found = findInexact(inner)
    if (found !== undefined) return found === '' ? key : `${key}.${found}`
  }
  return undefined
}

/** Two-space indent, keys in the order given, a line end at the end. */
export const printJson = (value: unknown): string => `${stringify(value, 2)}\n`

/** `JSON.stringify`, but refuses what JSON cannot express instead of returning `undefined`. */
export function stringify(value: unknown, indent?: number): string {
  try {
    const text = JSON.stringify(value, null, indent) as string | undefined
    if (text !== undefined) return text
  } catch (cause) {
    throw notJson(cause instanceof Error ? cause.message : String(cause), cause) // a cycle or a bigint
  }
  throw notJson(`a ${typeof value}`)
}

function textWithin(source: string | Uint8Array, maxBytes: number): string {
  // A character is one to three bytes, so most texts need no exact count.
  const size = typeof source === 'string' && source.length * 3 > maxBytes ? Buffer.byteLength(source) : source.length
  if (size > maxBytes) throw badJson('', 0, `it has ${size} bytes; ${maxBytes} is the most`)
  if (typeof source !== 'string' && !isUtf8(source)) throw badJson('', 0, 'it is not UTF-8')
  const text =
    typeof source === 'string' ? source : Buffer.from(source.buffer, source.byteOffset, source.byteLength).toString()
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    // Runtimes word this differently, and not all say where.
    const { at, reason } = findJsonFault(text) ?? {
      at: 0,
      reason: cause instanceof Error ? cause.message : String(cause),
    }
    throw badJson(text, at, reason)
  }
}

/** Where a bracket opens one level too many, else -1. */
function findDepth(text: string, most: number): number {
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === doubleQuote) i = endOfString(text, i) - 1
    else if ((code === openBracket || code === openBrace) && ++depth > most) return i
    else if (code === closeBracket || code === closeBrace) depth--
  }
  return -1
}

/** Behind the closing quote of the string that opens at `open`; the end of the text when it is never closed. */
export function endOfString(text: string, open: number): number {
  for (let quote = text.indexOf('"', open + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0
    while (text.charCodeAt(quote - 1 - backslashes) === backslash) backslashes++
    if (backslashes % 2 === 0) return quote + 1
  }
  return text.length
}

function badJson(text: string, at: number, reason: string): SignalboxError {
  const before = text.slice(0, at)
  const line = before.split('\n').length
  const column = at - before.lastIndexOf('\n')
  const excerpt = printableLine(text.slice(Math.max(0, at - 20), at + 20))
  const near = excerpt && `, near \`${excerpt}\``
  return corrupt('BAD_JSON', `Not valid JSON, line ${line}, column ${column}: ${reason}${near}.`, {
    hint: 'Correct the file at that place, or replace it.',
    details: { line, column, reason },
  })
}

const notJson = (what: string, cause?: unknown) =>
  invalidInput('NOT_JSON', `This cannot be written as JSON: ${what}.`, {
    hint: 'Use text, finite numbers, booleans, null, lists and plain objects.',
    cause,
  })
