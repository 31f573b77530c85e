/** The loop: over everything, over what passes a test, and over what it calls itself with. */
import { type Compiler, type Execute, isEscaping } from './compile.ts'
import type { Frame } from './compile-expressions.ts'
import { deeper, grow, step } from './limits.ts'
import { Loop, type Recurse } from './loop.ts'
import { type For, walk } from './nodes.ts'
import { str } from './print.ts'
import { asMarkupIf, Output, Scope } from './runtime.ts'
import { iterate, nextOf } from './sequences.ts'
import { findUndeclared, hasScopedBlock } from './symbols.ts'
import { isTrue, Lazy, nothing, type Value } from './values.ts'

export function compileFor(compiler: Compiler, node: For, frame: Frame): Execute {
  for (const part of walk(node)) {
    if (part.kind === 'name' && part.use === 'store' && part.name === 'loop') {
      compiler.fail("Can't assign to special loop variable in for-loop target", part.line)
    }
  }
  const loopFrame = compiler.inner(frame)
  const isExtended = node.isRecursive || findUndeclared(node.body, ['loop']).has('loop') || hasScopedBlock(node)
  const loopVariable = isExtended ? loopFrame.symbols.parameter('loop') : undefined
  loopFrame.symbols.analyzeTarget(node.target)
  loopFrame.symbols.analyze(node.body)
  const items = compiler.expression(node.items, frame)
  const filter = loopFilter(compiler, node, frame)
  const enter = compiler.enter(loopFrame)
  const assign = compiler.assign(node.target, loopFrame)
  const body = compiler.body(node.body, loopFrame)
  const otherwise = compileElse(compiler, node, frame)

  const run = (scope: Scope, out: Output, all: Value, recurse: Recurse | undefined, depth: number): void => {
    const own = new Scope(loopFrame.symbols.size, scope, scope.context)
    const source = filter === undefined ? all : filter(scope, all)
    const walked = iterate(source)
    const loop = loopVariable && new Loop(walked, source, recurse, depth)
    let isEmpty = true
    for (;;) {
      step()
      const item = loop === undefined ? nextOf(walked) : loop.next()
      if (item === nothing) break
      isEmpty = false
      assign(own, item)
      if (loop !== undefined) own.slots[loopVariable!.slot] = loop
      enter(own)
      body(own, out)
    }
    own.slots.fill(nothing)
    if (isEmpty) otherwise(scope, out)
  }
  if (!node.isRecursive) return (scope, out) => run(scope, out, items(scope), undefined, 0)

  return (scope, out) => {
    const recurse: Recurse = (all, depth) => {
      const inner = new Output()
      compiler.at(node.line, () => deeper(() => run(scope, inner, all, recurse, depth)))
      grow(inner.text.length)
      return asMarkupIf(isEscaping(loopFrame, scope), inner.text)
    }
    out.add(str(recurse(items(scope), 0)))
  }
}

/** `for … if …`: asked item by item, while the loop runs. */
function loopFilter(compiler: Compiler, node: For, frame: Frame): ((scope: Scope, all: Value) => Value) | undefined {
  if (node.test === undefined) return undefined
  const inner = compiler.inner(frame)
  inner.symbols.analyzeTarget(node.target)
  inner.symbols.analyze([node.test])
  const enter = compiler.enter(inner)
  const assign = compiler.assign(node.target, inner)
  const test = compiler.expression(node.test, inner)
  function* choose(scope: Scope, all: Value): IterableIterator<Value> {
    const own = new Scope(inner.symbols.size, scope, scope.context)
    enter(own)
    const items = iterate(all)
    for (let item = nextOf(items); item !== nothing; item = nextOf(items)) {
      step()
      assign(own, item)
      if (isTrue(test(own))) yield item
    }
  }
  return (scope, all) => new Lazy(choose(scope, all))
}

function compileElse(compiler: Compiler, node: For, frame: Frame): Execute {
  if (node.otherwise.length === 0) return () => {}
  const inner = compiler.inner(frame)
  inner.symbols.analyze(node.otherwise)
  const enter = compiler.enter(inner)
  const body = compiler.body(node.otherwise, inner)
  return (scope, out) => {
    const own = new Scope(inner.symbols.size, scope, scope.context)
    enter(own)
    body(own, out)
  }
}
