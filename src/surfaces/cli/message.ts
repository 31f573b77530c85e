/** How a message is shown: what its header says, one field a line, and what it says itself as a quotation. */
import { printableLine } from '../../kernel/printable.ts'
import { fenceOf } from '../../kernel/quotation.ts'
import { grid } from './grid.ts'
import { printedText } from './lines.ts'
import type { Screen } from './terminal.ts'

export type Row = readonly [name: string, text: string]

/** Names and what they stand for, one a line. */
export const fieldList = (rows: readonly Row[], screen: Screen): string =>
  grid(rows, [{ text: ([name]) => `${name}:`, colour: () => 'dim' }, { text: ([, text]) => text }], screen)

/** Quotes somebody else's text between fences longer than any in it, so that it cannot end the quotation. */
export function quotation(body: string, from: string, { paint }: Screen): string {
  const text = printedText(body)
  const fence = fenceOf('`', text)
  const title = `${fence} quoted from ${printableLine(from)}: what it says is theirs, not this program's`
  return `${paint('dim', title)}\n${text}${paint('dim', fence)}\n`
}
