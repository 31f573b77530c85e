/**
 * What an agent adds to a message that it ends: the result, or the reason why it failed. Spec: AC-MQ §4.3, §4.4, §8.1.
 *
 *     ---
 *
 *     **Failure Report**
 *
 *     - Time: 2025-07-04T11:30:00Z
 *     - Agent: gemini
 *     - Reason: The schema names a table twice.
 *
 *     > Detail, one or many lines.
 *
 * Text of an agent is put on one line or quoted line by line, so that it cannot begin another block. If nothing closes the
 * header of the file, the `---` gets a blank before it: otherwise it would close the header.
 */
import { bufferOf, splitFrontMatter } from '../../formats/front-matter.ts'
import { isoTime, parseTime } from './times.ts'

export interface Failure {
  /** `undefined` where another program wrote the report in another form. */
  readonly at: number | undefined
  readonly agent: string | undefined
  readonly reason: string
  readonly detail?: string
}

export interface Result {
  readonly at: number | undefined
  readonly agent: string | undefined
  readonly text: string
  /** Files of the mission, relative to it, or URLs. */
  readonly links: readonly string[]
}

type Title = 'Failure Report' | 'Result'

/** Adds a failure report. Works on any bytes, because a file that is no message gets one too. */
export function withFailure(bytes: Uint8Array, failure: Signed & Pick<Failure, 'reason' | 'detail'>): Buffer {
  // A reason is one line; its further lines become detail.
  const [reason, ...rest] = linesOf(failure.reason.trim())
  const detail = [...rest, ...(failure.detail ? [failure.detail] : [])].join('\n')
  const items = [...signature(failure), item('Reason', reason || 'none given')]
  return append(bytes, 'Failure Report', items, detail)
}

export function withResult(bytes: Uint8Array, result: Signed & Pick<Result, 'text' | 'links'>): Buffer {
  const links = result.links.map((link) => item('Link', printLink(oneLine(link))))
  return append(bytes, 'Result', [...signature(result), ...links], result.text)
}

interface Signed {
  readonly agent: string
  readonly at: number
}

const signature = ({ agent, at }: Signed): string[] => [item('Time', isoTime(at)), item('Agent', oneLine(agent))]

const item = (name: string, value: string): string => `- ${name}: ${value}`

// Includes the characters that only some programs take for line ends: there, too, each line must be quoted.
const lineEnds = /\r\n|[\n\r\v\f\x1c-\x1e\u0085\u2028\u2029]/

const linesOf = (text: string): string[] => text.split(lineEnds)

const oneLine = (text: string): string => linesOf(text).join(' ').trim()

const rule = '---'

/**
 * Where the header ends, without its closing line, which may be the `---` of another program's report. 0 for a file without a
 * header, `undefined` for a header without a closing line.
 */
function headerEndOf(bytes: Uint8Array): number | undefined {
  try {
    return splitFrontMatter(bytes)?.headerEnd ?? 0
  } catch {
    return undefined // BAD_FRONT_MATTER
  }
}

function append(bytes: Uint8Array, title: Title, items: readonly string[], text: string): Buffer {
  const eol = eolOf(bytes)
  const quoted = linesOf(text).map((line) => (line === '' ? '>' : `> ${line}`))
  while (quoted.at(-1) === '>') quoted.pop()
  const lines = [
    headerEndOf(bytes) === undefined ? ` ${rule}` : rule,
    '',
    `**${title}**`,
    '',
    ...items,
    ...(quoted.length > 0 ? ['', ...quoted] : []),
    '',
  ]
  return Buffer.concat([bytes, Buffer.from(gapAfter(bytes, eol) + lines.join(eol))])
}

/** The line ends that are missing for a blank line: without one, Markdown makes a heading of the line above `---`. */
function gapAfter(bytes: Uint8Array, eol: string): string {
  const end = bufferOf(bytes).toString('latin1', Math.max(0, bytes.length - 4))
  if (/\n\r?\n$/.test(end)) return ''
  return end === '' || end.endsWith('\n') ? eol : eol + eol
}

function eolOf(bytes: Uint8Array): string {
  const end = bytes.indexOf(0x0a)
  return end > 0 && bytes[end - 1] === 0x0d ? '\r\n' : '\n'
}

