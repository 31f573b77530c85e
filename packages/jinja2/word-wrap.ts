/** `wordwrap`: breaks lines as Python's `textwrap` does. */
import { step } from './limits.ts'
import { valueError } from './problem.ts'
import { charsOf, splitLines, trimStart } from './text.ts'

const white = '\\t\\n\\x0b\\x0c\\r '
const word = '[\\p{L}\\p{N}_!"\'&.,?]'
const letter = '(?:(?![\\p{N}_])[\\p{L}\\p{N}_])'

/** A line may end behind blanks, behind a hyphen between letters, and around a dash. */
const chunks = new RegExp(
  [
    `([${white}]+`,
    `|(?<=${word})-{2,}(?=[\\p{L}\\p{N}_])`,
    `|[^${white}]+?(?:`,
    `-(?:(?<=${letter}{2}-)|(?<=${letter}-${letter}-))(?=${letter}-?${letter})`,
    `|(?=[${white}]|$)`,
    `|(?<=${word})(?=-{2,}[\\p{L}\\p{N}_])))`,
  ].join(''),
  'u',
)
const simpleChunks = new RegExp(`([${white}]+)`, 'u')

export interface WrapRules {
  readonly width: number
  readonly breaksLongWords: boolean
  readonly breaksOnHyphens: boolean
}

export function wrapLines(text: string, rules: WrapRules): string[][] {
  if (rules.width <= 0) throw valueError(`invalid width ${rules.width} (must be > 0)`)
  return splitLines(text).map((line) => wrap(line, rules))
}

/** A word, or the blanks between two. What is cut off at its beginning is skipped, not copied. */
class Chunk {
  private readonly signs: readonly string[]
  private from = 0
  readonly isBlank: boolean
  constructor(text: string) {
    this.signs = charsOf(text)
    this.isBlank = trimStart(text) === ''
  }
  get size(): number {
    return this.signs.length - this.from
  }
  /** The first signs, without taking them. */
  head(count: number): readonly string[] {
    return this.signs.slice(this.from, this.from + count)
  }
  take(count = this.size): string {
    const taken = this.head(count).join('')
    this.from += count
    return taken
  }
}

function wrap(text: string, { width, breaksLongWords, breaksOnHyphens }: WrapRules): string[] {
  step(text.length)
  const parts = text.split(breaksOnHyphens ? chunks : simpleChunks).filter((part) => part !== undefined && part !== '')
  const left = parts.map((part) => new Chunk(part)).reverse()
  const lines: string[] = []
  while (left.length > 0) {
    let line = ''
    let length = 0
    // Blanks count only when something follows them on the line.
    let end = 0
    const add = (text: string, size: number, isBlank: boolean) => {
      line += text
      length += size
      if (!isBlank) end = line.length
    }
    // Blanks at the beginning of a line are dropped, but not at the beginning of the text.
    if (lines.length > 0 && left.at(-1)!.isBlank) left.pop()
    while (left.length > 0 && length + left.at(-1)!.size <= width) {
      const chunk = left.pop()!
      const { size, isBlank } = chunk
      add(chunk.take(), size, isBlank)
    }
    const next = left.at(-1)
    if (next !== undefined && next.size > width) {
      if (breaksLongWords) {
        const count = cutAt(next, width - length)
        add(next.take(count), count, next.isBlank)
      } else if (line === '') {
        left.pop()
        add(next.take(), next.size, next.isBlank)
      }
    }
    if (end > 0) lines.push(line.slice(0, end))
  }
  return lines

  /** Where a word that is longer than a line is cut: behind a hyphen if it may be, else where the line ends. */
  function cutAt(word: Chunk, room: number): number {
    if (!breaksOnHyphens || word.size <= room) return room
    const signs = word.head(room)
    const hyphen = signs.lastIndexOf('-')
    return hyphen > 0 && signs.slice(0, hyphen).some((sign) => sign !== '-') ? hyphen + 1 : room
  }
}
