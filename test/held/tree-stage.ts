/**
 * The stage on engines whose steps are asynchronous: the verbs of the tree in memory, the requests to a cluster. Both actors
 * play in this thread. The first waits before its step until the second has ended, or waits for the first.
 */
import type { Clock } from '../../src/kernel/clock.ts'
import type { Tree } from '../../src/tree/tree.ts'
import type { Explored, Pair, Played, Stage } from './explorer.ts'
import type { Outside } from './outside.ts'
import { play, timeOf } from './play.ts'
import { protocols } from './protocols.ts'
import type { Actor, Answer, Who } from './story.ts'

export type BeforeStep = (step: string) => Promise<void> | undefined

/** An empty place, and ways to open it as one of the actors. */
export interface EmptyPlace {
  readonly outside: Outside
  open(who: Who, clock: Clock, beforeStep: BeforeStep): Promise<Tree>
  /** A copy of the place, if that is quicker than setting it up again. */
  copy?(): Promise<EmptyPlace>
}

export interface Engine {
  readonly name: string
  empty(): Promise<EmptyPlace>
  /** Resolves after so long that whoever still waits for a turn then must be waiting for the one that is paused. */
  aWhile(): Promise<void>
}

export class TreeStage implements Stage {
  readonly name: string
  readonly #engine: Engine
  /** By protocol and world: set up once, if it can be copied. */
  readonly #worlds = new Map<string, EmptyPlace>()

  constructor(engine: Engine) {
    this.name = engine.name
    this.#engine = engine
  }

  async play(explored: Explored, { first, second, holdAt }: Pair): Promise<Played> {
    const turns = { awaited: 0 }
    const place = await this.#worldOf(explored)
    const { outside } = place
    const begun = await outside.files()
    const perform = (who: Who, story: string, beforeStep: BeforeStep, onBegin?: (actor?: Actor) => void) =>
      performAt(place, explored, { who, story, beforeStep, turns, onBegin })

    let actor: Actor | undefined
    let [steps, step, waited] = [0, undefined as string | undefined, false]
    let before: readonly Answer[] = []
    let between = begun
    let meanwhile: Promise<readonly Answer[]> | undefined
    const hold = async (name: string) => {
      before = [...actor!.answers]
      step = name
      meanwhile = perform('second', second, neverHeld)
      waited = !(await this.#endsByItself(meanwhile, turns))
      between = await outside.files()
    }
    const answers = await perform(
      'first',
      first,
      (name) => (actor && ++steps === holdAt ? hold(name) : undefined),
      (one) => {
        actor = one
      },
    )
    meanwhile ??= perform('second', second, neverHeld)
    return {
      step,
      waited,
      before: step === undefined ? answers : before,
      meanwhile: await meanwhile,
      after: step === undefined ? [] : answers.slice(before.length),
      begun,
      between,
      outside,
      tree: () => place.open('third', timeOf('third'), neverHeld),
      end: async () => {},
    }
  }

  async close(): Promise<void> {}

  async #worldOf(explored: Explored): Promise<EmptyPlace> {
    const key = `${explored.protocol} ${explored.world}`
    const known = this.#worlds.get(key)
    if (known?.copy) return known.copy()
    const place = await this.#engine.empty()
    await performAt(place, explored, { who: 'before', story: '', beforeStep: neverHeld, turns: { awaited: 0 } })
    if (!place.copy) return place
    this.#worlds.set(key, place)
    return place.copy()
  }

  /** False if it waits for a turn that only the paused actor can end. */
  async #endsByItself(playing: Promise<unknown>, turns: { readonly awaited: number }): Promise<boolean> {
    let hasEnded = false
    const ending = playing.then(
      () => (hasEnded = true),
      () => (hasEnded = true),
    )
    for (let isWaiting = false; !hasEnded; ) {
      await Promise.race([ending, this.#engine.aWhile()])
      if (isWaiting && turns.awaited > 0 && !hasEnded) return false
      isWaiting = turns.awaited > 0
    }
    return true
  }
}

const neverHeld: BeforeStep = () => undefined

interface Part {
  readonly who: Who
  readonly story: string
  readonly beforeStep: BeforeStep
  readonly turns: { awaited: number }
  readonly onBegin?: ((actor?: Actor) => void) | undefined
}

async function performAt(
  place: EmptyPlace,
  { protocol, world }: Explored,
  { who, story, beforeStep, turns, onBegin }: Part,
): Promise<readonly Answer[]> {
  const clock = timeOf(who)
  const tree = await place.open(who, clock, beforeStep)
  const company = { tree: who === 'second' ? tellingTurns(tree, turns) : tree, clock, who, outside: place.outside }
  const { answers } = await play(protocols[protocol], world, story, company, onBegin)
  onBegin?.()
  await tree.close()
  return answers
}

/** Counts the turns that were asked for and have not begun. */
function tellingTurns(tree: Tree, turns: { awaited: number }): Tree {
  return new Proxy(tree, {
    get(target, key) {
      const value = Reflect.get(target, key, target) as unknown
      if (typeof value !== 'function') return value
      if (key !== 'exclusively') return value.bind(target)
      return async (name: string, work: () => Promise<unknown>, options?: Parameters<Tree['exclusively']>[2]) => {
        let isAwaited = true
        turns.awaited++
        const awaitNoMore = () => {
          if (isAwaited) turns.awaited--
          isAwaited = false
        }
        const begun = () => {
          awaitNoMore()
          return work()
        }
        try {
          return await target.exclusively(name, begun, options)
        } finally {
          awaitNoMore()
        }
      }
    },
  })
}
