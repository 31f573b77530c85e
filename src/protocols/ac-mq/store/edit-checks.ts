/** Which files to read again, so many a second in turn, to notice edits in place: they change no name and no folder time. */
const perSecond = 400
/** However few there are, a round takes so many seconds. */
const shortestRound = 4

export class EditChecks {
  #since: number | undefined
  /** Of this round. Not an iterator over the map: one that stands still keeps all that the map has held since. */
  #left: string[] = []

  isDue(now: number): boolean {
    return this.#since === undefined || now - this.#since >= 1000 || now < this.#since
  }

  /** The existing names that are due for a check at `now`. */
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
