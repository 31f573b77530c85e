/** Inputs that several commands of Message Routing share. */
import { type MessageType, messageTypes } from '../../protocols/message-routing/schema.ts'
import { choice, flag, integer, text } from '../field.ts'

export const agent = text('The agent whose inbox is meant.', { positional: true, required: true })

export const messageId = text('The message: its whole id, such as msg_a3f5d8b2.', {
  positional: true,
  required: true,
  placeholder: 'MSG',
})

const types: readonly [MessageType, ...MessageType[]] = messageTypes

/** What `send` and `broadcast` have in common. */
export const content = {
  from: text('Who sends it; else it is whoever acts (--as).', { placeholder: 'AGENT' }),
  type: choice('What kind of message it is; it decides what the payload must say.', types, { required: true }),
  payload: text('The payload, a JSON object; `@FILE` reads a file and `-` standard input.', {
    required: true,
    longText: 'at-file',
    placeholder: 'JSON|@FILE',
  }),
  priority: integer('10 is the most urgent, 0 the least; 5 unless said.', { least: 0, most: 10 }),
  requiresAck: flag('Ask for an acknowledgement.'),
} as const

export const compat = flag('Read the known deviations of other programs from the specification.')
