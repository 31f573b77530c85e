/** The commands for inboxes, the router and plans. */
import { printableLine } from '../../../../kernel/printable.ts'
import type { DreamHeader } from '../../../../operations/dream/fields.ts'
import { dreamCompleted, dreamPlan, dreamTasks } from '../../../../operations/dream/plan.ts'
import { dreamRoute, type RoutedOften } from '../../../../operations/dream/route.ts'
import { taskDone, taskInbox, taskSend, taskTake } from '../../../../operations/dream/task.ts'
import { commandFace } from '../../command.ts'
import { grid, named, tableFace } from '../../grid.ts'
import { noticeLines, rejectedLines, stepLine, writtenLine } from '../../lines.ts'
import { fieldList, quotation, type Row } from '../../message.ts'
import { shellWord } from '../../spelling.ts'
import type { Screen } from '../../terminal.ts'

export const sendFace = commandFace(
  taskSend,
  ({ outcome, message }, screen) =>
    writtenLine(
      outcome === 'sent' ? `Sent to ${printableLine(message.to)}` : `${printableLine(message.to)} has it already:`,
      message,
      screen,
    ),
  { aside: noticeLines },
)

export const inboxFace = tableFace(
  taskInbox,
  ({ waiting, inHand }) => [
    ...inHand.map((one) => ({ ...one, is: 'in hand' })),
    ...waiting.map((one) => ({ ...one, is: 'waiting' })),
  ],
  'Nothing waits.',
  [
    { title: 'file', text: ({ file }) => file, colour: () => 'bold' },
    { title: '', text: ({ is }) => is },
    ...named('from', 'summary'),
  ],
  { aside: rejectedLines },
)

export const takeFace = commandFace(
  taskTake,
  (taken, screen) => {
    if (taken.outcome === 'nothing') return 'Nothing waits.\n'
    const { message, attempt, redelivered, until, notices } = taken
    const which = `${shellWord(message.file)} --as ${shellWord(message.to)} --attempt ${attempt}`
    const rows: Row[] = [
      ...headerRows(message),
      ['attempt', redelivered ? `${attempt}: it was taken before, and not finished` : String(attempt)],
      ['yours until', until],
      ...notices.map((note): Row => ['note', note]),
      ['when done', screen.next(`signalbox dream task done ${which} --output '{}'`)],
      ['or else', screen.next(`signalbox dream task done ${which} --error '{}'`)],
    ]
    return `${fieldList(rows, screen)}${quotation(JSON.stringify(message.record, undefined, 2), message.from, screen, message.path)}`
  },
  { aside: rejectedLines },
)

const headerRows = ({ id, from, summary, path }: DreamHeader): Row[] => [
  ['id', id],
  ['from', from],
  ['about', summary],
  ['file', path],
]

export const doneFace = commandFace(
  taskDone,
  ({ outcome, line, file }) =>
    outcome === 'unchanged'
      ? `${printableLine(file)} had an outcome already.\n`
      : `Recorded: ${line?.status ?? ''}. ${printableLine(file)} is in the archive.\n`,
  { aside: noticeLines },
)

export const routeFace = commandFace(
  dreamRoute,
  (output, screen) => (output.passes === undefined ? onePass(output, screen) : stopped(output)),
  {
    aside: (output, screen) =>
      rejectedLines(output, screen) +
      noticeLines(
        {
          notices: [...output.unroutable.map(staysLine), ...(output.passes === undefined ? output.notices : [])],
        },
        screen,
      ),
    event: (pass, { paint }) =>
      stepsOf(pass)
        .map((step) => stepLine(step, paint))
        .join(''),
  },
)

