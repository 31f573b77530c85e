/** Turns expressions into functions, so that names are looked up once and not on every evaluation. No code is generated. */
import { call, getAttribute, getItem } from './attributes.ts'
import { filters, tests } from './builtins.ts'
import { contains, equals, isOrdered } from './compare.ts'
import { grow, growItems, step } from './limits.ts'
import { Macro } from './macro.ts'
import { type Arguments, type Comparison, type Expression, isFoldable, type Slice } from './nodes.ts'
import { operate, signed } from './operators.ts'
import { softStr, toMarkup } from './print.ts'
import { assertionError, runtimeError, typeError } from './problem.ts'
import type { Scope } from './runtime.ts'
import { listOf, slice } from './sequences.ts'
import type { Builtin } from './signature.ts'
import type { Symbols, Variable } from './symbols.ts'
import {
  Dict,
  isText,
  isTrue,
  type Kwargs,
  Markup,
  noKwargs,
  nothing,
  type Slot,
  Tuple,
  textOf,
  Undefined,
  type Value,
} from './values.ts'

export type Evaluate = (scope: Scope) => Value

/** A frame as the compiler sees it. */
export interface Frame {
  readonly symbols: Symbols
  /** Not inside a loop, macro, block or the like. */
  readonly isTop: boolean
  /** Not inside an `if` either. */
  readonly isRoot: boolean
  /** Inside an `if`: whether a filter exists is asked when it is used. */
  readonly isSoft: boolean
  /** Output counts only as long as the template has not extended another. */
  readonly checksOutput: boolean
  /** Whether output is escaped here, as far as the template says so in so many words. */
  readonly isEscaping: boolean
  /** It depends on a variable, so that the context must be asked. */
  readonly isVolatile: boolean
}

export class ExpressionCompiler {
  readonly template: string
  constructor(template: string) {
    this.template = template
  }

  reader(variable: Variable, frame: Frame): (scope: Scope) => Slot {
    const { slot } = variable
    const up = frame.symbols.level - variable.level
    if (up === 0) return (scope) => scope.slots[slot]!
    if (up === 1) return (scope) => scope.parent!.slots[slot]!
    return (scope) => {
      let owner = scope
      for (let i = 0; i < up; i++) owner = owner.parent!
      return owner.slots[slot]!
    }
  }

  private name(name: string, frame: Frame): Evaluate {
    const variable = frame.symbols.find(name)
    const read = variable === undefined ? (scope: Scope) => scope.context.resolve(name) : this.reader(variable, frame)
    return (scope) => {
      const value = read(scope)
      return value === nothing ? new Undefined(`'${name}' is undefined`, name) : value
    }
  }

  expression(node: Expression | Slice, frame: Frame): Evaluate {
    switch (node.kind) {
      case 'constant': {
        const { value } = node
        return () => value
      }
      case 'data': {
        const { text } = node
        return () => text
      }
      case 'name':
        return this.name(node.name, frame)
      case 'tuple': {
        const items = this.all(node.items, frame)
        return (scope) => new Tuple(items(scope))
      }
      case 'list':
        return this.all(node.items, frame)
      case 'dict': {
        const pairs = node.pairs.map(
          ([key, value]) => [this.expression(key, frame), this.expression(value, frame)] as const,
        )
        return (scope) => Dict.of(pairs.map(([key, value]) => [key(scope), value(scope)]))
      }
      case 'condition':
        return this.condition(node, frame)
      case 'filter':
        return this.filter(node, frame)
      case 'test':
        return this.test(node, frame)
      case 'call':
        return this.call(node, frame)
      case 'attribute': {
        const value = this.expression(node.node, frame)
        const { name } = node
        return (scope) => getAttribute(value(scope), name)
      }
      case 'item':
        return this.item(node, frame)
      case 'concat':
        return this.concat(node.items, frame)
      case 'compare':
        return this.compare(node, frame)
      case 'binary':
        return this.binary(node, frame)
      case 'unary':
        return this.unary(node, frame)
      default:
        throw assertionError(`${node.kind} is no value`).at(this.template, node.line)
    }
  }

