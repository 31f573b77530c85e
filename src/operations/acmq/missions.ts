import type { QueueName } from '../../protocols/ac-mq/index.ts'
import { defineOperation } from '../define.ts'
import { openMissions } from './open.ts'

export interface MissionLine {
  readonly mission: string
  readonly path: string
  readonly objective: string
  readonly counts: Readonly<Record<QueueName, number>>
}

export const missions = defineOperation({
  name: 'missions',
  summary: 'List all missions, with how many messages are where.',
  input: {},
  outcomes: { listed: 'done' },
  examples: [{ command: 'acmq missions', does: 'see what there is' }],

  async run(context) {
    const all = await openMissions(context)
    const lines: MissionLine[] = []
    for (const address of await all.all()) {
      const mission = await all.open(address)
      const objective = (await mission.manifest())?.objective ?? ''
      lines.push({
        mission: address,
        path: mission.path,
        objective,
        counts: await mission.counts(),
      })
    }
    return { outcome: 'listed', missions: lines } as const
  },
})
