/** Prints a header without YAML, once for every message sent. What is unusual is left to `printFrontMatter`. */
import { type Entries, printFrontMatter, printQuoted, printScalar } from '../../formats/front-matter-print.ts'
import { longestHeader } from '../../formats/header-field.ts'
import { lastAnswer } from '../../kernel/last-answer.ts'
import { type AcmqRecord, noDependencies } from './schema.ts'

export const statusWidth = 10
/** What our files begin with; the status follows. */
export const opening = '---\nstatus: '

export function printHeader(record: AcmqRecord): string {
  const { dependencies, attempt } = record
  const header = `${opening}${printStatus(record.status)}
id: ${printId(record.id)}
mission_id: ${printMission(record.mission_id)}
timestamp: ${printTime(record.timestamp)}
from: ${printSender(record.from)}
to: ${printRecipient(record.to)}
priority: ${printScalar(record.priority)}
timeout_seconds: ${printScalar(record.timeout_seconds)}
dependencies:${printDependencies(dependencies)}
summary: ${printSummary(record.summary)}
${attempt > 1 ? `attempt: ${printScalar(attempt)}\n` : ''}${printOwnTexts(record)}---
`
  // A code unit has at most three bytes, so this one is short enough for sure.
  return header.length * 3 <= longestHeader ? header : printAnyHeader(record)
}

/** The same, field by field. Refuses a header that would be too long to be read back. */
export const printAnyHeader = (record: AcmqRecord): string =>
  printFrontMatter(entriesOf(record), { pad: { status: statusWidth } })

const entriesOf = (record: AcmqRecord): Entries => [
  ['status', record.status],
  ['id', record.id],
  ['mission_id', record.mission_id],
  ['timestamp', record.timestamp],
  ['from', record.from],
  ['to', record.to],
  ['priority', record.priority],
  ['timeout_seconds', record.timeout_seconds],
  ['dependencies', record.dependencies],
  ['summary', record.summary],
  ['attempt', record.attempt > 1 ? record.attempt : undefined],
  ['reply_to', record.reply_to],
  ['envelope', record.envelope],
]

function printOwnTexts({ reply_to, envelope }: AcmqRecord): string {
  const line = reply_to === undefined ? '' : `reply_to: ${printScalar(reply_to)}\n`
  return envelope === undefined ? line : `${line}envelope: ${printScalar(envelope)}\n`
}

const printStatus = lastAnswer((status: string) => printScalar(status).padEnd(statusWidth))
const printMission = lastAnswer<string, string>(printScalar)
const printTime = lastAnswer<string, string>(printScalar)
const printSender = lastAnswer<string, string>(printScalar)
const printRecipient = lastAnswer<string, string>(printScalar)

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const nine = 57

/** One that begins with a digit could be read as a number; one that begins with a letter cannot. */
const printId = (id: string): string => (uuid.test(id) ? (id.charCodeAt(0) <= nine ? `"${id}"` : id) : printScalar(id))

// ASCII without quotes and backslashes: needs no escapes between quotes.
const unescaped = /^[ !#-[\]-~]*$/

/** The last list and its text; only of a list that cannot change. */
let printed = { list: noDependencies, text: ' []' }

function printDependencies(list: readonly string[]): string {
  if (list === printed.list) return printed.text
  const text = list.length === 0 ? ' []' : list.map(printDependency).join('')
  if (Object.isFrozen(list)) printed = { list, text }
  return text
}

const printDependency = (text: string): string => `\n  - ${unescaped.test(text) ? `"${text}"` : printQuoted(text)}`

// With a blank in it, it is neither a word nor a time, so it is quoted.
const printSummary = lastAnswer((text: string) =>
  text.includes(' ') && unescaped.test(text) ? `"${text}"` : printScalar(text),
)

/** A message as it is written: text where the body is text, which the engine encodes while writing. */
export const messageContent = (header: string, body: string | Uint8Array): string | Buffer =>
  typeof body === 'string' ? header + body : Buffer.concat([Buffer.from(header), body])
