import { text, withoutUndefined } from '../../kernel/field.ts'
import { bounded, limit } from '../bounded.ts'
import { defineOperation } from '../define.ts'
import { openCirce } from './fields.ts'

export const circeTasks = defineOperation({
  name: 'tasks',
  summary: 'Show how tasks stand: status, owner, checks, and which have gone quiet.',
  input: { id: text('Only this one, with its messages.', { positional: true, placeholder: 'ID' }), limit },
  outcomes: { listed: 'done' },
  examples: [
    { command: 'circe tasks', does: 'see all tasks' },
    { command: 'circe tasks AUTH-012', does: 'see one, with its messages' },
  ],

  async run(context, { id, limit }) {
    const circe = await openCirce(context)
    if (id !== undefined) {
      const [task] = await circe.overview.tasks(id)
      // Of one task, its messages are the list.
      const { leftOut = 0, ...shown } = bounded(task!, { messages: 'first' }, limit)
      return { outcome: 'listed', tasks: [shown], leftOut, notices: [], isOne: true } as const
    }
    return { outcome: 'listed', ...(await circe.overview.taskList(withoutUndefined({ limit }))), isOne: false } as const
  },
})
