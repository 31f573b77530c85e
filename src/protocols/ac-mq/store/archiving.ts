/** Archives the completed messages of a mission that are old enough. AC-MQ §9.2. */
import { unavailable } from '../../../kernel/errors.ts'
import { archiveMessages, isUnfinished, type ToArchive } from '../archive/archive.ts'
import { archivePath } from '../layout.ts'
import type { MissionFiles } from './parts.ts'
import type { AcmqView } from './view.ts'

export interface ArchivingOptions {
  readonly olderThanMs?: number
  readonly by?: string
  readonly onProgress?: (done: number, total: number) => void
}

export async function archiveOld(
  files: MissionFiles,
  completed: () => Promise<readonly AcmqView[]>,
  { olderThanMs = files.settings.archiveAfterMs, by = `archiver-${process.pid}`, onProgress }: ArchivingOptions,
): Promise<{ readonly outcome: 'archived' | 'nothing'; readonly archived: number }> {
  const { tree, place } = files
  const limit = (await tree.now()) - olderThanMs
  const times = new Map<string, number>()
  for (const { name, changedAt } of await tree.list(files.queues.completed, { times: true })) {
    // File times are finer than a millisecond, clocks often are not: without `floor`, a file of this instant would be in the future.
    if (Math.floor(changedAt) <= limit) times.set(name, changedAt)
  }
  const archive = archivePath(place)
  // An archiving that was killed is finished even if no message is old enough.
  if (times.size === 0 && !(await isUnfinished(tree, archive))) return { outcome: 'nothing', archived: 0 }
  const chosen = (await completed()).flatMap(({ id, name, from, to, summary, createdAt }): ToArchive[] => {
    const finishedAt = times.get(name)
    if (finishedAt === undefined) return []
    const packed = { id, name, status: 'completed', from, to, summary, timestamp: createdAt, finishedAt } as const
    return [{ ...packed, path: files.at('completed', name), changedAt: finishedAt }]
  })
  const { largestMessage } = files.settings
  const options = { owner: by, largestMessage, ...(onProgress ? { onProgress } : {}) }
  const { archived, alreadyThere, busy } = await archiveMessages(tree, archive, chosen, options)
  const settled = archived + alreadyThere
  if (!busy) return { outcome: settled > 0 ? 'archived' : 'nothing', archived: settled }
  throw unavailable('ARCHIVE_BUSY', `Another process is archiving mission ${place.address}.`, {
    hint: 'Try again in a moment; after a crash its lease ends by itself within 15 seconds.',
    details: { owner: busy.owner, until: busy.until },
  })
}