function onePass({ outcome, moved, copied, resent, plans }: RoutedOften, { paint }: Screen): string {
  if (outcome === 'nothing') return 'Nothing had to be carried.\n'
  return [
    ...moved.map(({ from, to, path }) => `${paint('green', 'moved')} ${printableLine(`${from} to ${to}: ${path}`)}\n`),
    ...copied.map(
      ({ from, to, path }) => `${paint('green', 'copied')} ${printableLine(`${from} to ${to.join(', ')}: ${path}`)}\n`,
    ),
    ...resent.map(
      ({ mailbox, id }) => `${paint('yellow', 'sent again')} ${printableLine(`to mailbox ${mailbox}: ${id}`)}\n`,
    ),
    ...plans.map(({ plan, planner, outcome: did, tasks, reasons }) => {
      const what = did === 'joined' ? tasks.join(', ') : reasons.join(' ')
      return `${paint(did === 'joined' ? 'green' : 'yellow', did)} ${printableLine(`${plan} of ${planner}: ${what}`)}\n`
    }),
  ].join('')
}

const staysLine = ({ path, target, reason }: RoutedOften['unroutable'][number]): string =>
  `${path} stays, for ${target}: ${reason}`

const stepsOf = ({ moved, copied, resent, plans, notices, unroutable, rejected }: RoutedOften): string[] => [
  ...moved.map(({ from, to, path }) => `${from} to ${to}: ${path}`),
  ...copied.map(({ from, to, path }) => `${from} to ${to.join(', ')}: ${path}`),
  ...resent.map(({ mailbox, id }) => `sent again to mailbox ${mailbox}: ${id}`),
  ...plans.map(({ outcome, plan, planner }) => `${plan} of ${planner}: ${outcome}`),
  ...notices,
  ...unroutable.map(staysLine),
  ...rejected.map(({ path, reason }) => `${path} is no message: ${reason}`),
]

const stopped = ({ moved, copied, passes }: RoutedOften): string =>
  `Stopped. ${moved.length} moved, ${copied.length} copied, in ${passes} passes.\n`

export const planFace = commandFace(
  dreamPlan,
  ({ plan, sent }, { paint }) =>
    sent.length === 0
      ? `Nobody was asked for ${plan}.\n`
      : `Asked ${printableLine(sent.map(({ to }) => to).join(', '))} for ${paint('bold', plan)}\n`,
  { aside: noticeLines },
)

export const tasksFace = commandFace(
  dreamTasks,
  ({ outcome, tasks }, screen) => {
    if (outcome === 'nothing' || outcome === 'refused') return 'Nothing may start.\n'
    if (tasks.length === 0) return 'There are no tasks.\n'
    const table = grid(
      tasks,
      [
        { title: 'task', text: ({ task_id }) => task_id, colour: () => 'bold' },
        {
          title: 'status',
          text: ({ status }) => status,
          colour: ({ status }) =>
            status === 'FAILED' || status === 'BLOCKED' ? 'red' : status === 'COMPLETED' ? 'green' : undefined,
        },
        { title: 'priority', text: ({ priority }) => String(priority) },
        { title: 'agent', text: ({ target_agent }) => target_agent },
        {
          title: 'action',
          text: ({ action, blocked_reason }) => (blocked_reason ? `${action}: ${blocked_reason}` : action),
        },
        { title: 'after', text: ({ depends_on }) => depends_on.join(', ') },
      ],
      screen,
    )
    return outcome === 'dispatched' ? `Handed out:\n${table}` : table
  },
  { aside: noticeLines },
)

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === null || value === undefined ? '·' : JSON.stringify(value)

export const completedFace = tableFace(
  dreamCompleted,
  ({ completed }) => completed,
  'Nothing was recorded.',
  [
    { title: 'when', text: ({ timestamp }) => textOf(timestamp) },
    { title: 'agent', text: ({ agent_id }) => textOf(agent_id), colour: () => 'bold' },
    { title: 'task', text: ({ task_id, message_id }) => textOf(task_id ?? message_id) },
    {
      title: 'status',
      text: ({ status }) => textOf(status),
      colour: ({ status }) => (status === 'FAILED' ? 'red' : 'green'),
    },
    { title: 'outcome', text: ({ output, error_details }) => textOf(output ?? error_details) },
  ],
  { aside: noticeLines },
)
