/** The cycles among messages that wait. Only files of other programs can form one: sending checks. Pure. Spec: AC-MQ §7.1. */
import { finderAmong } from '../../kernel/short-id.ts'
import { findCycle, findCycles } from './cycles.ts'
import { type DependencyState, idIn } from './dependencies.ts'
import type { AcmqRecord } from './schema.ts'

/** In a larger group of entangled cycles one way around stands for all: finding one for each message would take too long. */
const mostWithOwnWay = 64

type Waiting = Pick<AcmqRecord, 'id' | 'dependencies'>

export class WaitingCycles {
  readonly #find: (asked: string) => readonly Waiting[]
  readonly #ways = new Map<string, readonly string[]>()
  readonly #groups = new Map<string, readonly string[]>()

  constructor(waiting: readonly Waiting[]) {
    const byId = new Map(waiting.map((one) => [one.id, one]))
    this.#find = finderAmong([...byId.values()])
    const meant = (text: string) => this.#meant(idIn(text) ?? '') ?? []
    const targets = new Map([...byId].map(([id, { dependencies }]) => [id, dependencies.flatMap(meant)]))
    const dependsOn = (id: string) => targets.get(id)!
    for (const { through, members } of findCycles([...byId.keys()].sort(), dependsOn)) {
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

  /** The waiting message that an id or the beginning of one means; `undefined` when there is none, or more than one. */
  #meant(asked: string): string | undefined {
    const [first, second] = this.#find(asked)
    return second ? undefined : first?.id
  }
}
