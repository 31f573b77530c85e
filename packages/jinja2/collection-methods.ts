/** The methods of Python's `list`, `tuple` and `dict`, and the views of a mapping. */

import type { CallValue } from './attributes.ts'
import { contains, equals, sortBy } from './compare.ts'
import { growItems, step } from './limits.ts'
import { repr } from './print.ts'
import { failure, typeError, valueError } from './problem.ts'
import { listOf, toIndex } from './sequences.ts'
import { type Builtin, builtin } from './signature.ts'
import { Dict, isTrue, type Kwargs, Lazy, Thing, Tuple, typeNameOf, Undefined, type Value } from './values.ts'

type ListMethod = (list: Value[], call: CallValue) => Builtin

/** Methods that change something answer None. */
const quietly = (change: () => void): null => {
  change()
  return null
}

const positionOf = (items: readonly Value[], item: Value, from = 0): number => {
  step(items.length)
  return items.findIndex((other, i) => i >= from && (other === item || equals(other, item)))
}

const edge = (index: Value, length: number): number => {
  const at = toIndex(index)
  return Math.max(0, Math.min(length, at < 0 ? at + length : at))
}

function positionWithin(items: readonly Value[], item: Value, start: Value, stop: Value, name: string): number {
  const at = positionOf(items.slice(0, edge(stop, items.length)), item, edge(start, items.length))
  if (at < 0) throw valueError(name === 'list' ? `${repr(item)} is not in list` : 'tuple.index(x): x not in tuple')
  return at
}

const howMany = (items: readonly Value[], item: Value): number => {
  step(items.length)
  return items.filter((other) => other === item || equals(other, item)).length
}

export const listMethods: Readonly<Record<string, ListMethod>> = {
  append: (list) =>
    builtin('append(object)', (item: Value) => {
      growItems(1)
      list.push(item)
      return null
    }),
  clear: (list) => builtin('clear()', () => quietly(() => list.splice(0))),
  copy: (list) => builtin('copy()', () => listOf(list)),
  count: (list) => builtin('count(value)', (item: Value) => howMany(list, item)),
  extend: (list) =>
    builtin('extend(iterable)', (more: Value) => {
      for (const item of listOf(more)) list.push(item)
      return null
    }),
  index: (list) =>
    builtin('index(value, start=0, stop=9007199254740991)', (item: Value, start: Value, stop: Value) =>
      positionWithin(list, item, start, stop, 'list'),
    ),
  insert: (list) =>
    builtin('insert(index, object)', (index: Value, item: Value) => {
      growItems(1)
      step(list.length)
      list.splice(edge(index, list.length), 0, item)
      return null
    }),
  pop: (list) =>
    builtin('pop(index=-1)', (index: Value) => {
      const at = toIndex(index)
      if (list.length === 0) throw failure('IndexError', 'pop from empty list')
      const place = at < 0 ? at + list.length : at
      if (place < 0 || place >= list.length) throw failure('IndexError', 'pop index out of range')
      step(list.length - place)
      return list.splice(place, 1)[0]!
    }),
  remove: (list) =>
    builtin('remove(value)', (item: Value) => {
      const at = positionOf(list, item)
      if (at < 0) throw valueError('list.remove(x): x not in list')
      list.splice(at, 1)
      return null
    }),
  reverse: (list) => builtin('reverse()', () => quietly(() => list.reverse())),
  sort: (list, call) =>
    builtin('sort(key=None, reverse=False)', (key: Value, isReversed: Value) => {
      const sorted = sortBy(list, (item) => (key === null ? item : call(key, [item])), isTrue(isReversed))
      for (const [i, item] of sorted.entries()) list[i] = item
      return null
    }),
}

export const tupleMethods: Readonly<Record<string, (tuple: Tuple) => Builtin>> = {
  count: ({ items }) => builtin('count(value)', (item: Value) => howMany(items, item)),
  index: ({ items }) =>
    builtin('index(value, start=0, stop=9007199254740991)', (item: Value, start: Value, stop: Value) =>
      positionWithin(items, item, start, stop, 'tuple'),
    ),
}

/** Adds what `dict(…)` and `update(…)` take: a mapping or pairs, then named values. */
export function update(dict: Dict, source: Value, named: Kwargs): null {
  if (source instanceof Undefined) source.fail()
  if (source instanceof Dict) for (const { key, value } of source.list()) dict.set(key, value)
  else if (source !== null) {
    for (const [i, pair] of listOf(source).entries()) {
      const items = listOf(pair)
      if (items.length !== 2) {
        throw valueError(`dictionary update sequence element #${i} has length ${items.length}; 2 is required`)
      }
      dict.set(items[0]!, items[1]!)
    }
  }
  for (const [key, value] of named) dict.set(key, value)
  return null
}

