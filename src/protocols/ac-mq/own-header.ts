/**
 * The header as we write it, printed and read without going through YAML: this runs once for every message sent and
 * claimed. What it prints is what `printFrontMatter` prints, what it reads is what the general reader reads, and
 * whatever is unusual is left to those.
 */
import { bufferOf } from '../../formats/front-matter.ts'
import { type Entries, printFrontMatter, printQuoted, printScalar } from '../../formats/front-matter-print.ts'
import { longestHeader } from '../../formats/header-field.ts'
import { lastAnswer } from '../../kernel/last-answer.ts'
import { everyone, isAgentId } from './names.ts'
import { type AcmqRecord, noDependencies } from './schema.ts'
import { parseTime } from './times.ts'

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
${attempt > 1 ? `attempt: ${printScalar(attempt)}\n` : ''}---
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
]

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

const name = '[A-Za-z0-9][A-Za-z0-9._-]{0,63}'
const own = new RegExp(
  [
    '^---\nstatus: (pending|processing|completed|failed) *',
    `id: ("?)(${name})\\2`,
    `mission_id: ("?)(${name}(?:/${name})*)\\4`,
    'timestamp: (\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{3})?Z)',
    `from: ("?)(${name})\\7`,
    `to: ("?)(${name})\\9`,
    'priority: ([1-5])',
    'timeout_seconds: ([1-9][0-9]{0,8})',
    'dependencies:(?: \\[\\]|((?:\n  - "[ !#-[\\]-~]*")+))',
    'summary: "([ !#-[\\]-~]*)"',
    '(?:attempt: ([1-9][0-9]{0,8})\n)?---\n',
  ].join('\n'),
)
// Whatever else it may be, it does not leave the mission.
const plainDependency = /^(?:msg:|(?:path:)?(?:\.\/)?)\w[\w.-]{0,100}(?:\/\w[\w.-]{0,100})*$/

/** Without quotes YAML takes this word for no value. */
const isNothing = (text: string): boolean => text.length === 4 && text.toLowerCase() === 'null'

const isTime = lastAnswer((text: string) => parseTime(text) !== undefined)
const isSender = lastAnswer((text: string) => isAgentId(text) && !isNothing(text))
const isRecipient = lastAnswer((text: string) => text === everyone || (isAgentId(text) && !isNothing(text)))

/** What a list of quoted texts says; `undefined` when one of them is not plain. */
const dependenciesIn = lastAnswer((list: string): readonly string[] | undefined => {
  const texts = list.slice(6, -1).split('"\n  - "')
  return texts.every((text) => plainDependency.test(text)) ? Object.freeze(texts) : undefined
})

const mostBytes = 2048
const closing = Buffer.from('\n---\n')

/** The record of a header as we write it, in which nothing is to be reported; `undefined` for any other. */
export function readOwnHeader(bytes: Uint8Array) {
  const buffer = bufferOf(bytes)
  const end = buffer.indexOf(closing, opening.length)
  if (end < 0 || end > mostBytes) return undefined
  // All ASCII where it matches, so characters are bytes. No more than the header: parts of the text keep it in memory.
  const match = own.exec(buffer.toString('latin1', 0, end + closing.length))
  if (!match) return undefined
  const [header, status, , id, , mission_id, timestamp, , from, , to, priority, timeout, list, summary, attempt] =
    match as unknown as string[]
  const dependencies = list === undefined ? noDependencies : dependenciesIn(list)
  if (!dependencies || !isTime(timestamp!) || !isSender(from!) || !isRecipient(to!)) return undefined
  if (isNothing(id!) || isNothing(mission_id!)) return undefined
  const record: AcmqRecord = {
    id: id!,
    mission_id: mission_id!,
    timestamp: timestamp!,
    from: from!,
    to: to!,
    status: status!,
    priority: Number(priority),
    timeout_seconds: Number(timeout),
    dependencies,
    summary: summary!,
    attempt: attempt === undefined ? 1 : Number(attempt),
  }
  return { record, header: header!, bodyStart: header!.length }
}
