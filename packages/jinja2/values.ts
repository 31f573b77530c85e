/**
 * The values of a template, which are those of Python: None is `null`, a whole number is a JavaScript number (a bigint
 * where it is not safe), a broken one is a `Float`, so that `1` and `1.0` stay different; a list is an array.
 *
 * Nothing here has a prototype that a template can reach: attributes are looked up in tables, items among own keys.
 */
import { growItems } from './limits.ts'
import { failure, refused, TemplateError, typeError } from './problem.ts'

export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Float
  | Markup
  | Value[]
  | Tuple
  | Dict
  | Undefined
  | Thing

/** A variable that has no value (yet), or the end of a walk. */
export const nothing = Symbol('nothing')
export type Slot = Value | typeof nothing

export type Kwargs = ReadonlyMap<string, Value>
export const noKwargs: Kwargs = new Map()

export class Float {
  readonly value: number
  constructor(value: number) {
    this.value = value
  }
}

/** Text that is HTML already, and is not escaped again. */
export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export class Tuple {
  readonly items: readonly Value[]
  /** What `groupby` gives can also be asked by name. */
  readonly names: readonly string[]
  constructor(items: readonly Value[], names: readonly string[] = []) {
    this.items = items
    this.names = names
  }
}

/** Something that is missing. All that can be done with it is to ask whether it is there. */
export class Undefined {
  readonly reason: string
  readonly variable: string | undefined
  /** What an `if` without `else` gives is printed as nothing, also by a strict Jinja2. */
  readonly isStrict: boolean
  constructor(reason: string, variable?: string, isStrict = true) {
    this.reason = reason
    this.variable = variable
    this.isStrict = isStrict
  }

  fail(): never {
    const hint =
      this.variable === undefined
        ? 'Check the value first.'
        : `Give ${this.variable}, or write ${this.variable}|default('…') where it may be missing.`
    throw new TemplateError('TEMPLATE_UNDEFINED', 'UndefinedError', this.reason, { variable: this.variable, hint })
  }
}

/** Everything else: ranges, views, generators, functions, macros, `loop`, `namespace` and so on. */
export abstract class Thing {
  /** As in Python's own messages. */
  abstract readonly typeName: string

  attribute(_name: string): Value | undefined {
    return undefined
  }

  repr(): string {
    throw refused(
      `printing a ${this.typeName}, whose text is an address in memory,`,
      this.iterate === undefined ? 'Print what it gives.' : 'Add |list.',
    )
  }

  str(): string {
    return this.repr()
  }

  /** `value[key]`. */
  item?(key: Value): Value | undefined
  iterate?(): Iterator<Value>
  count?(): number
  /** Whether it holds the item, or `undefined` to walk it. */
  contains?(item: Value): boolean | undefined
  equals?(other: Thing): boolean
  call?(args: readonly Value[], kwargs: Kwargs): Value
}

/** An iterator, which can be walked once. */
export class Lazy extends Thing {
  override readonly typeName: string
  private readonly items: Iterator<Value>
  constructor(items: Iterator<Value>, typeName = 'generator') {
    super()
    this.items = items
    this.typeName = typeName
  }
  override iterate(): Iterator<Value> {
    return this.items
  }
}

export class NativeFunction extends Thing {
  override readonly typeName = 'builtin_function_or_method'
  private readonly body: (args: readonly Value[], kwargs: Kwargs) => Value
  constructor(body: (args: readonly Value[], kwargs: Kwargs) => Value) {
    super()
    this.body = body
  }
  override call(args: readonly Value[], kwargs: Kwargs): Value {
    return this.body(args, kwargs)
  }
}

type Key = string | number | bigint | null | object
interface Entry {
  readonly key: Value
  value: Value
}

/** A mapping in the order in which its keys came. Keys are equal as in Python: 1, 1.0 and True are one key. */
export class Dict {
  private readonly entries = new Map<Key, Entry>()

