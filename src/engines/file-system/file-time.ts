/**
 * The file system's own time: what a file written this instant says. Ages of files and ends of leases are measured by it,
 * never by the clock of this process: of many machines and containers on one directory, one may be days off, and the
 * times of the files are then still right. See docs/decisions/0029-the-trees-own-time.md.
 *
 * Asking costs a few calls, so we ask about once a second and count on from there (`performance.now`). Where our own clock
 * agrees with the files we use it, since it is finer than the times of files, and ask more rarely: a process that waits for hours
 * should cost next to nothing.
 */
import { type Clock, systemClock } from '../../kernel/clock.ts'
import { codeOf, type Disk, did } from './disk.ts'
import type { Scratch } from './scratch.ts'

interface FileSystemTimeParts {
  readonly disk: Disk
  readonly scratch: Scratch
  /** Used instead of the file system's time: by tests, and by copies that carry times over. */
  readonly held?: Clock | undefined
  /** This process's own clock, which may be wrong. */
  readonly own?: Clock | undefined
}

interface Measured {
  /** The file system's time; `undefined` if our own clock agrees with it, or if it cannot be found out. */
  readonly time: number | undefined
  /** When we asked, by our own clock and by `performance.now`. */
  readonly own: number
  readonly at: number
}

const askEvery = 1000
const askEveryWhileAgreed = 20_000
/** Milliseconds. Times of files advance in steps of up to 10 ms, and a busy machine loses some more between two calls. */
const granularity = 50
const oneByte = Uint8Array.of(46)

/** A `Clock`. Synchronous, for steps that must not be interrupted. */
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

  /** False after a while, and when our own clock was set or the machine slept in between. */
  #stillCounts({ time, own, at }: Measured): boolean {
    const passed = performance.now() - at
    return (
      passed < (time === undefined ? askEveryWhileAgreed : askEvery) &&
      Math.abs(this.#own.now() - own - passed) <= granularity
    )
  }

  #measure(): Measured {
    const before = this.#own.now()
    const asked = this.#ask()
    const [own, at] = [this.#own.now(), performance.now()]
    if (asked === undefined) {
      // Nothing can be written just now: count on from the last answer.
      const last = this.#last
      return { time: last?.time === undefined ? undefined : last.time + at - last.at, own, at }
    }
    const agrees = asked >= before - granularity && asked <= own + granularity
    return { time: agrees ? undefined : asked, own, at }
  }

  /** Writes a file and reads its time. Setting its time instead would only give back our own clock. */
  #ask(): number | undefined {
    const { disk, scratch } = this.#parts
    try {
      const { fd, draft } = scratch.open(scratch.newName(), undefined)
      try {
        // On a full disk the time of its creation has to do.
        did(['ENOSPC', 'EDQUOT'], () => void disk.write(fd, oneByte, 0, 1, 0))
        return disk.statOpen(fd).mtimeMs
      } finally {
        disk.close(fd)
        scratch.discard(draft)
      }
    } catch (error) {
      // A read-only tree or a failing disk: the next write reports it. Until then our own clock has to do.
      if (codeOf(error) === undefined) throw error
      return undefined
    }
  }
}
