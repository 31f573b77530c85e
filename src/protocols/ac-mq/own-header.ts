/** Reads our own headers without a YAML parser, because every claim reads one. The general reader reads all others. */
import { bufferOf } from '../../formats/front-matter.ts'
import { lastAnswer } from '../../kernel/last-answer.ts'
import { everyone, isAgentId } from './names.ts'
import { opening } from './print-header.ts'
import { type AcmqRecord, noDependencies } from './schema.ts'
import { parseTime } from './times.ts'

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
// A path of this form stays inside the mission.
const plainDependency = /^(?:msg:|(?:path:)?(?:\.\/)?)\w[\w.-]{0,100}(?:\/\w[\w.-]{0,100})*$/

/** YAML reads this word, without quotes, as no value. */
const isNothing = (text: string): boolean => text.length === 4 && text.toLowerCase() === 'null'

const isTime = lastAnswer((text: string) => parseTime(text) !== undefined)
const isSender = lastAnswer((text: string) => isAgentId(text) && !isNothing(text))
const isRecipient = lastAnswer((text: string) => text === everyone || (isAgentId(text) && !isNothing(text)))

/** The texts of a list of quoted texts; `undefined` when one of them is not plain. */
const dependenciesIn = lastAnswer((list: string): readonly string[] | undefined => {
  const texts = list.slice(6, -1).split('"\n  - "')
  return texts.every((text) => plainDependency.test(text)) ? Object.freeze(texts) : undefined
})

const mostBytes = 2048
const closing = Buffer.from('\n---\n')

/** The record of a header in our own form, without any problem; `undefined` for any other. */
export function readOwnHeader(bytes: Uint8Array) {
  const buffer = bufferOf(bytes)
  const end = buffer.indexOf(closing, opening.length)
  if (end < 0 || end > mostBytes) return undefined
  // A text that matches is ASCII, so its length counts bytes. Only the header is made a string, because the fields, which are
  // slices of that string, keep it in memory.
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
