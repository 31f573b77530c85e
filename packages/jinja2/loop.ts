/** The variable `loop`. */
import { equals } from './compare.ts'
import { typeError } from './problem.ts'
import { iterate, lengthOf, nextOf } from './sequences.ts'
import { Dict, type Kwargs, NativeFunction, nothing, type Slot, Thing, Tuple, Undefined, type Value } from './values.ts'

export type Recurse = (items: Value, depth: number) => Value

export class Loop extends Thing {
  override readonly typeName = 'LoopContext'
  private readonly source: Value | undefined
  private items: Iterator<Value>
  private readonly recurse: Recurse | undefined
  private readonly depth0: number
  private index0 = -1
  private known: number | undefined
  private before: Slot = nothing
  private current: Slot = nothing
  private after: Slot = nothing
  private lastChanged: Value | undefined

  /** `source` tells how many items there are, where that is known before they are walked. */
  constructor(items: Iterator<Value>, source: Value | undefined, recurse?: Recurse, depth0 = 0) {
    super()
    this.items = items
    this.source = source
    this.recurse = recurse
    this.depth0 = depth0
  }

  /** The next item, or `nothing` at the end. */
  next(): Slot {
    const item = this.after === nothing ? this.take() : this.after
    this.after = nothing
    if (item === nothing) return nothing
    this.index0++
    this.before = this.current
    this.current = item
    return item
  }

  private take(): Slot {
    return nextOf(this.items)
  }

  private peek(): Slot {
    if (this.after === nothing) this.after = this.take()
    return this.after
  }

  override count(): number {
    if (this.known !== undefined) return this.known
    if (this.source !== undefined && isCounted(this.source)) this.known = lengthOf(this.source)
    else {
      const rest: Value[] = []
      for (let item = this.take(); item !== nothing; item = this.take()) rest.push(item)
      this.items = iterate(rest)
      this.known = rest.length + this.index0 + 1 + (this.after === nothing ? 0 : 1)
    }
    return this.known
  }

  override attribute(name: string): Value | undefined {
    return Object.hasOwn(loopAttributes, name) ? this[`get_${name as LoopAttribute}`]() : undefined
  }

  get_index = (): Value => this.index0 + 1
  get_index0 = (): Value => this.index0
  get_revindex = (): Value => this.count() - this.index0
  get_revindex0 = (): Value => this.count() - this.index0 - 1
  get_first = (): Value => this.index0 === 0
  get_last = (): Value => this.peek() === nothing
  get_length = (): Value => this.count()
  get_depth = (): Value => this.depth0 + 1
  get_depth0 = (): Value => this.depth0
  get_previtem = (): Value =>
    this.index0 === 0 || this.before === nothing
      ? new Undefined('there is no previous item', 'loop.previtem')
      : this.before
  get_nextitem = (): Value => {
    const item = this.peek()
    return item === nothing ? new Undefined('there is no next item', 'loop.nextitem') : item
  }
  get_cycle = (): Value =>
    new NativeFunction((args) => {
      if (args.length === 0) throw typeError('no items for cycling given')
      return args[this.index0 % args.length]!
    })
  get_changed = (): Value =>
    new NativeFunction((args) => {
      const now = new Tuple(args)
      if (this.lastChanged !== undefined && equals(this.lastChanged, now)) return false
      this.lastChanged = now
      return true
    })

  override call(args: readonly Value[], kwargs: Kwargs): Value {
    if (this.recurse === undefined) {
      throw typeError("The loop must have the 'recursive' marker to be called recursively.")
    }
    const items = args[0] ?? kwargs.get('iterable')
    if (items === undefined || args.length + kwargs.size !== 1) throw typeError('loop() takes 1 argument')
    return this.recurse(items, this.depth0 + 1)
  }

  override repr(): string {
    return `<LoopContext ${this.index0 + 1}/${this.count()}>`
  }
}

export const loopAttributes = {
  changed: true,
  cycle: true,
  depth: true,
  depth0: true,
  first: true,
  index: true,
  index0: true,
  last: true,
  length: true,
  nextitem: true,
  previtem: true,
  revindex: true,
  revindex0: true,
} as const
type LoopAttribute = keyof typeof loopAttributes

const isCounted = (value: Value): boolean =>
  typeof value === 'string' ||
  Array.isArray(value) ||
  value instanceof Dict ||
  value instanceof Tuple ||
  (value instanceof Thing && value.count !== undefined)
