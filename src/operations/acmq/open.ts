/** The missions of a workspace, as it is configured. */
import { acmq, type Mission, type Missions } from '../../protocols/ac-mq/index.ts'
import type { Context } from '../define.ts'

export const openMissions = (context: Context): Promise<Missions> => context.store(acmq)

export const openMission = async (context: Context, name: string): Promise<Mission> =>
  (await openMissions(context)).open(name)
