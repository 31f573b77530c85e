/** Filters on lists, mappings and other things with items, and on numbers. */
import { attributeOf, getItem, missing } from './attributes.ts'
import { reversed } from './collection-methods.ts'
import { equals, isOrdered, sortBy } from './compare.ts'
import { roundFloat } from './floats.ts'
import { formatFloat } from './format-number.ts'
import { growItems } from './limits.ts'
import {
  isNumber,
  isZero,
  multiplyNumbers,
  negate,
  parseFloating,
  parseInteger,
  power,
  toFloat,
  toInt,
} from './numbers.ts'
import { operate } from './operators.ts'
import { like, repr, str } from './print.ts'
import { failure, runtimeError, TemplateError, typeError, valueError } from './problem.ts'
import { itemAt, iterate, lengthOf, listOf, toIndex } from './sequences.ts'
import { type Builtin, builtin, type Use } from './signature.ts'
import { charsOf } from './text.ts'
import {
  Dict,
  Float,
  hashOf,
  isInt,
  isText,
  isTrue,
  type Kwargs,
  Lazy,
  Tuple,
  textOf,
  typeNameOf,
  Undefined,
  type Value,
} from './values.ts'

export type Table = Readonly<Record<string, Builtin>>
type Getter = (item: Value) => Value

/** `address.city` or `0.name`: each part is looked up as Jinja2 does; whole numbers are positions. */
export function attributeGetter(attribute: Value, fallback: Value = null, ignoreCase = false): Getter {
  const path = attribute === null ? [] : isText(attribute) ? partsOf(textOf(attribute)) : [attribute]
  return (item) => {
    let value = item
    for (const part of path) {
      value = getItem(value, part)
      if (fallback !== null && value instanceof Undefined) value = fallback
    }
    return ignoreCase && isText(value) ? like(value, textOf(value).toLowerCase()) : value
  }
}

const partsOf = (text: string): Value[] =>
  text.split('.').map((part) => (/^\p{Nd}+$/u.test(part) ? Number(part) : part))

/** Several attributes, separated by commas, which count one after the other. */
function multiGetter(attribute: Value, ignoreCase: boolean): Getter {
  const parts = isText(attribute) ? textOf(attribute).split(',') : [attribute]
  const getters = parts.map((part) => attributeGetter(part, null, ignoreCase))
  return (item) => getters.map((get) => get(item))
}

const lazy = (items: IterableIterator<Value>): Lazy => new Lazy(items)

function* each(value: Value): IterableIterator<Value> {
  const items = iterate(value)
  for (let next = items.next(); !next.done; next = items.next()) yield next.value
}

function find(table: Table, kind: string, name: Value): Builtin {
  const found = isText(name) && Object.hasOwn(table, textOf(name)) ? table[textOf(name)] : undefined
  if (found !== undefined) return found
  if (name instanceof Undefined) name.fail()
  throw runtimeError(`No ${kind} named ${repr(name)}.`)
}

function* map(value: Value, args: readonly Value[], kwargs: Kwargs, filters: Table, use: Use): IterableIterator<Value> {
  if (!isTrue(value)) return
  let change: Getter
  if (args.length === 0 && kwargs.has('attribute')) {
    const other = [...kwargs.keys()].find((key) => key !== 'attribute' && key !== 'default')
    if (other !== undefined) throw failure('FilterArgumentError', `Unexpected keyword argument ${repr(other)}`)
    change = attributeGetter(kwargs.get('attribute')!, kwargs.get('default') ?? null)
  } else {
    const [name, ...rest] = args
    if (name === undefined) throw failure('FilterArgumentError', 'map requires a filter argument')
    change = (item) => find(filters, 'filter', name).call([item, ...rest], kwargs, use)
  }
  for (const item of each(value)) yield change(item)
}

interface Choice {
  readonly value: Value
  readonly args: readonly Value[]
  readonly kwargs: Kwargs
  readonly isKept: boolean
  readonly byAttribute: boolean
}

function* choose(choice: Choice, tests: Table, use: Use): IterableIterator<Value> {
  const { value, args, kwargs, isKept, byAttribute } = choice
  if (!isTrue(value)) return
  if (byAttribute && args.length === 0) throw failure('FilterArgumentError', 'Missing parameter for attribute name')
  const get = byAttribute ? attributeGetter(args[0]!) : (item: Value) => item
  const [name, ...rest] = args.slice(byAttribute ? 1 : 0)
  const passes = (item: Value) =>
    isTrue(name === undefined ? item : find(tests, 'test', name).call([item, ...rest], kwargs, use))
  for (const item of each(value)) if (passes(get(item)) === isKept) yield item
}

