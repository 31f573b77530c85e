/** The missions of a workspace, as it is configured. */
import type { Clock } from '../../kernel/clock.ts'
import { type TreePath, treePath } from '../../kernel/tree-path.ts'
import { acmq } from '../../protocols/ac-mq/index.ts'
import { type MissionAddress, type MissionPlace, missionPath, queuePath } from '../../protocols/ac-mq/layout.ts'
import type { QueueName } from '../../protocols/ac-mq/schema.ts'
import type { AcmqSettings } from '../../protocols/ac-mq/settings.ts'
import type { Mission } from '../../protocols/ac-mq/store/mission.ts'
import type { Missions } from '../../protocols/ac-mq/store/missions.ts'
import type { Tree } from '../../tree/tree.ts'
import type { Context } from '../define.ts'
import type { Configuration } from '../workspace/configuration.ts'

export function acmqSettings({ sections }: Configuration): AcmqSettings {
  const { root, timeoutSeconds, largestBody, archiveAfter } = sections.acmq
  // People write `./llm/missions/`, as the specification does.
  const folder = root.replace(/^\.\//, '').replace(/\/$/, '')
  return { ...acmq.defaults, root: folder, timeoutSeconds, largestBody, archiveAfterMs: archiveAfter }
}

export const missionsOn = (tree: Tree, clock: Clock, configuration: Configuration): Missions =>
  acmq.open({ tree, clock, settings: acmqSettings(configuration) })

/** The same ones for as long as the context lives: what they remember is worth keeping. */
export function openMissions(context: Context): Promise<Missions> {
  const known = opened.get(context) ?? openAll(context)
  opened.set(context, known)
  return known
}

const opened = new WeakMap<Context, Promise<Missions>>()

const openAll = async (context: Context): Promise<Missions> =>
  missionsOn(await context.tree(), context.clock, await context.configuration())

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
  return { root: treePath(acmqSettings(await context.configuration()).root), address }
}
