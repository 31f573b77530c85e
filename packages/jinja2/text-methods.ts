/** The methods of Python's `str`. */

import { formatBraces, type GetAttribute } from './format-braces.ts'
import { padBoth, padEnd, padStart } from './format-number.ts'
import { grow } from './limits.ts'
import { toMarkup } from './print.ts'
import { typeError, valueError } from './problem.ts'
import { listOf, slice, toIndex } from './sequences.ts'
import { type Builtin, builtin } from './signature.ts'
import {
  capitalize,
  chargeSearch,
  charsOf,
  isSpace,
  joinText,
  lengthOfText,
  replaceText,
  splitLines,
  splitText,
  titleCase,
  trimEnd,
  trimStart,
} from './text.ts'
import {
  Dict,
  isText,
  isTrue,
  type Kwargs,
  Markup,
  Tuple,
  textOf,
  typeNameOf,
  Undefined,
  type Value,
} from './values.ts'

/** The text of an argument that must be text. */
function need(value: Value, place: string): string {
  if (isText(value)) return textOf(value)
  if (value instanceof Undefined) value.fail()
  throw typeError(`${place} must be str, not ${typeNameOf(value)}`)
}

const argument = (value: Value): string => need(value, 'argument')

/** The part of the text in which a search takes place, and how many code points lie before it. */
function within(text: string, start: Value, end: Value): { part: string; offset: number; isValid: boolean } {
  const length = lengthOfText(text)
  const from = start === null ? 0 : toIndex(start)
  const offset = Math.max(0, from < 0 ? from + length : from)
  return { part: slice(text, start, end, null) as string, offset, isValid: offset <= length }
}

function find(text: string, sought: Value, start: Value, end: Value, isLast: boolean): number {
  const needle = argument(sought)
  chargeSearch(text, needle)
  const { part, offset, isValid } = within(text, start, end)
  if (!isValid) return -1
  const at = isLast ? part.lastIndexOf(needle) : part.indexOf(needle)
  return at < 0 ? -1 : offset + lengthOfText(part.slice(0, at))
}

function mustFind(text: string, sought: Value, start: Value, end: Value, isLast: boolean): number {
  const at = find(text, sought, start, end, isLast)
  if (at < 0) throw valueError('substring not found')
  return at
}

function hasEnd(text: string, ends: Value, start: Value, end: Value, test: (part: string, edge: string) => boolean) {
  const { part, isValid } = within(text, start, end)
  const edges = ends instanceof Tuple ? ends.items : [ends]
  return edges.some((edge) => isValid && test(part, need(edge, 'first arg')))
}

export function strip(text: string, signs: Value, sides: 'both' | 'left' | 'right'): string {
  if (signs === null) {
    const left = sides === 'right' ? text : trimStart(text)
    return sides === 'left' ? left : trimEnd(left)
  }
  const set = new Set(charsOf(argument(signs)))
  const chars = charsOf(text)
  let [from, to] = [0, chars.length]
  if (sides !== 'right') while (from < to && set.has(chars[from]!)) from++
  if (sides !== 'left') while (to > from && set.has(chars[to - 1]!)) to--
  return chars.slice(from, to).join('')
}

/** By blanks: those at both ends do not count, and several are one. */
function splitWords(text: string, most: number): string[] {
  const words: string[] = []
  let rest = trimStart(text)
  while (rest !== '') {
    const end = most >= 0 && words.length >= most ? -1 : rest.search(firstBlank)
    words.push(end < 0 ? rest : rest.slice(0, end))
    rest = end < 0 ? '' : trimStart(rest.slice(end))
  }
  return words
}
const firstBlank = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/

const mirror = (text: string): string => charsOf(text).reverse().join('')

function split(text: string, separator: Value, maxsplit: Value): string[] {
  const most = toIndex(maxsplit)
  if (separator === null) return splitWords(text, most)
  const by = argument(separator)
  if (by === '') throw valueError('empty separator')
  return splitText(text, by, most)
}

