/**
 * Parses the bytes of a file, and prints a draft. A parsed message is never printed again: its bytes are moved and copied as they
 * are. Pure. Spec: CIRCE, "Standard Message Format".
 */
import { parseDateTime } from '../../formats/date-time.ts'
import { parseHeaderMarkdown, printHeaderMarkdown, type Section } from '../../formats/header-markdown.ts'
import { isoTime } from '../../kernel/clock.ts'
import { invalidInput, SignalboxError } from '../../kernel/errors.ts'
import { printableLine } from '../../kernel/printable.ts'
import type { Malformed, Parsed, Problem } from '../../kernel/problem.ts'
import { isKnownIntent, needsTask } from './intents.ts'
import { isAgentId, isEverybody, isRooster, isTaskId, type TaskId } from './names.ts'
import {
  type CirceDraft,
  type CirceMessage,
  type Head,
  knownHeaders,
  type MessageStatus,
  messageStatuses,
  type QuestionKind,
  replyHeader,
  requiredHeaders,
  rooster,
  sectionOf,
} from './schema.ts'

/** Longer headers are refused before they are parsed: the sender may be hostile. */
const longestHeaderLine = 8 * 1024
const longestHead = 64 * 1024

/** `further`: the configured intents. */
export function parseMessage(bytes: Uint8Array, further: readonly string[] = []): Parsed<CirceMessage> {
  const text = textOf(bytes)
  if (text === undefined) return malformed('NOT_UTF8', '', 'It is not UTF-8 text.')
  const tooLong = overlongHead(text)
  if (tooLong) return tooLong
  try {
    return read(bytes, text, further)
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error
    return malformed(error.code, '', error.message, error.hint)
  }
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined // A TypeError: not UTF-8.
  }
}

function overlongHead(text: string): Malformed | undefined {
  let from = 0
  for (let line = 1; from <= longestHead && from < text.length; line++) {
    const end = text.indexOf('\n', from)
    const to = end < 0 ? text.length : end
    if (to - from > longestHeaderLine && !text.startsWith('## ', from)) {
      return malformed(
        'BAD_HEADER',
        '',
        `Line ${line} has ${to - from} characters; a header line has at most ${longestHeaderLine}.`,
      )
    }
    const isEnd = text.startsWith('## ', from) || text.slice(from, to).trim() === ''
    if (isEnd || end < 0) return undefined
    from = end + 1
  }
  return from > longestHead
    ? malformed('BAD_HEADER', '', `The header has no end within ${longestHead} characters.`)
    : undefined
}

function read(bytes: Uint8Array, text: string, further: readonly string[]): Parsed<CirceMessage> {
  const { headers, lead, sections } = parseHeaderMarkdown(text)
  const found = new Map<string, { value: string; line: number }>()
  const problems: Problem[] = []
  const said = (name: string) => found.get(name)?.value ?? ''
  const wrong = (code: string, name: string, reason: string, line = found.get(name)?.line ?? 1) =>
    problems.push(problem(code, name, `line ${line}: \`${name}\` ${reason}`))

  let line = 2
  for (const [key, value] of headers) {
    const name = key.toLowerCase()
    if (found.has(name)) wrong('BAD_HEADER', name, 'is given twice', line)
    found.set(name, { value, line: line++ })
  }
  for (const name of requiredHeaders) {
    if (said(name) !== '') continue
    if (found.has(name)) wrong('MISSING_HEADER', name, 'is empty')
    else
      problems.push(
        problem('MISSING_HEADER', name, `there is no \`${name}\` among the headers (up to line ${line - 1})`),
      )
  }
  for (const name of ['from', 'to'] as const) {
    const who = said(name)
    if (who === '' || isAgentId(who) || isRooster(who) || (name === 'to' && isEverybody(who))) continue
    wrong('INVALID_AGENT_ID', name, `is not the name of an agent: ${quoted(who)}`)
  }
  const task = said('task_id') === '' ? undefined : said('task_id')
  if (task !== undefined && !isTaskId(task)) wrong('INVALID_TASK_ID', 'task_id', `is not a task: ${quoted(task)}`)
  if (task === undefined && needsTask(said('intent')))
    problems.push(
      problem(
        'MISSING_HEADER',
        'task_id',
        `line ${found.get('intent')!.line}: \`${said('intent')}\` needs a \`task_id\``,
      ),
    )
  const status = statusOf(said('status'))
  if (said('status') !== '' && status === undefined)
    wrong('BAD_STATUS', 'status', `is none of ${messageStatuses.join(', ')}: ${quoted(said('status'))}`)
  const time = timeOf(said('created_at'))
  if (said('created_at') !== '' && time === undefined)
    wrong('BAD_TIME', 'created_at', `is not a time in UTC, such as 2025-11-06T14:02:11Z: ${quoted(said('created_at'))}`)
  const [first, ...others] = problems
  if (first) return { outcome: 'malformed', problems: [first, ...others] }

  const isUnknown = !isKnownIntent(said('intent'), further)
  return {
    outcome: 'message',
    message: {
      bytes,
      from: said('from'),
      to: said('to'),
      intent: said('intent'),
      task: task as TaskId | undefined,
      status: status!,
      createdAt: said('created_at'),
      time: time!,
      replyTo: said(replyHeader) === '' ? undefined : said(replyHeader),
      summary: summaryOf(said('intent'), lead, sections),
      further: furtherHeaders(headers),
      asks: asksOf(said('from'), said('to'), said('intent'), text),
      headers,
      lead,
      sections,
    },
    problems: isUnknown
      ? [problem('UNKNOWN_INTENT', 'intent', `nobody knows the intent ${quoted(said('intent'))}`)]
      : [],
  }
}

