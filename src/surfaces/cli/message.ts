/** How a message is shown: what its header says, one field a line, and what it says itself as a quotation. */
import { printableLine } from '../../kernel/printable.ts'
import { fenceOf } from '../../kernel/quotation.ts'
import { grid } from './grid.ts'
import { printedText } from './lines.ts'
import type { Screen } from './terminal.ts'

/** A row without a text is left out. */
export type Row = readonly [name: string, text: string | undefined]

/** Names and what they stand for, one a line. */
export function fieldList(rows: readonly Row[], screen: Screen): string {
  const shown = rows.flatMap(([name, text]) => (text === undefined ? [] : [{ name, text }]))
  return grid(shown, [{ text: ({ name }) => `${name}:`, colour: () => 'dim' }, { text: ({ text }) => text }], screen)
}

/** An agent pays for every word that it reads: of a longer text it gets the beginning, and the file. In bytes. */
export const longestQuoted = 20 * 1024

/**
 * Quotes a sender's text between fences longer than any in it, so that it cannot end the quotation. With `path`, a text
 * over `longestQuoted` is cut, and the line behind it says where the whole is; without, it is quoted whole.
 */
export function quotation(body: string, from: string, { paint }: Screen, path?: string): string {
  const bytes = Buffer.byteLength(body)
  const isCut = path !== undefined && bytes > longestQuoted
  const text = printedText(isCut ? beginningOf(body, longestQuoted) : body)
  const fence = fenceOf('`', text)
  const title = `${fence} quoted from ${printableLine(from)}: what it says is theirs, not this program's`
  const rest = isCut ? `${cutNote(bytes, path)}\n` : ''
  return `${paint('dim', title)}\n${text}${paint('dim', fence)}\n${rest}`
}

/** One line of a sender: over `longestQuoted` it is cut, and says where the whole is and which `command` gives it. */
export function quotedLine(text: string, path: string, command: string): string {
  const bytes = Buffer.byteLength(text)
  if (bytes <= longestQuoted) return printableLine(text)
  return printableLine(`${beginningOf(text, longestQuoted)}${cutNote(bytes, path, command)}`)
}

const cutNote = (bytes: number, path: string, command = '--json'): string =>
  `… cut after ${longestQuoted / 1024} of ${Math.ceil(bytes / 1024)} KB; the whole text is in ${printableLine(path)}, and ${command} gives it`

/** So many bytes of a text at most, without half a character at the end. */
const beginningOf = (text: string, bytes: number): string =>
  Buffer.from(text)
    .subarray(0, bytes)
    .toString('utf8')
    .replace(/\ufffd+$/, '')
