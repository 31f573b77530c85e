/** Scalars and headers as YAML that reads back as what was given, also by readers of YAML 1.1. */
import { invalidInput } from '../kernel/errors.ts'
import { longestHeader, type Scalar } from './header-field.ts'
import { resolvePlain } from './plain-scalar.ts'

/** A single word, which every reader reads as text. */
const word = /^[A-Za-z_][A-Za-z0-9_./@+-]*$/
// YAML 1.1, which many programs still read, has more words for true and false.
const oldWord = /^(?:y|yes|n|no|on|off)$/i
const time = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d))?$/
// JSON leaves these as they are; in a file they would be invisible, reorder text, or end a line for some readers.
const invisible = /[\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g

/** Numbers, booleans and null as such; text plain where it can only be text or a time, quoted otherwise. */
export function printScalar(value: Scalar): string {
  if (typeof value === 'string') return isPlain(value) ? value : printQuoted(value)
  if (typeof value === 'number' && !Number.isFinite(value)) {
    return Number.isNaN(value) ? '.nan' : value > 0 ? '.inf' : '-.inf'
  }
  return Object.is(value, -0) ? '-0' : String(value)
}

/** Text between double quotes, always on one line. */
export const printQuoted = (text: string): string =>
  JSON.stringify(text).replace(invisible, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)

const isPlain = (text: string): boolean =>
  time.test(text) || (word.test(text) && !oldWord.test(text) && typeof resolvePlain(text) === 'string')

export type Printable = Scalar | readonly Scalar[]

/** What comes after `key:`, with its leading space or line end. Lists are one quoted item a line. */
export function printValue(value: Printable, eol: string): string {
  if (!isList(value)) return ` ${printScalar(value)}`
  if (value.length === 0) return ' []'
  return value.map((item) => `${eol}  - ${typeof item === 'string' ? printQuoted(item) : printScalar(item)}`).join('')
}

export const isList = (value: Printable): value is readonly Scalar[] => Array.isArray(value)

export interface PrintOptions {
  readonly eol?: '\n' | '\r\n'
  /** Fields whose value is filled up with blanks to a width, so that it can be changed in place later. */
  readonly pad?: Readonly<Record<string, number>>
}

export type Entries = Iterable<readonly [key: string, value: Printable | undefined]>

/** `key: value` lines in the order given. What is undefined is left out. */
export function printFields(entries: Entries, { eol = '\n', pad = {} }: PrintOptions = {}): string {
  let text = ''
  for (const [key, value] of entries) {
    if (value !== undefined) text += printField(key, value, eol, Object.hasOwn(pad, key) ? pad[key] : 0)
  }
  return text
}

/** One field with its line end, the value filled up to `width`. */
export function printField(key: string, value: Printable, eol: string, width = 0): string {
  const printed = printValue(value, eol)
  return `${printScalar(key)}:${isList(value) ? printed : printed.padEnd(width + 1)}${eol}`
}

/** The whole header with its two `---` lines; the body follows as it is. */
export function printFrontMatter(entries: Entries, options: PrintOptions = {}): string {
  const fence = `---${options.eol ?? '\n'}`
  const fields = printFields(entries, options)
  if (Buffer.byteLength(fields) > longestHeader) throw tooLong()
  return `${fence}${fields}${fence}`
}

// A longer header would be refused when read back.
const tooLong = () =>
  invalidInput('HEADER_TOO_LONG', `The header has more than ${longestHeader} bytes.`, {
    hint: 'Move long text into the body, and long lists into a file that the message names.',
  })
