/** The three lists of what left an inbox. One file, because they differ by a folder. */
import { type Context, defineOperation } from '../define.ts'
import { agent } from './fields.ts'
import { openRouting } from './open.ts'
import { keptLine } from './view.ts'

async function listKept(context: Context, agent: string, folder: 'taken' | 'evicted' | 'rejected') {
  const routing = await openRouting(context)
  await routing.agents.expect(agent)
  return { outcome: 'listed', agent, messages: (await routing.recovering.list(agent, folder)).map(keptLine) } as const
}

export const mrTaken = defineOperation({
  name: 'taken',
  summary: 'List what was taken from an inbox and is still kept.',
  more: 'Nothing of it is delivered again by itself; `mr recover` puts a message back.',
  input: { agent },
  lists: { messages: 'last' },
  outcomes: { listed: 'done' },
  examples: [{ command: 'mr taken coder-1', does: 'see what coder-1 has taken lately' }],
  run: (context, { agent }) => listKept(context, agent, 'taken'),
})

export const mrEvicted = defineOperation({
  name: 'evicted',
  summary: 'List what had to make room in a full inbox and is still kept.',
  more: '`mr recover` puts a message back into the inbox.',
  input: { agent },
  lists: { messages: 'last' },
  outcomes: { listed: 'done' },
  examples: [{ command: 'mr evicted coder-1', does: 'see what coder-1 has missed' }],
  run: (context, { agent }) => listKept(context, agent, 'evicted'),
})

export const mrRejected = defineOperation({
  name: 'rejected',
  summary: 'List the files that were no messages for an inbox and were set aside.',
  more: 'The reasons are in `error.log` in the folder of the agent; `mr validate FILE` tells them again.',
  input: { agent },
  lists: { messages: 'last' },
  outcomes: { listed: 'done' },
  examples: [{ command: 'mr rejected coder-1', does: 'see what was set aside' }],
  run: (context, { agent }) => listKept(context, agent, 'rejected'),
})
