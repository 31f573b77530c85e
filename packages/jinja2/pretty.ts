/** `pprint`: like `repr`, with mappings sorted, and one item a line where 80 columns are not enough. */

import { isOrdered } from './compare.ts'
import { grow } from './limits.ts'
import { quote, repr } from './print.ts'
import { TemplateError } from './problem.ts'
import { compareText, lengthOfText, splitLines } from './text.ts'
import { Dict, Tuple, typeNameOf, type Value } from './values.ts'

const width = 80

export function pretty(value: Value): string {
  return format(value, 0, 0, 1, [])
}

/** Sorted by key; keys that Python cannot compare by the names of their types. */
function sorted(dict: Dict): { key: Value; value: Value }[] {
  const isLess = (a: Value, b: Value) => {
    try {
      return isOrdered(a, '<', b)
    } catch (error) {
      if (!(error instanceof TemplateError) || error.kind !== 'TypeError') throw error
      return compareText(typeNameOf(a), typeNameOf(b)) < 0
    }
  }
  return dict.list().sort((a, b) => (isLess(a.key, b.key) ? -1 : isLess(b.key, a.key) ? 1 : 0))
}

/** On one line, which differs from `repr` by the order of mappings. */
function oneLine(value: Value, around: readonly Value[]): string {
  const isList = Array.isArray(value)
  // What `groupby` gives is printed by `repr`, as everything that is not exactly a list, tuple or mapping.
  if (value instanceof Tuple && value.names.length > 0) return repr(value)
  if (!isList && !(value instanceof Tuple) && !(value instanceof Dict)) return repr(value)
  if (around.includes(value)) return isList ? '[...]' : '{...}'
  const inside = [...around, value]
  if (value instanceof Dict) {
    const parts = sorted(value).map((entry) => `${oneLine(entry.key, inside)}: ${oneLine(entry.value, inside)}`)
    return sized(`{${parts.join(', ')}}`)
  }
  const parts = (isList ? value : value.items).map((item) => oneLine(item, inside)).join(', ')
  if (isList) return sized(`[${parts}]`)
  return sized(value.items.length === 1 ? `(${parts},)` : `(${parts})`)
}

function sized(text: string): string {
  grow(text.length)
  return text
}

/** `indent` columns are taken on the left, `allowance` are needed on the right for closing brackets. */
function format(value: Value, indent: number, allowance: number, level: number, around: readonly Value[]): string {
  const line = oneLine(value, around)
  if (lengthOfText(line) <= width - indent - allowance || around.includes(value)) return line
  const inside = [...around, value]
  if (typeof value === 'string') return longText(value, indent, allowance, level)
  if (value instanceof Dict) {
    const rows = sorted(value).map((entry, i, all) => {
      const key = oneLine(entry.key, inside)
      const room = i === all.length - 1 ? allowance + 1 : 1
      const column = indent + 1 + lengthOfText(key) + 2
      return `${key}: ${format(entry.value, column, room, level + 1, inside)}`
    })
    return `{${rows.join(`,\n${' '.repeat(indent + 1)}`)}}`
  }
  if (!Array.isArray(value) && !(value instanceof Tuple && value.names.length === 0)) return line
  const items = Array.isArray(value) ? value : value.items
  const close = Array.isArray(value) ? ']' : items.length === 1 ? ',)' : ')'
  const rows = items.map((item, i) => {
    const room = i === items.length - 1 ? allowance + close.length : 1
    return format(item, indent + 1, room, level + 1, inside)
  })
  return `${Array.isArray(value) ? '[' : '('}${rows.join(`,\n${' '.repeat(indent + 1)}`)}${close}`
}

/** A long text is cut between words into several, which Python would join again. */
function longText(text: string, startIndent: number, startAllowance: number, level: number): string {
  const isTop = level === 1
  const indent = isTop ? startIndent + 1 : startIndent
  const allowance = isTop ? startAllowance + 1 : startAllowance
  const room = width - indent
  const chunks: string[] = []
  const lines = splitLines(text, true)
  let quoted = ''
  for (const [i, line] of lines.entries()) {
    quoted = quote(line)
    const isLastLine = i === lines.length - 1
    if (lengthOfText(quoted) <= (isLastLine ? room - allowance : room)) {
      chunks.push(quoted)
      continue
    }
    const words = line.match(/\S*\s*/gu)!.filter((word) => word !== '')
    let current = ''
    for (const [j, word] of words.entries()) {
      const limit = isLastLine && j === words.length - 1 ? room - allowance : room
      if (lengthOfText(quote(current + word)) > limit) {
        if (current !== '') chunks.push(quote(current))
        current = word
      } else current += word
    }
    if (current !== '') chunks.push(quote(current))
  }
  if (chunks.length === 1) return quoted
  const body = chunks.join(`\n${' '.repeat(indent)}`)
  return isTop ? `(${body})` : body
}
