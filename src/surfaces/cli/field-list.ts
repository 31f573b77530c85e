/** Names and what they stand for, one a line. */
import { grid } from './grid.ts'
import type { Screen } from './terminal.ts'

export type Row = readonly [name: string, text: string]

export const fieldList = (rows: readonly Row[], screen: Screen): string =>
  grid(rows, [{ text: ([name]) => `${name}:`, colour: () => 'dim' }, { text: ([, text]) => text }], screen)