/** Some programs write `done` for `completed`. */
export const statusOf = (text: string): MessageStatus | undefined =>
  text === 'done' ? 'completed' : messageStatuses.find((status) => status === text)

const utc = /(?:Z|[+-]00:?00)$/i

/** Milliseconds; `undefined` for a text that is no time in UTC. */
export const timeOf = (text: string): number | undefined => (utc.test(text) ? parseDateTime(text) : undefined)

const longestSummary = 160

const summaryOf = (intent: string, lead: string, sections: readonly Section[]): string =>
  summaryLine(sectionOf({ sections }, 'summary') || lead || sections[0]?.text || intent)

export function summaryLine(text: string): string {
  const line = printableLine(text.trim().split(/\r?\n/, 1)[0]!)
  return line.length > longestSummary ? `${line.slice(0, longestSummary - 1)}…`.toWellFormed() : line
}

/** Without `__proto__`: a header may have any name. */
const furtherHeaders = (headers: ReadonlyMap<string, string>): Record<string, string> =>
  Object.fromEntries([...headers].filter(([key]) => !isKnownHeader(key) && key !== '__proto__'))

const isKnownHeader = (key: string): boolean => knownHeaders.some((name) => name === key.toLowerCase())

const namesRooster = new RegExp(`\\b${rooster}\\b`, 'i')

function asksOf(from: string, to: string, intent: string, text: string): QuestionKind | undefined {
  if (isRooster(from)) return undefined
  if (intent === 'approval_request' && (isRooster(to) || namesRooster.test(text))) return 'approval'
  return intent === 'escalate' ? 'escalation' : isRooster(to) ? 'question' : undefined
}

/** A message without its text, which may be long. */
export function headOf({ bytes: _, headers: __, lead: ___, sections: ____, ...head }: CirceMessage): Head {
  return head
}

/** The text below the headers, as it was written. */
export function bodyOf({ bytes }: Pick<CirceMessage, 'bytes'>): string {
  const text = textOf(bytes) ?? ''
  for (let end = text.indexOf('\n'); end >= 0; ) {
    const from = end + 1
    end = text.indexOf('\n', from)
    if (text.startsWith('## ', from)) return text.slice(from)
    if (text.slice(from, end < 0 ? undefined : end).trim() === '') return end < 0 ? '' : text.slice(end + 1)
  }
  return ''
}

/**
 * The text of a sender that gave no sections: it is the only section, or the one after a summary that the envelope repeats whole.
 * For all other messages, the text below the headers.
 */
export function plainTextOf(message: CirceMessage): string {
  const { lead, sections } = message
  const [first, second, ...more] = sections
  const isPlain = lead === '' && first?.name === 'Summary' && more.length === 0
  if (isPlain && !second) return first.text
  if (isPlain && second?.name === 'Context' && first.text === message.summary) return second.text
  return bodyOf(message).trimEnd()
}

