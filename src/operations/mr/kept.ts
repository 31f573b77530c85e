/** The three lists of what left an inbox. One file, because they differ by a folder. */

import type { Kept } from '../../protocols/message-routing/store/outcomes.ts'
import type { Routing } from '../../protocols/message-routing/store/routing.ts'
import { type Context, defineOperation } from '../define.ts'
import { agent } from './fields.ts'
import { expectAgent } from './known-agents.ts'
import { withRouting } from './open.ts'
import { keptLine } from './view.ts'

const listKept = (context: Context, agent: string, list: (routing: Routing) => Promise<readonly Kept[]>) =>
  withRouting(context, async (routing, assembly) => {
    await expectAgent(assembly, agent)
    const messages = (await list(routing)).map(keptLine)
    return { outcome: 'listed', agent, messages } as const
  })

export const mrTaken = defineOperation({
  name: 'taken',
  summary: 'List what was taken from an inbox and is still kept.',
  more: 'Nothing of it is delivered again by itself; `mr recover` puts a message back.',
  input: { agent },
  outcomes: { listed: 'done' },
  examples: [{ command: 'mr taken coder-1', does: 'see what coder-1 has taken lately' }],
  run: (context, { agent }) => listKept(context, agent, (routing) => routing.taken(agent)),
})

export const mrEvicted = defineOperation({
  name: 'evicted',
  summary: 'List what had to make room in a full inbox and is still kept.',
  more: '`mr recover` puts a message back into the inbox.',
  input: { agent },
  outcomes: { listed: 'done' },
  examples: [{ command: 'mr evicted coder-1', does: 'see what coder-1 has missed' }],
  run: (context, { agent }) => listKept(context, agent, (routing) => routing.evicted(agent)),
})

export const mrRejected = defineOperation({
  name: 'rejected',
  summary: 'List the files that were no messages for an inbox and were set aside.',
  more: 'The reasons are in `error.log` in the folder of the agent; `mr validate FILE` tells them again.',
  input: { agent },
  outcomes: { listed: 'done' },
  examples: [{ command: 'mr rejected coder-1', does: 'see what was set aside' }],
  run: (context, { agent }) => listKept(context, agent, (routing) => routing.rejected(agent)),
})
