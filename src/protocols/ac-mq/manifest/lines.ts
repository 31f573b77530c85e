/** A manifest line by line. Headings are recognised by their words, at any level, because people write them. AC-MQ §5. */

import { readFields, splitFrontMatter } from '../../../formats/front-matter.ts'
import type { Fields } from '../../../formats/header-field.ts'
import { SignalboxError } from '../../../kernel/errors.ts'

export type ManifestSection = 'title' | 'objective' | 'overview' | 'status' | 'milestones' | 'context' | 'other'

export interface Line {
  readonly number: number
  readonly at: number
  /** Without its line end. Comments are replaced by blanks, so that positions stay the same. */
  readonly text: string
  readonly kind: 'text' | 'heading' | 'fence' | 'code'
  readonly section: ManifestSection
  /** The words of a heading; the words before the colon in `Status: active`. */
  readonly label?: string
  /** The words after the colon of a label; for a line of code, the words after the opening fence. */
  readonly value?: string
}

export interface ManifestProblem {
  readonly line: number
  readonly text: string
  readonly reason: string
}

/** The front matter of a manifest and its lines. A header that cannot be read becomes a problem; the rest is read. */
export function readManifestText(text: string) {
  let fields: Fields = new Map()
  const problems: ManifestProblem[] = []
  let bodyStart = text.charCodeAt(0) === 0xfeff ? 1 : 0
  try {
    const place = splitFrontMatter(text)
    bodyStart = place?.bodyStart ?? bodyStart
    if (place) fields = readFields(text.slice(place.headerStart, place.headerEnd), 2)
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error
    const { line = 1, reason = error.message } = error.details
    problems.push({ line: Number(line), text: '---', reason: String(reason) })
  }
  const firstLine = text.slice(0, bodyStart).split(/\r\n|\n|\r/).length
  return { fields, problems, lines: readLines(text, bodyStart, firstLine) }
}

/** Reads `text` from `from`, which is the first character of line `firstLine`. */
function readLines(text: string, from: number, firstLine: number): Line[] {
  const raw = rawLines(text, from)
  const lines: Line[] = []
  const stack: { level: number; section: ManifestSection }[] = []
  let fence: { mark: string; info: string } | undefined
  let inComment = false
  for (const [i, { at, text: source }] of raw.entries()) {
    const number = firstLine + i
    const section = stack.at(-1)?.section ?? 'title'
    if (fence) {
      const isEnd = isClosing(source, fence.mark)
      lines.push({ number, at, text: source, kind: isEnd ? 'fence' : 'code', section, value: fence.info })
      if (isEnd) fence = undefined
      continue
    }
    const shown = blankComments(source, inComment)
    inComment = shown.isOpen
    const opening = /^\s*(?:[-*+]\s+)?(`{3,}|~{3,})([^`]*)$/.exec(shown.text)
    if (opening) {
      fence = { mark: opening[1]!, info: opening[2]!.trim() }
      lines.push({ number, at, text: shown.text, kind: 'fence', section })
      continue
    }
    const heading = headingOf(shown.text, raw[i + 1]?.text)
    if (!heading) {
      lines.push({ number, at, text: shown.text, kind: 'text', section, ...labelOf(shown.text) })
      continue
    }
    while (stack.length > 0 && stack.at(-1)!.level >= heading.level) stack.pop()
    const isTitle =
      heading.level === 1 && !lines.some(({ kind }) => kind === 'heading') && !isSectionName(heading.title)
    const found = isTitle ? 'title' : sectionOf(heading.title)
    // An unknown heading belongs to the section of the known heading above it.
    const own = found === 'other' ? (stack.at(-1)?.section ?? 'other') : found
    stack.push({ level: heading.level, section: own === 'title' && !isTitle ? 'other' : own })
    lines.push({ number, at, text: shown.text, kind: 'heading', section: stack.at(-1)!.section, label: heading.title })
  }
  return lines
}

