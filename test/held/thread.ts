/** What the two threads of the stage on files say to each other. */
import type { Explored } from './explorer.ts'
import type { FoundFile } from './outside.ts'
import type { Answer } from './story.ts'
import type { Variant } from './variants.ts'

/**
 * A number in shared memory that grows with every message, because whoever is held hears nothing else. Look at it, then for
 * a message, and only then wait for it to grow: so none is missed.
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
  /** It cannot go on before the first does; what follows comes in a second message. */
  readonly waits: boolean
  readonly answers: readonly Answer[]
  /** As it left them. */
  readonly files: readonly FoundFile[]
  readonly problem?: string
}
