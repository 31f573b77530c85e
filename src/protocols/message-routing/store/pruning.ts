/**
 * What left an inbox is kept for a while and then removed. Pruning goes through a whole folder, so it is done for about
 * one message in 64. Ids are random, and so this needs no memory: each process decides by the ids it has just moved.
 */
import { prune } from '../../../messaging/leaves/keep.ts'
import { type AgentId, ackedPath, awaitingPath, folderPath, type KeptFolder } from '../layout.ts'
import type { RoutingParts } from './parts.ts'

type Parts = Pick<RoutingParts, 'tree' | 'root' | 'settings'>

const isDue = (id: string): boolean => /0[0-3]$/.test(id)

/** Called with what has just come into a folder. */
export async function pruneNowAndThen(parts: Parts, agent: AgentId, folder: KeptFolder, ids: readonly string[]) {
  if (ids.some(isDue)) await pruneKept(parts, agent, folder)
}

export async function pruneKept({ tree, root, settings }: Parts, agent: AgentId, folder: KeptFolder): Promise<void> {
  await prune(tree, folderPath(root, agent, folder), settings)
  if (folder !== 'taken') return
  await prune(tree, ackedPath(root, agent), settings)
  await prune(tree, awaitingPath(root, agent), settings)
}
