/** The results of messages, in a few words each, the most informative first; results that repeat are listed once. Pure. */
import { groupBy } from '../../../kernel/group-by.ts'
import { sentencesIn } from '../../../text/sentences.ts'
import { termsOf } from '../../../text/words.ts'
import type { MessageParts } from './message-parts.ts'
import { plainText } from './plain-text.ts'
import { listedAtMost } from './report-words.ts'

export interface WeighedMessage {
  readonly id: string
  readonly status: string
  readonly summary: string
  readonly said: MessageParts
  /** Another message depends on it, or it depends on another one. */
  readonly isLinked: boolean
}

interface ResultLine<T> {
  readonly message: T
  readonly text: string
  readonly weight: number
}

const longestResult = 300
const enough = 140
const mostSentences = 3
/** At most so many messages with the same result are named one by one. */
const mostNamed = 6

/** The results of completed messages, the most informative first. `source` names the message of a result. */
export function resultLines<T extends WeighedMessage>(
  messages: readonly T[],
  source: (message: T) => string,
): ResultLine<T>[] {
  const done = messages.filter(({ status }) => status === 'completed')
  const texts = new Map(done.map((message) => [message, inShort(message.said.result?.text ?? '')]))
  const silent = done.filter((message) => texts.get(message) === '')
  const withText = done.filter((message) => texts.get(message) !== '')
  const spoken = alike(withText, (message) => texts.get(message)!)
  const told = spoken.map(({ message, others }): ResultLine<T> => {
    const text = texts.get(message)!
    // “Done.” may be the result of very different tasks, so each of them is named.
    const things = alike([message, ...others], ({ summary }) => summary)
    const names = things.map(({ message: one, more }) => `${titled(one)}, ${source(one)}${more}`)
    const unnamed = names.length > mostNamed ? [`and ${names.length - mostNamed} more`] : []
    const line = `“${plainText(text, longestResult)}” (${[...names.slice(0, mostNamed), ...unnamed].join('; ')})`
    return { message, text: line, weight: weightOf(message, text) - (others.length === 0 ? 0 : 2) }
  })
  told.sort((a, b) => b.weight - a.weight)
  if (silent.length === 0) return told
  const names = silent.map((message) => `${titled(message)} (${source(message)})`)
  const text = `Done, without a word on it: ${listedAtMost(names, mostNamed)}`
  return [...told, { message: silent[0]!, text, weight: -3 }]
}

/** Messages whose texts differ in numbers alone are one: the first of them. `more` says in words how many others there are. */
export function alike<T>(
  messages: readonly T[],
  textOf: (message: T) => string,
): { readonly message: T; readonly others: readonly T[]; readonly more: string }[] {
  const groups = groupBy(messages, (message) => textOf(message).toLowerCase().replace(/\d+/g, '0'))
  return [...groups.values()].map(([message, ...others]) => ({
    message: message!,
    others,
    more: others.length === 0 ? '' : `, and ${others.length} more like it`,
  }))
}

/** Results with so few words do not say what was done. */
export const isSlight = (text: string): boolean => new Set(termsOf(text)).size < 4

/** A summary inside a sentence: without the full stop at its end. */
export const titled = ({ summary }: Pick<WeighedMessage, 'summary'>, longest = 100): string =>
  plainText(summary.trimEnd().replace(/[.。]$/, ''), longest)

/** How much a reader would miss without this message. */
export function weightOf({ isLinked, said }: WeighedMessage, text: string): number {
  const links = said.result?.links.length ?? 0
  return (isLinked ? 2 : 0) + (links > 0 ? 1 : 0) + Math.min(new Set(termsOf(text)).size, 12) / 6
}

/** The first sentences of a text of several lines, headings and lists, as one line; '' when it says nothing. */
export function inShort(text: string): string {
  const sentences = sentencesIn(text)
  if (sentences.length === 0) return firstWords(text)
  let line = ''
  for (const [i, sentence] of sentences.entries()) {
    if (i >= mostSentences || line.length >= enough) break
    line +=
      line === '' ? sentence : `${line.endsWith(':') ? ' ' : /[.!?…。！？]["”’)]?$/.test(line) ? ' ' : '; '}${sentence}`
  }
  return line
}

/** For a text without sentences: code, a table, headings alone. */
function firstWords(text: string): string {
  const line = text.split('\n').find((one) => /[\p{L}\p{N}]/u.test(one) && !/^\s*(?:`{3,}|~{3,})/.test(one)) ?? ''
  return line.replace(/^[\s#>|*+-]+|[\s|]+$/gu, '')
}

/** Equal for sentences that differ in case, signs and spaces alone. */
export const sayingOf = (text: string): string =>
  text
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu)
    ?.join(' ') ?? ''
