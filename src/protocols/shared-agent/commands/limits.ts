/**
 * What binds an answer: tokens by the kind of command, scaled by a modifier, and items for a list. Shared Agent Protocol §5
 * and §14. Pure but for the tokenizer, which is asked only where a count can matter.
 */
import { isWithin, type LoadTokenizer } from '../../../kernel/tokenizer.ts'
import type { Modifier } from '../schema.ts'
import type { CommandSpec, LimitKind } from './spec.ts'

/** §5, "Token Limits by Command Type". */
const tokensOf: Readonly<Record<Exclude<LimitKind, 'fixed'>, number>> = { status: 10, summary: 15, list: 8, error: 10 }
const itemsOfList = 4

export interface Bound {
  /** For each item of a list, otherwise for all of it; with `total` for all of it in any case. */
  readonly tokens: number
  readonly items: number
  readonly total: boolean
}

/** `undefined`: the answer has a fixed form. */
export function boundOf(
  { limit, items = itemsOfList }: CommandSpec,
  modifier: Modifier | undefined,
): Bound | undefined {
  if (limit === 'fixed') return undefined
  if (typeof modifier === 'object') return { tokens: modifier.limit, items: Number.POSITIVE_INFINITY, total: true }
  const factor = modifier === 'brief' ? 0.5 : modifier === 'detailed' ? 2 : 1
  return {
    tokens: Math.max(1, Math.floor(tokensOf[limit] * factor)),
    items: limit === 'list' ? Math.max(1, Math.floor(items * factor)) : Number.POSITIVE_INFINITY,
    total: limit !== 'list',
  }
}

/** A modifier that nobody gave: §14, "Smart Defaults". What somebody says, `:standard` too, counts more. */
export function smartDefault(topic: string, urgent: boolean): Modifier | undefined {
  if (urgent || /\b(?:security|audits?)\b/i.test(topic.replaceAll('_', ' '))) return 'detailed'
  return /\bprogress\b/i.test(topic.replaceAll('_', ' ')) ? 'brief' : undefined
}

/** One text within its limit. What is cut ends at a word, and with a mark that says so. */
export async function bounded(text: string, tokens: number, load: LoadTokenizer): Promise<string> {
  if (await isWithin(text, tokens, load)) return text
  const tokenizer = await load()
  for (let room = tokens - 1; room > 0; room--) {
    // More bytes than this are more tokens than fit, whatever they say.
    const head = tokenizer.first(text.slice(0, tokens * 1024), room)
    const words = `${atWordEnd(head, text)}${cutMark}`
    if (words.length > cutMark.length && tokenizer.count(words) <= tokens) return words
  }
  return cutMark
}

export const cutMark = '…'

/** Up to the last word that is whole; half a word only where there is no other. */
function atWordEnd(head: string, whole: string): string {
  if (/\s/.test(whole[head.length] ?? ' ')) return head.trimEnd()
  const end = head.search(/\s+\S*$/)
  return end > 0 ? head.slice(0, end) : head.trimEnd()
}

/** An item of a list. The name of what it tells of is not counted with it, and has the same limit by itself. */
export interface Item {
  readonly name?: string
  readonly text: string
}

/** The bullets of a list within its limits, and what was left out. §5, "Formatting". */
export async function boundedList(items: readonly Item[], bound: Bound, load: LoadTokenizer): Promise<string[]> {
  const shown: string[] = []
  let room = bound.tokens
  for (const item of items.slice(0, bound.items)) {
    const text = bound.total
      ? await bounded(inOne(item), room, load)
      : inOne({
          ...(item.name === undefined ? {} : { name: await bounded(item.name, bound.tokens, load) }),
          text: await bounded(item.text, bound.tokens, load),
        })
    if (bound.total) {
      if (shown.length > 0 && text === cutMark) break
      room -= Buffer.byteLength(text) <= 1 ? 1 : (await load()).count(text)
    }
    shown.push(`• ${text}`)
    if (bound.total && room < 1) break
  }
  const left = items.length - shown.length
  return left > 0 ? [...shown, `+${left} more`] : shown
}

export const inOne = ({ name, text }: Item): string => (name === undefined ? text : `${name}: ${text}`)
