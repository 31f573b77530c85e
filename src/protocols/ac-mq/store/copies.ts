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

export class Copies {
  readonly #files: MissionFiles
  readonly #finder: Finder

  constructor(files: MissionFiles, finder: Finder) {
    this.#files = files
    this.#finder = finder
  }

  /** By its whole id. */
  async find(id: string): Promise<Copy | undefined> {
    const { tree } = this.#files
    for (let attempt = 0; attempt < mostLooks; attempt++) {
      const found = (await this.#finder.findAll(id)).find((one) => one.id === id)
      if (!found) break
      const leaf = await this.#files.readWhole(found.path)
      // Otherwise it has just moved on: look for it again.
      if (leaf) {
        const { bytes, modifiedAt } = leaf
        return { state: found.queue, name: found.name, path: found.path, bytes, modifiedAt }
      }
    }
    const archived = (await this.#finder.archived(id)).find((one) => one.id === id)
    if (!archived) return undefined
    const { readArchived } = await import('../archive/archive.ts')
    const bytes = await readArchived(tree, archived)
    const modifiedAt = parseTime(archived.timestamp)
    return { state: 'archived', name: archived.name, path: archived.pack, bytes, modifiedAt }
  }
}

/** While another process moves a message it is listed but cannot be read; if that process is stopped, for ever. */
const mostLooks = 50
