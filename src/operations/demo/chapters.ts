import type { Chapter } from '../../protocols/chapter.ts'
import { protocols } from '../protocols.ts'
import { append } from './append.ts'
import { claim } from './claim.ts'
import { deliver } from './deliver.ts'
import { lease } from './lease.ts'
import { replace } from './replace.ts'
import { watch } from './watch.ts'

/** The tour, in order: what the tree promises, then what each protocol makes of it. */
export const chapters = async (): Promise<readonly Chapter[]> => [
  ...[deliver, claim, replace, append, lease, watch],
  ...(await Promise.all(protocols.map(({ protocol }) => protocol.chapter()))),
]
