import { isoTime } from '../../kernel/clock.ts'
import { defineOperation } from '../define.ts'
import { mission, openTimedMissions } from './mission.ts'

export const findStalled = defineOperation({
  name: 'find-stalled',
  summary: 'List the messages whose claim has run out of time. Nothing is changed.',
  more: 'Those of the missions inside it are listed too.',
  input: { mission },
  lists: { stalled: 'first' },
  outcomes: { listed: 'done' },
  examples: [
    { command: 'acmq find-stalled alpha', does: 'see who has not been heard of' },
    { command: 'acmq supervise alpha --once', does: 'let them fail, and ask their senders to look into it' },
  ],

  async run(context, { mission }) {
    const missions = await openTimedMissions(context, mission)
    const stalled = []
    for (const one of missions) stalled.push(...(await (await one.supervision()).findStalled()))
    return { outcome: 'listed', stalled: stalled.map((one) => ({ ...one, since: isoTime(one.since) })) } as const
  },
})
