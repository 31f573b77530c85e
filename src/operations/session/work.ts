import { flag, text, withoutUndefined } from '../../kernel/field.ts'
import { defineOperation } from '../define.ts'
import { openSessions, session } from './fields.ts'

export const sessionWork = defineOperation({
  name: 'work',
  summary: 'Do what was delegated to programs, and record what came of it.',
  more:
    'Roles and their programs are in `.signalbox/session.yaml`. Each task is done by one process, once; one whose process was ' +
    'killed is told as failed, and `#RETRY` hands it over again. With --once, exit status 1 means that nothing was to do.',
  input: {
    session,
    once: flag('Do what waits now, and end; otherwise it goes on until it is stopped.'),
    task: text('Only this task.', { placeholder: 'ID' }),
  },
  lists: { tasks: 'last' },
  outcomes: { worked: 'done', nothing: 'nothing' },
  examples: [{ command: 'session work --session release --once', does: 'run what waits' }],

  async run(context, { session, task }) {
    const tasks = await (await openSessions(context)).work(withoutUndefined({ session, task }))
    return { outcome: tasks.length > 0 ? 'worked' : 'nothing', tasks } as const
  },
})
