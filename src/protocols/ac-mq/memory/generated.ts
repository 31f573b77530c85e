/** Files that this program makes of a mission: never grouped or summarised, and hydrated only in part. */
import { hash } from 'node:crypto'
import { fromCompact } from '../times.ts'

export const busFolder = 'findings'
export const snapshotFolder = 'artifacts/queue-snapshots'
export const logHeading = '## Full Message Log'
/** The first line of every report and cluster README that is made here, after its title. */
export const generatedMark = '<!-- made by Signalbox -->'

const busName = /^bus-document-.+-\d{14}(?:-part-(\d+))?\.md$/

export const isBusName = (name: string): boolean => busName.test(name)
/** When it was first written, as its name says. */
export const busTime = (name: string): string => fromCompact(/-(\d{14})(?:-part-\d+)?\.md$/.exec(name)?.[1] ?? '') ?? ''
export const isBusPart = (name: string): boolean => busName.exec(name)?.[1] !== undefined

export const isGeneratedPath = (path: string): boolean =>
  path.startsWith(`${snapshotFolder}/`) ||
  (path.startsWith(`${busFolder}/`) && isBusName(path.slice(busFolder.length + 1)))

/** Looks at the first lines alone, so that another author's text that quotes a generated file does not count as one. */
export const saysGenerated = (text: string): boolean => generatedStart.test(text)

const generatedStart = new RegExp(`^# [^\\n]*\\n\\n${generatedMark}\\n`)

const isClusterReadme = (path: string): boolean => /^context\/[^/]+\/README\.md$/.test(path)

/** Nothing of these is hydrated, whatever they say. */
export const isNeverHydrated = (path: string): boolean =>
  path.startsWith(`${snapshotFolder}/`) || (isGeneratedPath(path) && isBusPart(path.slice(busFolder.length + 1)))

/** What hydration takes of a file: all of it; of a bus document all but its log; `undefined`, nothing, of snapshots and reports. */
export function hydratedText(path: string, text: string): string | undefined {
  if (isNeverHydrated(path)) return undefined
  if (isGeneratedPath(path)) return headOf(text)
  return saysGenerated(text) && !isClusterReadme(path) ? undefined : text
}

/** So many rows of a table tell what a document is about: the first and the last ones. */
const mostRows = 40

/** Where the log of a bus document begins: at its heading, but not at one inside a quotation. */
export function logStart(text: string, from = 0): number | undefined {
  let fence: string | undefined
  let at = from
  for (const line of text.slice(from).split('\n')) {
    if (fence === undefined && line === logHeading) return at
    if (fence === undefined) fence = /^(`{3,}|~{3,})/.exec(line)?.[1]
    else if (line === fence) fence = undefined
    at += line.length + 1
  }
  return undefined
}

/** Header, table and summary of a bus document. */
const headOf = (text: string): string => withShortTable(text.slice(0, logStart(text)).split('\n')).join('\n')

function withShortTable(lines: readonly string[]): readonly string[] {
  const start = lines.findIndex((line) => /^\| --- \|/.test(line)) + 1
  const end = lines.findIndex((line, at) => at >= start && !line.startsWith('| '))
  const rows = start === 0 || end < 0 ? 0 : end - start
  if (rows <= mostRows) return lines
  const half = mostRows / 2
  const left = `| … | | | ${rows - mostRows} more messages | |`
  return [...lines.slice(0, start + half), left, ...lines.slice(end - half)]
}

export const withCheck = (body: string): string => `${body}\n${checkLine(body)}`

const checkLine = (body: string): string => `<!-- check ${contentDigest(body)} -->\n`

export function isAsWritten(text: string): boolean {
  const at = text.lastIndexOf('\n<!-- check ')
  return at > 0 && text.slice(at + 1) === checkLine(text.slice(0, at))
}

/** Marks a quotation of this text. Its author cannot know the mark in advance, and so cannot end the quotation. */
export const quoteMark = (text: string): string => `quote-${contentDigest(text).slice(0, 8)}`

/** Names what was compared, shown or written: 32 hexadecimal digits. */
export const contentDigest = (text: string | Uint8Array): string => hash('sha256', text, 'hex').slice(0, 32)
