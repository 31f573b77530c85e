/**
 * What the explorer knows of a protocol: small worlds, and stories for each of them. Two actors play as two processes: the
 * first is paused before one of its steps, the second plays to its end, then the first goes on. A protocol adds one file of
 * stories and one of checks; see `protocols.ts`.
 */
import type { Clock } from '../../src/kernel/clock.ts'
import type { Tree } from '../../src/tree/tree.ts'
import type { FoundFile, Outside } from './outside.ts'

/** The answer to one verb. Plain data, because it is sent between threads. */
export interface Answer {
  readonly verb: string
  /** An outcome, or `error CODE`. */
  readonly outcome: string
  /** Set if it threw anything but a `SignalboxError`: a defect. */
  readonly defect?: string
  readonly [detail: string]: unknown
}

export interface Actor {
  readonly answers: Answer[]
}

export type Who = 'first' | 'second' | 'before' | 'third'

export interface Said extends Answer {
  readonly who: Who
}

export interface Company {
  readonly tree: Tree
  readonly clock: Clock
  readonly who: Who
  readonly outside: Outside
}

export interface Story<A extends Actor> {
  /** What the same process has done before. It is not paused there. */
  begin?(actor: A): Promise<unknown>
  act(actor: A): Promise<unknown>
  /** Done by a foreign program as one step, so it is never the one that is paused. */
  readonly isForeign?: true
  /** Never paused either, for example because each of its verbs is already a story of its own. */
  readonly isMeanwhile?: true
}

export interface World<A extends Actor> {
  /** Prepares the world, as a process that has ended since. */
  setUp(actor: A): Promise<unknown>
  readonly stories: Readonly<Record<string, Story<A>>>
  /** Pairs, as `first/second`, in which steps that only read are tried, too. */
  readonly closely?: readonly string[]
}

/** Everything that is known after both have ended. */
export interface Ending {
  readonly world: string
  readonly first: string
  readonly second: string
  /** The step before which the first was paused; 1 is before it did anything. `undefined`: it was not paused. */
  readonly heldAt: number | undefined
  /** The first was killed there: its work may be done or not, and it got no answer. */
  readonly died: boolean
  /** Answers to the first before it was paused, to the second, to the first afterwards: in this order. */
  readonly answers: readonly Said[]
  /** The files at the beginning, before the first went on, and now. */
  readonly begun: readonly FoundFile[]
  readonly between: readonly FoundFile[]
  readonly files: readonly FoundFile[]
  /** To read packs of the archive by the protocol itself. */
  tree(): Promise<Tree>
}

export interface Protocol<A extends Actor> {
  readonly name: string
  readonly worlds: Readonly<Record<string, World<A>>>
  open(company: Company): Promise<A>
  /** The name of the story that recovers after somebody died. Played if the world has it. */
  readonly recovery: string
  /** One sentence for each promise that was broken. */
  check(ending: Ending): Promise<string[]>
}