/** From the right: only a number of cuts makes a difference to splitting from the left. */
function splitRight(text: string, separator: Value, maxsplit: Value): string[] {
  if (toIndex(maxsplit) < 0) return split(text, separator, maxsplit)
  const by = separator === null ? null : mirror(argument(separator))
  return split(mirror(text), by, maxsplit).map(mirror).reverse()
}

function partition(text: string, separator: Value, isLast: boolean): string[] {
  const by = argument(separator)
  if (by === '') throw valueError('empty separator')
  chargeSearch(text, by)
  const at = isLast ? text.lastIndexOf(by) : text.indexOf(by)
  if (at < 0) return isLast ? ['', '', text] : [text, '', '']
  return [text.slice(0, at), by, text.slice(at + by.length)]
}

function expandTabs(text: string, size: number): string {
  let column = 0
  let result = ''
  for (const sign of text) {
    if (sign === '\t') {
      const blanks = size > 0 ? size - (column % size) : 0
      grow(blanks)
      result += ' '.repeat(blanks)
      column += blanks
    } else {
      result += sign
      column = sign === '\n' || sign === '\r' ? 0 : column + 1
    }
  }
  return result
}

function count(text: string, sought: Value, start: Value, end: Value): number {
  const { part, isValid } = within(text, start, end)
  const needle = argument(sought)
  if (!isValid) return 0
  return needle === '' ? lengthOfText(part) + 1 : splitText(part, needle).length - 1
}

/** A letter behind a letter is small, every other one large. */
const title = (text: string): string =>
  text.replace(/\p{Cased}+/gu, (word) => {
    const first = String.fromCodePoint(word.codePointAt(0)!)
    return titleCase(first) + word.slice(first.length).toLowerCase()
  })

const swapCase = (text: string): string =>
  charsOf(text)
    .map((sign) => {
      if (/\p{Uppercase}/u.test(sign)) return sign.toLowerCase()
      return /\p{Lowercase}/u.test(sign) ? sign.toUpperCase() : sign
    })
    .join('')

function zeroFill(text: string, width: number): string {
  const sign = /^[+-]/.exec(text)?.[0] ?? ''
  return sign + padStart(text.slice(sign.length), width - sign.length, '0')
}

/** One sign to fill with. */
function filler(value: Value): string {
  const sign = need(value, 'The fill character')
  if (lengthOfText(sign) !== 1) throw typeError('The fill character must be exactly one character long')
  return sign
}

export function join(separator: string, items: Value): string {
  if (items instanceof Undefined) items.fail()
  return joinText(
    listOf(items).map((item, i) => {
      if (isText(item)) return textOf(item)
      if (item instanceof Undefined) item.fail()
      throw typeError(`sequence item ${i}: expected str instance, ${typeNameOf(item)} found`)
    }),
    separator,
  )
}

// Digits that are no decimal digits: powers, indices and numbers in circles.
const digits = /^[\p{Nd}²³¹⁰⁴-⁹₀-₉፩-፱᧚①-⑨⑴-⑼⒈-⒐⓪⓵-⓽⓿❶-❾➀-➈➊-➒𐩀-𐩃𐹠-𐹨𑁒-𑁚🄀-🄊]+$/u
// Among letters, those of Chinese and Japanese that are numbers.
const numerals =
  /^[\p{N}㐅㒃㠪㭍一七万三九二五亖亿什仟仨伍佰億兆兩八六十千卄卅卌叁参參叄四壱壹幺廾廿弌弍弎弐拾捌柒漆玖百肆萬貮貳贰阡陆陌陸零參拾兩零六陸什𠀁𠁤𠃢𠄡𠤪𠦃𠦌𠦜𠫪𠫽𠬙𢎐𢦘𣬛𦉭廾]+$/u
const cased = /\p{Cased}/u
const hasUpper = /[\p{Uppercase}\p{Lt}]/u
const hasLower = /\p{Lowercase}/u

