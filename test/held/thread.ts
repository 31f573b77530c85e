/** What the two threads of the stage on files say to each other. */
import type { Explored } from './explorer.ts'
import type { FoundFile } from './outside.ts'
import type { Answer } from './story.ts'
import type { Variant } from './variants.ts'

/** In shared memory, because whoever is held hears nothing else. */
export const words = { idle: 0, begin: 1, answered: 2 } as const

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
