import { sharedAgent } from '../../protocols/shared-agent/index.ts'
import { defineOperation } from '../define.ts'

export const sessionList = defineOperation({
  name: 'list',
  summary: 'List the sessions of this workspace.',
  input: {},
  lists: { sessions: 'first' },
  outcomes: { listed: 'done' },
  examples: [{ command: 'session list', does: 'see which there are, and which is the current one' }],

  async run(context) {
    return { outcome: 'listed', sessions: await (await context.store(sharedAgent)).list() } as const
  },
})
