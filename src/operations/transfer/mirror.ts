import { flag, text } from '../../kernel/field.ts'
import { defineOperation } from '../define.ts'
import { Mirror, mirrorRoot } from './mirror-pass.ts'

export interface Mirrored {
  readonly outcome: 'mirrored' | 'unchanged'
  readonly directory: string
  readonly written: number
  readonly removed: number
}

/** One pass. Surfaces that can stay go on by what they are told: see `duties/mirror-workspace.ts`. */
export const mirror = defineOperation({
  name: 'mirror',
  summary: 'Keep a copy of a cluster’s workspace as plain files, for people and git to look at.',
  more:
    'One way: what changes in the workspace changes in the directory; what is changed in the directory is not carried ' +
    'back, and may be overwritten. Without --once it stays and follows until it is stopped.',
  input: {
    directory: text('Where the copy is; empty at first, made if it is not there.', {
      positional: true,
      required: true,
      placeholder: 'DIR',
      completes: 'folder',
      pattern: /./,
      longest: 4096,
    }),
    once: flag('One pass, then end.'),
  },
  outcomes: { mirrored: 'done', unchanged: 'done' },
  examples: [
    { command: 'mirror /srv/team --engine etcd://localhost:2379/team', does: 'stay, and follow the cluster' },
    { command: 'mirror copy --once --engine etcd://localhost:2379/team', does: 'bring the copy up to date, for cron' },
  ],

  async run(context, { directory }): Promise<Mirrored> {
    const mirror = await Mirror.open(context, directory)
    try {
      const counts = { written: 0, removed: 0 }
      await mirror.pass(mirrorRoot, counts, () => {})
      return { outcome: counts.written + counts.removed > 0 ? 'mirrored' : 'unchanged', directory, ...counts }
    } finally {
      await mirror.close()
    }
  },
})
