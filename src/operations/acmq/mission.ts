/** What the commands of AC-MQ share: the mission they work on, and the inputs that several of them take. */
import { call } from '../../kernel/call.ts'
import { flag, integer, text } from '../../kernel/field.ts'
import { acmq, type Mission, type Missions } from '../../protocols/ac-mq/index.ts'
import type { Context } from '../define.ts'

/** What surfaces may know of messages: how they look from outside. */
export type { AcmqView, AcmqViewWithBody, Hydration } from '../../protocols/ac-mq/index.ts'

export const mission = text('The mission: NAME, or PARENT/CHILD for one inside another.', {
  positional: true,
  required: true,
  expected: `the name of a mission, such as system-design (${call('acmq missions')} lists them)`,
})

export const messageId = text('The message: its id, or the first eight characters of it.', {
  positional: true,
  required: true,
  placeholder: 'ID',
  expected: `the id of a message, such as 1f2e3d4c (${call('acmq list', { mission: 'MISSION' })} shows them)`,
})

export const attempt = integer('Which claim is meant, as `claim` told it; without it, the one in force.', { least: 1 })

export const hydrated = flag('Also give what one should read first, as `hydrate` does.')

/** The missions of a workspace, as it is configured. */
export const openMissions = (context: Context): Promise<Missions> => context.store(acmq)

/** What sending needs of a mission, and no more. */
export const openSender = async (context: Context, name: string) => (await openMissions(context)).sender(name)

export const openMission = async (context: Context, name: string): Promise<Mission> =>
  (await openMissions(context)).open(name)

/** A mission with all missions inside it, parents first, for what is judged by time: tells people when this machine's clock is wrong. */
export async function openTimedMissions(context: Context, name: string): Promise<[Mission, ...Mission[]]> {
  const missions = await (await openMissions(context)).within(name)
  await (await import('../clock-agreement.ts')).tellClock(context)
  return missions
}
