/** Words of commands that people and agents paste into a shell. */
import { printableLine } from '../../kernel/printable.ts'

/** An id as a shell takes it for one word: ids of some protocols are names of files that anybody may have chosen. */
export const shellWord = (id: string): string =>
  /^[\w.:@%+=/][\w.:@%+=/-]*$/.test(id) ? id : `'${printableLine(id).replaceAll("'", `'\\''`)}'`