  private all(nodes: readonly Expression[], frame: Frame): (scope: Scope) => Value[] {
    const items = nodes.map((node) => this.expression(node, frame))
    return (scope) => {
      growItems(items.length)
      return items.map((item) => item(scope))
    }
  }

  private condition(node: Extract<Expression, { kind: 'condition' }>, frame: Frame): Evaluate {
    const soft = { ...frame, isSoft: true }
    const test = this.expression(node.test, soft)
    const yes = this.expression(node.yes, soft)
    if (node.no !== undefined) {
      const no = this.expression(node.no, soft)
      return (scope) => (isTrue(test(scope)) ? yes(scope) : no(scope))
    }
    const reason = `the inline if-expression on line ${node.line} in '${this.template}' evaluated to false and no else section was defined.`
    const no = new Undefined(reason, undefined, false)
    return (scope) => (isTrue(test(scope)) ? yes(scope) : no)
  }

  private item({ node, key }: Extract<Expression, { kind: 'item' }>, frame: Frame): Evaluate {
    const value = this.expression(node, frame)
    if (key.kind !== 'slice') {
      const index = this.expression(key, frame)
      return (scope) => getItem(value(scope), index(scope))
    }
    const parts = key.parts.map((part) => (part === undefined ? () => null : this.expression(part, frame)))
    return (scope) => {
      step()
      return slice(value(scope), parts[0]!(scope), parts[1]!(scope), parts[2]!(scope))
    }
  }

  private concat(nodes: readonly Expression[], frame: Frame): Evaluate {
    const items = this.all(nodes, frame)
    // What is constant Jinja2 joins before it runs, as plain text.
    const isEscaped = frame.isEscaping && !frame.isVolatile && !nodes.every(isFoldable)
    return (scope) => {
      const values = items(scope)
      const texts = values.map(softStr)
      if (isEscaped && texts.some((text) => text instanceof Markup))
        return new Markup(joined(texts.map((t) => toMarkup(t).text)))
      return joined(texts.map(textOf))
    }
  }

  private compare({ first, rest }: Extract<Expression, { kind: 'compare' }>, frame: Frame): Evaluate {
    const left = this.expression(first, frame)
    const steps = rest.map(({ operator, node }) => ({
      holds: comparisons[operator],
      right: this.expression(node, frame),
    }))
    return (scope) => {
      step()
      let value = left(scope)
      for (const { holds, right } of steps) {
        const next = right(scope)
        if (!holds(value, next)) return false
        value = next
      }
      return true
    }
  }

  private binary({ operator, left, right }: Extract<Expression, { kind: 'binary' }>, frame: Frame): Evaluate {
    const a = this.expression(left, frame)
    const b = this.expression(right, frame)
    if (operator === 'and' || operator === 'or') {
      const isEnough = operator === 'or'
      return (scope) => {
        const value = a(scope)
        return isTrue(value) === isEnough ? value : b(scope)
      }
    }
    return (scope) => {
      step()
      return operate(operator, a(scope), b(scope))
    }
  }

  private unary({ operator, node }: Extract<Expression, { kind: 'unary' }>, frame: Frame): Evaluate {
    const value = this.expression(node, frame)
    return operator === 'not' ? (scope) => !isTrue(value(scope)) : (scope) => signed(operator, value(scope))
  }

