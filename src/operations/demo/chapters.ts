import { append } from './append.ts'
import type { Chapter } from './chapter.ts'
import { claim } from './claim.ts'
import { deliver } from './deliver.ts'
import { lease } from './lease.ts'
import { mission } from './mission.ts'
import { replace } from './replace.ts'
import { routing } from './routing.ts'
import { watch } from './watch.ts'

/** The tour, in order. A protocol adds a line. */
export const chapters: readonly Chapter[] = [deliver, claim, replace, append, lease, watch, mission, routing]