/** True for a line that is read as a heading, fence, rule or task. `printManifest` escapes it in an objective. */
export const isStructure = (line: string, next: string | undefined): boolean =>
  headingOf(line, next) !== undefined ||
  /^\s*(?:(?:[-*+]\s+)?(?:`{3,}|~{3,})|={2,}\s*$|-{2,}\s*$)/.test(line) ||
  taskMark.test(line)

/** Groups: all before the mark of a task-list item; the mark; the title. */
export const taskMark = /^((?:\s|>)*(?:[-*+]|\d+[.)])\s+\[)([ xX✓✔~/-]?)\](?:\s+(.*))?$/

function rawLines(text: string, from: number): { at: number; text: string }[] {
  const lines: { at: number; text: string }[] = []
  const ends = /\r\n|\n|\r/g
  ends.lastIndex = from
  let at = from
  for (let end = ends.exec(text); end; end = ends.exec(text)) {
    lines.push({ at, text: text.slice(at, end.index) })
    at = ends.lastIndex
  }
  if (at < text.length) lines.push({ at, text: text.slice(at) })
  return lines
}

function blankComments(source: string, inComment: boolean): { text: string; isOpen: boolean } {
  let text = ''
  let isOpen = inComment
  for (let i = 0; i < source.length; ) {
    const mark = source.indexOf(isOpen ? '-->' : '<!--', i)
    const isEscaped = !isOpen && mark > 0 && source[mark - 1] === '\\'
    const end = mark < 0 ? source.length : isOpen ? mark + 3 : isEscaped ? mark + 4 : mark
    text += isOpen ? ' '.repeat(end - i) : source.slice(i, end)
    if (mark >= 0 && !isEscaped) isOpen = !isOpen
    i = end
  }
  return { text, isOpen }
}

const isClosing = (line: string, mark: string): boolean => {
  const trimmed = line.trim()
  return trimmed.length >= mark.length && trimmed === mark[0]!.repeat(trimmed.length)
}

/** The level of a bold line or a label that serves as a heading: below all `#` headings. */
const handMade = 7

function headingOf(line: string, next: string | undefined): { level: number; title: string } | undefined {
  const atx = /^ {0,3}(#{1,6})(?:[ \t]+|(?=[A-Za-z])(?<=##))(.*?)[ \t]*#*[ \t]*$/.exec(line)
  if (atx) return { level: atx[1]!.length, title: atx[2]! }
  const words = line.trim()
  if (words === '' || words.length > 80 || /^[-*+>]\s/.test(words)) return undefined
  if (next !== undefined && /^ {0,3}={2,}\s*$/.test(next)) return { level: 1, title: words }
  if (next !== undefined && /^ {0,3}-{2,}\s*$/.test(next) && isSectionName(words)) return { level: 2, title: words }
  const bold = /^(?:\*\*|__)(?!\s)(.+?):?(?:\*\*|__)\s*:?$/.exec(words)
  if (bold && isSectionName(bold[1]!)) return { level: handMade, title: bold[1]! }
  const label = /^([^:\\]{3,40}):$/.exec(words)
  return label && isSectionName(label[1]!) ? { level: handMade, title: label[1]! } : undefined
}

/** `Status: active`, `**Status:** active`, `- **Status**: active`. */
function labelOf(line: string): { label: string; value: string } | undefined {
  const found =
    /^\s*(?:[-*+]\s+)?(?:\*\*|__)?([A-Za-z][A-Za-z -]{2,30}?)(?::(?:\*\*|__)?|(?:\*\*|__)\s*:)\s+(\S.*)$/.exec(line)
  return found && isSectionName(found[1]!) && !/^(?:the|a|an|this|our)\s/i.test(found[1]!)
    ? { label: found[1]!, value: found[2]!.trim() }
    : undefined
}

const sectionWords: readonly (readonly [ManifestSection, RegExp])[] = [
  ['objective', /\b(objectives?|goals?|purpose|aims?|mission statement)\b/],
  ['overview', /\b(overview|summary|description|vision|introduction|about)\b/],
  ['status', /\b(status|state|progress|phase)\b/],
  ['milestones', /\b(milestones?|roadmap|to-?dos?|tasks?|checklist|plan|steps|deliverables)\b/],
  [
    'context',
    /\b(context|globs?|patterns?|files?|paths?|pointers?|references?|resources?|artifacts?|findings?|inputs?|materials?|sources?|documents?|docs|reading|hydration|sub-?missions?)\b/,
  ],
]

/** The section whose word comes first: `Status and milestones` is the section `status`. */
export function sectionOf(title: string): ManifestSection {
  const words = title.toLowerCase()
  let best: ManifestSection = 'other'
  let bestAt = Number.POSITIVE_INFINITY
  for (const [section, pattern] of sectionWords) {
    const at = words.search(pattern)
    if (at < 0 || at >= bestAt) continue
    best = section
    bestAt = at
  }
  return best
}

/** True for a few words that name a section, false for a sentence that contains such a word. */
const isSectionName = (title: string): boolean =>
  sectionOf(title) !== 'other' && title.split(/\s+/).length <= 4 && !/[.!?`]/.test(title)
