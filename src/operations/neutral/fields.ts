/** Inputs and answers that the neutral verbs share. */
import type { Envelope } from '../../kernel/envelope.ts'
import { text } from '../../kernel/field.ts'
import { oneOf } from '../../kernel/shape.ts'
import { envelope } from '../shapes.ts'

export const handle = text('The message: its handle, its id, or what is unique of it.', {
  positional: true,
  required: true,
  placeholder: 'HANDLE',
  longest: 1024,
})

export const receipt = text('What `take` printed, such as acmq:shop:a1b2c3d4@1.', {
  positional: true,
  required: true,
  placeholder: 'RECEIPT',
  longest: 1024,
})

/** A message in an answer: the record of its protocol is left to `show`. */
export function told<E extends Envelope>({ native: _, ...envelope }: E): Omit<E, 'native'> {
  return envelope
}

/** What came of a message that was waited for. */
export const awaited = { message: envelope, result: 'text', 'answer?': 'text' } as const

export const agentLine = {
  name: 'text',
  home: 'text',
  'client?': 'text',
  'about?': 'text',
  'lastSeen?': 'time',
  presence: oneOf('online', 'idle', 'busy', 'stuck', 'gone', 'unseen'),
  'since?': 'time',
  'doing?': 'text',
  'session?': 'text',
  inHand: ['text'],
  locks: ['text'],
  wake: 'text',
} as const
