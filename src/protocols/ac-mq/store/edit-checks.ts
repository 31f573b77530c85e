/** Which files to read again, some each second in turn, to notice edits in place, which change no name and no folder time. */
const perSecond = 400
/** In seconds: a round through all files takes at least this long. */
const shortestRound = 4

export class EditChecks {
  #since: number | undefined
  /** What is left of this round. Not an iterator of the map, because a paused iterator keeps deleted entries in memory. */
  #left: string[] = []

  isDue(now: number): boolean {
    return this.#since === undefined || now - this.#since >= 1000 || now < this.#since
  }

  /** The names to check at `now`. */
  next(names: ReadonlyMap<string, unknown>, now: number): string[] {
    const seconds = Math.floor((now - (this.#since ?? now)) / 1000)
    if (this.isDue(now)) this.#since = now
    const most = Math.min(names.size, seconds * Math.min(perSecond, Math.ceil(names.size / shortestRound)))
    const some: string[] = []
    if (names.size === 0) this.#left = []
    while (some.length < most) {
      if (this.#left.length === 0) this.#left = [...names.keys()].reverse()
      const name = this.#left.pop()!
      if (names.has(name)) some.push(name)
    }
    return some
  }
}