  static of(pairs: Iterable<readonly [Value, Value]>): Dict {
    const dict = new Dict()
    for (const [key, value] of pairs) dict.set(key, value)
    return dict
  }

  get size(): number {
    return this.entries.size
  }
  get(key: Value): Value | undefined {
    return this.entries.get(hashOf(key))?.value
  }
  has(key: Value): boolean {
    return this.entries.has(hashOf(key))
  }
  set(key: Value, value: Value): void {
    const hash = hashOf(key)
    const entry = this.entries.get(hash)
    if (entry !== undefined) entry.value = value
    else {
      growItems(1)
      this.entries.set(hash, { key, value })
    }
  }
  delete(key: Value): void {
    this.entries.delete(hashOf(key))
  }
  clear(): void {
    this.entries.clear()
  }
  *walk(): IterableIterator<Entry> {
    const { size } = this
    for (const entry of this.entries.values()) {
      yield entry
      if (this.size !== size) throw failure('RuntimeError', 'dictionary changed size during iteration')
    }
  }
  /** What is there now, whatever happens to the mapping later. */
  list(): Entry[] {
    return [...this.entries.values()]
  }
}

/** Two keys have the same hash exactly when Python finds them equal. */
export function hashOf(value: Value): Key {
  if (typeof value === 'string') return value.startsWith('\0') ? `\0s${value}` : value
  if (typeof value === 'number' || typeof value === 'bigint' || value === null) return value
  if (typeof value === 'boolean') return value ? 1 : 0
  if (value instanceof Float) {
    const { value: x } = value
    return Number.isInteger(x) && !Number.isSafeInteger(x) ? BigInt(x) : x
  }
  if (value instanceof Markup) return hashOf(value.text)
  if (value instanceof Tuple) return `\0t${value.items.map(tagged).join('')}`
  if (value instanceof Undefined) return value.isStrict ? value.fail() : '\0u'
  if (value instanceof Thing) return value
  throw typeError(`unhashable type: '${Array.isArray(value) ? 'list' : 'dict'}'`)
}

const identities = new WeakMap<object, number>()
let lastIdentity = 0

function tagged(item: Value): string {
  const hash = hashOf(item)
  if (typeof hash === 'object' && hash !== null) {
    if (!identities.has(hash)) identities.set(hash, ++lastIdentity)
    return `o${identities.get(hash)};`
  }
  const text = String(hash)
  return `${typeof hash === 'string' ? 's' : 'n'}${text.length}:${text}`
}

/** The name of the type, as Python's messages have it. */
export function typeNameOf(value: Value): string {
  if (value === null) return 'NoneType'
  if (typeof value === 'string') return 'str'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'number' || typeof value === 'bigint') return 'int'
  if (value instanceof Float) return 'float'
  if (Array.isArray(value)) return 'list'
  if (value instanceof Dict) return 'dict'
  if (value instanceof Tuple) return value.names.length === 0 ? 'tuple' : '_GroupTuple'
  if (value instanceof Markup) return 'Markup'
  if (value instanceof Undefined) return value.isStrict ? 'StrictUndefined' : 'Undefined'
  return value.typeName
}

export const isText = (value: Value): value is string | Markup => typeof value === 'string' || value instanceof Markup
export const textOf = (value: string | Markup): string => (typeof value === 'string' ? value : value.text)

export const isInt = (value: Value): value is number | bigint | boolean =>
  typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean'

export function isTrue(value: Value): boolean {
  if (value === null || value === false || value === 0 || value === '') return false
  if (typeof value !== 'object') return true
  if (Array.isArray(value)) return value.length > 0
  if (value instanceof Dict) return value.size > 0
  if (value instanceof Tuple) return value.items.length > 0
  if (value instanceof Float) return value.value !== 0
  if (value instanceof Markup) return value.text !== ''
  if (value instanceof Undefined) return value.isStrict ? value.fail() : false
  return value.count === undefined || value.count() > 0
}
