/** Inputs that several commands of AC-MQ share. */
import { flag, integer, text } from '../../kernel/field.ts'

export const mission = text('The mission: NAME, or PARENT/CHILD for one inside another.', {
  positional: true,
  required: true,
})

export const messageId = text('The message: its id, or the first eight characters of it.', {
  positional: true,
  required: true,
  placeholder: 'ID',
})

export const attempt = integer('Which claim is meant, as `claim` told it; without it, the one in force.', { least: 1 })

export const hydrated = flag('Also give what one should read first, as `hydrate` does.')
