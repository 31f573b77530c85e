import type { Manifest } from '../../protocols/ac-mq/index.ts'
import { tellClock } from '../clock-agreement.ts'
import { actorOf, defineOperation } from '../define.ts'
import { notices } from '../shapes.ts'
import { hydrated, mission, openMission } from './mission.ts'
import { counts, hydration, message, milestones, repairs } from './shapes.ts'

export const reconcile = defineOperation({
  name: 'reconcile',
  summary: 'Put a mission in order after a crash, and tell an agent where it stands.',
  more:
    'For the start of an agent: brings folders and headers into agreement, sets files aside that are no messages, and ' +
    'lists what the agent (--as) still holds.',
  input: { mission, hydrate: hydrated },
  lists: { mine: 'first', repairs: 'first' },
  outcomes: { reconciled: 'done' },
  output: {
    reconciled: {
      mission: 'text',
      counts,
      'manifest?': { objective: 'text', 'status?': 'text', milestones, patterns: ['text'] },
      mine: [{ message, isStalled: 'flag' }],
      repairs,
      notices,
      'hydration?': hydration,
    },
  },
  effects: 'writes',
  isRepeatable: true,
  examples: [
    { command: 'acmq reconcile alpha --as gemini', does: 'find out what gemini was doing' },
    { command: 'acmq reconcile alpha --as gemini --hydrate', does: 'and what it should know: for its start' },
  ],

  async run(context, { mission, hydrate }) {
    const opened = await openMission(context, mission)
    await tellClock(context)
    const { manifest: read, ...view } = await (await opened.upkeep()).reconcile(await actorOf(context))
    const { manifest, notices } = read ? toldOf(read) : { manifest: undefined, notices: [] }
    const hydration = hydrate ? { hydration: await (await opened.documents()).hydrate() } : {}
    return { ...view, manifest, notices, mission: opened.address, ...hydration }
  },
})

/** What is wrong in it, as sentences. */
function toldOf({ problems, ...manifest }: Manifest) {
  const notices = problems.map(({ line, text, reason }) => `Line ${line} of the manifest, ${text}: ${reason}`)
  return { manifest, notices }
}
