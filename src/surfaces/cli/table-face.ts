/** The face of an operation whose answer is a list: a row for each, or a sentence where there are none. */
import type { Operation } from '../../operations/define.ts'
import { type CommandFace, commandFace } from './command.ts'
import { type Column, grid } from './grid.ts'

export const tableFace = <Output extends { readonly outcome: string }, Row>(
  operation: Operation<Output>,
  rowsOf: (output: Output) => readonly Row[],
  nothing: string,
  columns: readonly Column<NoInfer<Row>>[],
  more: Pick<CommandFace<Output>, 'aside'> = {},
): CommandFace =>
  commandFace(operation, (output, screen) => grid(rowsOf(output), columns, screen) || screen.next(`${nothing}\n`), more)
