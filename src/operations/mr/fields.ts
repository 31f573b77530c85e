/** What the commands of Message Routing share: the store, and inputs that several of them take. */
import { choice, flag, type InputOf, integer, json, text } from '../../kernel/field.ts'
import { type MrSendInput, messageRouting, messageTypes, type Routing } from '../../protocols/message-routing/index.ts'
import { tellClock } from '../clock-agreement.ts'
import type { Context } from '../define.ts'

/** Said when no name is given. Whether a name is allowed is checked by the protocol. */
const aName = 'the name of an agent, such as coder-1'

export const agent = text('The agent whose inbox is meant.', { positional: true, required: true, expected: aName })

/** The same for commands with which an agent reads its own inbox. */
export const reader = { ...agent, isActor: true } as const

export const recipient = text('Who gets it.', { required: true, placeholder: 'AGENT', expected: aName })

export const messageId = text('The message: its whole id, such as msg_a3f5d8b2.', {
  positional: true,
  required: true,
  placeholder: 'MSG',
  expected: 'an id such as msg_a3f5d8b2',
})

/** What `send` and `broadcast` have in common. */
export const content = {
  from: text('Who sends it.', { required: true, placeholder: 'AGENT', isActor: true }),
  type: choice('What kind of message it is; it decides what the payload must say.', messageTypes, { required: true }),
  payload: json('The payload, a JSON object; `@FILE` reads a file and `-` standard input.', {
    required: true,
    longText: 'at-file',
    placeholder: 'JSON|@FILE',
  }),
  priority: integer('10 is the most urgent, 0 the least; 5 unless said.', { least: 0, most: 10 }),
  requiresAck: flag('Ask for an acknowledgement.'),
} as const

export const contentOf = (
  { sending }: Routing,
  { payload, ...rest }: InputOf<typeof content>,
): Omit<MrSendInput, 'to'> => ({ ...rest, payload: sending.payloadFrom(payload) })

export const compat = flag('Read the known deviations of other programs from the specification.')

/** Measurements are written when the workspace closes. */
export async function openRouting(context: Context): Promise<Routing> {
  const routing = await context.store(messageRouting)
  if (routing.isGuarded) await tellClock(context)
  return routing
}
