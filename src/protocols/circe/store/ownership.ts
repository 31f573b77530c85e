/** Who owns a task now. `.owner` alone does not say: of a task that is over, or was opened again, it is a record. */
import { isRecord } from '../effects.ts'
import type { AgentId, TaskId } from '../names.ts'
import { isClosed } from '../task.ts'
import { readLedger } from './book.ts'
import type { CirceParts } from './parts.ts'
import { readTaskFiles } from './task-files.ts'

export async function ownerOf(parts: CirceParts, id: TaskId): Promise<AgentId | undefined> {
  const { task } = await readTaskFiles(parts, id)
  if (task.owner === undefined || isClosed(task.status)) return undefined
  return isRecord(task, (await readLedger(parts, id)).book) ? undefined : task.owner
}
