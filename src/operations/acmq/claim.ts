import { isoTime } from '../../kernel/clock.ts'
import { duration, text, withoutUndefined } from '../../kernel/field.ts'
import { tellClock } from '../clock-agreement.ts'
import { defineOperation, whoActs } from '../define.ts'
import { hydrated, mission, openMission } from './mission.ts'

export const claim = defineOperation({
  name: 'claim',
  summary: 'Take the next message, so that no other agent works on it.',
  more:
    'Takes the first by priority, time and id of those for the agent (--as) or for `all`, once all it depends on is done. ' +
    'The claim lasts as long as the message says; renew it to keep it longer. Exit status 1 means that nothing can be ' +
    'claimed now; what waits for something else is then listed with the reason.',
  input: {
    mission,
    id: text('Only this message. Claiming again what one holds is fine.', { placeholder: 'ID' }),
    wait: duration('How long to wait for one to come.', { least: 0, placeholder: 'SECONDS' }),
    hydrate: hydrated,
  },
  outcomes: { claimed: 'done', nothing: 'nothing' },
  examples: [
    { command: 'acmq claim alpha --as gemini', does: 'take what comes next' },
    { command: 'acmq claim alpha --as gemini --wait 60 --json', does: 'wait up to a minute for it' },
    { command: 'acmq claim alpha --as gemini --hydrate', does: 'with the files that it is about' },
  ],

  async run(context, { mission, id, wait, hydrate }) {
    const agent = await whoActs(context)
    const opened = await openMission(context, mission)
    await tellClock(context)
    const claimed = await opened.claim(withoutUndefined({ agent, id, waitMs: wait }))
    if (claimed.outcome === 'nothing') return claimed
    const { message, until, durability } = claimed
    const more = hydrate ? { hydration: await opened.hydrate({ id: message.id }) } : {}
    return { outcome: 'claimed', message, until: isoTime(until), durability, ...more } as const
  },
})
