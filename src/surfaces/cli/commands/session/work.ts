/** `session work`: does what was delegated, once or until it is stopped. */
import { printableLine } from '../../../../kernel/printable.ts'
import type { Context } from '../../../../operations/define.ts'
import { openSessions } from '../../../../operations/session/fields.ts'
import { sessionWork } from '../../../../operations/session/work.ts'
import { commandFace } from '../../command.ts'

type Output = Awaited<ReturnType<typeof sessionWork.invoke>>
type Done = Output['tasks'][number]

/** Other protocols do not ring: what they have answered is looked for so often. */
const roundMs = 5000
/** The command may run for days, and lists at most so many tasks at its end. */
const mostRemembered = 1000

export const workFace = commandFace(
  sessionWork,
  ({ tasks }, { paint }) =>
    tasks.length === 0
      ? 'Nothing was to do.\n'
      : tasks
          .map((task) => `${paint(task.state === 'completed' ? 'green' : 'red', task.state)} ${doneLine(task)}\n`)
          .join(''),
  { stay: ({ once }) => (once === true ? undefined : workOn) },
)

const doneLine = ({ task, agent, result }: Done): string =>
  printableLine(`${task} ${agent}: ${result.split('\n', 1)[0]!.slice(0, 200)}`)

async function workOn(context: Context, input: unknown, stopped: AbortSignal): Promise<Output> {
  const { session } = input as { readonly session?: string }
  const sessions = await openSessions(context)
  const named = session === undefined ? {} : { session }
  context.report.tell({ as: 'text', text: 'Doing what is delegated. Stop with Ctrl-C.' })
  let tasks: Done[] = []
  while (!stopped.aborted) {
    const done = await sessions.work({ ...named, signal: stopped })
    for (const task of done) context.report.tell({ as: 'step', text: `${task.state}: ${doneLine(task)}` })
    tasks = [...tasks, ...done].slice(-mostRemembered)
    await sessions.news({ ...named, waitMs: roundMs, signal: stopped })
  }
  return { outcome: tasks.length > 0 ? 'worked' : 'nothing', tasks }
}
