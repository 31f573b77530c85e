/** Who owns a task now. `.owner` alone does not say: of a task that is over, or was opened again, it is a record. */
import { isRecord } from '../effects.ts'
import type { AgentId, TaskId } from '../names.ts'
import { isClosed } from '../task.ts'
import type { Sources } from './sources.ts'

export async function ownerOf({ filesOf, ledgerOf }: Sources, id: TaskId): Promise<AgentId | undefined> {
  const { task } = await filesOf(id)
  if (task.owner === undefined || isClosed(task.status)) return undefined
  return isRecord(task, (await ledgerOf(id)).book) ? undefined : task.owner
}
