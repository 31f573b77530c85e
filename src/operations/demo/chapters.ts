import { mission } from '../../protocols/ac-mq/chapter.ts'
import type { Chapter } from '../../protocols/chapter.ts'
import { routing } from '../../protocols/message-routing/chapter.ts'
import { append } from './append.ts'
import { claim } from './claim.ts'
import { deliver } from './deliver.ts'
import { lease } from './lease.ts'
import { replace } from './replace.ts'
import { watch } from './watch.ts'

/** The tour, in order. A protocol adds a line. */
export const chapters: readonly Chapter[] = [deliver, claim, replace, append, lease, watch, mission, routing]
