import { choice } from '../../kernel/field.ts'
import { queueNames } from '../../protocols/ac-mq/index.ts'
import { defineOperation } from '../define.ts'
import { mission, openMission } from './mission.ts'
import { snapshot as shape } from './shapes.ts'

export const snapshot = defineOperation({
  name: 'snapshot',
  summary: 'Write down what is in the queues right now, as tables in `artifacts/queue-snapshots/`.',
  more:
    'Supervision does this by itself when a queue has grown by a threshold that follows the rate of messages; `acmq status` tells ' +
    'both. A fast mission is put down in summaries, a slow one with everything its messages say.',
  input: { mission, queue: choice('Only this queue; without it, all four.', queueNames) },
  outcomes: { taken: 'done' },
  output: { taken: { mission: 'text', snapshots: [shape] } },
  effects: 'writes',
  examples: [
    { command: 'acmq snapshot alpha', does: 'all four queues' },
    { command: 'acmq snapshot alpha --queue failed', does: 'what failed, for a report' },
  ],

  async run(context, { mission, queue }) {
    const opened = await openMission(context, mission)
    const snapshots = await (await opened.memory()).snapshot(queue === undefined ? undefined : [queue])
    return { outcome: 'taken', mission: opened.address, snapshots } as const
  },
})