function* unique(value: Value, get: Getter): IterableIterator<Value> {
  const seen = new Set()
  for (const item of each(value)) {
    const key = hashOf(get(item))
    if (seen.has(key)) continue
    growItems(1)
    seen.add(key)
    yield item
  }
}

function* batch(value: Value, size: Value, fill: Value): IterableIterator<Value> {
  let row: Value[] = []
  for (const item of each(value)) {
    if (equals(row.length, size)) {
      yield row
      row = []
    }
    growItems(1)
    row.push(item)
  }
  if (row.length === 0) return
  const wanted = fill === null ? 0 : toIndex(size)
  growItems(Math.max(0, wanted - row.length))
  while (row.length < wanted) row.push(fill)
  yield row
}

function* slices(value: Value, count: Value, fill: Value): IterableIterator<Value> {
  const items = listOf(value)
  const parts = toIndex(count)
  if (parts === 0) throw failure('ZeroDivisionError', 'integer division or modulo by zero')
  const size = Math.floor(items.length / parts)
  const extra = items.length - size * parts
  for (let i = 0, offset = 0; i < parts; i++) {
    const start = offset + i * size
    if (i < extra) offset++
    const part = items.slice(start, offset + (i + 1) * size)
    if (fill !== null && i >= extra) part.push(fill)
    growItems(part.length + 1)
    yield part
  }
}

function* pairsOf(value: Value): IterableIterator<Value> {
  if (value instanceof Undefined) return
  if (!(value instanceof Dict)) throw typeError('Can only get item pairs from a mapping.')
  for (const entry of value.walk()) yield new Tuple([entry.key, entry.value])
}

function extreme(value: Value, caseSensitive: Value, attribute: Value, order: '<' | '>'): Value {
  const items = listOf(value)
  if (items.length === 0) return new Undefined('No aggregated item, sequence was empty.')
  const get = attributeGetter(attribute, null, !isTrue(caseSensitive))
  let best: { item: Value; key: Value } = { item: items[0]!, key: get(items[0]!) }
  for (const item of items.slice(1)) {
    const key = get(item)
    if (isOrdered(key, order, best.key)) best = { item, key }
  }
  return best.item
}

function groupBy(value: Value, attribute: Value, fallback: Value, caseSensitive: Value): Value {
  const get = attributeGetter(attribute, fallback, !isTrue(caseSensitive))
  const real = attributeGetter(attribute, fallback)
  const groups: { key: Value; items: Value[] }[] = []
  for (const item of sortBy(listOf(value), get)) {
    const key = get(item)
    const last = groups.at(-1)
    if (last !== undefined && equals(last.key, key)) last.items.push(item)
    else groups.push({ key, items: [item] })
  }
  return groups.map(({ items }) => new Tuple([real(items[0]!), items], ['grouper', 'list']))
}

function sortDict(value: Value, caseSensitive: Value, by: Value, isReversed: Value): Value {
  if (value instanceof Undefined) value.fail()
  if (!(value instanceof Dict))
    throw failure('AttributeError', `'${typeNameOf(value)}' object has no attribute 'items'`)
  if (by !== 'key' && by !== 'value') {
    throw failure('FilterArgumentError', 'You can only sort by either "key" or "value"')
  }
  const get = attributeGetter(null, null, !isTrue(caseSensitive))
  const sorted = sortBy(value.list(), (entry) => get(by === 'key' ? entry.key : entry.value), isTrue(isReversed))
  return sorted.map((entry) => new Tuple([entry.key, entry.value]))
}

function sum(value: Value, attribute: Value, start: Value): Value {
  if (isText(start)) throw typeError("sum() can't sum strings [use ''.join(seq) instead]")
  const get = attributeGetter(attribute)
  let total: Value = start
  for (const item of listOf(value)) total = operate('+', total, get(item))
  return total
}

