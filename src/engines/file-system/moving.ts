/** The parts that move leaves, put together. Loaded when a tree first moves, judges or removes one. */
import { ChangingMoves } from './changing-moves.ts'
import type { Disk } from './disk.ts'
import { Finishing } from './finishing.ts'
import type { Flushes } from './flushes.ts'
import type { Folders } from './folders.ts'
import type { Holders } from './holder.ts'
import type { Later } from './later.ts'
import { Moves } from './moves.ts'
import type { Recovery } from './recovery.ts'
import type { Scratch } from './scratch.ts'
import type { SetAside } from './set-aside.ts'
import { Slots } from './slots.ts'

export interface MovingParts {
  readonly disk: Disk
  readonly folders: Folders
  readonly holders: Holders
  readonly scratch: Scratch
  readonly setAside: SetAside
  readonly flushes: Flushes
  readonly recovery: Later<Recovery>
  readonly fileMode: number
  /** The time for a leaf that is touched. */
  readonly now: () => number
}

export class Moving {
  readonly slots: Slots
  readonly finishing: Finishing
  readonly moves: Moves
  readonly changing: ChangingMoves

  constructor(parts: MovingParts) {
    const { disk, folders, holders, setAside, flushes, fileMode } = parts
    this.slots = new Slots(disk, setAside, holders, fileMode)
    this.finishing = new Finishing(disk, folders)
    const flush = flushes.durability !== 'process'
    this.moves = new Moves({ disk, folders, holders, slots: this.slots, finishing: this.finishing, flush })
    this.changing = new ChangingMoves({ ...parts, moves: this.moves })
  }
}
