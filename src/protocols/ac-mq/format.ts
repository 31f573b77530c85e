/**
 * A message as a file: a YAML header and a Markdown body. Reading looks at the header only; changing a field keeps every other
 * byte. In files that we write, `status` comes first and is padded to ten characters, so that it can be overwritten in place and
 * no reader sees half of it. Files of other programs are never padded. Spec: AC-MQ §3.2, §3.3, §4.
 */
import { bufferOf, type FrontMatter, readFrontMatter, readFrontMatterBytes } from '../../formats/front-matter.ts'
import { editFieldBytes, editFieldsBytes } from '../../formats/front-matter-edit.ts'
import { lineAt } from '../../formats/header-field.ts'
import { corrupt, denied, invalidInput, SignalboxError } from '../../kernel/errors.ts'
import type { Malformed, Parsed, Problem } from '../../kernel/problem.ts'
import type { Overwrite } from '../../tree/tree.ts'
import { type CheckContext, checkFields } from './check-fields.ts'
import { readOwnHeader } from './own-header.ts'
import { messageContent, opening, printHeader, statusWidth } from './print-header.ts'
import { type AcmqRecord, type QueueName, queueNames } from './schema.ts'

export { failureOf, resultOf, withFailure, withResult } from './reports.ts'

export interface AcmqMessage {
  readonly record: AcmqRecord
  readonly bodyStart: number
  /** The text before `bodyStart`; only of a header in our own form. */
  readonly header?: string
}

export type ReadMessage = Exclude<Parsed<AcmqMessage>, Malformed>

export interface MalformedMessage extends Malformed {
  /** Where the first problem is, for the error that `errorOf` makes of it. */
  readonly details: Readonly<Record<string, unknown>>
}

/** A file that this user may not read. It may well be a good message. */
export interface ClosedMessage extends Pick<MalformedMessage, 'problems' | 'details'> {
  readonly outcome: 'closed'
}

export type ParsedMessage = ReadMessage | MalformedMessage

export const parseMessage = (bytes: Uint8Array, context: CheckContext): ParsedMessage =>
  parseOwnMessage(bytes, context) ?? parseAnyMessage(bytes, context)

export function messageOrThrow<Read extends ReadMessage>(read: Read | MalformedMessage | ClosedMessage): Read {
  if (read.outcome === 'message') return read
  throw errorOf(read)
}

/** The error for a caller who asked for this one file. */
export function errorOf({ outcome, problems, details }: MalformedMessage | ClosedMessage): SignalboxError {
  const { code, message, hint } = problems[0]
  return (outcome === 'closed' ? denied : corrupt)(code, message, { ...(hint === undefined ? {} : { hint }), details })
}

/** Reads a header that is exactly as we write it; `undefined` for any other header. */
export function parseOwnMessage(bytes: Uint8Array, { address }: { address: string }): ReadMessage | undefined {
  const message = readOwnHeader(bytes)
  if (message?.record.mission_id !== address) return undefined
  return { outcome: 'message', message, problems: none }
}

const none: readonly Problem[] = Object.freeze([])

export function parseAnyMessage(bytes: Uint8Array, context: CheckContext): ParsedMessage {
  const file = context.fileName
  try {
    const read = readFrontMatterBytes(bytes)
    if (!read) return { outcome: 'malformed', problems: [noFrontMatter], details: { line: 1, file } }
    const checked = checkFields(read.fields, context)
    if (checked.outcome === 'malformed') {
      const { problems, reason } = checked
      const { field } = problems[0]
      return { outcome: 'malformed', problems, details: { field, reason, ...lineOf(field, bytes, read), file } }
    }
    expectEditable(bytes, read)
    const message = { record: checked.record, bodyStart: read.bodyStart }
    return { outcome: 'message', message, problems: checked.problems }
  } catch (error) {
    if (error instanceof SignalboxError) return malformedBy(error, { file })
    throw error
  }
}

export function malformedBy({ code, message, hint, details }: SignalboxError, place: object = {}): MalformedMessage {
  const problem: Problem = { code, field: '', message, ...(hint === undefined ? {} : { hint }) }
  return { outcome: 'malformed', problems: [problem], details: { ...details, ...place } }
}

/** Tries a change and throws if it fails: a header that can be read but not changed would stop every claim of the message. */
function expectEditable(bytes: Uint8Array, { headerStart, headerEnd, bodyStart }: FrontMatter): void {
  if (usualLines.test(bufferOf(bytes).toString('latin1', headerStart, headerEnd))) return
  editFieldsBytes(bytes.subarray(0, bodyStart), { status: 'processing', to: 'agent', attempt: 2 })
}

