import type { AgentLine } from '../../bridge/agents.ts'
import { isoTime } from '../../kernel/clock.ts'
import type { Envelope } from '../../kernel/envelope.ts'
import { SignalboxError } from '../../kernel/errors.ts'
import { boxOf, busOf } from '../bus.ts'
import { actorOf, defineOperation } from '../define.ts'
import { humanInbox } from '../human-inbox.ts'
import { envelope, notices } from '../shapes.ts'
import { agentLine, told } from './fields.ts'

/** Messages and questions that an overview tells of. */
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
      stuck: [{ ...envelope, since: 'text' }],
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
    const { claimedIn, listAgents } = await import('../../bridge/agents.ts')
    const { agents, notices } = await listAgents(bus)
    const all = new Set(notices)
    /** What one part cannot tell keeps no other from being told. */
    const unlessRefused = async <T>(asking: Promise<T>, otherwise: T): Promise<T> => {
      try {
        return await asking
      } catch (error) {
        if (!(error instanceof SignalboxError)) throw error
        all.add(error.message)
        return otherwise
      }
    }
    const waiting = agent === undefined ? [] : await unlessRefused(box.inbox(agent, { limit: mostListed }), [])
    const people = await unlessRefused(humanInbox(context, async () => agent).list({ limit: mostListed, peek: true }), {
      waiting: [],
      leftOut: 0,
      notices: [],
    })
    for (const notice of people.notices) all.add(notice)
    const at = await bus.tree.now()
    const byName = new Map(agents.map((one) => [one.name.toLowerCase(), one]))
    const stuck: StuckMessage[] = []
    for await (const { envelope } of claimedIn(bus, [])) {
      const holder = byName.get((envelope.claim?.by ?? envelope.to).toLowerCase())
      const since = stuckSince(envelope, holder, at)
      if (since !== undefined) stuck.push({ ...told(envelope), since })
    }
    // The one that is stuck for longest first.
    stuck.sort((a, b) => (a.since < b.since ? -1 : 1))
    return {
      outcome: 'shown',
      root: root.path,
      ...(agent === undefined ? {} : { agent }),
      waiting: waiting.map(({ envelope }) => told(envelope)),
      stuck: stuck.slice(0, mostListed),
      agents,
      people: people.waiting,
      at: isoTime(at),
      notices: [...all],
    } as const
  },
})

type StuckMessage = Omit<Envelope, 'native'> & { readonly since: string }

/** Its claim has run out, or its holder has gone or is stuck itself. */
function stuckSince({ claim }: Envelope, holder: AgentLine | undefined, at: number): string | undefined {
  if (claim?.until !== undefined && Date.parse(claim.until) <= at) return claim.until
  if (holder?.presence === 'gone' || holder?.presence === 'stuck') return holder.since ?? holder.lastSeen ?? isoTime(at)
  return undefined
}
