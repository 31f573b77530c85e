/** Macros, and the bodies of `call` blocks, which are macros without a name. */
import type { Compiler, Execute } from './compile.ts'
import type { Frame } from './compile-expressions.ts'
import { grow } from './limits.ts'
import { Macro } from './macro.ts'
import type { CallBlock, Macro as MacroNode } from './nodes.ts'
import { str } from './print.ts'
import { Output, Scope } from './runtime.ts'
import { findUndeclared } from './symbols.ts'
import { nothing, type Slot, Undefined } from './values.ts'

export function compileMacro(compiler: Compiler, node: MacroNode, frame: Frame): Execute {
  const make = macroMaker(compiler, node, node.name, frame)
  const store = compiler.store(node.name, frame)
  return (scope) => store(scope, make(scope))
}

export function compileCallBlock(compiler: Compiler, node: CallBlock, frame: Frame): Execute {
  const make = macroMaker(compiler, node, undefined, frame)
  const call = compiler.call(node.call, frame, make)
  return (scope, out) => out.add(str(call(scope)))
}

function macroMaker(
  compiler: Compiler,
  node: MacroNode | CallBlock,
  name: string | undefined,
  frame: Frame,
): (scope: Scope) => Macro {
  const inner = { ...compiler.inner(frame), checksOutput: false }
  const { symbols } = inner
  const parts = [...node.params, ...node.defaults, ...node.body]
  symbols.analyze(parts)
  const params = node.params.map((param) => param.name)
  const special = findUndeclared(node.body, ['caller', 'kwargs', 'varargs'])
  const isDefaulted = (param: string) => params.indexOf(param) >= params.length - node.defaults.length
  if (special.has('caller') && params.includes('caller') && !isDefaulted('caller')) {
    compiler.fail(
      'When defining macros or call blocks the special "caller" argument must be omitted or be given a default.',
      node.line,
    )
  }
  const extra = ['caller', 'kwargs', 'varargs'].filter((word) => special.has(word) && !params.includes(word))
  const variables = [...params.map((param) => symbols.find(param)!), ...extra.map((word) => symbols.parameter(word))]
  symbols.analyze(parts)
  const enter = compiler.enter(inner)
  const defaults = node.params.map((param, i) => {
    const value = node.defaults[i - params.length + node.defaults.length]
    const hint = `parameter '${param.name}' was not provided`
    return value === undefined ? () => new Undefined(hint, param.name) : compiler.expression(value, inner)
  })
  const body = compiler.body(node.body, inner)
  const run = (scope: Scope, values: readonly Slot[]): string => {
    const own = new Scope(symbols.size, scope, scope.context)
    for (const [i, variable] of variables.entries()) own.slots[variable.slot] = values[i]!
    enter(own)
    for (const [i, fallback] of defaults.entries()) {
      const { slot } = variables[i]!
      if (own.slots[slot] === nothing) own.slots[slot] = compiler.at(node.line, () => fallback(own))
    }
    const out = new Output()
    body(own, out)
    grow(out.text.length)
    return out.text
  }
  const has = (word: string) => extra.includes(word)
  const takes = { takesCaller: special.has('caller'), takesKwargs: has('kwargs'), takesVarargs: has('varargs') }
  return (scope) => new Macro({ name, params, ...takes, body: (values) => run(scope, values) })
}
