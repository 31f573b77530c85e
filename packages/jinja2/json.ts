/** `tojson`: JSON as Python writes it, with sorted keys, and without signs that mean something in HTML. */
import { sortBy } from './compare.ts'
import { reprFloat } from './floats.ts'
import { grow } from './limits.ts'
import { printInt } from './numbers.ts'
import { typeError, valueError } from './problem.ts'
import { Dict, Float, isText, Tuple, textOf, typeNameOf, Undefined, type Value } from './values.ts'

/** `indent` is what one level is moved in by, or `undefined` for a single line. */
export function toJson(value: Value, indent: string | undefined): string {
  const text = print(value, indent, '\n', [])
  return text.replace(/[<>&']/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`)
}

function print(value: Value, indent: string | undefined, newline: string, around: readonly Value[]): string {
  if (isText(value)) return quote(textOf(value))
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'number' || typeof value === 'bigint') return printInt(value)
  if (value instanceof Float) return printFloat(value.value)
  if (value instanceof Undefined) return value.fail()
  const isList = Array.isArray(value) || value instanceof Tuple
  if (!isList && !(value instanceof Dict)) {
    throw typeError(`Object of type ${typeNameOf(value)} is not JSON serializable`)
  }
  if (around.includes(value)) throw valueError('Circular reference detected')
  const inside = [...around, value]
  const next = indent === undefined ? newline : newline + indent
  const parts = isList
    ? (Array.isArray(value) ? value : value.items).map((item) => print(item, indent, next, inside))
    : sortBy(value.list(), ({ key }) => key).map(
        (entry) => `${quote(keyOf(entry.key))}: ${print(entry.value, indent, next, inside)}`,
      )
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  if (parts.length === 0) return open + close
  const separator = indent === undefined ? ', ' : `,${next}`
  grow(parts.length * separator.length)
  for (const part of parts) grow(part.length)
  const inner = parts.join(separator)
  return indent === undefined ? open + inner + close : open + next + inner + newline + close
}

const printFloat = (x: number): string =>
  Number.isNaN(x) ? 'NaN' : Number.isFinite(x) ? reprFloat(x) : x > 0 ? 'Infinity' : '-Infinity'

function keyOf(key: Value): string {
  if (isText(key)) return textOf(key)
  if (key === null || typeof key === 'boolean') return String(key)
  if (typeof key === 'number' || typeof key === 'bigint') return printInt(key)
  if (key instanceof Float) return printFloat(key.value)
  throw typeError(`keys must be str, int, float, bool or None, not ${typeNameOf(key)}`)
}

/** Only what can be seen of ASCII. The escapes of JavaScript are the same, but for all that lies beyond. */
const quote = (text: string): string =>
  JSON.stringify(text).replace(/[^\0-\x7e]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
