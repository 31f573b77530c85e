import { text } from '../../kernel/field.ts'
import { defineOperation } from '../define.ts'
import { agent, openCirce } from './fields.ts'

export const circeRelease = defineOperation({
  name: 'release',
  summary: 'Give a task back: others can claim its work.',
  more: 'Only its owner can. Whatever else is in the workspace stays there.',
  input: { agent, task: text('The task.', { required: true, placeholder: 'ID', expected: 'a task such as FEAT-021' }) },
  outcomes: { changed: 'done', unchanged: 'done' },
  examples: [{ command: 'circe release engineer --task AUTH-012', does: 'give it back' }],

  async run(context, { agent, task }) {
    return (await openCirce(context)).tasks.release(agent, task)
  },
})