function reverse(value: Value): Value {
  if (isText(value)) return like(value, charsOf(textOf(value)).reverse().join(''))
  if (value instanceof Undefined) value.fail()
  const turned = reversed(value)
  if (turned !== undefined) return turned
  try {
    return listOf(value).reverse()
  } catch (error) {
    if (!(error instanceof TemplateError) || error.kind !== 'TypeError') throw error
    throw failure('FilterArgumentError', 'argument must be iterable')
  }
}

function last(value: Value): Value {
  if (value instanceof Undefined) value.fail()
  const turned = reversed(value)
  if (turned === undefined) throw typeError(`'${typeNameOf(value)}' object is not reversible`)
  const { done, value: item } = turned.iterate().next()
  return done ? new Undefined('No last item, sequence was empty.') : item
}

function first(value: Value): Value {
  const { done, value: item } = iterate(value).next()
  return done ? new Undefined('No first item, sequence was empty.') : item
}

function pickRandom(value: Value, use: Use): Value {
  const length = lengthOf(value)
  if (length === 0) return new Undefined('No random item, sequence was empty.')
  const at = Math.floor(use.environment.random() * length)
  const item = value instanceof Dict ? value.get(at) : itemAt(value, at)
  if (item === undefined) throw failure(value instanceof Dict ? 'KeyError' : 'TypeError', String(at))
  return item
}

function toWhole(value: Value, fallback: Value, base: Value): Value {
  if (value instanceof Undefined) value.fail()
  if (isText(value)) {
    const whole = parseInteger(textOf(value), toIndex(base))
    if (whole !== undefined) return whole
    const x = parseFloating(textOf(value))
    return x === undefined || !Number.isFinite(x) ? fallback : toInt(BigInt(Math.trunc(x)))
  }
  if (isInt(value)) return typeof value === 'boolean' ? Number(value) : value
  if (!(value instanceof Float) || !Number.isFinite(value.value)) return fallback
  return toInt(BigInt(Math.trunc(value.value)))
}

function toBroken(value: Value, fallback: Value): Value {
  if (value instanceof Undefined) value.fail()
  if (isNumber(value)) return new Float(toFloat(value))
  const x = isText(value) ? parseFloating(textOf(value)) : undefined
  return x === undefined ? fallback : new Float(x)
}

function absolute(value: Value): Value {
  if (value instanceof Undefined) value.fail()
  if (!isNumber(value)) throw typeError(`bad operand type for abs(): '${typeNameOf(value)}'`)
  if (value instanceof Float) return new Float(Math.abs(value.value))
  return Number(value) < 0 ? negate(value) : typeof value === 'boolean' ? Number(value) : value
}

function round(value: Value, precision: Value, method: Value): Value {
  if (value instanceof Undefined) value.fail()
  const way = isText(method) ? textOf(method) : ''
  if (!['common', 'ceil', 'floor'].includes(way)) {
    throw failure('FilterArgumentError', 'method must be common, ceil or floor')
  }
  if (!isNumber(value)) throw typeError(`type ${typeNameOf(value)} doesn't define __round__ method`)
  const places = toIndex(precision)
  if (way === 'common')
    return value instanceof Float ? new Float(roundFloat(value.value, places)) : roundInt(value, places)
  const scale = power(10, places) as number | Float
  const x = toFloat(multiplyNumbers(value, scale) as Float)
  if (isZero(scale)) throw failure('ZeroDivisionError', 'float division by zero')
  return new Float((way === 'ceil' ? Math.ceil(x) : Math.floor(x)) / toFloat(scale))
}

function roundInt(value: number | bigint | boolean, places: number): Value {
  const number = BigInt(value)
  if (places >= 0) return toInt(number)
  if (places < -10_000) return 0
  const unit = 10n ** BigInt(-places)
  const rest = ((number % unit) + unit) % unit
  const low = number - rest
  const isUp = rest * 2n > unit || (rest * 2n === unit && (low / unit) % 2n !== 0n)
  return toInt(isUp ? low + unit : low)
}

