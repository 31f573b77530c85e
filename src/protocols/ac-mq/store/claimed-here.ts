/** The names of what this process has claimed and not settled: whoever completes one of these need not look at it first. */

/** Nobody works on more at once; those who only claim should not fill the memory. */
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
