/** Text of another author inside a line or a table cell of a generated document: its signs are escaped, so that it stays text. */
import { printableLine } from '../../../kernel/printable.ts'

/** Characters that no screen shows but a model reads. */
const invisible = /[\u{e0000}-\u{e007f}\u200b-\u200d\u2060-\u2064\u00ad]/gu
/** Signs that would begin a table cell, a link, code, HTML or an entity. */
const meaningful = /[\\|`<>&[\]*_~]/g

export function plainText(text: string, longest = 300): string {
  const line = printableLine(
    text
      .slice(0, longest * 4)
      .replace(/\s+/g, ' ')
      .trim(),
  ).replace(invisible, (sign) => `\\u{${sign.codePointAt(0)!.toString(16)}}`)
  const letters = Array.from(line.toWellFormed())
  const short = letters.length > longest ? `${letters.slice(0, longest - 1).join('')}…` : line.toWellFormed()
  return short.replace(meaningful, (sign) => entities[sign] ?? `\\${sign}`)
}

/** A backslash before these would still show the sign to programs that read HTML first. */
const entities: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '&': '&amp;' }

/** A Markdown table: the titles of its columns, and the cells of each row as any text. */
export const printTable = (titles: readonly string[], rows: readonly (readonly string[])[]): string =>
  [titles, titles.map(() => '---'), ...rows.map((row) => row.map((cell) => plainText(cell)))]
    .map((cells) => `| ${cells.join(' | ')} |\n`)
    .join('')

/** The text that `plainText` was made of, where it was not cut. */
export const unescaped = (line: string): string =>
  line.replace(/\\([\\|`[\]*_~])/g, '$1').replace(/&(lt|gt|amp);/g, (_, name: string) => signs[name]!)

const signs: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&' }
