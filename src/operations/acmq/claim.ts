import { call } from '../../kernel/call.ts'
import { isoTime } from '../../kernel/clock.ts'
import { SignalboxError } from '../../kernel/errors.ts'
import { duration, flag, list, text, withoutUndefined } from '../../kernel/field.ts'
import type { Mission } from '../../protocols/ac-mq/index.ts'
import { tellClock } from '../clock-agreement.ts'
import { type Context, defineOperation, whoActs } from '../define.ts'
import { durability } from '../shapes.ts'
import { type Hydration, hydrated, openMissions } from './mission.ts'
import { hydration, messageWithBody } from './shapes.ts'

export const claim = defineOperation({
  name: 'claim',
  summary: 'Take the next message, so that no other agent works on it.',
  more:
    'Takes the first by priority, time and id of those for the agent (--as) or for `all`, once all it depends on is done; of ' +
    'several missions, from the first that has one. ' +
    'The claim lasts as long as the message says; renew it to keep it longer. Exit status 1 means that nothing can be ' +
    'claimed now; what waits for something else is then listed with the reason.',
  input: {
    mission: list(
      'The mission: NAME, or PARENT/CHILD; several are tried in turn. NAME/** is that one and all inside it, ** is all.',
      text('A mission, or NAME/**.'),
      { positional: true, required: true, placeholder: 'MISSION' },
    ),
    mine: flag('Only what is for the agent by name, not what is for `all`.'),
    id: text('Only this message. Claiming again what one holds is fine.', { placeholder: 'ID' }),
    wait: duration('How long to wait for one to come.', { least: 0, placeholder: 'SECONDS' }),
    hydrate: hydrated,
  },
  lists: { blocked: 'first' },
  outcomes: { claimed: 'done', nothing: 'nothing' },
  output: {
    claimed: { message: messageWithBody, until: 'time', durability, 'hydration?': hydration },
    nothing: { blocked: [{ id: 'text', summary: 'text', to: 'text', reason: 'advice' }] },
  },
  effects: 'writes',
  examples: [
    { command: 'acmq claim alpha --as gemini', does: 'take what comes next' },
    { command: 'acmq claim alpha --as gemini --wait 60 --json', does: 'wait up to a minute for it' },
    { command: "acmq claim 'alpha/**' beta --as gemini", does: 'from alpha and all inside it, or else from beta' },
    { command: 'acmq claim alpha --as gemini --hydrate', does: 'with the files that it is about' },
  ],

  async run(context, { mission, id, wait, mine, hydrate }) {
    const agent = await whoActs(context)
    const missions = await openMissions(context)
    await tellClock(context)
    const { signal } = context
    const claimed = await missions.claim(mission, withoutUndefined({ agent, id, mine, waitMs: wait, signal }))
    if (claimed.outcome === 'nothing') return claimed
    const { message, until, durability } = claimed
    const more = hydrate ? await hydrationOf(context, await missions.open(message.mission), message.id) : {}
    return { outcome: 'claimed', message, until: isoTime(until), durability, ...more } as const
  },

  untold(claimed) {
    if (claimed.outcome === 'nothing') return undefined
    const { id, mission, to, attempt } = claimed.message
    const again = call('acmq claim', { mission, id, as: to })
    const giveUp = call('acmq fail', { mission, id, as: to, attempt, reason: 'TEXT' })
    return (
      `Message ${id} is claimed all the same, and held by ${to} until ${claimed.until}. Get it again with ${again}, ` +
      `or give it up with ${giveUp}.`
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
    return { hydration: await (await mission.documents()).hydrate({ id }) }
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error
    context.report.notice(`What to read first could not be put together: ${error.message}`)
    return {}
  }
}
