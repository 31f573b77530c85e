import { text } from '../../kernel/field.ts'
import { defineOperation } from '../define.ts'
import { openCirce } from './fields.ts'

export const circeTasks = defineOperation({
  name: 'tasks',
  summary: 'Show how tasks stand: status, owner, checks, and which have gone quiet.',
  input: { id: text('Only this one, with its messages.', { positional: true, placeholder: 'ID' }) },
  lists: { tasks: 'first' },
  outcomes: { listed: 'done' },
  examples: [
    { command: 'circe tasks', does: 'see all tasks' },
    { command: 'circe tasks AUTH-012', does: 'see one, with its messages' },
  ],

  async run(context, { id }) {
    const tasks = await (await openCirce(context)).tasks(id)
    return { outcome: 'listed', tasks, isOne: id !== undefined } as const
  },
})
