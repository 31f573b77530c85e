/** The part of a text that shows why it was found. Pure. */
import { subjectOf } from './query.ts'
import { mostCompared, termsOf } from './words.ts'

const word = /[\p{L}\p{M}\p{N}]+/gu
/** So many letters in common at the beginning make two words one: `stone` and `stones`. */
const leastInCommon = 4

/**
 * At most so many characters on one line, around the words of the query; the beginning of the text where it has none of them.
 * `known`: what its reader sees already, such as a summary with which the text begins. It is not repeated.
 */
export function excerptOf(text: string, query: string, most: number, known = ''): string {
  const line = oneLine(text.slice(0, mostCompared))
  const seen = oneLine(known).replace(/…$/, '')
  const rest = line.startsWith(seen) ? line.slice(seen.length).trim() : line
  if (most < 1 || rest === '') return ''
  return cut(rest, bestStart(rest, [...new Set(termsOf(subjectOf(query)))], most), most)
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

/** Where the piece begins that has the most different terms. */
function bestStart(line: string, terms: readonly string[], most: number): number {
  const hits: { readonly at: number; readonly term: number }[] = []
  for (const { 0: one, index: at } of line.matchAll(word)) {
    const term = terms.findIndex((wanted) => isAlike(one.toLowerCase(), wanted))
    if (term >= 0) hits.push({ at, term })
  }
  let best = 0
  let mostTerms = 0
  for (const [i, { at }] of hits.entries()) {
    const inside = new Set<number>()
    for (let j = i; j < hits.length && hits[j]!.at < at + most * reach; j++) inside.add(hits[j]!.term)
    if (inside.size > mostTerms) [best, mostTerms] = [at, inside.size]
  }
  return best
}

/** What of the piece lies behind its first hit. */
const reach = 0.7

const isAlike = (one: string, wanted: string): boolean =>
  one === wanted ||
  (Math.min(one.length, wanted.length) >= leastInCommon && (one.startsWith(wanted) || wanted.startsWith(one)))

/** From about `at` on, without half a word or character at either end. */
function cut(line: string, at: number, most: number): string {
  const room = Math.max(0, most - 2)
  let start = Math.max(0, Math.min(at - Math.floor(most * (1 - reach)), line.length - room))
  if (start > 0) start = Math.min(at, line.indexOf(' ', start - 1) + 1 || start)
  let end = Math.min(line.length, start + room)
  const space = line.lastIndexOf(' ', end)
  if (end < line.length && space > start + room / 2) end = space
  const piece = line
    .slice(start, end)
    .replace(/^\p{Cs}|\p{Cs}$/gu, '')
    .trim()
  return `${start > 0 ? '…' : ''}${piece}${end < line.length ? '…' : ''}`
}
