/** The parts that the verbs work with: those of the cluster, or those of one transaction. */
import type { CurrentTurn } from './current-turn.ts'
import type { FolderIndexes } from './folder-indexes.ts'
import type { Keys } from './keys.ts'
import type { Labels } from './labels.ts'
import type { LargeBodies } from './large-bodies.ts'
import type { LogCopies } from './recent.ts'
import type { Requests } from './requests.ts'
import type { UnansweredWrites } from './unanswered-writes.ts'

export interface Parts {
  readonly keys: Keys
  readonly bodies: LargeBodies
  readonly labels: Labels
  readonly logs: LogCopies
  readonly turn: CurrentTurn
  readonly unanswered: UnansweredWrites
  readonly requests: Requests
  readonly indexes: Copies
  /** Runs `work` once the writes are committed. */
  readonly whenDone: (work: () => void) => void
}

/** Copies of folders, as far as the verbs use them. A transaction reads them by itself, because it compares what it read. */
export type Copies = Pick<
  FolderIndexes,
  'count' | 'current' | 'ifOpen' | 'isOpen' | 'ownAt' | 'take' | 'learnAbsence'
> & {
  open(folder: Parameters<FolderIndexes['open']>[0]): unknown
}
