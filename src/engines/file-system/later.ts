/**
 * A part of the engine that is loaded when it is first needed: a command that sends one message never moves, locks or
 * recovers anything. Once it is there, using it costs no `await`.
 */
export class Later<T> {
  readonly #make: () => Promise<T>
  #loading: Promise<T> | undefined
  #part: T | undefined

  constructor(make: () => Promise<T>) {
    this.#make = make
  }

  /** The part, if it was needed before. */
  get ifLoaded(): T | undefined {
    return this.#part
  }

  load(): Promise<T> {
    this.#loading ??= this.#make().then((part) => {
      this.#part = part
      return part
    })
    return this.#loading
  }

  use<R>(work: (part: T) => R | Promise<R>): R | Promise<R> {
    return this.#part === undefined ? this.load().then(work) : work(this.#part)
  }
}
