/** The parts of the engine, one of each for a tree. A part takes the others that it needs. */
import type { Disk } from './disk.ts'
import type { FileSystemTime } from './file-time.ts'
import type { Finishing } from './finishing.ts'
import type { Flushes } from './flushes.ts'
import type { Folders } from './folders.ts'
import type { Holders } from './holder.ts'
import type { Leases } from './leases.ts'
import type { Locks } from './locks.ts'
import type { Moves } from './moves.ts'
import type { Recovery } from './recovery.ts'
import type { Scratch } from './scratch.ts'
import type { SetAside } from './set-aside.ts'
import type { Slots } from './slots.ts'

export interface Parts {
  readonly disk: Disk
  readonly folders: Folders
  readonly holders: Holders
  readonly scratch: Scratch
  readonly setAside: SetAside
  readonly time: FileSystemTime
  readonly flushes: Flushes
  readonly slots: Slots
  readonly finishing: Finishing
  readonly moves: Moves
  readonly locks: Locks
  readonly leases: Leases
  readonly recovery: Recovery
}