function isTitle(text: string): boolean {
  let wasCased = false
  let any = false
  for (const sign of text) {
    const isLarge = hasUpper.test(sign)
    if (isLarge ? wasCased : hasLower.test(sign) && !wasCased) return false
    wasCased = cased.test(sign)
    any ||= wasCased
  }
  return any
}

/** The sharp s and its like become two letters; for most letters it is the small form, for those of Cherokee the large one. */
const caseFold = (text: string): string =>
  charsOf(text)
    .map((sign) => {
      const upper = sign.toUpperCase()
      if (sign === 'ẞ') return 'ss'
      if (/[\u13a0-\u13fd\uab70-\uabbf]/.test(sign)) return upper
      if (lengthOfText(upper) > lengthOfText(sign) || /[ςſµϐϑϕϖϰϱϵẛ\u1c80-\u1c88\u1fbe]|\u0345/.test(sign)) {
        return upper.toLowerCase()
      }
      return sign.toLowerCase()
    })
    .join('')

type Method = (text: string, getAttribute: GetAttribute) => Builtin

const plain = (signature: string, body: (text: string, ...args: never[]) => Value): Method => {
  return (text) => builtin(signature, (...args) => body(text, ...(args as never[])))
}

const test = (name: string, body: (text: string) => boolean): Method => plain(`${name}()`, body)
const edges = '(sub, start=None, end=None)'

/** Methods whose result is text, or a list of texts, of the same kind: from markup comes markup. */
export const textMethods: Readonly<Record<string, Method>> = {
  capitalize: plain('capitalize()', capitalize),
  casefold: plain('casefold()', caseFold),
  center: plain("center(width, fillchar=' ')", (s, w: Value, f: Value) => padBoth(s, toIndex(w), filler(f))),
  count: plain(`count${edges}`, count),
  endswith: plain(`endswith${edges}`, (s, ends: Value, from: Value, to: Value) =>
    hasEnd(s, ends, from, to, (part, end) => part.endsWith(end)),
  ),
  expandtabs: plain('expandtabs(tabsize=8)', (s, size: Value) => expandTabs(s, toIndex(size))),
  find: plain(`find${edges}`, (s, sub: Value, from: Value, to: Value) => find(s, sub, from, to, false)),
  format: (text, getAttribute) =>
    builtin('format(*args, **kwargs)', (args: Value[], kwargs: Kwargs) =>
      formatBraces(text, args, kwargs, getAttribute),
    ),
  format_map: (text, getAttribute) =>
    builtin('format_map(mapping)', (mapping: Value) => {
      if (!(mapping instanceof Dict)) throw typeError(`'${typeNameOf(mapping)}' object is not a mapping`)
      return formatBraces(text, [], mapping, getAttribute)
    }),
  index: plain(`index${edges}`, (s, sub: Value, from: Value, to: Value) => mustFind(s, sub, from, to, false)),
  isalnum: test('isalnum', (s) => /^[\p{L}\p{N}]+$/u.test(s)),
  isalpha: test('isalpha', (s) => /^\p{L}+$/u.test(s)),
  isascii: test('isascii', (s) => /^[\0-\x7f]*$/.test(s)),
  isdecimal: test('isdecimal', (s) => /^\p{Nd}+$/u.test(s)),
  isdigit: test('isdigit', (s) => digits.test(s)),
  isidentifier: test('isidentifier', (s) => /^[\p{XIDS}_]\p{XIDC}*$/u.test(s)),
  islower: test('islower', isLower),
  isnumeric: test('isnumeric', (s) => numerals.test(s)),
  isprintable: test('isprintable', (s) => !/[\p{C}\p{Z}]/u.test(s.replaceAll(' ', ''))),
  isspace: test('isspace', isSpace),
  istitle: test('istitle', isTitle),
  isupper: test('isupper', isUpper),
  join: plain('join(iterable)', join),
  ljust: plain("ljust(width, fillchar=' ')", (s, w: Value, f: Value) => padEnd(s, toIndex(w), filler(f))),
  lower: plain('lower()', (s) => s.toLowerCase()),
  lstrip: plain('lstrip(chars=None)', (s, signs: Value) => strip(s, signs, 'left')),
  partition: plain('partition(sep)', (s, sep: Value) => new Tuple(partition(s, sep, false))),
  removeprefix: plain('removeprefix(prefix)', (s, prefix: Value) => {
    const start = argument(prefix)
    return s.startsWith(start) ? s.slice(start.length) : s
  }),
  removesuffix: plain('removesuffix(suffix)', (s, suffix: Value) => {
    const end = argument(suffix)
    return end !== '' && s.endsWith(end) ? s.slice(0, -end.length) : s
  }),
  replace: plain('replace(old, new, count=-1)', (s, old: Value, by: Value, most: Value) =>
    replaceText(s, argument(old), argument(by), toIndex(most)),
  ),
  rfind: plain(`rfind${edges}`, (s, sub: Value, from: Value, to: Value) => find(s, sub, from, to, true)),
  rindex: plain(`rindex${edges}`, (s, sub: Value, from: Value, to: Value) => mustFind(s, sub, from, to, true)),
  rjust: plain("rjust(width, fillchar=' ')", (s, w: Value, f: Value) => padStart(s, toIndex(w), filler(f))),
  rpartition: plain('rpartition(sep)', (s, sep: Value) => new Tuple(partition(s, sep, true))),
  rsplit: plain('rsplit(sep=None, maxsplit=-1)', splitRight),
  rstrip: plain('rstrip(chars=None)', (s, signs: Value) => strip(s, signs, 'right')),
  split: plain('split(sep=None, maxsplit=-1)', split),
  splitlines: plain('splitlines(keepends=False)', (s, keep: Value) => splitLines(s, isTrue(keep))),
  startswith: plain(`startswith${edges}`, (s, ends: Value, from: Value, to: Value) =>
    hasEnd(s, ends, from, to, (part, start) => part.startsWith(start)),
  ),
  strip: plain('strip(chars=None)', (s, signs: Value) => strip(s, signs, 'both')),
  swapcase: plain('swapcase()', swapCase),
  title: plain('title()', title),
  upper: plain('upper()', (s) => s.toUpperCase()),
  zfill: plain('zfill(width)', (s, width: Value) => zeroFill(s, toIndex(width))),
}

