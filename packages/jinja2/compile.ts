/** Turns a parsed template into functions that render it. What each name means is decided here; see symbols.ts. */
import { Namespace } from './builtins.ts'
import { type Evaluate, ExpressionCompiler, type Frame } from './compile-expressions.ts'
import { compileFor } from './compile-loops.ts'
import { compileCallBlock, compileMacro } from './compile-macros.ts'
import { compileBlock, compileExtends, compileFromImport, compileImport, compileInclude } from './compile-templates.ts'
import { deeper, grow, step } from './limits.ts'
import { type Block, type If, isConstant, type Statement, type Target, walk } from './nodes.ts'
import { str, toMarkup } from './print.ts'
import { assertionError, runtimeError, TemplateError, valueError } from './problem.ts'
import { asMarkupIf, type BlockBody, Output, Scope, superOf, type Template, TemplateReference } from './runtime.ts'
import { iterate, nextOf } from './sequences.ts'
import { findUndeclared, Symbols } from './symbols.ts'
import { isTrue, Markup, nothing, typeNameOf, type Value } from './values.ts'

export type Execute = (scope: Scope, out: Output) => void
interface Step {
  readonly line: number
  readonly run: Execute
}

export function compile(statements: readonly Statement[], name: string): Template {
  return new Compiler(name).compile(statements)
}

const unescaped = { isEscaping: false, isVolatile: false }

export class Compiler extends ExpressionCompiler {
  /** It extends another template in any case. */
  hasKnownExtends = false
  extendsSoFar = 0

  compile(statements: readonly Statement[]): Template {
    const nodes = [...walk(...statements)]
    const blockNodes = new Map<string, Block>()
    for (const node of nodes) {
      if (node.kind !== 'block') continue
      if (blockNodes.has(node.name)) this.fail(`block '${node.name}' defined twice`, node.line)
      blockNodes.set(node.name, node)
    }
    const hasExtends = nodes.some((node) => node.kind === 'extends')
    const render = this.root(statements, hasExtends)
    const blocks = new Map([...blockNodes].map(([name, node]) => [name, this.blockBody(node)]))
    return { name: this.template, blocks, render }
  }

  fail(reason: string, line: number): never {
    throw assertionError(reason).at(this.template, line)
  }

  private root(statements: readonly Statement[], hasExtends: boolean): Template['render'] {
    const symbols = new Symbols()
    const self = findUndeclared(statements, ['self']).has('self') ? symbols.parameter('self') : undefined
    symbols.analyze(statements)
    const frame: Frame = { symbols, isTop: true, isRoot: true, isSoft: false, checksOutput: hasExtends, ...unescaped }
    const body = this.body(statements, frame)
    const enter = this.enter(frame)
    return (context, out) => {
      const scope = new Scope(symbols.size, undefined, context)
      if (self !== undefined) scope.slots[self.slot] = new TemplateReference(context)
      enter(scope)
      body(scope, out)
      const { extended } = scope
      if (extended !== undefined) this.at(1, () => deeper(() => extended.render(context, out)))
    }
  }

  private blockBody(node: Block): BlockBody {
    const symbols = new Symbols()
    const special = findUndeclared(node.body, ['self', 'super'])
    const self = special.has('self') ? symbols.parameter('self') : undefined
    const parent = special.has('super') ? symbols.parameter('super') : undefined
    symbols.analyze(node.body)
    const frame: Frame = { symbols, isTop: false, isRoot: false, isSoft: false, checksOutput: false, ...unescaped }
    const body = this.body(node.body, frame)
    const enter = this.enter(frame)
    const block: BlockBody = {
      name: node.name,
      render: (context, out) => {
        const scope = new Scope(symbols.size, undefined, context)
        if (self !== undefined) scope.slots[self.slot] = new TemplateReference(context)
        if (parent !== undefined) {
          const stack = context.blocks.get(node.name) ?? []
          scope.slots[parent.slot] = superOf(node.name, context, stack, stack.indexOf(block) + 1)
        }
        enter(scope)
        body(scope, out)
      },
    }
    return block
  }

  inner(frame: Frame): Frame & { symbols: Symbols } {
    return { ...frame, symbols: new Symbols(frame.symbols), isTop: false, isRoot: false, isSoft: false }
  }

  /** Gives the variables of a frame what they begin with. */
  enter(frame: Frame): (scope: Scope) => void {
    const loads = [...frame.symbols.loads].flatMap(([slot, load]): ((scope: Scope) => void)[] => {
      if (load.from === 'parameter') return []
      if (load.from === 'nothing') return [(scope) => void (scope.slots[slot] = nothing)]
      if (load.from === 'context') return [(scope) => void (scope.slots[slot] = scope.context.resolve(load.name))]
      const read = this.reader(load.variable, frame)
      return [(scope) => void (scope.slots[slot] = read(scope))]
    })
    return (scope) => {
      for (const load of loads) load(scope)
    }
  }

