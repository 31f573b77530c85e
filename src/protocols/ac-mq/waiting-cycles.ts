/**
 * The cycles among messages that wait, for whoever asks why nothing goes on. What is sent is checked before, so only files
 * from elsewhere can wait for each other. Pure, and linear in messages and dependencies. Spec: AC-MQ §7.1.
 */
import { isMeant } from '../../kernel/short-id.ts'
import { findCycle, findCycles } from './cycles.ts'
import { type DependencyState, readDependency } from './dependencies.ts'
import type { AcmqRecord } from './schema.ts'

/** In a larger group of entangled cycles one way around stands for all: finding one for each message would take too long. */
const mostWithOwnWay = 64

export class WaitingCycles {
  readonly #dependencies = new Map<string, readonly string[]>()
  readonly #ids: readonly string[]
  readonly #ways = new Map<string, readonly string[]>()
  readonly #groups = new Map<string, readonly string[]>()

  constructor(waiting: Iterable<Pick<AcmqRecord, 'id' | 'dependencies'>>) {
    for (const { id, dependencies } of waiting) this.#dependencies.set(id, dependencies)
    this.#ids = [...this.#dependencies.keys()].sort()
    const targets = new Map(this.#ids.map((id) => [id, this.#targetsOf(id)]))
    const dependsOn = (id: string) => targets.get(id)!
    for (const { through, members } of findCycles(this.#ids, dependsOn)) {
      const onTheWay = new Set(through)
      for (const id of members) {
        this.#groups.set(id, members)
        const own = !onTheWay.has(id) && members.length <= mostWithOwnWay ? findCycle(id, dependsOn) : undefined
        this.#ways.set(id, own ?? through)
      }
    }
  }

  /** What holds a message back, with the cycle that it is in instead of the next message of that cycle. */
  name(id: string, states: readonly DependencyState[]): readonly DependencyState[] {
    const through = this.#ways.get(id)
    if (!through) return states
    const isOfCycle = (state: DependencyState) =>
      state.is === 'cycle' || (state.is === 'waiting' && this.#isWith(id, state.on))
    return states.some(isOfCycle) ? [{ is: 'cycle', through }, ...states.filter((state) => !isOfCycle(state))] : states
  }

  #isWith(id: string, asked: string): boolean {
    const other = this.#meant(asked)
    return other !== undefined && this.#groups.get(other) === this.#groups.get(id)
  }

  #targetsOf(id: string): readonly string[] {
    return this.#dependencies.get(id)!.flatMap((text) => {
      const read = readDependency(text)
      const asked = read.kind === 'message' ? read.id : read.kind === 'either' ? read.text : undefined
      const meant = asked === undefined ? undefined : this.#meant(asked)
      return meant === undefined ? [] : [meant]
    })
  }

  /** The waiting message that an id or the beginning of one means; `undefined` when there is none, or more than one. */
  #meant(asked: string): string | undefined {
    if (this.#dependencies.has(asked)) return asked
    // The ids are in order: those that begin so are neighbours.
    let [low, high] = [0, this.#ids.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#ids[middle]! < asked) low = middle + 1
      else high = middle
    }
    const [first, second] = this.#ids.slice(low, low + 2)
    if (first === undefined || !isMeant(asked, first)) return undefined
    return second !== undefined && isMeant(asked, second) ? undefined : first
  }
}
