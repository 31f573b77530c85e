import { flag, text, withoutUndefined } from '../../kernel/field.ts'
import { type Context, defineOperation } from '../define.ts'
import { lastOf } from '../rounds.ts'
import { openSessions, type Sessions, session } from './fields.ts'

const worked = { tasks: [{ task: 'text', agent: 'text', state: 'text', result: 'text' }] } as const

/** Other protocols ring no bell here, so their answers are looked for this often. */
const roundMs = 5000

export const sessionWork = defineOperation({
  name: 'work',
  summary: 'Do what was delegated to programs, and record what came of it.',
  more:
    'Roles and their programs are in `.signalbox/session.yaml`. Each task is done by one process, once; one whose process was ' +
    'killed is told as failed, and `#RETRY` hands it over again. Exit status 1 means that nothing was to do.',
  input: {
    session,
    once: flag('Do what waits now, and end; otherwise it goes on until it is stopped.'),
    task: text('Only this task.', { placeholder: 'ID' }),
  },
  lists: { tasks: 'last' },
  outcomes: { worked: 'done', nothing: 'nothing' },
  output: { worked, nothing: worked },
  effects: 'writes',
  examples: [{ command: 'session work --session release --once', does: 'run what waits' }],

  async run(context, { session, task }) {
    const { signal } = context
    const tasks = await (await openSessions(context)).work(withoutUndefined({ session, task, signal }))
    return workedOn(tasks)
  },

  stream: (context, { session, once }) => (once ? undefined : workOn(context, withoutUndefined({ session }))),
})

type Tasks = Awaited<ReturnType<Sessions['work']>>

const workedOn = (tasks: Tasks) => ({ outcome: tasks.length > 0 ? 'worked' : 'nothing', tasks }) as const

/** Gives what was done in each round that did something. */
async function* workOn({ signal, ...context }: Context, named: { readonly session?: string }) {
  const sessions = await openSessions(context)
  const how = { ...named, ...withoutUndefined({ signal }) }
  context.report.tell({ as: 'text', text: 'Doing what is delegated. Stop with Ctrl-C.' })
  let tasks: Tasks = []
  while (!signal?.aborted) {
    const done = await sessions.work(how)
    if (done.length > 0) yield workedOn(done)
    tasks = lastOf(tasks, done)
    await sessions.news({ ...how, waitMs: roundMs })
  }
  return workedOn(tasks)
}
