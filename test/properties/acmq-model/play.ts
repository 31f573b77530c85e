/**
 * One run: the model, and what each handle cannot but know. A claim may be sparing with its looks at the folders as
 * long as it finds something, so of what others did since its last certain look it may know nothing yet.
 */
import { expect } from 'vitest'
import { adopt, differences, lookAt } from './compare.ts'
import { agents, type Message, Model } from './model.ts'
import { handleCount, type World } from './world.ts'

export interface Alternative {
  readonly answer: string
  readonly after: Model
}

export class Play {
  model: Model
  /** Counts up, for texts that must not occur twice. */
  serial = 0
  #step = 0
  readonly #lookedAt: number[] = Array(handleCount).fill(0)
  #freeSince = new Map<string, { readonly at: number; readonly by: number | undefined }>()

  constructor(now: number) {
    this.model = new Model(now)
  }

  /** What a claim through this handle may take: the best, or one before which come only such as it need not know. */
  permitted(handle: number, agent: string): Message[] {
    const claimable = this.model.claimable(agent)
    const known = claimable.findIndex((message) => this.#mustKnow(handle, message))
    return known < 0 ? claimable : claimable.slice(0, known + 1)
  }

  #mustKnow(handle: number, message: Message): boolean {
    const since = this.#freeSince.get(message.id)
    return since !== undefined && (since.by === handle || since.at <= this.#lookedAt[handle]!)
  }

  /** This handle has just looked for certain, or is new and will look before it claims. */
  hasLooked(handle: number): void {
    this.#lookedAt[handle] = this.#step
  }

  /** The model as it is after a command, and who made free what is free now. */
  become(model: Model, by?: number): void {
    this.#step++
    this.model = model
    const before = this.#freeSince
    const free = agents
      .flatMap((agent) => model.claimable(agent))
      .filter((message) => model.verdict(message) === 'free')
    this.#freeSince = new Map(
      free.map(({ id, attempt }) => {
        const key = `${id}`
        const known = before.get(key)
        return [key, known && this.#isSameWait(id, attempt) ? known : { at: this.#step, by }]
      }),
    )
    this.#attempts = new Map(free.map(({ id, attempt }) => [id, attempt]))
  }

  #attempts = new Map<string, number>()
  #isSameWait(id: string, attempt: number): boolean {
    return this.#attempts.get(id) === attempt
  }

  async expectSame(world: World, title: string): Promise<void> {
    expect(differences(this.model, await lookAt(world)), title).toEqual([])
  }

  /** The process died in the middle of a command; a new one puts things in order first, as every agent must. */
  async afterDeath(world: World, afters: readonly Model[], title: string): Promise<void> {
    await world.restart()
    await (await world.handles[0]!.upkeep()).reconcile()
    const versions = [this.model, ...afters].map((model) => {
      const copy = model.copy()
      copy.reconcile()
      return copy
    })
    const { model, told } = adopt(versions[0]!, versions.slice(1), await lookAt(world))
    expect(told, title).toEqual([])
    this.become(model)
    this.everybodyIsNew()
  }

  everybodyIsNew(): void {
    for (let handle = 0; handle < handleCount; handle++) this.hasLooked(handle)
  }
}
