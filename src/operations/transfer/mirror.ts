import { flag } from '../../kernel/field.ts'
import { treeRoot } from '../../kernel/tree-path.ts'
import { defineOperation } from '../define.ts'
import { followInto } from './following.ts'
import { Mirror } from './mirror-pass.ts'
import { directory } from './walk.ts'

const mirrored = { directory: 'text', written: 'integer', removed: 'integer' } as const

export const mirror = defineOperation({
  name: 'mirror',
  summary: 'Keep a copy of a cluster’s workspace as plain files, for people and git to look at.',
  more:
    'One way: what changes in the workspace changes in the directory; what is changed in the directory is not carried ' +
    'back, and may be overwritten. Without --once it stays and follows until it is stopped.',
  input: {
    directory: directory('Where the copy is; empty at first, made if it is not there.'),
    once: flag('One pass, then end.'),
  },
  outcomes: { mirrored: 'done', unchanged: 'done' },
  output: { mirrored, unchanged: mirrored },
  effects: 'destroys',
  isRepeatable: true,
  examples: [
    { command: 'mirror /srv/team --engine etcd://localhost:2379/team', does: 'stay, and follow the cluster' },
    { command: 'mirror copy --once --engine etcd://localhost:2379/team', does: 'bring the copy up to date, for cron' },
  ],

  async run(context, { directory }) {
    const mirror = await Mirror.open(context, directory)
    try {
      return await mirror.pass(treeRoot)
    } finally {
      await mirror.close()
    }
  },

  stream: (context, { directory, once }) => (once ? undefined : followInto(context, directory)),
})
