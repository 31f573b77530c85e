/** A message as it is, wherever it is by now: in one of the queues or in the archive. */
import type { State } from '../schema.ts'
import { parseTime } from '../times.ts'
import type { Finder } from './finder.ts'
import type { MissionFiles } from './parts.ts'

export interface Copy {
  readonly state: State
  readonly name: string
  readonly path: string
  readonly bytes: Uint8Array
  /** When the message was sent, if it does not say so itself. */
  readonly modifiedAt: number | undefined
}

/** By its whole id. */
export async function findCopy(files: MissionFiles, finder: Finder, id: string): Promise<Copy | undefined> {
  for (let attempt = 0; attempt < mostLooks; attempt++) {
    const found = (await finder.findAll(id)).find((one) => one.id === id)
    if (!found) break
    const { queue: state, name, path } = found
    const leaf = await files.readWhole(path)
    // Otherwise it moved on in this very moment, and is found where it is now.
    if (leaf) return { state, name, path, bytes: leaf.bytes, modifiedAt: leaf.modifiedAt }
  }
  const archived = (await finder.archived(id)).find((one) => one.id === id)
  if (!archived) return undefined
  const { readArchived } = await import('../archive/archive.ts')
  const bytes = await readArchived(files.tree, archived, files.settings)
  const modifiedAt = parseTime(archived.timestamp)
  return { state: 'archived', name: archived.name, path: archived.pack, bytes, modifiedAt }
}

/** While another process moves a message it is listed but cannot be read; if that process is stopped, for ever. */
const mostLooks = 50
