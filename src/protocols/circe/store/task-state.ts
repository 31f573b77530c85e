/** How a task stands: what its three files say, and what follows from its messages. */
import { corrupt } from '../../../kernel/errors.ts'
import { withCheck } from '../effects.ts'
import { taskPath } from '../layout.ts'
import type { TaskId } from '../names.ts'
import { roleThatSets } from '../settings.ts'
import { settableChecks, type Task } from '../task.ts'
import { type Ledger, readLedger, taskByLog } from './ledgers.ts'
import { eventsOf } from './log.ts'
import type { CirceParts } from './parts.ts'
import { readTaskFiles, type TaskOnTree } from './task-files.ts'

export interface TaskState extends TaskOnTree, Ledger {}

export async function readState(parts: CirceParts, id: TaskId): Promise<TaskState> {
  const read = await readTaskFiles(parts, id)
  const ledger = await readLedger(parts, id)
  return { ...read, ...ledger, task: read.problems.length > 0 ? read.task : await withoutUnsigned(parts, read.task) }
}

export const readSoundState = async (parts: CirceParts, id: TaskId): Promise<TaskState> =>
  sound(parts, await readState(parts, id))

/** Throws for a task whose files cannot be believed: a person, or `doctor --fix`, sees to it first. */
export function sound<Read extends TaskOnTree>({ root }: CirceParts, read: Read): Read {
  const [problem] = read.problems
  if (!problem) return read
  const { id } = read.task
  const path = taskPath(root, id, problem.file)
  throw corrupt('BAD_TASK_FILE', `${path}: ${problem.message}`, {
    hint: 'Correct it, or let it be made again from the messages: signalbox doctor --fix',
    details: { path, task: id },
  })
}

/** A check that is for a role to set counts because an agent with that role has said so; that a file says it is not enough. */
async function withoutUnsigned(parts: CirceParts, task: Task): Promise<Task> {
  const bound = settableChecks.filter((name) => task.checks[name] && roleThatSets(parts.settings, name) !== undefined)
  const told = bound.length === 0 ? undefined : await taskByLog(parts, task.id, await eventsOf(parts, task.id))
  const unsigned = told ? bound.filter((name) => !told.checks[name]) : []
  return { ...task, checks: unsigned.reduce((set, name) => withCheck(set, name, false), task.checks) }
}