  body(statements: readonly Statement[], frame: Frame): Execute {
    const steps: Step[] = []
    for (const statement of statements) {
      steps.push(...this.statement(statement, frame))
      // A second `extends` ends the template: it fails when it gets there, and what follows is not even looked at.
      if (statement.kind === 'extends' && this.extendsSoFar > 1 && this.hasKnownExtends) break
    }
    const { template } = this
    return (scope, out) => {
      let i = 0
      try {
        for (; i < steps.length; i++) {
          step()
          steps[i]!.run(scope, out)
        }
      } catch (error) {
        if (error instanceof TemplateError) error.at(template, steps[i]!.line)
        throw error
      }
    }
  }

  private statement(node: Statement, frame: Frame): Step[] {
    const { line } = node
    switch (node.kind) {
      case 'output':
        return this.output(node.items, frame)
      case 'extends':
        return [{ line, run: compileExtends(this, node, frame) }]
      case 'for':
        return [{ line, run: compileFor(this, node, frame) }]
      case 'if':
        return [{ line, run: this.if(node, frame) }]
      case 'macro':
        return [{ line, run: compileMacro(this, node, frame) }]
      case 'call-block':
        return [{ line, run: compileCallBlock(this, node, frame) }]
      case 'filter-block':
        return [{ line, run: this.filterBlock(node, frame) }]
      case 'with':
        return [{ line, run: this.with(node, frame) }]
      case 'block':
        return compileBlock(this, node, frame).map((run) => ({ line, run }))
      case 'include':
        return [{ line, run: compileInclude(this, node, frame) }]
      case 'import':
        return [{ line, run: compileImport(this, node, frame) }]
      case 'from-import':
        return [{ line, run: compileFromImport(this, node, frame) }]
      case 'set':
        return [{ line, run: this.set(node, frame) }]
      case 'set-block':
        return [{ line, run: this.setBlock(node, frame) }]
      case 'autoescape':
        return [{ line, run: this.autoescape(node, frame) }]
    }
  }

  /** Only as long as no other template is extended. */
  private unlessExtended(frame: Frame, run: Execute): Execute[] {
    if (!frame.checksOutput) return [run]
    if (this.hasKnownExtends) return []
    return [(scope, out) => void (rootOf(scope).extended ?? run(scope, out))]
  }

  private output(items: Extract<Statement, { kind: 'output' }>['items'], frame: Frame): Step[] {
    return items.flatMap((item) => {
      if (item.kind === 'data') {
        const { text } = item
        return this.unlessExtended(frame, (_, out) => out.add(text)).map((run) => ({ line: item.line, run }))
      }
      const value = this.expression(item, frame)
      // Jinja2 prints constants before it knows what a variable says about escaping.
      const frozen = isConstant(item) ? { ...frame, isVolatile: false } : frame
      const print: Execute =
        !frozen.isEscaping && !frozen.isVolatile
          ? (scope, out) => out.add(str(value(scope)))
          : (scope, out) => {
              const result = value(scope)
              out.add(isEscaping(frozen, scope) ? toMarkup(result).text : str(result))
            }
      return this.unlessExtended(frame, print).map((run) => ({ line: item.line, run }))
    })
  }

  /** The values of all names that were set around here, for what an include or a scoped block can see. */
  locals(frame: Frame): (scope: Scope) => ReadonlyMap<string, Value> {
    const readers = [...frame.symbols.allStores()].map(
      ([name, variable]) => [name, this.reader(variable, frame)] as const,
    )
    return (scope) => {
      const all = new Map<string, Value>()
      for (const [name, read] of readers) {
        const value = read(scope)
        if (value !== nothing) all.set(name, value)
      }
      return all
    }
  }

  /** Sets a variable. At the top it becomes part of the context, and is exported unless it was imported. */
  store(name: string, frame: Frame, isExported = true): (scope: Scope, value: Value) => void {
    const { slot } = frame.symbols.find(name)!
    if (!frame.isTop) return (scope, value) => void (scope.slots[slot] = value)
    const isPublic = !name.startsWith('_')
    return (scope, value) => {
      scope.slots[slot] = value
      scope.context.vars.set(name, value)
      if (!isPublic) return
      if (isExported) scope.context.exported.add(name)
      else scope.context.exported.delete(name)
    }
  }

  assign(target: Target, frame: Frame): (scope: Scope, value: Value) => void {
    if (target.kind === 'name') return this.store(target.name, frame)
    if (target.kind === 'namespace-target') {
      const read = this.expression({ kind: 'name', name: target.name, use: 'load', line: target.line }, frame)
      return (scope, value) => {
        const namespace = read(scope)
        if (!(namespace instanceof Namespace)) throw runtimeError('cannot assign attribute on non-namespace object')
        namespace.names.set(target.attribute, value)
      }
    }
    const parts = target.items.map((item) => this.assign(item as Target, frame))
    return (scope, value) => {
      const values = unpack(value, parts.length)
      for (const [i, part] of parts.entries()) part(scope, values[i]!)
    }
  }

  private set(node: Extract<Statement, { kind: 'set' }>, frame: Frame): Execute {
    const value = this.expression(node.value, frame)
    const assign = this.assign(node.target, frame)
    return (scope) => assign(scope, value(scope))
  }

