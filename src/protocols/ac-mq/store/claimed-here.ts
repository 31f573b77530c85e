/**
 * The names of the messages that this process has claimed and not settled. Completing one of these needs no look at its
 * holder first, which would be a tenth of the whole lifecycle.
 */

/** A bound for processes that only claim and never complete. */
const most = 1000

export class ClaimedHere {
  readonly #names = new Set<string>()

  add(name: string): void {
    if (this.#names.size >= most) this.#names.clear()
    this.#names.add(name)
  }

  has(name: string): boolean {
    return this.#names.has(name)
  }

  drop(name: string): void {
    this.#names.delete(name)
  }
}
