/** The limits of an answer: tokens by the kind of command, scaled by a modifier, and items for a list. §5 and §14. */
import { isWithin, type LoadTokenizer, longestToken } from '../../../kernel/tokenizer.ts'
import { cutMark } from '../refusal.ts'
import type { Modifier } from '../schema.ts'
import type { CommandSpec, LimitKind } from './spec.ts'

/** §5, "Token Limits by Command Type"; a list has 4 items. */
const tokensOf: Readonly<Record<Exclude<LimitKind, 'fixed'>, number>> = { status: 10, summary: 15, list: 8, error: 10 }

interface Bound {
  /** For each item of a list, otherwise for all of it; with `total` for all of it in any case. */
  readonly tokens: number
  readonly items: number
  readonly total: boolean
}

/** `undefined`: the answer has a fixed form. */
export function boundOf({ limit, items = 4 }: CommandSpec, modifier: Modifier | undefined): Bound | undefined {
  if (limit === 'fixed') return undefined
  if (typeof modifier === 'object') return { tokens: modifier.limit, items: Number.POSITIVE_INFINITY, total: true }
  const factor = modifier === 'brief' ? 0.5 : modifier === 'detailed' ? 2 : 1
  const scaled = (most: number) => Math.max(1, Math.floor(most * factor))
  const isList = limit === 'list'
  return { tokens: scaled(tokensOf[limit]), items: isList ? scaled(items) : Number.POSITIVE_INFINITY, total: !isList }
}

/** The modifier where none is given: §14, "Smart Defaults". */
export function smartDefault(topic: string, urgent: boolean): Modifier | undefined {
  if (urgent || /\b(?:security|audits?)\b/i.test(topic.replaceAll('_', ' '))) return 'detailed'
  return /\bprogress\b/i.test(topic.replaceAll('_', ' ')) ? 'brief' : undefined
}

/** Cuts a text to its limit, at the end of a word and with a mark. `around`: how it is printed; all of that counts. */
export async function bounded(
  text: string,
  tokens: number,
  load: LoadTokenizer,
  around = (shown: string) => shown,
): Promise<string> {
  if (await isWithin(around(text), tokens, load)) return text
  const tokenizer = await load()
  for (let room = tokens - 1; room > 0; room--) {
    // No longer text has so few tokens, so the rest need not be counted.
    const head = tokenizer.first(text.slice(0, tokens * longestToken), room)
    const words = `${atWordEnd(head, text)}${cutMark}`
    if (words.length > cutMark.length && tokenizer.count(around(words)) <= tokens) return words
  }
  return cutMark
}

/** Up to the last whole word; half a word only where there is no other. */
function atWordEnd(head: string, whole: string): string {
  if (/\s/.test(whole[head.length] ?? ' ')) return head.trimEnd()
  const end = head.search(/\s+\S*$/)
  return end > 0 ? head.slice(0, end) : head.trimEnd()
}

/** An item of a list. Its name and its text are counted apart, each with the same limit. */
export interface Item {
  readonly name?: string
  readonly text: string
}

/** The bullets of a list within its limits, and how many were left out. §5, "Formatting". */
export async function boundedList(items: readonly Item[], bound: Bound, load: LoadTokenizer): Promise<string[]> {
  if (bound.total) return listWithin(items, bound.tokens, load)
  const shown: string[] = []
  for (const { name, text } of items.slice(0, bound.items)) {
    const named = name === undefined ? {} : { name: await bounded(name, bound.tokens, load) }
    shown.push(bullet({ ...named, text: await bounded(text, bound.tokens, load) }))
  }
  return withRest(shown, items.length)
}

/** All that is printed counts: bullets, line ends, and the line about those left out. */
async function listWithin(items: readonly Item[], tokens: number, load: LoadTokenizer): Promise<string[]> {
  const all = items.map(bullet)
  if (await isWithin(all.join('\n'), tokens, load)) return all
  const shown: string[] = []
  for (const item of items) {
    const printed = (text: string) => withRest([...shown, bullet({ text })], items.length).join('\n')
    const text = await bounded(inOne(item), tokens, load, printed)
    const isCut = text !== inOne(item)
    // A further item of less than two words tells nothing.
    const isWorthIt = shown.length === 0 ? text !== cutMark : /\s/.test(text)
    if (!isCut || isWorthIt) shown.push(bullet({ text }))
    if (isCut) break
  }
  return shown.length > 0 ? withRest(shown, items.length) : [cutMark]
}

const bullet = (item: Item): string => `• ${inOne(item)}`

/** The shown lines, and a line about how many more there are. */
export const withRest = (shown: readonly string[], of: number): string[] =>
  shown.length < of ? [...shown, `+${of - shown.length} more`] : [...shown]

export const inOne = ({ name, text }: Item): string => (name === undefined ? text : `${name}: ${text}`)
