/** All filters, tests and global names. */
import { asFunction } from './attributes.ts'
import { update } from './collection-methods.ts'
import { attributeGetter, itemFilters, type Table } from './filters-items.ts'
import { textFilters } from './filters-text.ts'
import { limitError } from './limits.ts'
import { repr } from './print.ts'
import { failure, refused, typeError, valueError } from './problem.ts'
import { Range, toIndex } from './sequences.ts'
import { builtin } from './signature.ts'
import { makeTests } from './tests.ts'
import { Dict, type Kwargs, NativeFunction, Thing, Tuple, type Value } from './values.ts'

const all = (): { filters: Table; tests: Table } => ({ filters, tests })

export const filters: Table = { ...itemFilters(all), ...textFilters(attributeGetter) }
export const tests: Table = makeTests(all)

/** A class of Python, of which templates see that it can be called, and its name. */
class NamedFunction extends NativeFunction {
  private readonly text: string
  constructor(text: string, make: (args: readonly Value[], kwargs: Kwargs) => Value) {
    super(make)
    this.text = text
  }
  override repr(): string {
    return `<class '${this.text}'>`
  }
}

function makeRange(args: readonly Value[], kwargs: Kwargs): Value {
  if (kwargs.size > 0) throw typeError('range() takes no keyword arguments')
  if (args.length === 0) throw typeError('range expected at least 1 argument, got 0')
  if (args.length > 3) throw typeError(`range expected at most 3 arguments, got ${args.length}`)
  const bounds = args.map((value) => {
    if (typeof value === 'bigint') throw limitError('digits', 'a range reaches beyond what can be counted')
    return toIndex(value)
  })
  const [start, stop, by = 1] = bounds.length === 1 ? [0, bounds[0]!] : bounds
  if (by === 0) throw valueError('range() arg 3 must not be zero')
  return new Range(start!, stop!, by)
}

const makeDict = builtin('dict(*args, **kwargs)', (args: Value[], kwargs: Kwargs) => {
  if (args.length > 1) throw typeError(`dict expected at most 1 argument, got ${args.length}`)
  const dict = new Dict()
  update(dict, args[0] ?? null, kwargs)
  if (args[0] === null) throw typeError("'NoneType' object is not iterable")
  return dict
})

/** The only thing whose attributes a template can set: a way to carry a value out of a loop. */
export class Namespace extends Thing {
  override readonly typeName = 'Namespace'
  readonly names: Dict
  constructor(names: Dict) {
    super()
    this.names = names
  }
  override attribute(name: string): Value | undefined {
    return this.names.get(name)
  }
  override repr(): string {
    return `<Namespace ${repr(this.names)}>`
  }
}

class Cycler extends Thing {
  override readonly typeName = 'Cycler'
  private readonly items: readonly Value[]
  private at = 0
  constructor(items: readonly Value[]) {
    super()
    if (items.length === 0) throw failure('RuntimeError', 'at least one item has to be provided')
    this.items = items
  }
  override attribute(name: string): Value | undefined {
    if (name === 'current') return this.items[this.at]
    if (name === 'items') return new Tuple(this.items)
    if (name === 'pos') return this.at
    if (name === 'next') return asFunction(builtin('next()', () => this.next()))
    if (name === 'reset') return asFunction(builtin('reset()', () => this.reset()))
    return undefined
  }
  private reset(): null {
    this.at = 0
    return null
  }
  private next(): Value {
    const item = this.items[this.at]!
    this.at = (this.at + 1) % this.items.length
    return item
  }
}

class Joiner extends Thing {
  override readonly typeName = 'Joiner'
  private readonly separator: Value
  private isUsed = false
  constructor(separator: Value) {
    super()
    this.separator = separator
  }
  override call(): Value {
    if (this.isUsed) return this.separator
    this.isUsed = true
    return ''
  }
}

const makeJoiner = builtin("joiner(sep=', ')", (separator: Value) => new Joiner(separator))

/** Names that a template knows without being given them. */
export const globals: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['range', new NamedFunction('range', makeRange)],
  ['dict', new NamedFunction('dict', makeDict.call)],
  [
    'lipsum',
    new NativeFunction(() => {
      throw refused('lipsum(), which makes up text by chance,', 'Give the text to the template.')
    }),
  ],
  ['cycler', new NamedFunction('jinja2.utils.Cycler', (args) => new Cycler(args))],
  ['joiner', new NamedFunction('jinja2.utils.Joiner', makeJoiner.call)],
  [
    'namespace',
    new NamedFunction('jinja2.utils.Namespace', (args, kwargs) => new Namespace(makeDict.call(args, kwargs) as Dict)),
  ],
])