export function isLower(text: string): boolean {
  return hasLower.test(text) && !hasUpper.test(text)
}
export function isUpper(text: string): boolean {
  return /\p{Uppercase}/u.test(text) && !hasLower.test(text) && !/\p{Lt}/u.test(text)
}

/** Python has them, and they need bytes or tables, which templates do not have. */
export const refusedTextMethods = ['encode', 'maketrans', 'translate']

/** A method of markup: what is text among its arguments is escaped, and what is text in its result is markup. */
export function markupMethod(name: string, text: string, getAttribute: GetAttribute): Builtin | undefined {
  const method = textMethods[name]
  if (method === undefined) return undefined
  const wrap = (value: Value): Value => {
    if (typeof value === 'string') return new Markup(value)
    if (Array.isArray(value)) return value.map(wrap)
    return value instanceof Tuple ? new Tuple(value.items.map(wrap)) : value
  }
  const protect = (value: Value): Value => (typeof value === 'string' ? toMarkup(value) : value)
  const isSearch = /^(count|r?find|r?index|(starts|ends)with)$/.test(name)
  return {
    name,
    call(args, kwargs) {
      if (name === 'join' && args.length === 1) return new Markup(join(text, listOf(args[0]!).map(toMarkup)))
      if (name === 'format') {
        return new Markup(
          formatBraces(text, args.map(protect), new Map([...kwargs].map(([k, v]) => [k, protect(v)])), getAttribute),
        )
      }
      const given = isSearch ? args : args.map(protect)
      return wrap(method(text, getAttribute).call(given, kwargs))
    },
  }
}
