import { isoTime } from '../../kernel/clock.ts'
import { SignalboxError } from '../../kernel/errors.ts'
import { duration, text } from '../../kernel/field.ts'
import { withoutUndefined } from '../../kernel/without-undefined.ts'
import type { Mission } from '../../protocols/ac-mq/index.ts'
import { type Context, defineOperation, whoActs } from '../define.ts'
import { type Hydration, hydrated, mission, openTimedMission } from './mission.ts'

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
    const opened = await openTimedMission(context, mission)
    const claimed = await opened.claim(withoutUndefined({ agent, id, waitMs: wait }))
    if (claimed.outcome === 'nothing') return claimed
    const { message, until, durability } = claimed
    const more = hydrate ? await hydrationOf(context, opened, message.id) : {}
    return { outcome: 'claimed', message, until: isoTime(until), durability, ...more } as const
  },

  untold(claimed) {
    if (claimed.outcome === 'nothing') return undefined
    const { id, mission, to, attempt } = claimed.message
    const which = `${mission} ${id} --as ${to} --attempt ${attempt}`
    return (
      `Message ${id} is claimed all the same, and held by ${to} until ${claimed.until}. Get it again with ` +
      `acmq claim ${mission} --id ${id} --as ${to}, or give it up with acmq fail ${which} --reason TEXT.`
    )
  },
})

/** The message is claimed by now: an error here would keep it from the agent who has it. */
async function hydrationOf(
  context: Context,
  mission: Mission,
  id: string,
): Promise<{ readonly hydration?: Hydration }> {
  try {
    return { hydration: await mission.hydrate({ id }) }
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error
    context.report.notice(`What to read first could not be put together: ${error.message}`)
    return {}
  }
}
