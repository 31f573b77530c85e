/** The agents, and where each reads. */
import { call } from '../../kernel/call.ts'
import { notFound } from '../../kernel/errors.ts'
import { text, withoutUndefined } from '../../kernel/field.ts'
import { nearest } from '../../kernel/nearest.ts'
import { busOf } from '../bus.ts'
import { type Context, defineOperation } from '../define.ts'
import { durability, notices } from '../shapes.ts'
import { agentLine } from './fields.ts'

const name = text('The agent.', { positional: true, required: true, placeholder: 'NAME', longest: 200 })

const filed = { name: 'text', 'home?': 'text', path: 'text', 'durability?': durability } as const

const listed = async (context: Context) => (await import('../../bridge/agents.ts')).listAgents(await busOf(context))

export const agentsList = defineOperation({
  name: 'list',
  summary: 'List the agents: where each reads, whether it is there, what it has in hand and locked.',
  more: 'No agent can be woken from here yet: each looks for itself, as by `take --wait`.',
  input: {},
  lists: { agents: 'first' },
  outcomes: { listed: 'done' },
  output: { listed: { agents: [agentLine], notices } },
  effects: 'reads',
  examples: [{ command: 'agents list', does: 'see who is there' }],
  run: async (context) => ({ outcome: 'listed', ...(await listed(context)) }) as const,
})

export const agentsShow = defineOperation({
  name: 'show',
  summary: 'Show what is known of one agent.',
  input: { name },
  outcomes: { shown: 'done' },
  output: { shown: { agent: agentLine, notices } },
  effects: 'reads',
  examples: [{ command: 'agents show gemini', does: 'see where gemini reads' }],

  async run(context, { name }) {
    const { agents, notices } = await listed(context)
    const agent = agents.find((one) => one.name.toLowerCase() === name.toLowerCase())
    if (!agent) {
      const meant = nearest(
        name,
        agents.map((one) => one.name),
      )
      throw notFound('NO_SUCH_AGENT', `Nobody has seen or listed ${JSON.stringify(name.slice(0, 80))}.`, {
        hint: meant === undefined ? `See who is there: ${call('agents list')}` : `Did you mean ${meant}?`,
        details: { agent: name.slice(0, 400) },
      })
    }
    return { outcome: 'shown', agent, notices } as const
  },
})

export const agentsAdd = defineOperation({
  name: 'add',
  summary: 'List an agent with its home: the protocol, and the mission or session, that it reads.',
  more: 'Writes `.signalbox/agents/NAME.yaml`, which people can edit and commit. One that is there is changed in what is given.',
  input: {
    name,
    home: text('Where it reads: PROTOCOL or PROTOCOL:PLACE, such as acmq:shop, mr, circe.', { placeholder: 'HOME' }),
    client: text('The program that it runs in.', { placeholder: 'CLIENT', longest: 200 }),
    about: text('What it is good at, in one line.', { placeholder: 'TEXT', longest: 400 }),
  },
  outcomes: { added: 'done', changed: 'done', unchanged: 'done' },
  output: { added: filed, changed: filed, unchanged: filed },
  effects: 'writes',
  isRepeatable: true,
  examples: [{ command: 'agents add gemini --home acmq:shop', does: 'let messages for gemini go to the mission shop' }],

  async run(context, { name, ...given }) {
    const { addAgent } = await import('../../bridge/agent-files.ts')
    return addAgent(await busOf(context), name, withoutUndefined(given))
  },
})

export const agentsRemove = defineOperation({
  name: 'remove',
  summary: 'Remove the file of an agent. Its messages stay; it lives again where it was seen.',
  input: { name },
  outcomes: { removed: 'done', unchanged: 'done' },
  output: { removed: { name: 'text', path: 'text' }, unchanged: { name: 'text', path: 'text' } },
  effects: 'destroys',
  isRepeatable: true,
  examples: [{ command: 'agents remove gemini', does: 'forget what was said of gemini' }],

  async run(context, { name }) {
    const { removeAgent } = await import('../../bridge/agent-files.ts')
    return removeAgent(await busOf(context), name)
  },
})
