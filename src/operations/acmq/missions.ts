/** The verbs for missions themselves: make one, list all. */
import { text, withoutUndefined } from '../../kernel/field.ts'
import { defineOperation } from '../define.ts'
import { durability } from '../shapes.ts'
import { openMissions } from './mission.ts'
import { counts } from './shapes.ts'

export const missions = defineOperation({
  name: 'missions',
  summary: 'List all missions, with how many messages are where.',
  input: {},
  lists: { missions: 'first' },
  outcomes: { listed: 'done' },
  output: { listed: { missions: [{ mission: 'text', path: 'text', objective: 'text', counts }] } },
  effects: 'reads',
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

const made = { mission: 'text', path: 'text', manifest: 'text', durability } as const

export const createMission = defineOperation({
  name: 'create-mission',
  summary: 'Make a mission: its folders, its queues and a manifest to fill in.',
  more: 'A mission that is there already is left as it is. PARENT/CHILD makes one inside another.',
  input: {
    name: text('The name: letters, digits, dots, dashes and underscores, at most 64.', {
      positional: true,
      required: true,
      expected: 'a name for the mission, such as system-design',
    }),
    objective: text('What the mission is for; it goes into the manifest.'),
  },
  outcomes: { created: 'done', unchanged: 'done' },
  output: { created: made, unchanged: made },
  effects: 'writes',
  isRepeatable: true,
  examples: [
    { command: 'acmq create-mission system-design --objective "Design the login"', does: 'make a mission' },
    { command: 'acmq create-mission system-design/database', does: 'make one inside it' },
  ],

  async run(context, { name, objective }) {
    const missions = await openMissions(context)
    const { outcome, mission, path, manifest } = await missions.create(name, withoutUndefined({ objective }))
    const { durability } = await context.configuration()
    return { outcome, mission: mission.address, path, manifest, durability } as const
  },
})
