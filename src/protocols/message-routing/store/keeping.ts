/**
 * What left an inbox is kept for a while and then removed, oldest first, by age and by the disk it takes. Pruning goes
 * through a whole folder, so it is done for about one message in 64. Ids are random, and so this needs no memory: each
 * process decides by the ids it has just moved.
 */
import { childOf, isSegment, type TreePath } from '../../../kernel/tree-path.ts'
import type { TimedEntry } from '../../../tree/tree.ts'
import { type AgentId, ackedPath, awaitingPath, type Folder, folderPath } from '../layout.ts'
import type { RoutingParts } from './parts.ts'

const block = 4096
const isDue = (id: string): boolean => /0[0-3]$/.test(id)

/** Called with what has just come into a folder. */
export async function pruneNowAndThen(
  parts: RoutingParts,
  agent: AgentId,
  folder: Exclude<Folder, 'inbox'>,
  ids: readonly string[],
): Promise<void> {
  if (ids.some(isDue)) await prune(parts, agent, folder)
}

export async function prune(parts: RoutingParts, agent: AgentId, folder: Exclude<Folder, 'inbox'>): Promise<void> {
  await pruneFolder(parts, folderPath(parts.root, agent, folder))
  if (folder !== 'taken') return
  await pruneFolder(parts, ackedPath(parts.root, agent))
  await pruneFolder(parts, awaitingPath(parts.root, agent))
}

async function pruneFolder({ tree, settings }: RoutingParts, folder: TreePath): Promise<void> {
  const leaves = (await tree.list(folder, { times: true })).filter(
    ({ name, kind }) => kind === 'leaf' && isSegment(name),
  )
  for (const { name, changedAt } of tooMany(leaves, (await tree.now()) - settings.keepMs, settings.keepBytes)) {
    // Not what has come under this name since.
    await tree.remove(childOf(folder, name), { onlyIf: (_, times) => times.changedAt === changedAt })
  }
}

/** Those that came before `oldest`, and those that do not fit any more when the newest are kept first. */
export function tooMany(leaves: readonly TimedEntry[], oldest: number, mostBytes: number): TimedEntry[] {
  const newestFirst = [...leaves].sort((a, b) => b.changedAt - a.changedAt)
  let bytes = 0
  return newestFirst.filter(({ size, changedAt }) => {
    bytes += Math.max(1, Math.ceil(size / block)) * block
    return changedAt < oldest || bytes > mostBytes
  })
}
