/** What the verbs are made of: on the cluster itself, or within one transaction. */
import { Commits } from './commit.ts'
import type { CurrentTurn } from './current-turn.ts'
import type { FolderIndexes } from './folder-indexes.ts'
import { Folders } from './folders.ts'
import type { Keys } from './keys.ts'
import type { Labels } from './labels.ts'
import type { LargeBodies } from './large-bodies.ts'
import { Leases } from './leases.ts'
import { Leaves } from './leaves.ts'
import type { LogCopies } from './log-copies.ts'
import type { Requests } from './requests.ts'
import type { UnansweredWrites } from './unanswered-writes.ts'

/** The same for both. */
export interface SharedParts {
  readonly keys: Keys
  readonly bodies: LargeBodies
  readonly labels: Labels
  readonly logs: LogCopies
  readonly turn: CurrentTurn
  readonly unanswered: UnansweredWrites
}

/** Copies of folders, as far as the verbs use them. A transaction reads them by itself, because it compares what it read. */
export type Copies = Pick<
  FolderIndexes,
  'count' | 'current' | 'ifOpen' | 'isOpen' | 'ownAt' | 'take' | 'learnAbsence'
> & {
  open(folder: Parameters<FolderIndexes['open']>[0]): unknown
}

export class Parts {
  readonly keys: Keys
  readonly bodies: LargeBodies
  readonly labels: Labels
  readonly requests: Requests
  readonly indexes: Copies
  readonly commits: Commits
  readonly folders: Folders
  readonly leaves: Leaves
  readonly leases: Leases
  /** Does something once what was written is safe. */
  readonly whenDone: (work: () => void) => void

  constructor(shared: SharedParts, requests: Requests, indexes: Copies, whenDone: (work: () => void) => void) {
    const { keys, bodies, labels, logs, turn, unanswered } = shared
    this.keys = keys
    this.bodies = bodies
    this.labels = labels
    this.requests = requests
    this.indexes = indexes
    this.whenDone = whenDone
    this.commits = new Commits(requests, keys, indexes, turn, unanswered)
    this.folders = new Folders(requests, keys, indexes, turn)
    this.leaves = new Leaves(requests, keys, indexes, { bodies, logs })
    this.leases = new Leases(requests, keys, unanswered, turn)
  }
}
