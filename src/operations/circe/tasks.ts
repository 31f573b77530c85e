/** The verbs for tasks: listing them, setting the status of one, giving one back. */
import { text, withoutUndefined } from '../../kernel/field.ts'
import { seenActing } from '../acting.ts'
import { bounded, limit } from '../bounded.ts'
import { defineOperation, whoActs } from '../define.ts'
import { notices } from '../shapes.ts'
import { agent, openCirce, taskWord } from './fields.ts'
import { changedTask, task } from './shapes.ts'

export const circeTasks = defineOperation({
  name: 'tasks',
  summary: 'Show how tasks stand: status, owner, checks, and which have gone quiet.',
  input: { id: text('Only this one, with its messages.', { positional: true, placeholder: 'ID' }), limit },
  outcomes: { listed: 'done' },
  output: { listed: { tasks: [task], leftOut: 'integer', notices, isOne: 'flag' } },
  effects: 'reads',
  examples: [
    { command: 'circe tasks', does: 'see all tasks' },
    { command: 'circe tasks AUTH-012', does: 'see one, with its messages' },
  ],

  async run(context, { id, limit }) {
    const circe = await openCirce(context)
    if (id !== undefined) {
      const [task] = await circe.overview.tasks(id)
      // For a single task, `limit` counts its messages.
      const { leftOut = 0, ...shown } = bounded(task!, { messages: 'first' }, limit)
      return { outcome: 'listed', tasks: [shown], leftOut, notices: [], isOne: true } as const
    }
    return { outcome: 'listed', ...(await circe.overview.taskList(withoutUndefined({ limit }))), isOne: false } as const
  },
})

export const circeStatus = defineOperation({
  name: 'status',
  summary: 'Say how a task stands.',
  more:
    'Its owner can; `completed` may also be said by whoever asked for the task. A task about code is completed only when its ' +
    'tests have passed (exit status 4). Completing moves everything of the task into LOGS/.',
  input: {
    id: taskWord,
    status: text('How it stands.', {
      positional: true,
      required: true,
      expected: 'in_progress, blocked, failed or completed',
    }),
  },
  outcomes: { changed: 'done', unchanged: 'done' },
  output: { changed: changedTask, unchanged: changedTask },
  effects: 'writes',
  isRepeatable: true,
  examples: [
    { command: 'circe status AUTH-012 blocked --as engineer', does: 'say that you cannot go on' },
    { command: 'circe status AUTH-012 completed --as coordinator', does: 'complete it' },
  ],

  async run(context, { id, status }) {
    const agent = await whoActs(context)
    await seenActing(context, agent)
    return (await openCirce(context)).tasks.status(id, status, agent)
  },
})

export const circeRelease = defineOperation({
  name: 'release',
  summary: 'Give a task back: others can claim its work.',
  more: 'Only its owner can. Whatever else is in the workspace stays there.',
  input: { agent, task: text('The task.', { required: true, placeholder: 'ID', expected: 'a task such as FEAT-021' }) },
  outcomes: { changed: 'done', unchanged: 'done' },
  output: { changed: changedTask, unchanged: changedTask },
  effects: 'writes',
  isRepeatable: true,
  examples: [{ command: 'circe release --as engineer --task AUTH-012', does: 'give it back' }],

  async run(context, { agent, task }) {
    await seenActing(context, agent)
    return (await openCirce(context)).tasks.release(agent, task)
  },
})
