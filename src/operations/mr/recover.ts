import { call } from '../../kernel/call.ts'
import { choice } from '../../kernel/field.ts'
import type { MrView, Routing } from '../../protocols/message-routing/index.ts'
import { defineOperation } from '../define.ts'
import { durability, notices } from '../shapes.ts'
import { agent, messageId, openRouting } from './fields.ts'
import { recovered } from './shapes.ts'
import { headerOf } from './view.ts'

const putBack = { from: 'text', message: recovered, durability, needsCompat: 'flag', notices } as const

export const mrRecover = defineOperation({
  name: 'recover',
  summary: 'Put a message that was taken, evicted or rejected back into the inbox.',
  more:
    'It is handed out once more. What was evicted may make another message leave a full inbox. What was rejected must be ' +
    'a message by now: corrected in its file, or one to be received with `compat`.',
  input: {
    agent,
    id: messageId,
    from: choice('Look only there; else in `taken`, then `evicted`, then `rejected`.', [
      'taken',
      'evicted',
      'rejected',
    ]),
  },
  outcomes: { recovered: 'done', unchanged: 'done' },
  output: { recovered: putBack, unchanged: putBack },
  effects: 'writes',
  isRepeatable: true,
  examples: [
    { command: 'mr recover coder-1 msg_a3f5d8b2', does: 'let coder-1 receive it again' },
    { command: 'mr recover coder-1 msg-1759761135-042 --from rejected', does: "bring back another program's message" },
  ],

  async run(context, { agent, id, from: only }) {
    const routing = await openRouting(context)
    const recovered = await routing.recovering.recover(agent, id, { from: only })
    const { outcome, from, path, durability, needsCompat } = recovered
    const found = await findWaiting(routing, agent, path)
    const message = found ? headerOf(found) : { protocol: 'mr', id, to: agent, state: 'inbox', path }
    const notices = needsCompat
      ? [`Another program wrote it. Receive it so: ${call('mr receive', { as: agent, compat: true })}`]
      : []
    return { outcome, from, message, durability, needsCompat, notices } as const
  },
})

/** As it lies in the inbox now; `undefined` when a reader has taken it already. */
async function findWaiting(routing: Routing, agent: string, path: string): Promise<MrView | undefined> {
  const { messages } = await routing.claiming.receive(agent, { peek: true, compat: true })
  return messages.find((message) => message.path === path)
}
