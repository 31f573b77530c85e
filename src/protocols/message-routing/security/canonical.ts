/**
 * Canonical JSON as in RFC 8785: a message has the same bytes to sign, whatever the order of its keys, its indentation and the
 * spelling of its numbers in the file.
 */
import { invalidInput } from '../../../kernel/errors.ts'

/** Keys sorted by UTF-16 units, no blanks, numbers and texts as ECMAScript prints them. Members without a value are left out. */
export function printCanonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(printCanonical).join(',')}]`
  if (typeof value === 'object' && value !== null) return printObject(value as Readonly<Record<string, unknown>>)
  if (typeof value === 'string') return printText(value)
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'number' && Number.isFinite(value)) return JSON.stringify(value)
  throw notCanonical(typeof value === 'number' ? `the number ${value}` : `a value of type ${typeof value}`)
}

function printObject(value: Readonly<Record<string, unknown>>): string {
  const members = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort()
    .map((key) => `${printText(key)}:${printCanonical(value[key])}`)
  return `{${members.join(',')}}`
}

/** Half a surrogate pair has no UTF-8: two different texts would become the same bytes. */
function printText(text: string): string {
  if (!text.isWellFormed()) throw notCanonical('a text with half a surrogate pair')
  return JSON.stringify(text)
}

const notCanonical = (what: string) =>
  invalidInput('NOT_CANONICAL', `This cannot be signed: it holds ${what}.`, {
    hint: 'Use well-formed text, finite numbers, booleans, null, lists and plain objects.',
  })
