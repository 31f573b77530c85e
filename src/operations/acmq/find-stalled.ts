import { isoTime } from '../../kernel/clock.ts'
import { tellClock } from '../clock-agreement.ts'
import { defineOperation } from '../define.ts'
import { mission, openMission } from './mission.ts'

export const findStalled = defineOperation({
  name: 'find-stalled',
  summary: 'List the messages whose claim has run out of time. Nothing is changed.',
  input: { mission },
  outcomes: { listed: 'done' },
  examples: [
    { command: 'acmq find-stalled alpha', does: 'see who has not been heard of' },
    { command: 'acmq supervise alpha --once', does: 'let them fail, and ask their senders to look into it' },
  ],

  async run(context, { mission }) {
    const opened = await openMission(context, mission)
    await tellClock(context)
    const stalled = await opened.findStalled()
    return { outcome: 'listed', stalled: stalled.map((one) => ({ ...one, since: isoTime(one.since) })) } as const
  },
})
