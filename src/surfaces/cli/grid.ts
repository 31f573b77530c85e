/** Rows in aligned columns, and the face of an operation whose answer is a list of them. */
import { printableLine } from '../../kernel/printable.ts'
import type { Operation } from '../../operations/define.ts'
import { type CommandFace, commandFace } from './command.ts'
import type { Colour, Screen } from './terminal.ts'
import { fitted, widthOf } from './width.ts'

export interface Column<Row> {
  readonly title?: string
  text(row: Row): string
  colour?(row: Row): Colour | undefined
}

/** Columns that are called like the field that they show. */
export const named = <Name extends string>(...names: readonly Name[]): Column<Readonly<Record<Name, string>>>[] =>
  names.map((title) => ({ title, text: (row) => row[title] }))

const gap = 2
const narrowestLast = 20

/**
 * Empty without rows. Cells may contain a stranger's text: control characters are made visible. If there is no room, the last
 * column is cut.
 */
export function grid<Row>(
  rows: readonly Row[],
  columns: readonly Column<NoInfer<Row>>[],
  screen: Screen,
  indent = '',
): string {
  const hasTitles = columns.some(({ title }) => title !== undefined)
  const cells = rows.map((row) => columns.map((column) => printableLine(column.text(row))))
  const titles = columns.map(({ title }) => title ?? '')
  const widths = columns.map((_, n) =>
    Math.max(0, ...(hasTitles ? [titles, ...cells] : cells).map((line) => widthOf(line[n]!))),
  )
  const last = columns.length - 1
  const before = indent.length + widths.slice(0, last).reduce((sum, width) => sum + width + gap, 0)
  // Only a terminal has a width. A file or pipe gets everything.
  const room = screen.isTerminal ? Math.max(narrowestLast, screen.columns - before) : Number.POSITIVE_INFINITY

  const line = (texts: readonly string[], colourOf: (n: number) => Colour | undefined) =>
    indent +
    texts
      .map((text, n) => {
        const shown = n === last ? fitted(text, room) : text
        const padding = n === last ? '' : ' '.repeat(widths[n]! - widthOf(text) + gap)
        const colour = colourOf(n)
        return (colour ? screen.paint(colour, shown) : shown) + padding
      })
      .join('')
      .trimEnd()

  const lines = cells.map((texts, r) => line(texts, (n) => columns[n]!.colour?.(rows[r]!)))
  if (hasTitles && rows.length > 0) lines.unshift(line(titles, () => 'dim'))
  return lines.map((text) => `${text}\n`).join('')
}

/** A row for each, or a sentence where there are none. */
export const tableFace = <Output extends { readonly outcome: string }, Row>(
  operation: Operation<Output>,
  rowsOf: (output: Output) => readonly Row[],
  nothing: string,
  columns: readonly Column<NoInfer<Row>>[],
  more: Pick<CommandFace<Output>, 'aside'> = {},
): CommandFace =>
  commandFace(operation, (output, screen) => grid(rowsOf(output), columns, screen) || screen.next(`${nothing}\n`), more)
