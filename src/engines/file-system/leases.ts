/**
 * Leases as small readable files, one a resource, changed under a lock. The file stays after the lease has ended,
 * because the fencing number must go on growing.
 *
 * A file that cannot be read as a lease is replaced when the lease is taken next, and a copy is set aside. Its number is
 * lost, so the next one is the file system's time in microseconds. That is higher than any number given out before: giving
 * one out takes a lock and several system calls, which is longer than a microsecond.
 */
import type { Clock } from '../../kernel/clock.ts'
import { corrupt, denied, invalidInput } from '../../kernel/errors.ts'
import { childOf } from '../../kernel/tree-path.ts'
import { longestLease } from '../../tree/for-engines.ts'
import { engineHome } from '../../tree/home.ts'
import type { Lease, Leased, Outcome } from '../../tree/tree.ts'
import { FilePlace } from './disk.ts'
import { readSmall } from './files.ts'
import { fnv } from './holder.ts'
import type { Parts } from './parts.ts'
import type { Reason } from './set-aside.ts'

export const leasesFolder = childOf(engineHome, 'leases')

const largestLease = 1024 * 1024
const longestText = 64 * 1024
/** The time in microseconds reaches this in the year 2223. A higher number was never ours. */
const highestFence = 8e15

interface LeasesParts extends Pick<Parts, 'disk' | 'scratch' | 'locks' | 'setAside' | 'time' | 'flushes'> {
  readonly clock: Clock
}

export class Leases {
  readonly #parts: LeasesParts
  #highest = 0

  constructor(parts: LeasesParts) {
    this.#parts = parts
  }

  async take(resource: string, owner: string, ttl: number): Promise<Leased> {
    if (resource === '' || owner === '') throw badLease('A lease needs a resource and an owner.', 'Name both.')
    if (!(ttl > 0)) throw badLease(`A lease must last longer than ${ttl} ms.`, 'Give a time above 0.')
    if (ttl > longestLease) throw badLease(`A lease lasts at most ${longestLease} ms.`, 'Take it anew before it ends.')
    if (resource.length > longestText || owner.length > longestText)
      throw badLease(`The names of a lease have at most ${longestText} characters.`, 'Choose shorter ones.')
    return this.#parts.locks.within('lease', resource, async () => {
      const now = this.#parts.clock.now()
      const found = this.#read(resource)
      const current = typeof found === 'string' ? undefined : found
      if (current && current.until > now && current.owner !== owner) return { outcome: 'busy', lease: current }
      const isMine = current !== undefined && current.until > now
      const before = typeof found === 'string' ? this.#surelyHigher() : (current?.fence ?? 0)
      const lease = { resource, owner, until: now + ttl, fence: before + (isMine ? 0 : 1) }
      if (typeof found === 'string') this.#keepCopy(resource, found)
      await this.#write(lease)
      return { outcome: 'held', lease }
    })
  }

  async release(resource: string, owner: string): Promise<Outcome<'released' | 'gone'>> {
    return this.#parts.locks.within('lease', resource, async () => {
      const current = this.#read(resource)
      if (typeof current !== 'object' || current.owner !== owner || current.until <= this.#parts.clock.now())
        return { outcome: 'gone' }
      await this.#write({ ...current, until: 0 })
      return { outcome: 'released' }
    })
  }

  all(): Lease[] {
    const folder = this.#parts.setAside.openIfThere(leasesFolder)
    if (folder === undefined) return []
    const now = this.#parts.clock.now()
    const found = this.#parts.disk.list(folder).map(({ name }) => this.#lease(new FilePlace(folder, name)))
    const readable = found.filter((lease) => typeof lease === 'object')
    return readable.filter((lease) => lease.until > now).sort((a, b) => (a.resource < b.resource ? -1 : 1))
  }

  /** For `doctor`: files in the folder of leases that are no leases. */
  strange(): { readonly name: string; readonly reason: Reason }[] {
    const folder = this.#parts.setAside.openIfThere(leasesFolder)
    if (folder === undefined) return []
    return this.#parts.disk.list(folder).flatMap(({ name }) => {
      const lease = this.#lease(new FilePlace(folder, name))
      return typeof lease === 'string' && lease !== 'unreadable' ? [{ name, reason: lease }] : []
    })
  }

  /** Replaces such a file by an ended lease whose number goes on. A file without the name of a lease is moved away. */
  async clear(name: string, reason: Reason): Promise<boolean> {
    const resource = resourceOf(name)
    if (resource === undefined) {
      const folder = this.#parts.setAside.openIfThere(leasesFolder)
      // A shortened name does not tell the resource. Its file is replaced when the lease is taken next.
      return (
        reason === 'bad-name' && folder !== undefined && this.#parts.setAside.move(new FilePlace(folder, name), reason)
      )
    }
    return this.#parts.locks.within('lease', resource, async () => {
      const found = this.#read(resource)
      if (typeof found !== 'string') return true
      this.#keepCopy(resource, found)
      await this.#write({ resource, owner: 'nobody', until: 0, fence: this.#surelyHigher() })
      return true
    })
  }

  /** Runs `work` if the lease is still valid. No other owner can take the lease meanwhile. */
  async under<T>(lease: Lease, work: () => Promise<T>): Promise<T | Outcome<'fenced'>> {
    return this.#parts.locks.within('lease', lease.resource, async () => {
      const current = this.#read(lease.resource)
      const isSame = typeof current === 'object' && current.fence === lease.fence
      return isSame && current.until > this.#parts.clock.now() ? work() : { outcome: 'fenced' as const }
    })
  }

  #read(resource: string): Lease | Reason | undefined {
    const folder = this.#parts.setAside.openIfThere(leasesFolder)
    const lease = folder && this.#lease(new FilePlace(folder, fileNameOf(resource)))
    if (lease === 'unreadable') throw notOurs(resource)
    return lease
  }

  /** Higher than any number given out before, also within one of the steps in which the time of files advances. */
  #surelyHigher(): number {
    this.#highest = Math.max(this.#highest + 2, Math.ceil(this.#parts.time.now() * 1000))
    return this.#highest
  }

  /** Sets a copy of a file aside before it is replaced. Anything but a file is moved away. */
  #keepCopy(resource: string, reason: Reason): void {
    const { setAside } = this.#parts
    const place = new FilePlace(setAside.folder(leasesFolder), fileNameOf(resource))
    const isKept = reason === 'bad-kind' ? setAside.move(place, reason) : setAside.copy(place, reason)
    if (!isKept && this.#parts.disk.stat(place)) throw inTheWay(resource)
  }

  async #write(lease: Lease): Promise<void> {
    const { disk, scratch, setAside, flushes } = this.#parts
    const target = new FilePlace(setAside.folder(leasesFolder), fileNameOf(lease.resource))
    const draft = scratch.write(Buffer.from(`${JSON.stringify(lease)}\n`), flushes.ofDraft)
    try {
      disk.rename(draft.place, target)
    } catch (error) {
      scratch.discard(draft)
      throw error
    }
    await flushes.flushed(leasesFolder)
  }

  #lease(place: FilePlace): Lease | Reason | 'unreadable' | undefined {
    const file = readSmall(this.#parts.disk, place, largestLease)
    if (file === undefined || typeof file === 'string') return file
    const lease = parse(file.bytes.toString('utf8'))
    if (!lease) return resourceOf(place.name) === undefined && !isShortened(place.name) ? 'bad-name' : 'bad-lease'
    if (fileNameOf(lease.resource) !== place.name) return 'bad-name'
    return { ...lease, until: this.#bounded(lease.until, file.stats.ctimeMs) }
  }

  /**
   * A lease ends at the latest `longestLease` after its file was written, by the file system's time. Otherwise a file of a
   * stranger could lock all agents out for ever.
   */
  #bounded(until: number, writtenAt: number): number {
    const now = this.#parts.clock.now()
    return until > now ? Math.min(until, now + writtenAt + longestLease - this.#parts.time.now()) : until
  }
}

