/** How values become text: `str` and `repr` of Python, and the escaped form. */
import { grow } from './limits.ts'
import { printNumber } from './numbers.ts'
import { escapeHtml } from './text.ts'
import { Dict, Float, isText, Markup, Thing, Tuple, Undefined, type Value } from './values.ts'

export function str(value: Value): string {
  if (typeof value === 'string') return value
  if (value instanceof Markup) return value.text
  if (value instanceof Undefined) return value.isStrict ? value.fail() : ''
  if (value instanceof Thing) return value.str()
  return repr(value)
}

export function repr(value: Value, around: Value[] = []): string {
  if (typeof value === 'string') return quote(value)
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value === 'number' || typeof value === 'bigint' || value instanceof Float) return printNumber(value)
  if (value instanceof Markup) return `Markup(${quote(value.text)})`
  if (value instanceof Undefined) return 'Undefined'
  if (value instanceof Thing) return value.repr()
  const isList = Array.isArray(value)
  // A list that holds itself is printed once.
  if (around.includes(value)) return isList ? '[...]' : value instanceof Dict ? '{...}' : '(...)'
  around.push(value)
  const text = reprItems(value, around)
  around.pop()
  return text
}

function reprItems(value: Value[] | Tuple | Dict, around: Value[]): string {
  const joined = (items: readonly Value[]) => sized(items.map((item) => repr(item, around)))
  if (Array.isArray(value)) return `[${joined(value)}]`
  if (value instanceof Tuple) return `(${joined(value.items)}${value.items.length === 1 ? ',' : ''})`
  const parts = value.list().map((entry) => `${repr(entry.key, around)}: ${repr(entry.value, around)}`)
  return `{${sized(parts)}}`
}

function sized(parts: readonly string[]): string {
  const text = parts.join(', ')
  grow(text.length)
  return text
}

const special = /[\\'"\p{C}\p{Z}]/u
const oneSpecial = /[\\'\p{C}\p{Z}]/gu

/** With single quotes, unless there are only such inside; what cannot be seen is written as an escape. */
export function quote(text: string): string {
  grow(text.length)
  if (!special.test(text)) return `'${text}'`
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'"
  const inner = text.replace(oneSpecial, (sign) => {
    if (sign === ' ' || (sign === "'" && mark === '"')) return sign
    if (sign === '\\' || sign === "'") return `\\${sign}`
    return { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[sign] ?? escapeSign(sign)
  })
  return mark + inner + mark
}

/** `\x1b`, `\u2028`, `\U0001f600` */
function escapeSign(sign: string): string {
  const code = sign.codePointAt(0)!
  const hex = code.toString(16)
  if (code < 0x100) return `\\x${hex.padStart(2, '0')}`
  return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
}

/** `ascii(value)` of Python. */
export const ascii = (value: Value): string => repr(value).replace(/[^\0-\x7f]/gu, escapeSign)

/** Escaped for HTML, unless it is HTML already. */
export function toMarkup(value: Value): Markup {
  if (value instanceof Markup) return value
  const text = escapeHtml(str(value))
  grow(text.length)
  return new Markup(text)
}

/** `soft_str` of Jinja2: text stays what it is, everything else is printed. */
export const softStr = (value: Value): string | Markup => (isText(value) ? value : str(value))

/** As the text it was, or as markup if it was markup. */
export const like = (origin: Value, text: string): string | Markup =>
  origin instanceof Markup ? new Markup(text) : text
