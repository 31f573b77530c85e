/**
 * The file system's own time: what a file written this instant says. Ages of files and ends of leases are measured by it,
 * never by the clock of this process: of many machines and containers on one directory, one may be days off, and the
 * times of the files are then still right. See docs/decisions/0029-the-trees-own-time.md.
 *
 * Asking costs a few calls, so it is asked about once a second; in between a clock that only counts on (`performance`) is
 * added. Where our own clock agrees with the files, it is used as it is: it is finer than the times of files are.
 */
import { type Clock, systemClock } from '../../kernel/clock.ts'
import { codeOf, type Disk, did } from './disk.ts'
import type { Scratch } from './scratch.ts'

export interface FileSystemTimeParts {
  readonly disk: Disk
  readonly scratch: Scratch
  /** Stands for the file system's time: for tests that hold it, and copies that set it. */
  readonly held?: Clock | undefined
  /** This process's own clock, which may be wrong. */
  readonly own?: Clock | undefined
}

interface Measured {
  /** The file system's time; `undefined` where our own clock is as good, or nothing better is to be had. */
  readonly time: number | undefined
  /** When that was, by our own clock and by the one that only counts on. */
  readonly own: number
  readonly at: number
}

const askEvery = 1000
/** Times of files go forward in steps of up to 10 ms; on a busy machine some more goes by between two calls. */
const granularity = 50
const oneByte = Uint8Array.of(46)

/** Fits wherever a `Clock` does. Synchronous, for steps that must not be interrupted. */
export class FileSystemTime implements Clock {
  readonly #parts: FileSystemTimeParts
  readonly #own: Clock
  #last: Measured | undefined

  constructor(parts: FileSystemTimeParts) {
    this.#parts = parts
    this.#own = parts.own ?? systemClock
  }

  now(): number {
    const { held } = this.#parts
    if (held) return held.now()
    if (!this.#last || !this.#stillCounts(this.#last)) this.#last = this.#measure()
    const { time, at } = this.#last
    return time === undefined ? this.#own.now() : time + performance.now() - at
  }

  /** Not when a second has gone by, nor when our own clock was set, or the machine slept, in between. */
  #stillCounts({ own, at }: Measured): boolean {
    const passed = performance.now() - at
    return passed < askEvery && Math.abs(this.#own.now() - own - passed) <= granularity
  }

  #measure(): Measured {
    const before = this.#own.now()
    const asked = this.#ask()
    const [own, at] = [this.#own.now(), performance.now()]
    if (asked === undefined) return { time: this.#carriedOn(at), own, at }
    const agrees = asked >= before - granularity && asked <= own + granularity
    return { time: agrees ? undefined : asked, own, at }
  }

  /** Nothing can be written just now: what was known before goes on. */
  #carriedOn(at: number): number | undefined {
    return this.#last?.time === undefined ? undefined : this.#last.time + at - this.#last.at
  }

  /** By writing a file. Setting its times instead would only give back our own clock. */
  #ask(): number | undefined {
    const { disk, scratch } = this.#parts
    try {
      const { fd, draft } = scratch.open(scratch.newName(), undefined)
      try {
        // On a full disk the time of its making has to do.
        did(['ENOSPC', 'EDQUOT'], () => void disk.write(fd, oneByte, 0, 1, 0))
        return disk.statOpen(fd).mtimeMs
      } finally {
        disk.close(fd)
        scratch.discard(draft)
      }
    } catch (error) {
      // A tree that may only be read, or a disk in trouble: whoever writes next is told, and time goes on by our own clock.
      if (codeOf(error) === undefined) throw error
      return undefined
    }
  }
}
