/** Filters on text. */
import { padBoth } from './format-number.ts'
import { formatPercent } from './format-percent.ts'
import { stripTags, urlize } from './html.ts'
import { toJson } from './json.ts'
import { grow } from './limits.ts'
import { operate } from './operators.ts'
import { pretty } from './pretty.ts'
import { like, repr, softStr, str, toMarkup } from './print.ts'
import { failure, typeError, valueError } from './problem.ts'
import { lengthOf, listOf, slice, toIndex } from './sequences.ts'
import { type Builtin, builtin, type Use } from './signature.ts'
import { capitalize, joinText, lengthOfText, repeatText, replaceText, splitLines } from './text.ts'
import { strip } from './text-methods.ts'
import {
  Dict,
  isText,
  isTrue,
  type Kwargs,
  Markup,
  Thing,
  Tuple,
  textOf,
  typeNameOf,
  Undefined,
  type Value,
} from './values.ts'
import { wrapLines } from './word-wrap.ts'

/** The text of something that must be text. */
function need(value: Value, what: string): string {
  if (isText(value)) return textOf(value)
  if (value instanceof Undefined) value.fail()
  throw failure('AttributeError', `${what}: '${typeNameOf(value)}' object is no text`)
}

/** A filter that changes text, whatever it gets: what is no text is printed first. */
const onText = (name: string, change: (text: string) => string): Builtin =>
  builtin(`${name}(s)`, (value: Value) => {
    const text = softStr(value)
    const result = change(textOf(text))
    grow(result.length)
    return like(text, result)
  })

