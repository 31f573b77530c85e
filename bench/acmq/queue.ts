/** Opens workspaces and missions as a program would, and fills them faster than by sending. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openWorkspace, type Workspace } from '../../src/index.ts'
import { printMessage } from '../../src/protocols/ac-mq/format.ts'
import { fileNameOf } from '../../src/protocols/ac-mq/layout.ts'
import type { QueueName } from '../../src/protocols/ac-mq/schema.ts'
import type { Mission } from '../../src/protocols/ac-mq/store/mission.ts'
import type { Durability } from '../../src/tree/tree.ts'
import { bodyFor, earlierId, inputFor, recordOf, specification, worker } from './message.ts'

/** Ignores the environment variables of this shell. */
export const openBox = (root: string, durability: Durability = 'process'): Promise<Workspace> =>
  openWorkspace({ root, durability, environment: {} })

export const queueFolder = (root: string, mission: string, queue: QueueName): string =>
  join(root, 'llm/missions', mission, 'queue', queue)

/** Makes a mission in which the dependencies of our messages are met. */
export async function missionWithHistory(missions: Workspace['acmq'], root: string, name: string): Promise<Mission> {
  const { mission } = await missions.create(name)
  const file = join(root, 'llm/missions', name, specification)
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, 'Three tables.\n')
  await mission.sending.send({ ...inputFor(name), id: earlierId })
  await takeAndComplete(mission)
  return mission
}

export async function take(mission: Mission) {
  const claimed = await mission.claims.next({ agent: worker })
  if (claimed.outcome !== 'claimed') throw new Error('nothing to claim')
  return claimed.message
}

export async function takeAndComplete(mission: Mission): Promise<void> {
  const message = await take(mission)
  await mission.settling.complete(message, { agent: worker, attempt: message.attempt })
}

/** Priorities 2 to 5, one after the other. 1 is left for a message that must come first. */
const priorities = 4
const priorityOf = (number: number) => 2 + (number % priorities)

/** Writes waiting messages as the library would. Answers their ids in the order in which they must be claimed. */
export function fillPending(root: string, mission: string, count: number): string[] {
  const folder = queueFolder(root, mission, 'pending')
  const body = bodyFor(mission)
  const records = Array.from({ length: count }, (_, number) => recordOf(mission, number, priorityOf(number)))
  for (const record of records) writeFileSync(join(folder, fileNameOf(record)), printMessage(record, body))
  return records.sort((a, b) => a.priority - b.priority).map(({ id }) => id)
}
