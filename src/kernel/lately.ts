/** In milliseconds. What another process changes counts after so long at the latest. */
const believedMs = 500
const mostKnown = 1000

/**
 * What was found out a moment ago, for a process that asks the same for each of many messages. Only for what may be told half a
 * second late.
 */
export class Lately<Value> {
  readonly #known = new Map<string, { readonly value: Value; readonly at: number }>()

  get(question: string): Value | undefined {
    const found = this.#known.get(question)
    return found && performance.now() - found.at < believedMs ? found.value : undefined
  }

  set(question: string, value: Value): void {
    if (this.#known.size >= mostKnown) this.#known.clear()
    this.#known.set(question, { value, at: performance.now() })
  }
}