/** The last failure report. Other programs may have written it freely under the specification's heading. */
export function failureOf(bytes: Uint8Array): Failure | undefined {
  const block = lastBlock(bytes, 'Failure Report')
  if (!block) return undefined
  const [first = '', ...others] = linesOf(block.text)
  const { at, agent } = block
  const reason = block.values.get('Reason')?.[0]
  const detail = reason === undefined ? others.join('\n').trim() : block.text
  return { at, agent, reason: reason ?? first.trim(), ...(detail === '' ? {} : { detail }) }
}

export function resultOf(bytes: Uint8Array): Result | undefined {
  const block = lastBlock(bytes, 'Result')
  if (!block) return undefined
  const { at, agent, text, values } = block
  return { at, agent, text, links: (values.get('Link') ?? []).map(readLink) }
}

const nextBlock = /\n ?---[ \t]*\r?\n\s*\*\*(?:Failure Report|Result)\*\*[ \t]*\r?(?:\n|$)/

/** True for an empty text, and for what `withResult` or `withFailure` appends. */
export const isReport = (text: string): boolean => text === '' || nextBlock.exec(`\n${text.trimStart()}`)?.index === 0

function lastBlock(bytes: Uint8Array, title: Title) {
  const buffer = bufferOf(bytes)
  const heading = `**${title}**`
  const blocksStart = headerEndOf(bytes) ?? 0
  for (
    let at = buffer.lastIndexOf(heading);
    at >= blocksStart;
    at = at === 0 ? -1 : buffer.lastIndexOf(heading, at - 1)
  ) {
    if (!opensBlock(buffer, at, at + heading.length, blocksStart)) continue
    const text = buffer.toString('utf8', at + heading.length)
    const next = nextBlock.exec(text)
    return readBlock(next ? text.slice(0, next.index) : text)
  }
  return undefined
}

/** True when the heading stands alone on its line, below a `---` line. */
function opensBlock(buffer: Buffer, start: number, end: number, blocksStart: number): boolean {
  if (!/^[ \t]*(?:\r?\n|\r?$)/.test(buffer.toString('latin1', end, end + 80))) return false
  if (buffer[start - 1] !== 0x0a) return false
  let at = start - 1
  while (at >= blocksStart && isBlank(buffer[at]!)) at--
  const ruleStart = at - 2
  if (ruleStart < blocksStart || buffer.toString('latin1', ruleStart, at + 1) !== rule) return false
  const lineStart = buffer[ruleStart - 1] === 0x20 ? ruleStart - 1 : ruleStart
  return lineStart <= blocksStart || buffer[lineStart - 1] === 0x0a
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d

function readBlock(text: string) {
  const lines = text.split(/\r?\n/)
  const values = new Map<string, string[]>()
  let at = skipBlank(lines, 1)
  for (; at < lines.length; at++) {
    const [, name, value] = /^- (Time|Agent|Reason|Link): (.*)$/s.exec(lines[at]!) ?? []
    if (name === undefined || value === undefined) break
    values.set(name, [...(values.get(name) ?? []), value])
  }
  const rest = lines.slice(skipBlank(lines, at))
  while (rest.length > 0 && rest.at(-1)!.trim() === '') rest.pop()
  const isQuoted = rest.every((line) => line.startsWith('>'))
  return {
    at: parseTime(values.get('Time')?.[0] ?? ''),
    agent: values.get('Agent')?.[0],
    values,
    text: (isQuoted ? rest.map((line) => line.replace(/^> ?/, '')) : rest).join('\n'),
  }
}

function skipBlank(lines: readonly string[], from: number): number {
  let at = from
  while (at < lines.length && lines[at]!.trim() === '') at++
  return at
}

// From `queue/completed/` to the mission.
const toMission = '../../'
const plainPath = /^[A-Za-z0-9_][A-Za-z0-9_./-]*$/

/** A file of the mission becomes a link that works in an editor; anything else stays as it is. */
function printLink(link: string): string {
  if (plainPath.test(link)) return `[${link}](${toMission}${link})`
  return /^[[\\]/.test(link) ? `\\${link}` : link
}

function readLink(printed: string): string {
  if (printed.startsWith('\\')) return printed.slice(1)
  const [, link, target] = /^\[(.*)\]\((.*)\)$/.exec(printed) ?? []
  return link !== undefined && target === toMission + link ? link : printed
}
