/**
 * How long to wait for an answer. A paused member never gives one and must be left soon, since writes shall be back in
 * two seconds; a busy one gives it late and must not be left each time. So: several times what is usual here, within
 * bounds. Only when many waits in a row were in vain, everything is slow rather than one member gone, and waits grow.
 */
const times = 6
const shortest = 400
const longest = 5000
const patientAfter = 4

export class Pace {
  #usual = 20
  #inVain = 0

  get timeoutMs(): number {
    const growth = 1.5 ** Math.max(0, this.#inVain - patientAfter)
    return Math.min(longest, Math.max(shortest, this.#usual * times) * growth)
  }

  answered(ms: number): void {
    this.#usual += (ms - this.#usual) / 8
    this.#inVain = 0
  }

  waitedInVain(): void {
    this.#inVain = Math.min(12, this.#inVain + 1)
  }
}
