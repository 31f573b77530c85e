/**
 * Every command by its operation, in the order in which help lists them. `scripts/command-table.mjs` makes the table
 * from it that a cold command reads: here every operation is loaded.
 */
import { type Outline, outline } from '../../operations/index.ts'
import { completion } from './commands/completion.ts'

export type { Outline }

export const commandOutline = async (): Promise<Outline> => {
  const { members, ...program } = await outline()
  // `version` stays the last.
  return { ...program, members: [...members.slice(0, -1), completion, ...members.slice(-1)] }
}
