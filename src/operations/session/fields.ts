/** Inputs that several commands of sessions share. */
import { list, text } from '../../kernel/field.ts'

export const session = text('The session; the current one when left out.', { placeholder: 'ID' })

/** What is said, word by word or on standard input. */
export const words = (what: string, placeholder: string) =>
  list(
    `${what}; several words are joined by blanks, and \`-\` is standard input.`,
    text('A word.', { longText: 'standard-input' }),
    { positional: true, required: true, placeholder },
  )