const listItem = /^(\s{0,3})(\d{1,3}[.)]|[-*+])\s+(.+)$/

/**
 * The answers that a message offers: the items of its list of options. A deeper list, or one without numbers below a numbered item,
 * belongs to that item: `2.` must mean what a reader of the message sees as 2.
 */
export function optionsOf(message: Pick<CirceMessage, 'sections'>): string[] {
  const lines = (sectionOf(message, 'options') ?? '').split('\n').map((line) => ({ line, item: listItem.exec(line) }))
  const first = lines.find(({ item }) => item)?.item
  const isNumbered = (item: RegExpExecArray | null | undefined) =>
    item !== null && item !== undefined && /\d/.test(item[2]!)
  const isTop = (item: RegExpExecArray) => item[1]!.length <= first![1]!.length
  const lastNumber = isNumbered(first) ? lines.findLastIndex(({ item }) => item && isNumbered(item) && isTop(item)) : -1
  const options: string[] = []
  for (const [n, { line, item }] of lines.entries()) {
    if (item && isTop(item) && (n > lastNumber || isNumbered(item))) options.push(item[3]!.trim())
    else if (options.length > 0 && line.trim() !== '') options[options.length - 1] += ` ${line.trim()}`
  }
  return options
}

/** The text of a new message. Throws for a draft whose text would be parsed as something else. */
export function printMessage(draft: CirceDraft): string {
  const { from, to, intent, task, status, time, replyTo, headers: further, lead, sections } = draft
  const clash = further.find(([key]) => isKnownHeader(key) || key.toLowerCase() === replyHeader)
  if (clash) {
    throw invalidInput('BAD_HEADER', `\`${printableLine(clash[0].slice(0, 40))}\` has an input of its own.`, {
      hint: 'Leave it out of the headers.',
    })
  }
  const names = further.map(([key]) => key.toLowerCase())
  const twice = names.find((name, n) => names.indexOf(name) !== n)
  if (twice !== undefined) {
    throw invalidInput('BAD_HEADER', `\`${printableLine(twice.slice(0, 40))}\` is given twice.`, {
      hint: 'Give each header once.',
    })
  }
  const headers = new Map<string, string>([
    ['from', from],
    ['to', to],
    ['intent', intent],
    ...(task === undefined ? [] : [['task_id', task] as const]),
    ['status', status],
    ['created_at', isoTime(time)],
    ...(replyTo === undefined ? [] : [[replyHeader, replyTo] as const]),
    ...further,
  ])
  const text = printHeaderMarkdown({ headers, lead, sections })
  const parsed = parseMessage(Buffer.from(text), [intent])
  if (parsed.outcome === 'malformed') throw notSendable(parsed.problems)
  const lost = sections.find(({ name, text: said }, n) => {
    const read = parsed.message.sections[n]
    return read?.name !== name.trim() || read.text !== linesOf(said)
  })
  if (lost) throw swallowed(lost.name)
  return text
}

/** The text of a section as it is parsed: with plain line ends, and without the blank lines around it. */
function linesOf(text: string): string {
  const lines = text.split(/\r?\n/)
  while (lines.at(-1)?.trim() === '') lines.pop()
  const first = lines.findIndex((line) => line.trim() !== '')
  return lines.slice(Math.max(0, first)).join('\n')
}

const swallowed = (name: string): SignalboxError =>
  invalidInput('BAD_SECTION', `The section ${quoted(name)} would not be read as it was given.`, {
    hint: 'A text cannot hold `## ` headings of its own, and a fence of code must be closed before the next section.',
    details: { section: name.slice(0, 80) },
  })

export const notSendable = (problems: readonly Problem[]): SignalboxError =>
  invalidInput('NOT_A_MESSAGE', `This cannot be sent: ${problems.map(({ message }) => message).join(' ')}`, {
    hint: problems[0]?.hint ?? 'Correct it; nothing was written.',
    details: { problems },
  })

const quoted = (text: string): string => printableLine(JSON.stringify(text.slice(0, 80)))

const problem = (code: string, field: string, reason: string): Problem => ({
  code,
  field,
  message: `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`,
})

const malformed = (code: string, field: string, message: string, hint?: string): Malformed => ({
  outcome: 'malformed',
  problems: [{ code, field, message, ...(hint === undefined ? {} : { hint }) }],
})
