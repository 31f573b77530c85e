/** One scene of the tour of `signalbox demo`. Every protocol brings its own; those of the tree are in `operations/demo/`. */
import type { Clock } from '../kernel/clock.ts'
import type { TreePath } from '../kernel/tree-path.ts'
import type { Tree } from '../tree/tree.ts'

export interface Stage {
  readonly tree: Tree
  readonly clock: Clock
  /** Another engine of its own on the same files, as another program would have, by another time if given. Closed after the chapter. */
  another(clock?: Clock): Promise<Tree>
  /** A sentence or two for the reader. */
  say(text: string): void
  /** What was asked of the tree, and what it answered. */
  step(asked: string, answered: string): void
  /** Shows a file as it lies on the disk now. */
  show(path: TreePath): Promise<void>
  /** What the protocol is handed from outside of the tree, for the directory of the tour; see its `ports.ts`. */
  readonly ports: object
  /** Makes a git repository of the directory; false where there is no git. */
  makeRepository(): Promise<boolean>
  progress(what: string, done: number, total: number): void
}

/** What a chapter found out, for programs and tests: nothing in here is only narrated. */
export type Facts = Readonly<Record<string, string | number | boolean>>

export interface Chapter {
  readonly name: string
  readonly title: string
  play(stage: Stage): Promise<Facts>
}

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
