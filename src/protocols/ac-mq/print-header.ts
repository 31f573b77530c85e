/** Prints headers without a YAML printer, because every sending prints one. `printFrontMatter` prints unusual ones. */
import { type Entries, printFrontMatter, printQuoted, printScalar } from '../../formats/front-matter-print.ts'
import { longestHeader } from '../../formats/header-field.ts'
import { lastAnswer } from '../../kernel/last-answer.ts'
import { type AcmqRecord, noDependencies } from './schema.ts'

export const statusWidth = 10
/** Our files begin with this; the status follows. */
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
  // A code unit has at most three bytes in UTF-8.
  return header.length * 3 <= longestHeader ? header : printAnyHeader(record)
}

/** The same header by the YAML printer, which refuses one that is too long to be read back. */
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

/** YAML could read an id that begins with a digit as a number, so it is quoted. */
const printId = (id: string): string => (uuid.test(id) ? (id.charCodeAt(0) <= nine ? `"${id}"` : id) : printScalar(id))

// ASCII without quotes and backslashes, which needs no escapes between quotes.
const unescaped = /^[ !#-[\]-~]*$/

/** The last list and its text. Only a frozen list is remembered. */
let printed = { list: noDependencies, text: ' []' }

function printDependencies(list: readonly string[]): string {
  if (list === printed.list) return printed.text
  const text = list.length === 0 ? ' []' : list.map(printDependency).join('')
  if (Object.isFrozen(list)) printed = { list, text }
  return text
}

const printDependency = (text: string): string => `\n  - ${unescaped.test(text) ? `"${text}"` : printQuoted(text)}`

// YAML cannot read a text with a blank as a number, a time or a word of its own, so `printScalar` would quote it too.
const printSummary = lastAnswer((text: string) =>
  text.includes(' ') && unescaped.test(text) ? `"${text}"` : printScalar(text),
)

/** What is written for a message: text where the body is text, which the engine encodes while writing. */
export const messageContent = (header: string, body: string | Uint8Array): string | Buffer =>
  typeof body === 'string' ? header + body : Buffer.concat([Buffer.from(header), body])
