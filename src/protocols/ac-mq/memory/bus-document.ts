/**
 * A bus document: header, table, summary and log of messages that belong together, as Markdown. AC-MQ §13.1, §13.3. The checksum in
 * its header shows whether a person has changed it.
 */
import { groupBy } from '../../../kernel/group-by.ts'
import { inlineCode, quote } from '../../../kernel/quotation.ts'
import type { AcmqViewWithBody } from '../store/view.ts'
import { compactOf } from '../times.ts'
import { contentDigest, logHeading, logStart, quoteMark } from './generated.ts'
import { plainText, printTable } from './plain-text.ts'

export type Trigger = 'similarity' | 'chain' | 'milestone' | 'query'

type Told = 'id' | 'name' | 'createdAt' | 'from' | 'to' | 'summary' | 'body'

export interface BusMessage extends Pick<AcmqViewWithBody, Told> {
  readonly status: string
  /** Why it is in the document, where that is not said by the trigger. */
  readonly why?: string
}

export interface BusContent {
  readonly title: string
  readonly trigger: Trigger
  /** What found the messages, in words; for `query` the query itself. */
  readonly query: string
  readonly provider: string
  readonly summaryBy: string
  readonly summary: string
  /** What a model was shown, so that it is asked again only when that has changed. */
  readonly summaryOf?: string
  readonly messages: readonly BusMessage[]
  /** The document that this one replaces, because a person or another program changed it. */
  readonly insteadOf?: string
}

/** A document names so many of its first messages: by these a group that has grown finds its document again. */
const mostAnchors = 16

/** The document, and the parts in which its log goes on. */
export function printBus(content: BusContent, generatedAt: string, mostBytes: number) {
  const { title, messages, summary } = content
  const entries = logEntries(messages)
  const head = `\n## Summary Table\n\n${tableOf(messages)}\n## Thematic Summary\n\n${summary.trim()}\n\n${logHeading}\n`
  const [first = '', ...others] = divide(entries, mostBytes, Buffer.byteLength(head) + 1024)
  const name = `# Message Bus: ${plainText(title, 80)}`
  const partName = (n: number) => `${name} (part ${n} of ${others.length + 1})`
  const parts = others.map((log, i) => checked(`${partName(i + 2)}\n\n`, [], `${logHeading}\n${log}`, generatedAt))
  return { main: checked(`${name}\n\n`, headerOf(content, parts.length), head + first, generatedAt), parts }
}

function headerOf(
  { query, messages, trigger, provider, summaryBy, summaryOf, insteadOf }: BusContent,
  parts: number,
): string[] {
  return [
    `**Query:** ${plainText(query, 1000)}`,
    `**Messages Included:** ${messages.length}`,
    `**Trigger:** ${trigger}`,
    `**Provider:** ${plainText(provider, 100)}`,
    summaryByLine(summaryBy),
    `**Began With:** ${messages
      .slice(0, mostAnchors)
      .map(({ id }) => inlineCode(id))
      .join(' ')}`,
    ...(summaryOf === undefined ? [] : [`**Summary Of:** ${inlineCode(summaryOf)}`]),
    ...(parts > 0 ? [`**Parts:** ${parts + 1}`] : []),
    ...(insteadOf === undefined ? [] : [`**Instead Of:** ${inlineCode(insteadOf)}, which somebody changed`]),
  ]
}

/** The time is left out of the checksum: a document that says the same as before stays as it is. */
function checked(title: string, header: readonly string[], rest: string, generatedAt: string): string {
  const lines = header.map((line) => `${line}\n`).join('')
  return `${title}**Generated:** ${generatedAt}\n${lines}**Check:** \`${contentDigest(`${title}${lines}${rest}`)}\`\n${rest}`
}

export interface BusHead {
  readonly title: string
  readonly query: string
  readonly trigger: string
  readonly provider: string
  readonly summaryBy: string
  readonly summaryOf: string
  readonly summary: string
  readonly anchors: readonly string[]
  readonly messages: number
  readonly parts: number
  readonly check: string
  readonly isOurs: boolean
}

