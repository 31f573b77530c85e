/** Messages between the two threads of the stage on files. */
import type { Explored } from './explorer.ts'
import type { FoundFile } from './outside.ts'
import type { Answer } from './story.ts'
import type { Variant } from './variants.ts'

/**
 * A number in shared memory that grows with every message, because a blocked thread cannot receive events. Read the number,
 * then check for a message, and only then wait for the number to grow: so no message is missed.
 */
export function ring(bell: Int32Array): void {
  Atomics.add(bell, 0, 1)
  Atomics.notify(bell, 0)
}

export interface ToSecond extends Explored {
  readonly story: string
  readonly root: string
  readonly variant: Variant
  /** When the worlds were set up. */
  readonly startedAt: number
}

export interface FromSecond {
  /** It waits for the first. The rest comes in a second message. */
  readonly waits: boolean
  readonly answers: readonly Answer[]
  /** The files as the second left them. */
  readonly files: readonly FoundFile[]
  readonly problem?: string
}
