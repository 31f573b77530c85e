/** The commands about inboxes, tasks and what happened. */
import { printableLine } from '../../../../kernel/printable.ts'
import { circeCheck } from '../../../../operations/circe/check.ts'
import { circeInbox } from '../../../../operations/circe/claim.ts'
import type { InboxLine, TaskView } from '../../../../operations/circe/fields.ts'
import { circeLog } from '../../../../operations/circe/log.ts'
import { circeRelease, circeStatus, circeTasks } from '../../../../operations/circe/tasks.ts'
import { commandFace } from '../../command.ts'
import { type Column, grid } from '../../grid.ts'
import { ageOf, noticeLines, rejectedLines } from '../../lines.ts'
import { fieldList, type Row } from '../../message.ts'
import type { Screen } from '../../terminal.ts'

export const inboxFace = commandFace(
  circeInbox,
  ({ messages, agent }, screen) =>
    grid(messages, inboxColumns(messages), screen) || `Nothing is there for ${printableLine(agent)}.\n`,
  {
    aside: (output, screen) => rejectedLines(output, screen) + noticeLines(output, screen),
  },
)

/** Headers such as a priority or a due time, if any message has them. */
const extrasOf = ({ headers }: InboxLine): string =>
  Object.entries(headers)
    .filter(([key]) => key !== 'in_reply_to')
    .map(([key, value]) => `${key} ${value}`)
    .join(', ')

function inboxColumns(messages: readonly InboxLine[]): Column<InboxLine>[] {
  return [
    { title: 'file', text: ({ file }) => file, colour: () => 'bold' },
    { title: 'is', text: standing, colour: ({ ownedBy }) => (ownedBy === undefined ? undefined : 'yellow') },
    { title: 'age', text: ({ ageSeconds }) => ageOf(ageSeconds) },
    ...(messages.some((one) => extrasOf(one) !== '') ? [{ title: 'says', text: extrasOf }] : []),
    { title: 'summary', text: ({ summary }) => summary },
  ]
}

const standing = ({ state, isClaimed, isAcknowledged, ownedBy }: InboxLine): string => {
  if (ownedBy !== undefined) return `${ownedBy}’s`
  if (state === 'workspace') return 'being worked on'
  return isAcknowledged ? 'acknowledged' : isClaimed ? 'claimed' : state === 'new' ? 'new' : 'in the inbox'
}

export const tasksFace = commandFace(
  circeTasks,
  ({ tasks, isOne }, screen) =>
    isOne ? taskText(tasks[0]!, screen) : grid(tasks, taskColumns, screen) || 'There is no task yet.\n',
  {
    aside: ({ tasks, isOne, notices }, screen) =>
      noticeLines({ notices: [...notices, ...(isOne ? [] : tasks.flatMap(noticesOf))] }, screen),
  },
)

/** The notices of a single task are printed among its rows. */
const noticesOf = ({ notices }: TaskView): readonly string[] => notices

const passed = ({ checks }: TaskView): string =>
  Object.entries(checks)
    .flatMap(([name, value]) => (value ? [name] : []))
    .join(' ') || '·'

const taskColumns: Column<TaskView>[] = [
  { title: 'task', text: ({ id }) => id, colour: () => 'bold' },
  {
    title: 'status',
    text: ({ status }) => status,
    colour: ({ status }) => (status === 'blocked' || status === 'failed' ? 'red' : undefined),
  },
  { title: 'owner', text: ({ owner }) => owner ?? '·' },
  {
    title: 'quiet for',
    text: ({ stalledSeconds }) => (stalledSeconds === undefined ? '·' : ageOf(stalledSeconds)),
    colour: () => 'yellow',
  },
  { title: 'open', text: ({ messages }) => String(messages.length) },
  { title: 'checks', text: passed },
]

function taskText(task: TaskView, screen: Screen): string {
  const { id, status, owner, checks, stalledSeconds, request, startedAt, updatedAt, messages, notices } = task
  const rows: Row[] = [
    ['task', id],
    ['status', status],
    ['owner', owner ?? 'nobody'],
    ['asked for by', request && `${request.from} (${request.intent})`],
    ['started', startedAt],
    ['last news', updatedAt],
    ['quiet for', stalledSeconds === undefined ? undefined : ageOf(stalledSeconds)],
    ...Object.entries(checks).map(([name, value]): Row => [name, String(value)]),
    ...notices.map((notice): Row => ['problem', notice]),
  ]
  const whose: Column<InboxLine> = { title: 'whose', text: ({ agent }) => agent ?? '·' }
  const list = messages.length === 0 ? '' : `\n${grid(messages, [whose, ...inboxColumns(messages)], screen)}`
  return `${fieldList(rows, screen)}${list}`
}

const changedLine = (changed: string, { id, status, owner }: TaskView, { paint }: Screen): string =>
  `${changed} ${paint('bold', printableLine(id))}: ${printableLine(status)}${owner === undefined ? '' : `, ${printableLine(owner)}’s`}\n`

export const releaseFace = commandFace(circeRelease, ({ outcome, task }, screen) =>
  changedLine(outcome === 'changed' ? 'Gave back' : 'Nobody had', task, screen),
)

export const statusFace = commandFace(circeStatus, ({ outcome, task }, screen) =>
  changedLine(outcome === 'changed' ? 'Changed' : 'That is so already:', task, screen),
)

export const checkFace = commandFace(circeCheck, ({ task }, screen) =>
  fieldList(
    Object.entries(task.checks).map(([name, value]): Row => [name, String(value)]),
    screen,
  ),
)

export const logFace = commandFace(circeLog, ({ entries, lines }, screen) => {
  if (lines) return lines.map((line) => `${printableLine(line)}\n`).join('')
  const rows = grid(
    entries,
    [
      { text: ({ at }) => at, colour: () => 'dim' },
      { text: ({ event }) => event, colour: () => 'bold' },
      { text: ({ agent }) => agent },
      { text: ({ task }) => task ?? '' },
      { text: ({ detail, summary }) => [detail, summary ?? ''].filter(Boolean).join(' · ') },
    ],
    screen,
  )
  return rows || 'Nothing has happened yet.\n'
})
