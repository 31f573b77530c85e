/** What rests in the archive of a mission, as it is listed. Its packs are not opened for this. */
import { archivePath, type MissionAddress } from '../../protocols/ac-mq/layout.ts'
import type { Context } from '../define.ts'
import { placeOfMission } from './open.ts'

export async function listArchive(context: Context, address: MissionAddress) {
  // Loaded here: no other listing needs it.
  const { listArchived } = await import('../../protocols/ac-mq/archive/archive.ts')
  const folder = archivePath(await placeOfMission(context, address))
  return (await listArchived(await context.tree(), folder)).map((entry) => ({
    protocol: 'acmq' as const,
    id: entry.id,
    from: entry.from,
    to: entry.to,
    state: 'archived' as const,
    path: entry.pack,
    summary: entry.summary,
    createdAt: entry.timestamp,
    mission: address,
    name: entry.name,
    status: entry.status,
  }))
}
