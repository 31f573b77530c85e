/**
 * How long to wait for an answer. A paused member never answers and must be left soon, because a write should take at most
 * two seconds then; a busy member answers late and must not be left each time. So we wait several times as long as usual,
 * within bounds. If no member has answered for longer than an election takes, everything is slow, and the waits grow. That
 * goes by time and not by the number of failures: many requests that fail together are one failure.
 */
const times = 6
const shortest = 400
const longest = 5000
const electionMs = 3000

export class Pace {
  #usual = 20
  /** Since when no request has been answered. */
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