  /** Positional and named arguments. */
  private arguments(given: Arguments, frame: Frame) {
    const args = this.all(given.args, frame)
    const kwargs = given.kwargs.map(({ key, value }) => [key, this.expression(value, frame)] as const)
    const more = given.more && this.expression(given.more, frame)
    const named = given.named && this.expression(given.named, frame)
    const hasNames = kwargs.length > 0 || named !== undefined
    return {
      args: (scope: Scope): Value[] => (more === undefined ? args(scope) : [...args(scope), ...listOf(more(scope))]),
      kwargs: (scope: Scope): Kwargs => {
        if (!hasNames) return noKwargs
        const all = new Map<string, Value>()
        for (const [key, value] of kwargs) all.set(key, value(scope))
        if (named !== undefined) addNamed(all, named(scope))
        return all
      },
    }
  }

  /** What the name means, or a function that fails when it is used. */
  private builtin(kind: 'filter' | 'test', name: string, line: number, frame: Frame): Builtin {
    const table = kind === 'filter' ? filters : tests
    const found = Object.hasOwn(table, name) ? table[name] : undefined
    if (found !== undefined) return found
    if (!frame.isSoft) throw assertionError(`No ${kind} named '${name}'.`).at(this.template, line)
    return {
      name,
      call: () => {
        throw runtimeError(`No ${kind} named '${name}' found.`)
      },
    }
  }

  filter(node: Extract<Expression, { kind: 'filter' }>, frame: Frame, body?: Evaluate): Evaluate {
    const { call: apply } = this.builtin('filter', node.name, node.line, frame)
    const inner = node.node
    const value =
      inner === undefined
        ? body!
        : inner.kind === 'filter'
          ? this.filter(inner, frame, body)
          : this.expression(inner, frame)
    const { args, kwargs } = this.arguments(node, frame)
    return (scope) => {
      step()
      const first = value(scope)
      return apply([first, ...args(scope)], kwargs(scope), scope.context)
    }
  }

  private test(node: Extract<Expression, { kind: 'test' }>, frame: Frame): Evaluate {
    const { call: apply } = this.builtin('test', node.name, node.line, frame)
    const value = this.expression(node.node, frame)
    const { args, kwargs } = this.arguments(node, frame)
    return (scope) => {
      step()
      const first = value(scope)
      return apply([first, ...args(scope)], kwargs(scope), scope.context)
    }
  }

  call(node: Extract<Expression, { kind: 'call' }>, frame: Frame, caller?: (scope: Scope) => Value): Evaluate {
    const callee = this.expression(node.node, frame)
    const { args, kwargs } = this.arguments(node, frame)
    return (scope) => {
      step()
      const body = caller?.(scope)
      const target = callee(scope)
      const positional = args(scope)
      let named = kwargs(scope)
      if (body !== undefined) {
        if (named.has('caller')) throw typeError("keyword argument repeated: 'caller'")
        named = new Map([...named, ['caller', body]])
      }
      const result = call(target, positional, named)
      const isMarkup = target instanceof Macro && scope.context.escaping.isOn
      return isMarkup && typeof result === 'string' ? new Markup(result) : result
    }
  }
}

function joined(texts: readonly string[]): string {
  let result = ''
  for (const text of texts) {
    grow(text.length)
    result += text
  }
  return result
}

function addNamed(all: Map<string, Value>, value: Value): void {
  if (value instanceof Undefined) value.fail()
  if (!(value instanceof Dict)) throw typeError('argument after ** must be a mapping')
  for (const { key, value: item } of value.list()) {
    if (!isText(key)) throw typeError('keywords must be strings')
    if (all.has(textOf(key))) throw typeError(`got multiple values for keyword argument '${textOf(key)}'`)
    all.set(textOf(key), item)
  }
}

const comparisons: Readonly<Record<Comparison, (left: Value, right: Value) => boolean>> = {
  '==': equals,
  '!=': (left, right) => !equals(left, right),
  '<': (left, right) => isOrdered(left, '<', right),
  '<=': (left, right) => isOrdered(left, '<=', right),
  '>': (left, right) => isOrdered(left, '>', right),
  '>=': (left, right) => isOrdered(left, '>=', right),
  in: (left, right) => contains(right, left),
  'not in': (left, right) => !contains(right, left),
}
