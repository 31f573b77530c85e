/** The three lists of messages that left an inbox. One file, because they differ only by the folder and by words. */
import { defineOperation } from '../define.ts'
import { agent, openRouting } from './fields.ts'
import { keptMessage } from './shapes.ts'
import { keptLine } from './view.ts'

const listOf = (folder: 'taken' | 'evicted' | 'rejected', summary: string, more: string, does: string) =>
  defineOperation({
    name: folder,
    summary,
    more,
    input: { agent },
    lists: { messages: 'last' },
    outcomes: { listed: 'done' },
    output: { listed: { agent: 'text', messages: [keptMessage] } },
    effects: 'reads',
    examples: [{ command: `mr ${folder} coder-1`, does }],

    async run(context, { agent }) {
      const routing = await openRouting(context)
      await routing.agents.expect(agent)
      const kept = await routing.recovering.list(agent, folder)
      return { outcome: 'listed', agent, messages: kept.map(keptLine) } as const
    },
  })

export const mrTaken = listOf(
  'taken',
  'List what was taken from an inbox and is still kept.',
  'Nothing of it is delivered again by itself; `mr recover` puts a message back.',
  'see what coder-1 has taken lately',
)
export const mrEvicted = listOf(
  'evicted',
  'List what had to make room in a full inbox and is still kept.',
  '`mr recover` puts a message back into the inbox.',
  'see what coder-1 has missed',
)
export const mrRejected = listOf(
  'rejected',
  'List the files that were no messages for an inbox and were set aside.',
  'The reasons are in `error.log` in the folder of the agent; `mr validate` tells them again.',
  'see what was set aside',
)
