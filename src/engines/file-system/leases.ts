/**
 * Leases as small readable files, one a resource, changed under a lock. The file stays after the lease has ended,
 * because the fencing number must go on growing.
 */

import type { Clock } from '../../kernel/clock.ts'
import { corrupt, invalidInput } from '../../kernel/errors.ts'
import { childOf, type TreePath } from '../../kernel/tree-path.ts'
import { engineHome } from '../../tree/home.ts'
import type { Lease, Leased, Outcome } from '../../tree/tree.ts'
import { type Disk, Place } from './disk.ts'
import { readWhole } from './files.ts'
import type { Folders } from './folders.ts'
import { fnv } from './holder.ts'
import type { Locks } from './locks.ts'
import type { Scratch } from './scratch.ts'

export const leasesFolder = childOf(engineHome, 'leases')

export interface LeasesParts {
  readonly disk: Disk
  readonly folders: Folders
  readonly scratch: Scratch
  readonly locks: Locks
  readonly clock: Clock
  /** Makes a replaced file as safe as the tree's other writes. */
  readonly settle: (folder: TreePath) => Promise<void>
  readonly flushing: { readonly flush?: (fd: number) => void }
}

export class Leases {
  readonly #parts: LeasesParts

  constructor(parts: LeasesParts) {
    this.#parts = parts
  }

  async take(resource: string, owner: string, ttl: number): Promise<Leased> {
    if (resource === '' || owner === '') {
      throw invalidInput('BAD_LEASE', 'A lease needs a resource and an owner.', { hint: 'Name both.' })
    }
    if (!(ttl > 0))
      throw invalidInput('BAD_LEASE', `A lease must last longer than ${ttl} ms.`, { hint: 'Give a time above 0.' })
    return this.#parts.locks.within('lease', resource, async () => {
      const now = this.#parts.clock.now()
      const current = this.#read(resource)
      if (current && current.until > now && current.owner !== owner) return { outcome: 'busy', lease: current }
      const isMine = current !== undefined && current.until > now
      const fence = (current?.fence ?? 0) + (isMine ? 0 : 1)
      const lease = { resource, owner, until: now + ttl, fence }
      await this.#write(lease)
      return { outcome: 'held', lease }
    })
  }

  async release(resource: string, owner: string): Promise<Outcome<'released' | 'gone'>> {
    return this.#parts.locks.within('lease', resource, async () => {
      const current = this.#read(resource)
      if (!current || current.owner !== owner || current.until <= this.#parts.clock.now()) return { outcome: 'gone' }
      await this.#write({ ...current, until: 0 })
      return { outcome: 'released' }
    })
  }

  all(): Lease[] {
    const folder = this.#parts.folders.at(leasesFolder, false)
    if (folder === undefined) return []
    const now = this.#parts.clock.now()
    const found = this.#parts.disk.list(folder).map(({ name }) => parse(new Place(folder, name), this.#parts.disk))
    const readable = found.filter((lease) => lease !== undefined && lease !== 'unreadable')
    return readable.filter((lease) => lease.until > now).sort((a, b) => (a.resource < b.resource ? -1 : 1))
  }

  /** Runs `work` only while the lease stands, and so that nobody can take it in the meantime. */
  async under<T>(lease: Lease, work: () => Promise<T>): Promise<T | Outcome<'fenced'>> {
    return this.#parts.locks.within('lease', lease.resource, async () => {
      const current = this.#read(lease.resource)
      const stands = current?.fence === lease.fence && current.until > this.#parts.clock.now()
      return stands ? work() : { outcome: 'fenced' as const }
    })
  }

  #read(resource: string): Lease | undefined {
    const folder = this.#parts.folders.at(leasesFolder, false)
    const lease = folder && parse(new Place(folder, fileNameOf(resource)), this.#parts.disk)
    if (lease !== 'unreadable') return lease
    throw corrupt('BAD_LEASE_FILE', `The lease file of ${JSON.stringify(resource)} is not readable.`, {
      hint: `Delete ${leasesFolder}/${fileNameOf(resource)} once nobody holds that lease.`,
    })
  }

  async #write(lease: Lease): Promise<void> {
    const { disk, folders, scratch, flushing } = this.#parts
    const target = new Place(folders.at(leasesFolder, true), fileNameOf(lease.resource))
    const draft = scratch.write(Buffer.from(`${JSON.stringify(lease)}\n`), flushing)
    try {
      disk.rename(draft.place, target)
    } catch (error) {
      scratch.discard(draft)
      throw error
    }
    await this.#parts.settle(leasesFolder)
  }
}

/** A resource can be any text (`src/**`, a sentence); the file name stays readable where it can. */
function fileNameOf(resource: string): string {
  const readable = encodeURIComponent(resource.toWellFormed()).replaceAll('*', '%2A')
  if (readable.length <= 120 && !readable.startsWith('.')) return `${readable}.json`
  return `${readable.slice(0, 100).replace(/^\.+/, '')}~${fnv(resource).toString(36)}${fnv(`${resource} `).toString(36)}.json`
}

function parse(place: Place, disk: Disk): Lease | 'unreadable' | undefined {
  const file = readWhole(disk, place)
  if (!file) return undefined
  try {
    const { resource, owner, until, fence } = JSON.parse(file.bytes.toString('utf8')) as Lease
    const isWhole = typeof resource === 'string' && typeof owner === 'string' && Number.isSafeInteger(fence)
    return isWhole ? { resource, owner, until: Number(until) || 0, fence } : 'unreadable'
  } catch {
    // Not JSON: somebody edited it by hand.
    return 'unreadable'
  }
}