/** A resource can be any text (`src/**`, a sentence); the file name stays readable where it can. */
function fileNameOf(resource: string): string {
  const readable = encodeURIComponent(resource.toWellFormed()).replaceAll('*', '%2A')
  if (readable.length <= 120 && !readable.startsWith('.')) return `${readable}.json`
  return `${readable.slice(0, 100).replace(/^\.+/, '')}~${fnv(resource).toString(36)}${fnv(`${resource} `).toString(36)}.json`
}

/** `undefined` for a name that is no lease's, and for one that had to be shortened. */
function resourceOf(name: string): string | undefined {
  try {
    const resource = decodeURIComponent(name.replace(/\.json$/, ''))
    return fileNameOf(resource) === name ? resource : undefined
  } catch {
    // Not encoded by us.
    return undefined
  }
}

const isShortened = (name: string): boolean => /^.{1,100}~[0-9a-z]{2,14}\.json$/.test(name)

function parse(text: string): Lease | undefined {
  try {
    const { resource, owner, until, fence } = (JSON.parse(text) ?? {}) as Partial<Record<keyof Lease, unknown>>
    if (typeof resource !== 'string' || typeof owner !== 'string' || resource === '' || owner === '') return undefined
    if (typeof until !== 'number' || !Number.isFinite(until)) return undefined
    if (!Number.isSafeInteger(fence) || (fence as number) < 1 || (fence as number) > highestFence) return undefined
    return { resource, owner, until, fence: fence as number }
  } catch {
    // Not JSON: cut off, or edited by hand.
    return undefined
  }
}

const badLease = (message: string, hint: string) => invalidInput('BAD_LEASE', message, { hint })

const notOurs = (resource: string) =>
  denied('PERMISSION_DENIED', `No permission for the lease file of ${JSON.stringify(resource)}.`, {
    hint: 'Run as the user who owns the root, or change the permissions there.',
  })

const inTheWay = (resource: string) =>
  corrupt('BAD_LEASE_FILE', `The lease file of ${JSON.stringify(resource)} is none, and cannot be moved away.`, {
    hint: `Remove ${leasesFolder}/${fileNameOf(resource)}, then repeat the command.`,
  })
