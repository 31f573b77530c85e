/** A macro, or the body of a `call` block, as a value. */
import { deeper, step } from './limits.ts'
import { repr } from './print.ts'
import { typeError } from './problem.ts'
import { Dict, type Kwargs, nothing, type Slot, Thing, Tuple, Undefined, type Value } from './values.ts'

interface MacroParts {
  /** The body of a `call` block has none. */
  readonly name: string | undefined
  readonly params: readonly string[]
  readonly takesKwargs: boolean
  readonly takesVarargs: boolean
  readonly takesCaller: boolean
  /** The values come in the order params, caller, kwargs, varargs. */
  readonly body: (values: readonly Slot[]) => string
}

export class Macro extends Thing {
  override readonly typeName = 'Macro'
  private readonly parts: MacroParts
  constructor(parts: MacroParts) {
    super()
    this.parts = parts
  }

  override attribute(name: string): Value | undefined {
    const { parts } = this
    if (name === 'name') return parts.name ?? null
    if (name === 'arguments') return new Tuple(parts.params)
    if (name === 'catch_kwargs') return parts.takesKwargs
    if (name === 'catch_varargs') return parts.takesVarargs
    if (name === 'caller') return parts.takesCaller
    return name === 'explicit_caller' ? parts.params.includes('caller') : undefined
  }

  override call(args: readonly Value[], kwargs: Kwargs): Value {
    step()
    const { params, takesCaller, takesKwargs, takesVarargs, body } = this.parts
    const rest = new Map(kwargs)
    const take = (name: string): Slot => {
      const value = rest.get(name)
      rest.delete(name)
      return value === undefined ? nothing : value
    }
    const values: Slot[] = params.map((name, i) => (i < args.length ? args[i]! : take(name)))
    if (takesCaller && !params.includes('caller')) {
      const caller = take('caller')
      values.push(caller === nothing || caller === null ? new Undefined('No caller defined', 'caller') : caller)
    }
    if (takesKwargs) values.push(Dict.of(rest))
    else if (rest.size > 0) throw typeError(this.refusal(rest))
    if (takesVarargs) values.push(new Tuple(args.slice(params.length)))
    else if (args.length > params.length) {
      throw typeError(`macro ${this.quotedName()} takes not more than ${params.length} argument(s)`)
    }
    return deeper(() => body(values))
  }

  private quotedName(): string {
    return this.parts.name === undefined ? 'None' : repr(this.parts.name)
  }

  private refusal(rest: ReadonlyMap<string, Value>): string {
    if (rest.has('caller')) {
      return `macro ${this.quotedName()} was invoked with two values for the special caller argument. This is most likely a bug.`
    }
    return `macro ${this.quotedName()} takes no keyword argument ${repr([...rest.keys()][0]!)}`
  }

  override repr(): string {
    return `<Macro ${this.parts.name === undefined ? 'anonymous' : repr(this.parts.name)}>`
  }
}
