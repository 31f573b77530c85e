import type { MrView, Routing } from '../../protocols/message-routing/index.ts'
import { defineOperation } from '../define.ts'
import { agent, messageId } from './fields.ts'
import { openRouting } from './open.ts'
import { headerOf } from './view.ts'

export const mrRecover = defineOperation({
  name: 'recover',
  summary: 'Put a message that was taken or evicted back into the inbox.',
  more: 'It is handed out once more. What was evicted may make another message leave a full inbox.',
  input: { agent, id: messageId },
  outcomes: { recovered: 'done', unchanged: 'done' },
  examples: [{ command: 'mr recover coder-1 msg_a3f5d8b2', does: 'let coder-1 receive it again' }],

  async run(context, { agent, id }) {
    const routing = await openRouting(context)
    const { outcome, from, path, durability } = await routing.recover(agent, id)
    const found = await findWaiting(routing, agent, id)
    const message = found ? headerOf(found) : { protocol: 'mr', id, to: agent, state: 'inbox', path }
    return { outcome, from, message, durability } as const
  },
})

/** As it lies in the inbox now; `undefined` when somebody has taken it already. */
async function findWaiting(routing: Routing, agent: string, id: string): Promise<MrView | undefined> {
  const { messages } = await routing.receive(agent, { peek: true })
  return messages.find((message) => message.id === id)
}