  private setBlock(node: Extract<Statement, { kind: 'set-block' }>, frame: Frame): Execute {
    const inner = { ...this.inner(frame), checksOutput: false }
    inner.symbols.analyze(node.body)
    const capture = this.capture(node.body, inner)
    const assign = this.assign(node.target, frame)
    const filter = node.filter && this.filter(node.filter, inner, (scope) => capturedText(scope, inner))
    return (scope) => {
      const own = new Scope(inner.symbols.size, scope, scope.context)
      own.captured = capture(own)
      const value = filter === undefined ? own.captured : filter(own)
      const { isOn } = scope.context.escaping
      assign(scope, isOn ? new Markup(str(value)) : value)
    }
  }

  /** Runs a body and answers what it printed. */
  capture(statements: readonly Statement[], frame: Frame): (scope: Scope) => string {
    const body = this.body(statements, frame)
    const enter = this.enter(frame)
    return (scope) => {
      enter(scope)
      const out = new Output()
      body(scope, out)
      grow(out.text.length)
      return out.text
    }
  }

  private filterBlock(node: Extract<Statement, { kind: 'filter-block' }>, frame: Frame): Execute {
    const inner = this.inner(frame)
    inner.symbols.analyze([...node.body, node.filter])
    const capture = this.capture(node.body, inner)
    const filter = this.filter(node.filter, inner, (scope) => capturedText(scope, inner))
    return (scope, out) => {
      const own = new Scope(inner.symbols.size, scope, scope.context)
      own.captured = capture(own)
      out.add(str(filter(own)))
    }
  }

  private with(node: Extract<Statement, { kind: 'with' }>, frame: Frame): Execute {
    const inner = this.inner(frame)
    inner.symbols.analyze([...node.targets, ...node.body])
    const enter = this.enter(inner)
    const values = node.values.map((value) => this.expression(value, frame))
    const targets = node.targets.map((target) => this.assign(target, inner))
    const body = this.body(node.body, inner)
    return (scope, out) => {
      const own = new Scope(inner.symbols.size, scope, scope.context)
      enter(own)
      for (const [i, value] of values.entries()) targets[i]!(own, value(scope))
      body(own, out)
    }
  }

  private autoescape(node: Extract<Statement, { kind: 'autoescape' }>, frame: Frame): Execute {
    const scoped = this.inner(frame)
    const inner: Frame =
      node.value.kind === 'constant'
        ? { ...scoped, isEscaping: isTrue(node.value.value) }
        : { ...scoped, isVolatile: true }
    scoped.symbols.analyze([node.value, ...node.body])
    const enter = this.enter(inner)
    const value = this.expression(node.value, inner)
    const body = this.body(node.body, inner)
    return (scope, out) => {
      const own = new Scope(scoped.symbols.size, scope, scope.context)
      enter(own)
      const { escaping } = scope.context
      const before = escaping.isOn
      escaping.isOn = isTrue(value(own))
      try {
        body(own, out)
      } finally {
        escaping.isOn = before
      }
    }
  }

  private if(node: If, frame: Frame): Execute {
    const soft = { ...frame, isRoot: false, isSoft: true }
    const branches = [node, ...node.elifs].map(({ test, body, line }) => ({
      test: this.placed(this.expression(test, soft), line),
      body: this.body(body, soft),
    }))
    const otherwise = this.body(node.otherwise, soft)
    return (scope, out) => {
      for (const { test, body } of branches) if (isTrue(test(scope))) return body(scope, out)
      otherwise(scope, out)
    }
  }

  /** Errors of the condition are told with its own line, which may be far below the `if`. */
  private placed(evaluate: Evaluate, line: number): Evaluate {
    return (scope) => {
      try {
        const value = evaluate(scope)
        return isTrue(value)
      } catch (error) {
        if (error instanceof TemplateError) error.at(this.template, line)
        throw error
      }
    }
  }

  at<T>(line: number, run: () => T): T {
    try {
      return run()
    } catch (error) {
      if (error instanceof TemplateError) error.at(this.template, line)
      throw error
    }
  }
}

function unpack(value: Value, count: number): Value[] {
  const items = iterate(value, `cannot unpack non-iterable ${typeNameOf(value)} object`)
  const values: Value[] = []
  for (let item = nextOf(items); item !== nothing; item = nextOf(items)) {
    if (values.length === count) throw valueError(`too many values to unpack (expected ${count})`)
    values.push(item)
  }
  if (values.length < count) {
    throw valueError(`not enough values to unpack (expected ${count}, got ${values.length})`)
  }
  return values
}

function rootOf(scope: Scope): Scope {
  let root = scope
  while (root.parent !== undefined) root = root.parent
  return root
}

/** Whether output is escaped at this place now. */
export const isEscaping = (frame: Frame, { context }: Scope): boolean =>
  frame.isVolatile ? context.escaping.isOn : frame.isEscaping

const capturedText = (scope: Scope, frame: Frame): Value => asMarkupIf(isEscaping(frame, scope), scope.captured)
