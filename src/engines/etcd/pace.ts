/**
 * How long to wait for an answer. A paused member never gives one and must be left soon, since writes shall be back in
 * two seconds; a busy one gives it late and must not be left each time. So: several times what is usual here, within
 * bounds. Only when nobody has answered for longer than an election takes, everything is slow rather than one member
 * gone, and waits grow. By time, not by the number of waits: many requests that fail together are one failure.
 */
const times = 6
const shortest = 400
const longest = 5000
const electionMs = 3000

export class Pace {
  #usual = 20
  /** Since when waits are in vain. */
  #inVainSince: number | undefined

  get timeoutMs(): number {
    const silentMs = this.#inVainSince === undefined ? 0 : performance.now() - this.#inVainSince
    const grown = silentMs > electionMs ? silentMs / 4 : 0
    return Math.min(longest, Math.max(shortest, this.#usual * times, grown))
  }

  answered(ms: number): void {
    this.#usual += (ms - this.#usual) / 8
    this.#inVainSince = undefined
  }

  waitedInVain(): void {
    this.#inVainSince ??= performance.now()
  }
}
