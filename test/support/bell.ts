/** Wakes everybody who waits, each time it rings. */
export class Bell {
  #rung = later()

  ring(): void {
    const { resolve } = this.#rung
    this.#rung = later()
    resolve()
  }

  /** Resolves at the next ring. */
  heard(): Promise<void> {
    return this.#rung.promise
  }
}

function later() {
  let resolve: () => void = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}
