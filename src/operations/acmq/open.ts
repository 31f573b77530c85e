/** The missions of a workspace, as it is configured. */
import { insideRoot } from '../../kernel/path-fields.ts'
import type { TreePath } from '../../kernel/tree-path.ts'
import { acmq } from '../../protocols/ac-mq/index.ts'
import { type MissionAddress, type MissionPlace, missionPath, queuePath } from '../../protocols/ac-mq/layout.ts'
import type { QueueName } from '../../protocols/ac-mq/schema.ts'
import type { Mission } from '../../protocols/ac-mq/store/mission.ts'
import type { Missions } from '../../protocols/ac-mq/store/missions.ts'
import type { Context } from '../define.ts'

export const openMissions = (context: Context): Promise<Missions> => context.store(acmq)

export const openMission = async (context: Context, name: string): Promise<Mission> =>
  (await openMissions(context)).open(name)

/** Where a mission lies on the tree. */
export async function pathOfMission(context: Context, address: MissionAddress): Promise<TreePath> {
  return missionPath(await placeOfMission(context, address))
}

export async function pathOfQueue(context: Context, address: MissionAddress, queue: QueueName): Promise<TreePath> {
  return queuePath(await placeOfMission(context, address), queue)
}

export async function placeOfMission(context: Context, address: MissionAddress): Promise<MissionPlace> {
  return { root: insideRoot((await context.configuration()).sections.acmq.root), address }
}