const title = (text: string): string =>
  text
    .split(/([-\s({[<]+)/u)
    .filter((part) => part !== '')
    .map((part) => {
      const first = String.fromCodePoint(part.codePointAt(0)!)
      return first.toUpperCase() + part.slice(first.length).toLowerCase()
    })
    .join('')

function truncate(text: Value, length: Value, killWords: Value, end: Value, leeway: Value): Value {
  const most = toIndex(length)
  const tail = need(end, 'truncate')
  const more = leeway === null ? 5 : toIndex(leeway)
  const size = lengthOfText(tail)
  if (most < size) throw failure('AssertionError', `expected length >= ${size}, got ${most}`)
  if (more < 0) throw failure('AssertionError', `expected leeway >= 0, got ${more}`)
  if (lengthOf(text) <= most + more) return text
  const cut = slice(text, null, most - size, null)
  const kept = isTrue(killWords) ? need(cut, 'truncate') : need(cut, 'truncate').replace(/ [^ ]*$/, '')
  return operate('+', like(text, kept), tail)
}

function indent(text: Value, width: Value, first: Value, blank: Value): Value {
  const by = isText(width) ? textOf(width) : repeatText(' ', toIndex(width))
  if (Array.isArray(text)) throw failure('AttributeError', "'list' object has no attribute 'splitlines'")
  if (!isText(text)) return operate('+', text, '\n')
  const lines = splitLines(`${textOf(text)}\n`)
  grow(by.length * lines.length)
  const moved = lines.map((line, i) => (i > 0 && (line !== '' || isTrue(blank)) ? by + line : line))
  return like(text, (isTrue(first) ? by : '') + joinText(moved, '\n'))
}

function join(value: Value, separator: Value, attribute: Value, use: Use, pick: (item: Value) => Value): Value {
  const items = listOf(value).map((item) => (attribute === null ? item : pick(item)))
  if (!use.escaping.isOn) return joinText(items.map(str), str(separator))
  const isMarkup = separator instanceof Markup || items.some((item) => item instanceof Markup)
  if (!isMarkup) return joinText(items.map(str), str(separator))
  return new Markup(
    joinText(
      items.map((item) => toMarkup(item).text),
      toMarkup(separator).text,
    ),
  )
}

function replace(value: Value, old: Value, by: Value, count: Value, use: Use): Value {
  const most = count === null ? -1 : toIndex(count)
  if (!use.escaping.isOn) return replaceText(str(value), str(old), str(by), most)
  const isHtml = old instanceof Markup || (by instanceof Markup && !(value instanceof Markup))
  const text = isHtml ? toMarkup(value) : softStr(value)
  const protect = (part: Value) => (text instanceof Markup ? toMarkup(softStr(part)).text : str(part))
  return like(text, replaceText(textOf(text), protect(old), protect(by), most))
}

function quoteUrl(value: Value, isQuery: boolean): string {
  const quoted = [...new TextEncoder().encode(str(value))]
    .map((byte) => {
      const sign = String.fromCharCode(byte)
      if (/[A-Za-z0-9_.\-~]/.test(sign) || (sign === '/' && !isQuery)) return sign
      return isQuery && sign === ' ' ? '+' : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
    })
    .join('')
  grow(quoted.length)
  return quoted
}

function urlEncode(value: Value): Value {
  const isIterable = Array.isArray(value) || value instanceof Dict || value instanceof Tuple || hasItems(value)
  if (isText(value) || !isIterable) return quoteUrl(value, false)
  const pairs = value instanceof Dict ? value.list().map(({ key, value: item }) => [key, item]) : listOf(value)
  return pairs
    .map((part) => {
      const pair = listOf(part)
      if (pair.length !== 2)
        throw valueError(`${pair.length < 2 ? 'not enough' : 'too many'} values to unpack (expected 2)`)
      return `${quoteUrl(pair[0]!, true)}=${quoteUrl(pair[1]!, true)}`
    })
    .join('&')
}

const hasItems = (value: Value): boolean => value instanceof Thing && value.iterate !== undefined

function xmlAttributes(value: Value, withSpace: Value, use: Use): Value {
  if (value instanceof Undefined) value.fail()
  if (!(value instanceof Dict)) {
    throw failure('AttributeError', `'${typeNameOf(value)}' object has no attribute 'items'`)
  }
  const parts = value
    .list()
    .filter((entry) => entry.value !== null && !(entry.value instanceof Undefined))
    .map((entry) => {
      if (!isText(entry.key)) throw typeError(`expected string or bytes-like object, got '${typeNameOf(entry.key)}'`)
      const key = textOf(entry.key)
      if (/[\t-\r\f />=]/.test(key)) throw valueError(`Invalid character in attribute name: ${repr(key)}`)
      return `${toMarkup(key).text}="${toMarkup(entry.value).text}"`
    })
  const text = parts.join(' ')
  const result = text !== '' && isTrue(withSpace) ? ` ${text}` : text
  return use.escaping.isOn ? new Markup(result) : result
}

function makeLinks(
  text: Value,
  limit: Value,
  nofollow: Value,
  target: Value,
  rel: Value,
  schemes: Value,
  use: Use,
): Value {
  const words = new Set([
    ...(rel === null ? '' : str(rel)).split(/\s+/),
    ...(isTrue(nofollow) ? ['nofollow'] : []),
    'noopener',
  ])
  words.delete('')
  const known = schemes === null ? [] : listOf(schemes).map(str)
  for (const scheme of known) {
    if (!/^[\p{L}\p{N}_.+-]{2,}:\/{0,2}$/u.test(scheme)) {
      throw failure('FilterArgumentError', `${repr(scheme)} is not a valid URI scheme prefix.`)
    }
  }
  const result = urlize(text instanceof Markup ? text.text : str(text), {
    limit: limit === null ? undefined : toIndex(limit),
    rel: [...words].sort().join(' '),
    target: target === null ? '' : str(target),
    schemes: known,
  })
  return use.escaping.isOn ? new Markup(result) : result
}

function wrap(text: Value, width: Value, breaksLong: Value, wrapString: Value, breaksHyphens: Value): Value {
  const by = wrapString === null ? '\n' : need(wrapString, 'wordwrap')
  const rules = { width: toIndex(width), breaksLongWords: isTrue(breaksLong), breaksOnHyphens: isTrue(breaksHyphens) }
  return joinText(
    wrapLines(need(text, 'wordwrap'), rules).map((lines) => joinText(lines, by)),
    by,
  )
}

export const textFilters = (attributeGetter: (attribute: Value) => (item: Value) => Value): Record<string, Builtin> => {
  const escaped = builtin('escape(s)', (value: Value) => toMarkup(value))
  return {
    capitalize: onText('do_capitalize', capitalize),
    center: builtin('do_center(value, width=80)', (value: Value, width: Value) => {
      const text = softStr(value)
      return like(text, padBoth(textOf(text), toIndex(width)))
    }),
    e: escaped,
    escape: escaped,
    forceescape: builtin('do_forceescape(value)', (value: Value) => toMarkup(str(value))),
    format: builtin('do_format(value, *args, **kwargs)', (value: Value, args: Value[], kwargs: Kwargs) => {
      if (args.length > 0 && kwargs.size > 0) {
        throw failure('FilterArgumentError', "can't handle positional and keyword arguments at the same time")
      }
      return formatPercent(softStr(value), kwargs.size > 0 ? Dict.of(kwargs) : new Tuple(args))
    }),
    indent: builtin('do_indent(s, width=4, first=False, blank=False)', indent),
    join: builtin("do_join(value, d='', attribute=None)", (value: Value, d: Value, attribute: Value, use: Use) =>
      join(value, d, attribute, use, attributeGetter(attribute)),
    ),
    lower: onText('do_lower', (text) => text.toLowerCase()),
    pprint: builtin('do_pprint(value)', (value: Value) => pretty(value)),
    replace: builtin('do_replace(s, old, new, count=None)', replace),
    safe: builtin('do_mark_safe(value)', (value: Value) => new Markup(str(value))),
    string: builtin('soft_str(s)', (value: Value) => softStr(value)),
    striptags: builtin('do_striptags(value)', (value: Value) => stripTags(str(value))),
    title: onText('do_title', title),
    tojson: builtin('do_tojson(value, indent=None)', (value: Value, by: Value) => {
      const indention = by === null ? undefined : isText(by) ? textOf(by) : repeatText(' ', toIndex(by))
      return new Markup(toJson(value, indention))
    }),
    trim: builtin('do_trim(value, chars=None)', (value: Value, signs: Value) => {
      const text = softStr(value)
      return like(text, strip(textOf(text), signs, 'both'))
    }),
    truncate: builtin("do_truncate(s, length=255, killwords=False, end='...', leeway=None)", truncate),
    upper: onText('do_upper', (text) => text.toUpperCase()),
    urlencode: builtin('do_urlencode(value)', urlEncode),
    urlize: builtin(
      'do_urlize(value, trim_url_limit=None, nofollow=False, target=None, rel=None, extra_schemes=None)',
      makeLinks,
    ),
    wordcount: builtin('do_wordcount(s)', (value: Value) => (str(value).match(/[\p{L}\p{N}_]+/gu) ?? []).length),
    wordwrap: builtin('do_wordwrap(s, width=79, break_long_words=True, wrapstring=None, break_on_hyphens=True)', wrap),
    xmlattr: builtin('do_xmlattr(d, autospace=True)', xmlAttributes),
  }
}