const checkLine = /^\*\*Check:\*\* `([0-9a-f]{32})`\n/m
const timeLine = /^\*\*Generated:\*\* .*\n/m

export function readBus(text: string): BusHead | undefined {
  const title = /^# Message Bus: (.*)\n/.exec(text)?.[1]
  const head = text.slice(0, 16 * 1024)
  const check = checkLine.exec(head)?.[1]
  if (title === undefined || check === undefined) return undefined
  const field = (name: string) => new RegExp(`^\\*\\*${name}:\\*\\* (.*)$`, 'm').exec(head)?.[1] ?? ''
  return {
    title,
    query: field('Query'),
    trigger: field('Trigger'),
    provider: field('Provider'),
    summaryBy: field('Summary By'),
    summaryOf: field('Summary Of').replaceAll('`', ''),
    summary: text.slice(...placeOfSummary(text)).trim(),
    anchors: [...field('Began With').matchAll(/`([^`]+)`/g)].map(([, id]) => id!),
    messages: Number(field('Messages Included')) || 0,
    parts: Math.min(10_000, Number(field('Parts')) || 1),
    check,
    isOurs: contentDigest(text.replace(timeLine, '').replace(checkLine, '')) === check,
  }
}

/** Where the summary stands: between its heading and the log. */
function placeOfSummary(text: string): [start: number, end: number] {
  const heading = text.indexOf(summaryHeading)
  const start = heading + summaryHeading.length
  const end = heading < 0 ? undefined : logStart(text, start)
  return end === undefined ? [0, 0] : [start, end]
}

const headLines = /^(# Message Bus: .*\n\n)\*\*Generated:\*\* .*\n((?:.+\n)*?)\*\*Check:\*\* .*\n/

/** The same document with another summary; `undefined` if the text is no bus document. Reads none of its messages. */
export function withSummary(
  text: string,
  { summary, summaryBy }: Pick<BusContent, 'summary' | 'summaryBy'>,
  generatedAt: string,
): string | undefined {
  const [head, title, lines] = headLines.exec(text) ?? []
  const [start, end] = placeOfSummary(text)
  if (head === undefined || title === undefined || lines === undefined || start < head.length) return undefined
  const header = lines
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('**Summary Of:**'))
    .map((line) => (line.startsWith('**Summary By:**') ? summaryByLine(summaryBy) : line))
  const rest = `${text.slice(head.length, start)}${summary.trim()}\n\n${text.slice(end)}`
  return checked(title, header, rest, generatedAt)
}

const summaryByLine = (summaryBy: string): string => `**Summary By:** ${plainText(summaryBy, 100)}`

const summaryHeading = '\n## Thematic Summary\n\n'

/** The query as it stands in a header, to find the document of the same one. */
export const printedQuery = (query: string): string => plainText(query, 1000)

const tableOf = (messages: readonly BusMessage[]): string =>
  printTable(
    ['Timestamp', 'From', 'To', 'Summary', 'Status'],
    messages.map(({ createdAt, from, to, summary, status }) => [compactOf(createdAt), from, to, summary, status]),
  )

function logEntries(messages: readonly BusMessage[]): string[] {
  const byText = groupBy(messages, ({ body }) => body)
  const mark = quoteMark([...byText.keys()].join('\0'))
  return [...byText].map(([body, same]) => {
    const files = same.map(
      ({ name, why }) => `**File:** ${inlineCode(name)}${why === undefined ? '' : `  \n**Why:** ${plainText(why)}`}`,
    )
    return `\n---\n${files.join('  \n')}\n\n${quote(body, mark)}`
  })
}

function divide(entries: readonly string[], mostBytes: number, taken: number): string[] {
  const parts = ['']
  let left = mostBytes - taken
  for (const entry of entries) {
    const size = Buffer.byteLength(entry)
    const isNewPart = parts.length > 1 && parts.at(-1) === ''
    if (size > left && !isNewPart) {
      parts.push('')
      left = mostBytes
    }
    parts[parts.length - 1] += entry
    left -= size
  }
  return parts
}
