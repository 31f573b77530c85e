/** The bytes of a message, from the queue where it is by now, or from the archive. */
import { bufferOf } from '../../../formats/front-matter.ts'
import type { ArchivedEntry } from '../archive/archive.ts'
import type { State } from '../schema.ts'
import { parseTime } from '../times.ts'
import type { Finder, QueueEntry } from './finder.ts'
import type { MissionFiles } from './parts.ts'
import { type AcmqViewWithBody, viewOf, withBody } from './view.ts'

export interface Copy {
  readonly state: State
  readonly name: string
  readonly path: string
  readonly bytes: Uint8Array
  /** The time of sending, for a message without a timestamp. */
  readonly modifiedAt: number | undefined
}

/** `id`: the whole id. */
export async function findCopy(files: MissionFiles, finder: Finder, id: string): Promise<Copy | undefined> {
  for (let attempt = 0; attempt < mostLooks; attempt++) {
    const found = (await finder.findAll(id)).find((one) => one.id === id)
    if (!found) break
    const copy = await queuedCopy(files, found)
    // Otherwise the message has just moved, so it is searched again.
    if (copy) return copy
  }
  const archived = (await finder.archived(id)).find((one) => one.id === id)
  return archived && archivedCopy(files, archived)
}

/** A message that another process is moving is listed but cannot be read. If that process is stopped, this lasts. */
const mostLooks = 50

export async function queuedCopy(
  files: MissionFiles,
  { queue: state, name, path }: QueueEntry,
): Promise<Copy | undefined> {
  const leaf = await files.readWhole(path)
  return leaf && { state, name, path, bytes: leaf.bytes, modifiedAt: leaf.modifiedAt }
}

export async function archivedCopy(files: MissionFiles, entry: ArchivedEntry): Promise<Copy> {
  const { readArchived } = await import('../archive/archive.ts')
  const bytes = await readArchived(files.tree, entry, files.settings)
  const { name, pack: path, timestamp } = entry
  return { state: 'archived', name, path, bytes, modifiedAt: parseTime(timestamp) }
}

/** Throws when the copy is no message. */
export function readCopy(files: MissionFiles, copy: Copy): AcmqViewWithBody {
  const { message, problems } = files.expect(copy.bytes, copy.name, copy)
  const view = viewOf(message.record, copy.state, copy.path, problems)
  return withBody(view, bufferOf(copy.bytes).toString('utf8', message.bodyStart))
}
