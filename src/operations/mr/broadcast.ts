import type { MrSent } from '../../protocols/message-routing/index.ts'
import { defineOperation } from '../define.ts'
import { durability } from '../shapes.ts'
import { content, contentOf, openRouting } from './fields.ts'
import { header, remarks } from './shapes.ts'
import { headerOf } from './view.ts'

const broadcast = {
  messages: [header],
  evicted: [{ to: 'text', id: 'text' }],
  failed: [{ to: 'text', code: 'text', reason: 'advice' }],
  durability,
  ...remarks,
} as const

export const mrBroadcast = defineOperation({
  name: 'broadcast',
  summary: 'Send a message to every known agent but the sender.',
  more:
    'Each gets a message of its own, with its own id and number. One that cannot be reached keeps nobody else from ' +
    'theirs; the exit status is then 8.',
  input: content,
  lists: { messages: 'first', evicted: 'first', failed: 'first' },
  outcomes: { sent: 'done', nobody: 'nothing', partly: 'Unavailable' },
  output: { sent: broadcast, nobody: broadcast, partly: broadcast },
  effects: 'writes',
  examples: [
    {
      command: `mr broadcast --as coordinator --type command --payload '{"action": "pause"}'`,
      does: 'stop everybody for a moment',
    },
  ],

  async run(context, input) {
    const { durability } = await context.configuration()
    const routing = await openRouting(context)
    const message = contentOf(routing, input)
    const { outcome, sent, failed, notices } = await routing.sending.broadcast(message)
    const alerts = routing.measuring.takeAlerts()
    return {
      outcome: failed.length > 0 ? 'partly' : outcome,
      messages: sent.map((one) => headerOf(one.message)),
      evicted: sent.flatMap((one) => one.evicted.map((id) => ({ to: one.message.to, id }))),
      failed,
      durability,
      notices: [...new Set([...notices, ...sent.flatMap((one) => one.notices)])],
      alerts,
      toldBefore: [...toldToAll(sent), ...(await routing.notices.toldBefore(alerts, 'sending'))],
    } as const
  },
})

/** A sentence that is news about one recipient is shown. */
function toldToAll(sent: readonly MrSent[]): string[] {
  const news = new Set(sent.flatMap(({ notices, toldBefore }) => notices.filter((one) => !toldBefore.includes(one))))
  return [...new Set(sent.flatMap(({ toldBefore }) => toldBefore))].filter((one) => !news.has(one))
}
