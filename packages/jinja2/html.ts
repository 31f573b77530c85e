/** What filters know about HTML: links, tags and entities. */

import { grow } from './limits.ts'
import { refused } from './problem.ts'
import { blank, escapeHtml, trimEnd, trimStart } from './text.ts'

const wordSign = '[\\p{L}\\p{N}_%-]'
const link = new RegExp(
  [
    '^(?:',
    `(?:https?://|www\\.)(?:(?:${wordSign}+\\.)+)?(?:[a-z]{2,63}|xn--[\\p{L}\\p{N}_%]{2,59})`,
    `|(?:${wordSign}{2,63}\\.)+(?:com|net|int|edu|gov|org|info|mil)`,
    '|https?://(?:\\d{1,3}(?:\\.\\d{1,3}){3}|\\[(?:[\\da-f]{0,4}:){2}(?:[\\da-f]{0,4}:?){1,6}\\])',
    ')(?::\\d{1,5})?(?:[/?#]\\S*)?$',
  ].join(''),
  'iu',
)
const email = /^\S+@[\p{L}\p{N}_][\p{L}\p{N}_.-]*\.[\p{L}\p{N}_]+$/u

export interface LinkRules {
  readonly limit: number | undefined
  readonly rel: string
  readonly target: string
  readonly schemes: readonly string[]
}

/** Escapes the text, and makes links of what looks like one. */
export function urlize(text: string, rules: LinkRules): string {
  const attributes = [
    rules.rel && ` rel="${escapeHtml(rules.rel)}"`,
    rules.target && ` target="${escapeHtml(rules.target)}"`,
  ]
  const result = escapeHtml(text)
    .split(new RegExp(`(${blank}+)`))
    .map((word) => linkWord(word, rules, attributes.join('')))
    .join('')
  grow(result.length)
  return result
}

function linkWord(word: string, rules: LinkRules, attributes: string): string {
  const head = /^(?:[(<]|&lt;)*/.exec(word)![0]
  const rest = word.slice(head.length)
  let end = endOfLink(rest)
  // A bracket that was opened inside the link is closed inside it.
  for (const [open, close] of brackets) {
    const opened = countOf(rest.slice(0, end), open)
    if (opened <= countOf(rest.slice(0, end), close)) continue
    for (let i = Math.min(opened, countOf(rest.slice(end), close)); i > 0; i--) {
      end = rest.indexOf(close, end) + close.length
    }
  }
  return head + linked(rest.slice(0, end), rules, attributes) + rest.slice(end)
}

const brackets = [
  ['(', ')'],
  ['<', '>'],
  ['&lt;', '&gt;'],
] as const
const countOf = (text: string, part: string): number => text.split(part).length - 1

/** Where signs begin that end a sentence rather than a link. */
function endOfLink(text: string): number {
  let end = text.length
  for (;;) {
    if (')>.,\n'.includes(text[end - 1] ?? ' ')) end--
    else if (text.endsWith('&gt;', end)) end -= 4
    else return end
  }
}

function linked(text: string, { limit, schemes }: LinkRules, attributes: string): string {
  const shown = limit !== undefined && [...text].length > limit ? `${[...text].slice(0, limit).join('')}...` : text
  if (link.test(text)) {
    const address = /^https?:\/\//.test(text) ? text : `https://${text}`
    return `<a href="${address}"${attributes}>${shown}</a>`
  }
  if (text.startsWith('mailto:') && email.test(text.slice(7))) return `<a href="${text}">${text.slice(7)}</a>`
  if (text.includes('@') && !/^(www\.|@)/.test(text) && !text.includes(':') && email.test(text)) {
    return `<a href="mailto:${text}">${text}</a>`
  }
  const scheme = schemes.find((one) => text !== one && text.startsWith(one))
  return scheme === undefined ? text : `<a href="${text}"${attributes}>${text}</a>`
}

/** Without comments and tags, blanks joined, entities read. */
export function stripTags(text: string): string {
  const bare = without(without(text, '<!--', '-->'), '<', '>')
  const joined = trimStart(trimEnd(bare)).replace(new RegExp(`${blank}+`, 'g'), ' ')
  return unescapeHtml(joined)
}

function without(text: string, open: string, close: string): string {
  let result = text
  for (let start = result.indexOf(open); start >= 0; start = result.indexOf(open, start)) {
    const end = result.indexOf(close, start)
    if (end < 0) break
    grow(result.length)
    result = result.slice(0, start) + result.slice(end + close.length)
  }
  return result
}

const entities: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
  nbsp: '\xa0',
  copy: '©',
  reg: '®',
  trade: '™',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  bull: '•',
  middot: '·',
  laquo: '«',
  raquo: '»',
  euro: '€',
  pound: '£',
  yen: '¥',
  cent: '¢',
  sect: '§',
  para: '¶',
  deg: '°',
  plusmn: '±',
  times: '×',
  divide: '÷',
  szlig: 'ß',
  auml: 'ä',
  ouml: 'ö',
  uuml: 'ü',
  Auml: 'Ä',
  Ouml: 'Ö',
  Uuml: 'Ü',
  eacute: 'é',
  egrave: 'è',
  ecirc: 'ê',
  agrave: 'à',
  aacute: 'á',
  acirc: 'â',
  ccedil: 'ç',
  ntilde: 'ñ',
  larr: '←',
  rarr: '→',
  uarr: '↑',
  darr: '↓',
}

/** Names without a semicolon are entities too, where HTML has had them from the beginning. */
const bareNames = /^(lt|gt|amp|quot|nbsp|copy|reg)/

function unescapeHtml(text: string): string {
  return text.replace(/&(#x[\da-fA-F]+;?|#\d+;?|[a-zA-Z][a-zA-Z\d]*;?)/g, (whole, found: string) => {
    if (found.startsWith('#')) {
      const isHex = found[1] === 'x'
      const code = Number.parseInt(found.slice(isHex ? 2 : 1), isHex ? 16 : 10)
      if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return '\ufffd'
      return String.fromCodePoint(code)
    }
    if (found.endsWith(';')) {
      const name = found.slice(0, -1)
      if (Object.hasOwn(entities, name)) return entities[name]!
      throw refused(`the entity &${name}; in striptags`, 'Write the character itself.')
    }
    const bare = bareNames.exec(found)?.[0]
    return bare === undefined ? whole : entities[bare] + found.slice(bare.length)
  })
}
