import { isoTime } from '../../kernel/clock.ts'
import { type MissionAddress, type Missions, type QueueName, queueNames } from '../../protocols/ac-mq/index.ts'
import { tellClock } from '../clock-agreement.ts'
import { defineOperation } from '../define.ts'
import { mission, openMissions } from './mission.ts'

type Counts = Readonly<Record<QueueName, number>>

interface SubMission {
  readonly mission: string
  readonly counts: Counts
  readonly stalled: number
}

export const status = defineOperation({
  name: 'status',
  summary: 'Show how a mission is doing: queues, what waits and why, who works, how fast.',
  more: 'Missions inside it are counted too; `total` has them all together.',
  input: { mission },
  outcomes: { told: 'done' },
  examples: [
    { command: 'acmq status alpha', does: 'look at a mission' },
    { command: 'acmq status alpha --json', does: 'the same for programs' },
  ],

  async run(context, { mission }) {
    const missions = await openMissions(context)
    await tellClock(context)
    const opened = await missions.open(mission)
    const { stalled, ...queue } = await opened.status()
    const manifest = await opened.manifest()
    const subMissions = await missionsBelow(missions, opened.address)
    return {
      outcome: 'told',
      mission: opened.address,
      path: opened.path,
      objective: manifest?.objective ?? '',
      manifestStatus: manifest?.status ?? null,
      milestones: manifest?.milestones ?? [],
      ...queue,
      oldestPending: queue.oldestPending ?? null,
      stalled: stalled.map((one) => ({ ...one, since: isoTime(one.since) })),
      subMissions,
      total: sumOf([queue.counts, ...subMissions.map(({ counts }) => counts)]),
    } as const
  },
})

/** Every mission inside this one, at any depth, parents first. */
async function missionsBelow(missions: Missions, address: MissionAddress): Promise<SubMission[]> {
  const found: SubMission[] = []
  for (const below of await missions.below(address)) {
    const mission = await missions.open(below)
    const stalled = (await mission.findStalled()).length
    found.push({ mission: below, counts: await mission.counts(), stalled })
    found.push(...(await missionsBelow(missions, below)))
  }
  return found
}

function sumOf(all: readonly Counts[]): Counts {
  const total = { pending: 0, processing: 0, completed: 0, failed: 0 }
  for (const counts of all) for (const queue of queueNames) total[queue] += counts[queue]
  return total
}
