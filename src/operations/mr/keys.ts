import { inputs } from '../../kernel/call.ts'
import { invalidInput } from '../../kernel/errors.ts'
import { flag, type InputOf, text } from '../../kernel/field.ts'
import { defineOperation } from '../define.ts'
import { openRouting } from './fields.ts'

export type { KeyView } from '../../protocols/message-routing/index.ts'

const input = {
  agent: text('Only this agent.', { positional: true }),
  generate: flag('Make the keys that it lacks.'),
  trust: text('Enter the public key that its owner gave you.', { placeholder: 'KEY', longest: 100 }),
  encryption: text('With `trust`: the key for encryption, which begins with age1.', {
    placeholder: 'KEY',
    longest: 100,
  }),
  replace: flag('Put the new key in the place of the one that is there, which is retired.'),
} as const

const shown = {
  folder: 'text',
  keys: [
    {
      agent: 'text',
      'signing?': { id: 'text', publicKey: 'text', createdAt: 'time' },
      'encryption?': 'text',
      retired: 'integer',
      isOwn: 'flag',
    },
  ],
} as const

export const mrKeys = defineOperation({
  name: 'keys',
  summary: 'Show the keys of agents, make them, or trust those of somebody else.',
  more:
    'Private keys never leave their files and are never shown. What is shown here can be given to others, who enter it ' +
    'with `trust`: being in the list is the trust. They are kept with you, not in the workspace. Keys are used once ' +
    '`mr.signing` or `mr.encryption` is set.',
  input,
  lists: { keys: 'first' },
  outcomes: {
    listed: 'done',
    created: 'done',
    replaced: 'done',
    trusted: 'done',
    unchanged: 'done',
    nothing: 'done',
  },
  output: { listed: shown, created: shown, replaced: shown, trusted: shown, unchanged: shown, nothing: shown },
  // A private key that is replaced is gone.
  effects: 'destroys',
  examples: [
    { command: 'mr keys', does: 'see who has keys' },
    { command: 'mr keys coder-1 --generate', does: 'make keys for an agent' },
    { command: 'mr keys coder-2 --trust 11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo', does: "enter somebody else's" },
  ],

  async run(context, words) {
    checkWords(words)
    const { agent, generate, trust, encryption, replace } = words
    const ring = await (await openRouting(context)).keys()
    const folder = ring.home
    if (agent === undefined) return { outcome: 'listed', folder, keys: await ring.list() } as const
    const changed = generate
      ? await ring.generate(agent, { replace })
      : trust !== undefined && (await ring.trust(agent, { publicKey: trust, encryption }, { replace }))
    const key = await ring.show(agent)
    const outcome = changed ? changed.outcome : 'listed'
    return { outcome: key ? outcome : 'nothing', folder, keys: key ? [key] : [] } as const
  },
})

function checkWords({ agent, generate, trust, encryption, replace }: InputOf<typeof input>): void {
  const isChange = generate || trust !== undefined
  if (generate && trust !== undefined) {
    const reason = `Keys are either made (${inputs({ generate })}) or entered (${inputs({ trust })}).`
    throw invalidInput('CONTRADICTION', reason, { hint: 'Give one of the two.' })
  }
  if (isChange && agent === undefined) {
    throw invalidInput('MISSING_INPUT', 'No agent was named: whose key it is.', { hint: 'Name the agent.' })
  }
  if ((replace && !isChange) || (encryption !== undefined && trust === undefined)) {
    const reason = `${inputs({ replace: true })} and ${inputs({ encryption: 'KEY' })} belong to a change, and none is asked for.`
    const hint = `Add ${inputs({ generate: true })} or ${inputs({ trust: 'KEY' })}, or leave them out.`
    throw invalidInput('CONTRADICTION', reason, { hint })
  }
}
