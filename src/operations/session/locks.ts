import { sharedAgent } from '../../protocols/shared-agent/index.ts'
import { defineOperation } from '../define.ts'
import { session } from './fields.ts'

export const sessionLocks = defineOperation({
  name: 'locks',
  summary: 'List the locks of a session: who holds what until when, and who waits.',
  input: { session },
  lists: { locks: 'first' },
  outcomes: { listed: 'done' },
  examples: [{ command: 'session locks', does: 'see who holds what' }],

  async run(context, { session }) {
    return { outcome: 'listed', locks: await (await context.store(sharedAgent)).locks(session) } as const
  },
})
