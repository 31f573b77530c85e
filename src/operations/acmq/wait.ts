import { duration, flag, list, text, withoutUndefined } from '../../kernel/field.ts'
import { oneOf } from '../../kernel/shape.ts'
import { defineOperation } from '../define.ts'
import { mission, openMission } from './mission.ts'
import { messageWithBody } from './shapes.ts'

const waitedFor = {
  messages: [
    {
      ...messageWithBody,
      ended: oneOf('completed', 'failed'),
      'result?': { text: 'text', links: ['text'] },
      'failure?': { reason: 'text', 'detail?': 'text' },
    },
  ],
  unsettled: ['text'],
} as const

export const wait = defineOperation({
  name: 'wait',
  summary: 'Wait until messages are completed or failed, and print what came of them.',
  more:
    'For whoever sent them and goes on when they are done. It is woken at once and does not poll. What is archived by then ' +
    'counts too. Exit status 1: the time was up first; what is done by then is printed.',
  input: {
    mission,
    id: list(
      'The messages: their ids, or the first eight characters of each.',
      text('An id, or the first eight characters of one.'),
      { positional: true, required: true, placeholder: 'ID' },
    ),
    any: flag('Until one of them is done, not all.'),
    timeout: duration('How long to wait; without it, for as long as it takes.', { least: 0, placeholder: 'SECONDS' }),
  },
  outcomes: { settled: 'done', waiting: 'nothing' },
  output: { settled: waitedFor, waiting: waitedFor },
  effects: 'reads',
  examples: [
    { command: 'acmq wait alpha 1f2e3d4c', does: 'until this one is done' },
    {
      command: 'acmq wait alpha 1f2e3d4c 5a6b7c8d --any --timeout 600 --json',
      does: 'for the first, ten minutes at most',
    },
  ],

  async run(context, { mission, id, any, timeout }) {
    const opened = await openMission(context, mission)
    return (await opened.ends()).wait(id, withoutUndefined({ any, waitMs: timeout, signal: context.signal }))
  },
})
