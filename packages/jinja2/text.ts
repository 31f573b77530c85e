/**
 * Text as Python sees it: characters are code points, not halves of a surrogate pair; blanks are those of `str.isspace`.
 */
import { grow, growItems, step } from './limits.ts'

export const blank = '[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]'
const leading = new RegExp(`^${blank}+`)
const isBlankSign = new RegExp(blank)
const pairs = /[\ud800-\udbff][\udc00-\udfff]/
const lineEnd = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/g

export const isPlain = (text: string): boolean => !pairs.test(text)
export const lengthOfText = (text: string): number => {
  if (isPlain(text)) return text.length
  let count = 0
  for (const _ of text) count++
  return count
}

export function charsOf(text: string): string[] {
  growItems(text.length)
  return isPlain(text) ? text.split('') : [...text]
}

export const trimStart = (text: string): string => text.replace(leading, '')

/** Not by a pattern: looking for blanks at the end by one takes quadratic time. */
export function trimEnd(text: string): string {
  let end = text.length
  while (end > 0 && isBlankSign.test(text[end - 1]!)) end--
  return text.slice(0, end)
}

export const isSpace = (text: string): boolean => text !== '' && trimStart(text) === ''

export function repeatText(text: string, times: number): string {
  if (times <= 0 || text === '') return ''
  grow(text.length * times)
  return text.repeat(times)
}

export function joinText(parts: readonly string[], separator: string): string {
  let size = separator.length * Math.max(0, parts.length - 1)
  for (const part of parts) size += part.length
  grow(size)
  return parts.join(separator)
}

/** Searching for a long text takes, at worst, the product of both lengths. */
export function chargeSearch(text: string, sought: string): void {
  if (sought.length > 64) step(Math.floor((text.length * sought.length) / 65536))
}

export function replaceText(text: string, old: string, by: string, most = -1): string {
  if (most === 0) return text
  chargeSearch(text, old)
  const limit = most < 0 ? Number.POSITIVE_INFINITY : most
  if (old === '') {
    const chars = charsOf(text)
    const times = Math.min(limit, chars.length + 1)
    grow(by.length * times)
    let result = ''
    for (let i = 0; i <= chars.length; i++) result += (i < times ? by : '') + (chars[i] ?? '')
    return result
  }
  const parts = splitText(text, old, most)
  return parts.length === 1 ? text : joinText(parts, by)
}

/** At most that many cuts, all of them when negative. */
export function splitText(text: string, separator: string, most = -1): string[] {
  chargeSearch(text, separator)
  const parts: string[] = []
  let start = 0
  for (let at = text.indexOf(separator); at >= 0 && (most < 0 || parts.length < most); ) {
    parts.push(text.slice(start, at))
    start = at + separator.length
    at = text.indexOf(separator, start)
  }
  parts.push(text.slice(start))
  growItems(parts.length)
  return parts
}

export function splitLines(text: string, keepEnds = false): string[] {
  const lines: string[] = []
  let start = 0
  for (const match of text.matchAll(lineEnd)) {
    const end = match.index + match[0].length
    lines.push(text.slice(start, keepEnds ? end : match.index))
    start = end
  }
  if (start < text.length) lines.push(text.slice(start))
  growItems(lines.length)
  return lines
}

/** By code points, as Python orders text. JavaScript's own order differs where surrogate pairs meet U+E000 and above. */
export function compareText(left: string, right: string): number {
  if (left === right) return 0
  const end = Math.min(left.length, right.length)
  for (let i = 0; i < end; i++) {
    const a = left.charCodeAt(i)
    const b = right.charCodeAt(i)
    if (a !== b) return rank(a) - rank(b)
  }
  return left.length - right.length
}

const rank = (unit: number): number => (unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit)

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>'"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', "'": '&#39;', '"': '&#34;' })[sign]!)

/** The first letter large and the rest small, where "large" is the form that begins a word: Dž, not DŽ. */
export function capitalize(text: string): string {
  const first = String.fromCodePoint(text.codePointAt(0) ?? 0)
  return text === '' ? '' : titleCase(first) + text.slice(first.length).toLowerCase()
}

const digraphs: Readonly<Record<string, string>> = {
  '\u01c4': '\u01c5',
  '\u01c7': '\u01c8',
  '\u01ca': '\u01cb',
  '\u01f1': '\u01f2',
}

export function titleCase(sign: string): string {
  // The large letters of Georgian write whole words, so a word does not begin with one.
  if (/[\u10d0-\u10ff]/.test(sign)) return sign
  const upper = sign.toUpperCase()
  // The iota below a Greek letter stands behind it in capitals only.
  if (sign.normalize('NFD').includes('\u0345')) {
    if (upper.length === 1) return upper
    const below = `${upper.slice(0, -1)}\u0345`
    const one = below.normalize('NFC')
    return one.length === 1 ? one : below
  }
  if (upper.length === sign.length) return digraphs[upper] ?? upper
  // Of a ligature only the first letter is large; what is no letter at its beginning does not count.
  const isLetter = upper[0]!.toLowerCase() !== upper[0]
  return isLetter ? upper[0] + upper.slice(1).toLowerCase() : upper
}