const keyError = (key: Value) => failure('KeyError', repr(key))

export const dictMethods: Readonly<Record<string, (dict: Dict) => Builtin>> = {
  clear: (dict) => builtin('clear()', () => quietly(() => dict.clear())),
  copy: (dict) => builtin('copy()', () => Dict.of(dict.list().map(({ key, value }) => [key, value]))),
  fromkeys: () =>
    builtin('fromkeys(iterable, value=None)', (keys: Value, value: Value) =>
      Dict.of(listOf(keys).map((key) => [key, value])),
    ),
  get: (dict) =>
    builtin('get(key, default=None)', (key: Value, fallback: Value) => {
      const value = dict.get(key)
      return value === undefined ? fallback : value
    }),
  items: (dict) => builtin('items()', () => new DictView(dict, 'dict_items')),
  keys: (dict) => builtin('keys()', () => new DictView(dict, 'dict_keys')),
  pop: (dict) =>
    builtin('pop(key, *args)', (key: Value, fallback: Value[]) => {
      if (!dict.has(key)) {
        if (fallback.length === 0) throw keyError(key)
        return fallback[0]!
      }
      const value = dict.get(key)!
      dict.delete(key)
      return value
    }),
  popitem: (dict) =>
    builtin('popitem()', () => {
      step(dict.size)
      const last = dict.list().at(-1)
      if (last === undefined) throw failure('KeyError', "'popitem(): dictionary is empty'")
      dict.delete(last.key)
      return new Tuple([last.key, last.value])
    }),
  setdefault: (dict) =>
    builtin('setdefault(key, default=None)', (key: Value, fallback: Value) => {
      if (!dict.has(key)) dict.set(key, fallback)
      return dict.get(key)!
    }),
  update: (dict) =>
    builtin('update(*args, **kwargs)', (args: Value[], kwargs: Kwargs) => {
      if (args.length > 1) throw typeError(`update expected at most 1 argument, got ${args.length}`)
      return update(dict, args[0] ?? null, kwargs)
    }),
  values: (dict) => builtin('values()', () => new DictView(dict, 'dict_values')),
}

/** What `keys()`, `values()` and `items()` give. It shows what the mapping holds at the time. */
class DictView extends Thing {
  override readonly typeName: 'dict_keys' | 'dict_values' | 'dict_items'
  private readonly dict: Dict

  constructor(dict: Dict, typeName: DictView['typeName']) {
    super()
    this.dict = dict
    this.typeName = typeName
  }
  override count(): number {
    return this.dict.size
  }
  override *iterate(): IterableIterator<Value> {
    for (const { key, value } of this.dict.walk()) {
      yield this.typeName === 'dict_keys' ? key : this.typeName === 'dict_values' ? value : new Tuple([key, value])
    }
  }
  override contains(item: Value): boolean | undefined {
    if (this.typeName === 'dict_keys') return this.dict.has(item)
    if (this.typeName === 'dict_values') return undefined
    const pair = item instanceof Tuple && item.items.length === 2 ? item.items : undefined
    const value = pair && this.dict.get(pair[0]!)
    return value !== undefined && equals(value, pair![1]!)
  }
  override equals(other: Thing): boolean {
    if (!(other instanceof DictView) || this.typeName === 'dict_values' || other.typeName === 'dict_values')
      return false
    return this.count() === other.count() && listOf(this).every((item) => contains(other, item))
  }
  override repr(): string {
    return `${this.typeName}(${repr(listOf(this))})`
  }
}

/** `reversed(…)`: of what has an order and can be indexed. */
export function reversed(value: Value): Lazy | undefined {
  const isReversible = Array.isArray(value) || value instanceof Tuple || value instanceof Dict
  const isCounted = value instanceof Thing && value.count !== undefined && value.iterate !== undefined
  if (typeof value === 'string' || isReversible || isCounted) {
    const typeName = reverseNames[typeNameOf(value)] ?? 'reversed'
    return new Lazy(listOf(value).reverse()[Symbol.iterator](), typeName)
  }
  return undefined
}

const reverseNames: Readonly<Record<string, string>> = {
  list: 'list_reverseiterator',
  range: 'range_iterator',
  dict: 'dict_reversekeyiterator',
  dict_keys: 'dict_reversekeyiterator',
  dict_values: 'dict_reversevalueiterator',
  dict_items: 'dict_reverseitemiterator',
}
