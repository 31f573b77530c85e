/** Names as a command line spells them: `olderThan` is `--older-than`, a positional one is `OLDER-THAN`. */
import type { Field } from '../../kernel/field.ts'

export const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

export const flagOf = (name: string): string => `--${kebab(name)}`

export const placeholderOf = (name: string, field: Field): string =>
  field.placeholder ?? (field.type === 'duration' ? 'TIME' : field.type === 'integer' ? 'N' : kebab(name).toUpperCase())

/** As help shows it: `--no-…` for a flag that is on by default. */
export const shownFlag = (name: string, field: Field): string =>
  field.type === 'flag' && field.default === true ? `--no-${kebab(name)}` : flagOf(name)

export const spelled = (name: string, field: Field | undefined): string =>
  field?.positional ? placeholderOf(name, field) : flagOf(name)
