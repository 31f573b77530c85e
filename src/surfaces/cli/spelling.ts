/** Names as a command line spells them: `olderThan` is `--older-than`, a positional one is `OLDER-THAN`. */
import type { Field } from '../../kernel/field.ts'
import { printableLine } from '../../kernel/printable.ts'

export const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

export const flagOf = (name: string): string => `--${kebab(name)}`

export const placeholderOf = (name: string, field: Field): string =>
  field.placeholder ?? (field.type === 'duration' ? 'TIME' : field.type === 'integer' ? 'N' : kebab(name).toUpperCase())

/** As help shows it: `--no-…` for a flag that is on by default. */
export const shownFlag = (name: string, field: Field): string =>
  field.type === 'flag' && field.default === true ? `--no-${kebab(name)}` : flagOf(name)

export const spelled = (name: string, field: Field | undefined): string =>
  field?.positional ? placeholderOf(name, field) : flagOf(name)

/** An id as a shell takes it for one word: ids of some protocols are names of files that anybody may have chosen. */
export const shellWord = (id: string): string =>
  /^[\w.:@%+=/][\w.:@%+=/-]*$/.test(id) ? id : `'${printableLine(id).replaceAll("'", `'\\''`)}'`
