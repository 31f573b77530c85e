/**
 * How long to wait for an answer. A paused member never gives one and must be left soon, since writes shall be back in
 * two seconds; a busy one gives it late and must not be left each time. So: ten times what is usual here, within bounds,
 * and longer after every wait in vain.
 */
const shortest = 500
const longest = 5000

export class Pace {
  #usual = 20
  #inVain = 0

  get timeoutMs(): number {
    return Math.min(longest, Math.max(shortest, this.#usual * 10) * 1.5 ** this.#inVain)
  }

  answered(ms: number): void {
    this.#usual += (ms - this.#usual) / 8
    this.#inVain = 0
  }

  waitedInVain(): void {
    this.#inVain = Math.min(6, this.#inVain + 1)
  }
}
