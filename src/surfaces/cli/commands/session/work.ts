/** `session work`: does what was delegated, once or until it is stopped. */
import { printableLine } from '../../../../kernel/printable.ts'
import { sessionWork } from '../../../../operations/session/work.ts'
import { commandFace } from '../../command.ts'
import { stepLine } from '../../lines.ts'

type Done = Awaited<ReturnType<typeof sessionWork.invoke>>['tasks'][number]

export const workFace = commandFace(
  sessionWork,
  ({ tasks }, { paint }) =>
    tasks.length === 0
      ? 'Nothing was to do.\n'
      : tasks
          .map((task) => `${paint(task.state === 'completed' ? 'green' : 'red', task.state)} ${doneLine(task)}\n`)
          .join(''),
  {
    event: ({ tasks }, { paint }) => tasks.map((task) => stepLine(`${task.state}: ${doneLine(task)}`, paint)).join(''),
  },
)

const doneLine = ({ task, agent, result }: Done): string =>
  printableLine(`${task} ${agent}: ${result.split('\n', 1)[0]!.slice(0, 200)}`)
