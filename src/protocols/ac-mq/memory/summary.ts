/**
 * The thematic summary of messages without a model: what it is about, key sentences, outcomes, open questions and failures,
 * each with the message it is taken from. AC-MQ §13.1.
 */
import { inlineCode } from '../../../kernel/quotation.ts'
import { keySentences, sentencesIn } from '../../../text/sentences.ts'
import type { BusMessage } from './bus-document.ts'
import { plainText } from './plain-text.ts'
import { saidIn } from './said.ts'

const mostSentences = 5
const mostOfAKind = 6
/** So many key terms are named. */
export const mostTerms = 8

/** `terms`: words that are said in these messages and not in others. */
export function extractiveSummary(messages: readonly BusMessage[], terms: readonly string[]): string {
  const said = messages.map(({ body }) => saidIn(body))
  const asked = said.map(({ asked: text }, i) => [
    `${messages[i]!.summary.replace(/[.!?]?$/, '.')}`,
    ...sentencesIn(text),
  ])
  const sentences = keySentences(asked, mostSentences).map(({ text, source }) => item(text, messages[source]!))
  const outcomes = said.flatMap(({ result }, i) => {
    const first = result && sentencesIn(result.text).slice(0, 2).join(' ')
    return first ? [item(first, messages[i]!)] : []
  })
  const failures = said.flatMap(({ failure }, i) =>
    failure && messages[i]!.status === 'failed' ? [item(failure.reason, messages[i]!)] : [],
  )
  const questions = said.flatMap(({ asked: text }, i) => {
    const { status, summary } = messages[i]!
    if (status === 'completed') return []
    const open = [summary, ...sentencesIn(text)].filter((sentence) => /[?？]$/.test(sentence))
    return [...new Set(open)].slice(0, 2).map((sentence) => item(sentence, messages[i]!))
  })
  return [
    `${opening(messages)}${terms.length > 0 ? ` Key terms: ${terms.map((term) => plainText(term)).join(', ')}.` : ''}`,
    section('Key sentences', sentences),
    section('Outcomes', outcomes),
    section('Open questions', questions),
    section('Failures', failures),
  ]
    .filter((one) => one !== '')
    .join('\n\n')
}

function opening(messages: readonly BusMessage[]): string {
  const people = [...new Set(messages.flatMap(({ from, to }) => [from, to]))].sort().map((one) => plainText(one))
  const named = people.length > 6 ? `${people.slice(0, 6).join(', ')} and ${people.length - 6} more` : listed(people)
  const days = [...new Set([messages[0], messages.at(-1)].map((one) => one?.createdAt.slice(0, 10) ?? ''))]
  const states = new Map<string, number>()
  for (const { status } of messages) states.set(status, (states.get(status) ?? 0) + 1)
  const ends = [...states].sort().map(([status, count]) => `${count} ${plainText(status)}`)
  const count = messages.length === 1 ? 'One message' : `${messages.length} messages`
  return `${count} of ${named}, ${days.length > 1 ? `from ${days.join(' to ')}` : `on ${days[0]}`}: ${listed(ends)}.`
}

const listed = (words: readonly string[]): string =>
  words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`

const item = (text: string, { name }: BusMessage): string => `- “${plainText(text)}” (${inlineCode(name)})`

function section(title: string, items: readonly string[]): string {
  if (items.length === 0) return ''
  const shown = items.slice(0, mostOfAKind)
  const more = items.length > shown.length ? [`- and ${items.length - shown.length} more`] : []
  return [`**${title}**`, '', ...shown, ...more].join('\n')
}
