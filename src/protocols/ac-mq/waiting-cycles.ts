/** The cycles among waiting messages. Only files of other programs can form one: sending refuses it. Pure. Spec: AC-MQ §7.1. */
import { finderAmong } from '../../kernel/short-id.ts'
import { findCycle, findCycles } from './cycles.ts'
import { type DependencyState, idIn } from './dependencies.ts'
import type { AcmqRecord } from './schema.ts'

/** In a larger group of messages one cycle is told for all of them: finding one for each message would take too long. */
const mostWithOwnCycle = 64

type Waiting = Pick<AcmqRecord, 'id' | 'dependencies'>

export class WaitingCycles {
  readonly #find: (asked: string) => readonly Waiting[]
  readonly #cycles = new Map<string, readonly string[]>()
  readonly #groups = new Map<string, readonly string[]>()

  constructor(waiting: readonly Waiting[]) {
    const byId = new Map(waiting.map((one) => [one.id, one]))
    this.#find = finderAmong([...byId.values()])
    const idsMeant = (text: string) => this.#resolve(idIn(text) ?? '') ?? []
    const targets = new Map([...byId].map(([id, { dependencies }]) => [id, dependencies.flatMap(idsMeant)]))
    const dependsOn = (id: string) => targets.get(id)!
    for (const { through, members } of findCycles([...byId.keys()].sort(), dependsOn)) {
      for (const id of members) {
        this.#groups.set(id, members)
        const needsOwn = members.length <= mostWithOwnCycle && !through.includes(id)
        this.#cycles.set(id, (needsOwn ? findCycle(id, dependsOn) : undefined) ?? through)
      }
    }
  }

  /** What holds a message back. If it is in a cycle, the whole cycle replaces the next message of that cycle. */
  name(id: string, states: readonly DependencyState[]): readonly DependencyState[] {
    const through = this.#cycles.get(id)
    if (!through) return states
    const isOfCycle = (state: DependencyState) =>
      state.is === 'cycle' || (state.is === 'waiting' && this.#isWith(id, state.on))
    return states.some(isOfCycle) ? [{ is: 'cycle', through }, ...states.filter((state) => !isOfCycle(state))] : states
  }

  #isWith(id: string, asked: string): boolean {
    const other = this.#resolve(asked)
    return other !== undefined && this.#groups.get(other) === this.#groups.get(id)
  }

  /** The full id of the waiting message that is meant; `undefined` when there is none, or more than one. */
  #resolve(asked: string): string | undefined {
    const [first, second] = this.#find(asked)
    return second ? undefined : first?.id
  }
}
