/** Walking, counting, indexing and slicing. */
import { growItems, step } from './limits.ts'
import { str } from './print.ts'
import { typeError, valueError } from './problem.ts'
import { charsOf, isPlain, lengthOfText } from './text.ts'
import {
  Dict,
  Float,
  isInt,
  isText,
  Markup,
  NativeFunction,
  nothing,
  type Slot,
  Thing,
  Tuple,
  textOf,
  typeNameOf,
  Undefined,
  type Value,
} from './values.ts'

export function iterate(value: Value, refusal?: string): Iterator<Value> {
  if (Array.isArray(value)) return value[Symbol.iterator]()
  if (value instanceof Tuple) return value.items[Symbol.iterator]()
  if (value instanceof Dict) return keysOf(value)
  // The characters of markup are plain text.
  if (isText(value)) return charsOf(textOf(value))[Symbol.iterator]()
  if (value instanceof Undefined) return value.isStrict ? value.fail() : [][Symbol.iterator]()
  if (value instanceof Thing && value.iterate !== undefined) return value.iterate()
  throw typeError(refusal ?? `'${typeNameOf(value)}' object is not iterable`)
}

function* keysOf(dict: Dict): IterableIterator<Value> {
  for (const { key } of dict.walk()) yield key
}

/** The next item, or `nothing` at the end. */
export function nextOf(items: Iterator<Value>): Slot {
  const { done, value } = items.next()
  return done ? nothing : value
}

/** All items, in a list of its own. */
export function listOf(value: Value): Value[] {
  if (value instanceof Range) growItems(value.count())
  const items: Value[] = []
  const source = iterate(value)
  for (let next = source.next(); !next.done; next = source.next()) {
    step()
    items.push(next.value)
  }
  growItems(items.length)
  return items
}

export function lengthOf(value: Value): number {
  if (isText(value)) return lengthOfText(textOf(value))
  if (Array.isArray(value)) return value.length
  if (value instanceof Tuple) return value.items.length
  if (value instanceof Dict) return value.size
  if (value instanceof Undefined) return value.isStrict ? value.fail() : 0
  if (value instanceof Thing && value.count !== undefined) return value.count()
  throw typeError(`object of type '${typeNameOf(value)}' has no len()`)
}

/** A whole number that can be a position or a count. What is too large for either is as good as the largest. */
export function toIndex(value: Value, what = 'object cannot be interpreted as an integer'): number {
  if (value instanceof Undefined) return value.fail()
  if (!isInt(value)) throw typeError(`'${typeNameOf(value)}' ${what}`)
  return Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, Number(value)))
}

/** `sequence[index]`, or `undefined` where there is none or the value is no sequence. */
export function itemAt(sequence: Value, index: number): Value | undefined {
  const pick = <T>(items: readonly T[]): T | undefined => items[index < 0 ? index + items.length : index]
  if (Array.isArray(sequence)) return pick(sequence)
  if (sequence instanceof Tuple) return pick(sequence.items)
  if (typeof sequence === 'string') {
    if (!isPlain(sequence)) return pick(charsOf(sequence))
    return sequence[index < 0 ? index + sequence.length : index]
  }
  if (sequence instanceof Markup) {
    const sign = itemAt(sequence.text, index)
    return sign === undefined ? undefined : new Markup(sign as string)
  }
  return sequence instanceof Range ? sequence.at(index) : undefined
}

interface Bounds {
  readonly start: number
  readonly stop: number
  readonly count: number
  readonly step: number
}

/** What a slice takes of so many items. */
function boundsOf(length: number, from: Value, to: Value, by: Value): Bounds {
  const read = (value: Value) => {
    if (!isInt(value) && !(value instanceof Undefined)) {
      throw typeError('slice indices must be integers or None or have an __index__ method')
    }
    return toIndex(value)
  }
  const stride = by === null ? 1 : read(by)
  if (stride === 0) throw valueError('slice step cannot be zero')
  const [low, high] = stride > 0 ? [0, length] : [-1, length - 1]
  const clip = (value: Value, fallback: number) => {
    if (value === null) return fallback
    const index = read(value)
    return Math.max(low, Math.min(high, index < 0 ? index + length : index))
  }
  const start = clip(from, stride > 0 ? low : high)
  const stop = clip(to, stride > 0 ? high : low)
  return { start, stop, step: stride, count: Math.max(0, Math.ceil((stop - start) / stride)) }
}

export function slice(value: Value, from: Value, to: Value, by: Value): Value {
  if (value instanceof Undefined) return value.fail()
  if (value instanceof Range) return value.slice(boundsOf(value.count(), from, to, by))
  if (value instanceof Markup) return new Markup(slice(value.text, from, to, by) as string)
  if (typeof value === 'string') {
    if (isPlain(value) && by === null) {
      const { start, count } = boundsOf(value.length, from, to, by)
      return value.slice(start, start + count)
    }
    const chars = charsOf(value)
    return take(chars, boundsOf(chars.length, from, to, by)).join('')
  }
  if (Array.isArray(value)) return take(value, boundsOf(value.length, from, to, by))
  if (value instanceof Tuple) return new Tuple(take(value.items, boundsOf(value.items.length, from, to, by)))
  throw typeError(
    value instanceof Dict ? "unhashable type: 'slice'" : `'${typeNameOf(value)}' object is not subscriptable`,
  )
}

function take<T>(items: readonly T[], { start, count, step: by }: Bounds): T[] {
  step(count)
  growItems(count)
  return Array.from({ length: count }, (_, i) => items[start + i * by]!)
}

/** `range(…)`: counted, not kept. */
export class Range extends Thing {
  override readonly typeName = 'range'
  readonly start: number
  readonly stop: number
  readonly step: number

  constructor(start: number, stop: number, by: number) {
    super()
    this.start = start
    this.stop = stop
    this.step = by
  }
  override attribute(name: string): Value | undefined {
    if (name === 'start' || name === 'stop' || name === 'step') return this[name]
    if (name === 'count')
      return new NativeFunction(([item]) => (item !== undefined && this.place(item) !== undefined ? 1 : 0))
    if (name !== 'index') return undefined
    return new NativeFunction(([item = null]) => {
      const place = this.place(item)
      if (place === undefined) throw valueError(`${str(item)} is not in range`)
      return place
    })
  }
  override count(): number {
    return Math.max(0, Math.ceil((this.stop - this.start) / this.step))
  }
  at(index: number): number | undefined {
    const length = this.count()
    const place = index < 0 ? index + length : index
    return place >= 0 && place < length ? this.start + place * this.step : undefined
  }
  slice({ start, stop, step: by }: Bounds): Range {
    return new Range(this.start + start * this.step, this.start + stop * this.step, by * this.step)
  }
  override *iterate(): IterableIterator<Value> {
    const length = this.count()
    for (let i = 0; i < length; i++) {
      step()
      yield this.start + i * this.step
    }
  }
  override contains(item: Value): boolean | undefined {
    return isInt(item) ? this.place(item) !== undefined : undefined
  }
  private place(item: Value): number | undefined {
    if (!isInt(item) && !(item instanceof Float)) return undefined
    const place = (Number(item instanceof Float ? item.value : item) - this.start) / this.step
    return Number.isInteger(place) && place >= 0 && place < this.count() ? place : undefined
  }
  override equals(other: Thing): boolean {
    if (!(other instanceof Range) || this.count() !== other.count()) return false
    return this.count() === 0 || (this.start === other.start && (this.count() === 1 || this.step === other.step))
  }
  override repr(): string {
    return `range(${this.start}, ${this.stop}${this.step === 1 ? '' : `, ${this.step}`})`
  }
}
