/**
 * The thematic summary of messages without a model: how many are done, results, what failed or is blocked, open questions, and then
 * what else was said. Each item names its message, and nothing is said twice. AC-MQ §13.1.
 */
import { shortOf } from '../../../kernel/short-id.ts'
import { keySentences, sentencesIn } from '../../../text/sentences.ts'
import type { BusMessage } from './bus-document.ts'
import type { LinksById } from './chains.ts'
import { messagePartsIn } from './message-parts.ts'
import { plainText } from './plain-text.ts'
import { sourceIn, standingOf, whoIn } from './report-words.ts'
import { alike, inShort, isSlight, resultLines, sayingOf, titled } from './results.ts'

const mostSentences = 5
const mostOfAKind = 6

type SaidMessage = BusMessage & { readonly said: ReturnType<typeof messagePartsIn>; readonly isLinked: boolean }

/** `blocked`: why messages are blocked for good, by id. `links`: what depends on what. */
export function extractiveSummary(
  given: readonly BusMessage[],
  blocked: ReadonlyMap<string, string> = new Map(),
  links: LinksById = new Map(),
): string {
  const linked = new Set([...links].flatMap(([id, others]) => [id, ...others]))
  const messages = given.map((one) => ({ ...one, said: messagePartsIn(one.body), isLinked: linked.has(one.id) }))
  const source = sourceIn({ messages })
  const quoted = (text: string, message: SaidMessage) => `“${plainText(text)}” (${source(message)})`
  const failed = messages.filter(({ status }) => status === 'failed')
  const stuck = messages.filter(({ id }) => blocked.has(id))
  const questions = openQuestions(messages, links)
  const results = resultLines(messages, source)
  // Leaves out the titles, which are in the table, and the results and open questions, which come before.
  const told = new Set([...messages.map(({ summary }) => summary), ...questions.map(({ text }) => text)].map(sayingOf))
  const said = messages.map(({ status, said: { asked, result } }) => {
    const isTold = status === 'failed' || (result !== undefined && !isSlight(inShort(result.text)))
    const sentences = isTold && messages.length > 1 ? [] : sentencesIn(asked)
    return sentences.filter((one) => !isQuestion(one) && isNew(one, told))
  })
  const failures = alike(failed, ({ summary, said }) => `${summary}\n${said.failure?.reason}`)
  const reasonOf = (reason: string | undefined) => (reason ? `“${plainText(reason)}”` : 'no reason is given')
  const sections: Readonly<Record<string, readonly string[]>> = {
    Results: results.map(({ text }) => text),
    Failed: failures.map(
      ({ message: one, more }) => `${titled(one)}: ${reasonOf(one.said.failure?.reason)} (${source(one)}${more})`,
    ),
    'Blocked for good': stuck.map((one) => `${titled(one)} (${source(one)}): ${blocked.get(one.id)!}`),
    'Open questions': questions.map(({ text, message }) => quoted(text, message)),
    [results.length > 0 ? 'What else was said' : 'What was said']: keySentences(said, mostSentences).map(
      ({ text, source: at }) => quoted(text, messages[at]!),
    ),
  }
  const first = opening(messages, { has: ({ id }: BusMessage) => blocked.has(id) })
  const all = [first, ...Object.entries(sections).map(([title, items]) => section(title, items))]
  return all.filter((one) => one !== '').join('\n\n')
}

/** Empty for a single message, which the document quotes in full. */
function opening(messages: readonly BusMessage[], blocked: { has(message: BusMessage): boolean }): string {
  if (messages.length === 1) return ''
  const days = [...new Set([messages[0], messages.at(-1)].map((one) => one?.createdAt.slice(0, 10) ?? ''))]
  const when = days.length > 1 ? `from ${days.join(' to ')}` : `on ${days[0]}`
  return `${standingOf(messages, blocked)} ${whoIn(messages)}, ${when}.`
}

/** Questions in messages that are not completed, except those that another message has answered. */
function openQuestions(messages: readonly SaidMessage[], links: LinksById) {
  return messages.flatMap((message) => {
    if (message.status === 'completed' || messages.some((other) => isAnswerTo(other, message, links))) return []
    const asked = new Map<string, string>()
    for (const one of [message.summary, ...sentencesIn(message.said.asked)])
      if (isQuestion(one) && !asked.has(sayingOf(one))) asked.set(sayingOf(one), one)
    return [...asked.values()].slice(0, 2).map((text) => ({ text, message }))
  })
}

const isQuestion = (sentence: string): boolean => /[?？]$/.test(sentence.trim())

/** A later message back to the sender of the question, which names the question, depends on it or has its title. */
function isAnswerTo(other: BusMessage, { id, from, to, createdAt, summary }: BusMessage, links: LinksById): boolean {
  if (other.id === id || other.createdAt < createdAt) return false
  const isBack = to === 'all' ? other.to === from : other.from === to && other.to === from
  if (!isBack) return false
  const isNamed = `${other.summary}\n${other.body}`.includes(shortOf(id)) || links.get(other.id)?.includes(id) === true
  return isNamed || sayingOf(other.summary) === `re ${sayingOf(summary)}`
}

function isNew(sentence: string, told: Set<string>): boolean {
  const saying = sayingOf(sentence)
  if (told.has(saying)) return false
  told.add(saying)
  return true
}

function section(title: string, items: readonly string[]): string {
  if (items.length === 0) return ''
  const shown = items.slice(0, mostOfAKind)
  const more = items.length > shown.length ? [`- and ${items.length - shown.length} more`] : []
  return [`**${title}**`, '', ...shown.map((item) => `- ${item}`), ...more].join('\n')
}
