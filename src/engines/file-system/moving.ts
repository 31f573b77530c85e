/** The parts that move leaves, put together. Loaded when a tree first moves, judges or removes one. */
import { ChangingMoves, type ChangingParts } from './changing-moves.ts'
import { Finishing } from './finishing.ts'
import { Moves } from './moves.ts'
import type { Parts } from './parts.ts'
import { Slots } from './slots.ts'

interface MovingParts extends Omit<ChangingParts, 'moves'>, Pick<Parts, 'holders' | 'setAside'> {
  readonly fileMode: number
}

export class Moving {
  readonly slots: Slots
  readonly finishing: Finishing
  readonly moves: Moves
  readonly changing: ChangingMoves

  constructor(parts: MovingParts) {
    this.slots = new Slots(parts)
    this.finishing = new Finishing(parts)
    this.moves = new Moves({ ...parts, slots: this.slots, finishing: this.finishing })
    this.changing = new ChangingMoves({ ...parts, moves: this.moves })
  }
}
