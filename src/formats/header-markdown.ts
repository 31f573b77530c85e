/**
 * Markdown with a head: a title line, `key: value` lines up to the first blank line, then sections under `## `
 * headings. Every section is kept in its order, known or not. Spec: CIRCE, message schema.
 */
import { corrupt, invalidInput, type SignalboxError } from '../kernel/errors.ts'
import { printableLine } from '../kernel/printable.ts'

export interface Section {
  readonly name: string
  /** Without the blank lines around it. */
  readonly text: string
}

export interface HeaderMarkdown {
  /** In the order of the file. */
  readonly headers: ReadonlyMap<string, string>
  /** The text before the first section; usually none. */
  readonly lead: string
  readonly sections: readonly Section[]
}

const title = '# MESSAGE'

/** Reads text with any line ends, with or without a byte-order mark. */
export function parseHeaderMarkdown(text: string): HeaderMarkdown {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/)
  if (lines[0]!.trimEnd() !== title) throw badHeader(1, `it does not begin with \`${title}\``)
  const headers = new Map<string, string>()
  let at = 1
  for (; at < lines.length && lines[at]!.trim() !== '' && !isSectionHead(lines[at]!); at++) {
    const [key, value] = parseHeaderLine(lines[at]!, at + 1)
    if (headers.has(key)) throw badHeader(at + 1, `\`${key}\` is given twice`)
    headers.set(key, value)
  }
  const [lead, ...sections] = splitSections(lines.slice(at), (line, n) => {
    if (line.trimEnd() === title) throw badHeader(at + n + 1, `a second \`${title}\` begins here`)
  })
  return { headers, lead: lead!.text, sections }
}

/** The inverse: what it prints, `parseHeaderMarkdown` reads back as given. */
export function printHeaderMarkdown(message: HeaderMarkdown): string {
  const head = [title, ...Array.from(message.headers, printHeaderLine)].join('\n')
  const blocks = [head, trimBlankLines(message.lead.split(/\r?\n/)), ...message.sections.map(printSection)]
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`
}

function parseHeaderLine(line: string, number: number): [key: string, value: string] {
  const colon = line.indexOf(':')
  const key = line.slice(0, Math.max(0, colon)).trim()
  if (key === '') throw badHeader(number, `\`${line.slice(0, 40)}\` is not \`key: value\``)
  return [key, line.slice(colon + 1).trim()]
}

function printHeaderLine([key, value]: [string, string]): string {
  if (!/^[A-Za-z_][A-Za-z0-9_.-]*$/.test(key))
    throw badField(key, 'a key is one word of letters, digits, `_`, `.`, `-`')
  // Otherwise a value could add a header line.
  if (/[\r\n]/.test(value)) throw badField(key, 'a value is one line')
  return `${key}: ${value.trim()}`.trimEnd()
}

function printSection({ name, text }: Section): string {
  if (/[\r\n]/.test(name) || name.trim() === '') throw badField(name, 'the name of a section is one line')
  const trimmed = trimBlankLines(text.split(/\r?\n/))
  return `## ${name.trim()}${trimmed === '' ? '' : '\n'}${trimmed}`
}

const isSectionHead = (line: string): boolean => line.startsWith('## ') && line.trim() !== '##'

/** The lead first, under an empty name, then the sections. Headings inside fenced code are code; `judge` sees the others. */
function splitSections(lines: readonly string[], judge: (line: string, n: number) => void): Section[] {
  const sections: Section[] = []
  let name = ''
  let from = 0
  let fence = ''
  const close = (end: number) => sections.push({ name, text: trimBlankLines(lines.slice(from, end)) })
  for (const [at, line] of lines.entries()) {
    fence = fenceAfter(fence, line)
    if (fence === '') judge(line, at)
    if (fence !== '' || !isSectionHead(line)) continue
    close(at)
    name = line.slice(3).trim()
    from = at + 1
  }
  close(lines.length)
  return sections
}

/** The fence still open after `line`, or `''`. A fence is closed by one of the same sign, at least as long. */
function fenceAfter(open: string, line: string): string {
  const marks = /^ {0,3}(`{3,}|~{3,})(.*)$/s.exec(line)
  if (!marks) return open
  const [, fence, rest] = marks as unknown as [string, string, string]
  if (open === '') return fence[0] === '`' && rest.includes('`') ? '' : fence
  return fence[0] === open[0] && fence.length >= open.length && rest.trim() === '' ? '' : open
}

function trimBlankLines(lines: readonly string[]): string {
  let from = 0
  let to = lines.length
  while (from < to && lines[from]!.trim() === '') from++
  while (to > from && lines[to - 1]!.trim() === '') to--
  return lines.slice(from, to).join('\n')
}

const badHeader = (line: number, reason: string): SignalboxError =>
  corrupt('BAD_HEADER', `Message header, line ${line}: ${printableLine(reason)}.`, {
    hint: 'Write the title, then `key: value` lines, then a blank line.',
    details: { line, reason },
  })

const badField = (name: string, reason: string): SignalboxError =>
  invalidInput('BAD_HEADER', `Cannot write ${JSON.stringify(name.slice(0, 40))} into a message: ${reason}.`, {
    hint: 'Move text of several lines into a section.',
    details: { name: name.slice(0, 40), reason },
  })
