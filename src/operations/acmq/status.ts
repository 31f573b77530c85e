import { isoTime } from '../../kernel/clock.ts'
import { anyOf, mapOf, oneOf } from '../../kernel/shape.ts'
import { type Mission, type QueueName, queueNames } from '../../protocols/ac-mq/index.ts'
import { tellClock } from '../clock-agreement.ts'
import { defineOperation } from '../define.ts'
import { mission, openMissions } from './mission.ts'
import { counts, milestones, queue, rejected, stalled } from './shapes.ts'

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
  lists: { milestones: 'first', blocked: 'first', stalled: 'first', subMissions: 'first', rejected: 'first' },
  outcomes: { told: 'done' },
  output: {
    told: {
      mission: 'text',
      path: 'text',
      objective: 'text',
      manifestStatus: anyOf('text', 'nothing'),
      milestones,
      counts,
      oldestPending: anyOf({ id: 'text', summary: 'text', ageSeconds: 'integer' }, 'nothing'),
      blocked: [{ id: 'text', summary: 'text', reason: 'text' }],
      stalled,
      rejected,
      completedLastHour: 'integer',
      failedLastHour: 'integer',
      agents: mapOf(counts),
      archived: 'integer',
      merging: {
        rate: 'number',
        threshold: 'integer',
        decisions: [{ at: 'time', queue, did: oneOf('snapshot', 'waited'), reason: 'text' }],
      },
      subMissions: [{ mission: 'text', counts, stalled: 'integer' }],
      total: counts,
    },
  },
  effects: 'reads',
  examples: [
    { command: 'acmq status alpha', does: 'look at a mission' },
    { command: 'acmq status alpha --json', does: 'the same for programs' },
  ],

  async run(context, { mission }) {
    const missions = await openMissions(context)
    await tellClock(context)
    const [opened, ...inner] = await missions.within(mission)
    const { stalled, unreadable: rejected, ...queue } = await (await opened.overview()).status()
    const manifest = await (await opened.documents()).manifest()
    const { rate, threshold, decisions } = await (await opened.memory()).merging()
    const subMissions = await Promise.all(inner.map(subMission))
    return {
      outcome: 'told',
      mission: opened.address,
      path: opened.path,
      objective: manifest?.objective ?? '',
      manifestStatus: manifest?.status ?? null,
      milestones: manifest?.milestones ?? [],
      ...queue,
      rejected,
      oldestPending: queue.oldestPending ?? null,
      stalled: stalled.map((one) => ({ ...one, since: isoTime(one.since) })),
      merging: { rate, threshold, decisions: decisions.map((one) => ({ ...one, at: isoTime(one.at) })) },
      subMissions,
      total: sumOf([queue.counts, ...subMissions.map(({ counts }) => counts)]),
    } as const
  },
})

const subMission = async (mission: Mission): Promise<SubMission> => ({
  mission: mission.address,
  counts: await (await mission.overview()).counts(),
  stalled: (await (await mission.supervision()).findStalled()).length,
})

function sumOf(all: readonly Counts[]): Counts {
  const total = { pending: 0, processing: 0, completed: 0, failed: 0 }
  for (const counts of all) for (const queue of queueNames) total[queue] += counts[queue]
  return total
}
