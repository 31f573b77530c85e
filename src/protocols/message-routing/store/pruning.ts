/**
 * Messages that left an inbox are kept for a while and then removed. Pruning lists a whole folder, so it is done for about one
 * message in 64: a process decides by the ids that it has just moved, which are random.
 */
import { prune } from '../../../messaging/leaves/keep.ts'
import { type AgentId, ackedPath, awaitingPath, folderPath, type KeptFolder } from '../layout.ts'
import type { RoutingParts } from './parts.ts'

type Parts = Pick<RoutingParts, 'tree' | 'root' | 'settings'>

const isDue = (id: string): boolean => /0[0-3]$/.test(id)

/** `ids`: of the messages that have just come into the folder. */
export async function pruneNowAndThen(parts: Parts, agent: AgentId, folder: KeptFolder, ids: readonly string[]) {
  if (ids.some(isDue)) await pruneKept(parts, agent, folder)
}

export async function pruneKept({ tree, root, settings }: Parts, agent: AgentId, folder: KeptFolder): Promise<void> {
  await prune(tree, folderPath(root, agent, folder), settings)
  if (folder !== 'taken') return
  await prune(tree, ackedPath(root, agent), settings)
  await prune(tree, awaitingPath(root, agent), settings)
}