function fileSize(value: Value, binary: Value): Value {
  if (value instanceof Undefined) value.fail()
  const number = toBroken(value, null)
  if (!(number instanceof Float)) {
    throw isText(value)
      ? valueError(`could not convert string to float: ${repr(value)}`)
      : typeError(`float() argument must be a string or a real number, not '${typeNameOf(value)}'`)
  }
  const bytes = number.value
  const base = isTrue(binary) ? 1024 : 1000
  if (bytes === 1) return '1 Byte'
  if (bytes < base) return `${Math.trunc(bytes)} Bytes`
  const units = isTrue(binary)
    ? ['KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB', 'ZiB', 'YiB']
    : ['kB', 'MB', 'GB', 'TB', 'PB', 'EB', 'ZB', 'YB']
  const at = units.findIndex((_, i) => bytes < base ** (i + 2))
  const place = at < 0 ? units.length - 1 : at
  return `${formatFloat((base * bytes) / base ** (place + 2), 'f', 1, false)} ${units[place]}`
}

export function itemFilters(all: () => { filters: Table; tests: Table }): Record<string, Builtin> {
  const fallback = builtin(
    "do_default(value, default_value='', boolean=False)",
    (value: Value, other: Value, boolean: Value) =>
      value instanceof Undefined || (isTrue(boolean) && !isTrue(value)) ? other : value,
  )
  const length = builtin('len(obj)', (value: Value) => lengthOf(value))
  const chooser = (name: string, isKept: boolean, byAttribute: boolean) =>
    builtin(`${name}(value, *args, **kwargs)`, (value: Value, args: Value[], kwargs: Kwargs, use: Use) =>
      lazy(choose({ value, args, kwargs, isKept, byAttribute }, all().tests, use)),
    )
  return {
    abs: builtin('abs(x)', absolute),
    attr: builtin('do_attr(obj, name)', (value: Value, name: Value) => {
      const found = attributeOf(value, str(name))
      return found === undefined ? missing(value, str(name)) : found
    }),
    batch: builtin('do_batch(value, linecount, fill_with=None)', (value: Value, size: Value, fill: Value) =>
      lazy(batch(value, size, fill)),
    ),
    count: length,
    d: fallback,
    default: fallback,
    dictsort: builtin("do_dictsort(value, case_sensitive=False, by='key', reverse=False)", sortDict),
    filesizeformat: builtin('do_filesizeformat(value, binary=False)', fileSize),
    first: builtin('do_first(seq)', first),
    float: builtin('do_float(value, default=None)', (value: Value, other: Value) =>
      toBroken(value, other === null ? new Float(0) : other),
    ),
    groupby: builtin('do_groupby(value, attribute, default=None, case_sensitive=False)', groupBy),
    int: builtin('do_int(value, default=0, base=10)', toWhole),
    items: builtin('do_items(value)', (value: Value) => lazy(pairsOf(value))),
    last: builtin('do_last(seq)', last),
    length,
    list: builtin('do_list(value)', (value: Value) => listOf(value)),
    map: builtin('do_map(value, *args, **kwargs)', (value: Value, args: Value[], kwargs: Kwargs, use: Use) =>
      lazy(map(value, args, kwargs, all().filters, use)),
    ),
    max: builtin(
      'do_max(value, case_sensitive=False, attribute=None)',
      (value: Value, cased: Value, attribute: Value) => extreme(value, cased, attribute, '>'),
    ),
    min: builtin(
      'do_min(value, case_sensitive=False, attribute=None)',
      (value: Value, cased: Value, attribute: Value) => extreme(value, cased, attribute, '<'),
    ),
    random: builtin('do_random(seq)', pickRandom),
    reject: chooser('do_reject', false, false),
    rejectattr: chooser('do_rejectattr', false, true),
    reverse: builtin('do_reverse(value)', reverse),
    round: builtin("do_round(value, precision=0, method='common')", round),
    select: chooser('do_select', true, false),
    selectattr: chooser('do_selectattr', true, true),
    slice: builtin('do_slice(value, slices, fill_with=None)', (value: Value, count: Value, fill: Value) =>
      lazy(slices(value, count, fill)),
    ),
    sort: builtin(
      'do_sort(value, reverse=False, case_sensitive=False, attribute=None)',
      (value: Value, isReversed: Value, cased: Value, attribute: Value) =>
        sortBy(listOf(value), multiGetter(attribute, !isTrue(cased)), isTrue(isReversed)),
    ),
    sum: builtin('do_sum(iterable, attribute=None, start=0)', sum),
    unique: builtin(
      'do_unique(value, case_sensitive=False, attribute=None)',
      (value: Value, cased: Value, attribute: Value) =>
        lazy(unique(value, attributeGetter(attribute, null, !isTrue(cased)))),
    ),
  }
}
