/** Inputs that several commands of sessions share. */
import { duration, text } from '../../kernel/field.ts'

export const session = text('The session; the current one when left out.', { placeholder: 'ID' })

export const sessionWord = text('The session.', {
  positional: true,
  required: true,
  placeholder: 'ID',
  expected: 'the name of a session, such as release',
})

export const wait = duration('How long to wait for a first message.', { least: 0, placeholder: 'SECONDS' })
