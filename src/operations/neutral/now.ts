import { isoTime } from '../../kernel/clock.ts'
import { boxOf, busOf } from '../bus.ts'
import { actorOf, defineOperation } from '../define.ts'
import { humanInbox } from '../human-inbox.ts'
import { envelope, notices } from '../shapes.ts'
import { agentLine, told } from './fields.ts'

/** Questions that an overview shows. */
const most = 3
/** Messages that it counts. */
const mostListed = 100

export const now = defineOperation({
  name: 'now',
  summary: 'What matters now: what waits for you, what is stuck, who is there, what waits for a person.',
  more: '`signalbox` alone is the same. Outside of a workspace it says how to begin.',
  input: {},
  outcomes: { shown: 'done', none: 'done' },
  output: {
    shown: {
      root: 'text',
      'agent?': 'text',
      waiting: [envelope],
      stuck: [envelope],
      agents: [agentLine],
      people: [{ id: 'text', summary: 'text', '*': 'anything' }],
      at: 'time',
      notices,
    },
    none: { root: 'text' },
  },
  effects: 'reads',
  examples: [{ command: 'now --as gemini', does: 'see what matters to gemini' }],

  async run(context) {
    const root = context.root()
    if (root.by === 'current') return { outcome: 'none', root: root.path } as const
    const agent = await actorOf(context)
    const bus = await busOf(context)
    const box = await boxOf(context)
    const { listAgents } = await import('../../bridge/agents.ts')
    const waiting = agent === undefined ? [] : await box.inbox(agent, { limit: mostListed })
    const { agents, notices } = await listAgents(bus)
    const people = (await humanInbox(context, async () => agent).list({ limit: most })).waiting
    const stuck = []
    const at = await bus.tree.now()
    for await (const { neutral } of bus.used()) {
      for await (const { envelope } of neutral.messages({ stages: ['claimed'] })) {
        const holder = agents.find(
          ({ name }) => name.toLowerCase() === (envelope.claim?.by ?? envelope.to).toLowerCase(),
        )
        const isOver = envelope.claim?.until !== undefined && Date.parse(envelope.claim.until) <= at
        if ((isOver || holder?.presence === 'gone') && stuck.length < mostListed) stuck.push(told(envelope))
      }
    }
    return {
      outcome: 'shown',
      root: root.path,
      ...(agent === undefined ? {} : { agent }),
      waiting: waiting.map(({ envelope }) => told(envelope)),
      stuck,
      agents,
      people,
      at: isoTime(at),
      notices,
    } as const
  },
})
