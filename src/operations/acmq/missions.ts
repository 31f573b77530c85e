import { defineOperation } from '../define.ts'
import { openMissions } from './mission.ts'

export const missions = defineOperation({
  name: 'missions',
  summary: 'List all missions, with how many messages are where.',
  input: {},
  lists: { missions: 'first' },
  outcomes: { listed: 'done' },
  examples: [{ command: 'acmq missions', does: 'see what there is' }],

  async run(context) {
    const all = await openMissions(context)
    const missions = []
    for (const address of await all.all()) {
      const mission = await all.open(address)
      const objective = (await (await mission.documents()).manifest())?.objective ?? ''
      missions.push({
        mission: address,
        path: mission.path,
        objective,
        counts: await (await mission.overview()).counts(),
      })
    }
    return { outcome: 'listed', missions } as const
  },
})
