/**
 * What the explorer knows of a protocol: small worlds, and in each the stories that may meet there. Two actors play, each
 * a process of its own towards the other: the first is held before one of its steps, the second plays to its end, the
 * first goes on. A protocol adds itself by one file of stories and one of checks; see `protocols.ts`.
 */
import type { Clock } from '../../src/kernel/clock.ts'
import type { Tree } from '../../src/tree/tree.ts'
import type { FoundFile, Outside } from './outside.ts'

/** What somebody was told. Plain data: it travels between threads. */
export interface Answer {
  readonly verb: string
  /** An outcome, or `error CODE`. */
  readonly outcome: string
  /** Not an error of ours: a defect. */
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
  /** What the same process has done before; nobody holds it there. */
  begin?(actor: A): Promise<unknown>
  act(actor: A): Promise<unknown>
  /** Done by a program that is not ours, all at once: it has no steps, so it is never the one that is held. */
  readonly isForeign?: true
  /** Not held either, only what others do meanwhile: such as several verbs, each of which is a story by itself. */
  readonly isMeanwhile?: true
}

export interface World<A extends Actor> {
  /** What is there before; done by a process that has ended since. */
  setUp(actor: A): Promise<unknown>
  readonly stories: Readonly<Record<string, Story<A>>>
  /** Pairs whose every step matters, also those that only look: `first/second`. */
  readonly closely?: readonly string[]
}

/** All that can be known after both have ended. */
export interface Ending {
  readonly world: string
  readonly first: string
  readonly second: string
  /** Before which step the first was held: 1 is before it did anything. `undefined`: it was not. */
  readonly heldAt: number | undefined
  /** The first was killed there: what it did may be done or not, and nobody was told. */
  readonly died: boolean
  /** Of the first before it was held, of the second, of the first afterwards: in this order. */
  readonly answers: readonly Said[]
  /** As they were when both began, before the first went on, and as they are now. */
  readonly begun: readonly FoundFile[]
  readonly between: readonly FoundFile[]
  readonly files: readonly FoundFile[]
  /** For what is packed: asked of the protocol itself. */
  tree(): Promise<Tree>
}

export interface Protocol<A extends Actor> {
  readonly name: string
  readonly worlds: Readonly<Record<string, World<A>>>
  open(company: Company): Promise<A>
  /** The story of whoever comes next, after somebody died; played where the world has it. */
  readonly recovery: string
  /** One sentence for each promise that was broken. */
  check(ending: Ending): Promise<string[]>
}