// `key: value` and items of a list, each on a line of its own that ends in a line feed alone.
const usualLines = /^(?:(?:[A-Za-z_][\w-]*:(?: +(?![&*!|>{%@`?])[^\n\r\t]*)?|(?: {2})?- [^\n\r\t]*)\n)*$/

function lineOf(key: string, bytes: Uint8Array, { fields, headerStart, headerEnd }: FrontMatter): { line?: number } {
  const field = fields.get(key)
  if (!field || field.from < 0) return {}
  return { line: lineAt(bufferOf(bytes).toString('utf8', headerStart, headerEnd), field.from, 2) }
}

const noFrontMatter: Problem = {
  code: 'NO_FRONT_MATTER',
  field: '',
  message: 'The file does not begin with front matter.',
  hint: 'Begin the file with a `---` line, `key: value` lines and another `---`.',
}

export const printMessage = (record: AcmqRecord, body: string | Uint8Array): Buffer =>
  Buffer.from(messageContent(printHeader(record), body))

/** `lines`: further fields, as YAML. */
export function printHeaderWith(record: AcmqRecord, lines: string): string {
  const header = printHeader(record)
  const longer = `${header.slice(0, -closing.length)}${lines.endsWith('\n') ? lines : `${lines}\n`}${closing}`
  try {
    // Read back, because lines of the sender could end the header early or repeat a field of ours.
    if (readFrontMatter(longer)?.bodyStart === longer.length) return longer
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error
    throw badLines(error)
  }
  throw badLines()
}

const badLines = (cause?: SignalboxError) =>
  invalidInput('INVALID_MESSAGE', 'The other fields of the header cannot be read back.', {
    hint: 'Write each as `key: value`, once, and none that AC-MQ has itself.',
    cause,
  })

const closing = '---\n'

const padded = (status: QueueName): string => status.padEnd(statusWidth)
const paddedTexts: ReadonlySet<string> = new Set(queueNames.map(padded))
const statusEnd = opening.length + statusWidth

const overwrites = new Map<QueueName, Overwrite>(
  queueNames.map((status) => [status, { at: opening.length, bytes: Buffer.from(padded(status)), restates: true }]),
)

/** Changes the status; in a file that we wrote, by overwriting ten bytes. `header`: its text, if the caller has it. */
export const changeOfStatus = (bytes: Uint8Array, status: QueueName, header?: string): Buffer | Overwrite =>
  beginsAsOurs(header ?? startOf(bytes)) ? overwrites.get(status)! : withStatus(bytes, status)

export function withStatus(bytes: Uint8Array, status: QueueName): Buffer {
  if (!beginsAsOurs(startOf(bytes))) return bufferOf(editFieldBytes(bytes, 'status', status))
  const changed = Buffer.from(bytes)
  changed.write(padded(status), opening.length, 'latin1')
  return changed
}

/** True for a header that we wrote. `processing` needs no padding, so the `id:` line must follow at once, as in our headers. */
const beginsAsOurs = (text: string): boolean =>
  text.startsWith(opening) &&
  text.startsWith(nextKey, statusEnd) &&
  paddedTexts.has(text.slice(opening.length, statusEnd))

const nextKey = '\nid: '

const startOf = (bytes: Uint8Array): string => bufferOf(bytes).toString('latin1', 0, statusEnd + nextKey.length)

export interface FieldChanges {
  readonly status?: QueueName
  readonly to?: string
  readonly attempt?: number
  readonly priority?: number
  readonly timestamp?: string
  /** The recipient that the sender named, where `to` and the file name do not tell (`store/addressing.ts`). `undefined` removes it. */
  readonly sent_to?: string | undefined
}

export function withFields(bytes: Uint8Array, changes: FieldChanges): Buffer {
  const own = 'sent_to' in changes ? undefined : readOwnHeader(bytes)
  // If printing the record gives exactly the present header, the header holds nothing else and can be printed anew.
  if (own && printHeader(own.record) === own.header) {
    const header = Buffer.from(printHeader({ ...own.record, ...changes }))
    return Buffer.concat([header, bytes.subarray(own.bodyStart)])
  }
  const { status, ...others } = changes
  if (status === undefined || !beginsAsOurs(startOf(bytes))) return bufferOf(editFieldsBytes(bytes, { ...changes }))
  return bufferOf(editFieldsBytes(withStatus(bytes, status), others))
}
