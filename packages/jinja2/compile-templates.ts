/** Statements that bring in other templates: `extends` with its blocks, `include` and `import`. */
import type { Compiler, Execute } from './compile.ts'
import type { Frame } from './compile-expressions.ts'
import { deeper } from './limits.ts'
import type { Block, FromImport, Import, Include, Statement } from './nodes.ts'
import { runtimeError, TemplateError } from './problem.ts'
import { Context, Module, type Scope, type Template } from './runtime.ts'
import { Undefined } from './values.ts'

export function compileExtends(
  compiler: Compiler,
  { template, line }: Extract<Statement, { kind: 'extends' }>,
  frame: Frame,
): Execute {
  if (!frame.isTop) compiler.fail('cannot use extend from a non top-level scope', line)
  const isSecond = compiler.extendsSoFar > 0
  const name = compiler.expression(template, frame)
  compiler.extendsSoFar++
  if (frame.isRoot) compiler.hasKnownExtends = true
  return (scope) => {
    if (isSecond && scope.extended !== undefined) throw runtimeError('extended multiple times')
    const { context } = scope
    const parent = context.environment.getTemplate(name(scope))
    for (const [key, block] of parent.blocks) {
      const stack = context.blocks.get(key)
      if (stack === undefined) context.blocks.set(key, [block])
      else stack.push(block)
    }
    scope.extended = parent
  }
}

export function compileBlock(compiler: Compiler, node: Block, frame: Frame): Execute[] {
  const locals = node.isScoped ? compiler.locals(frame) : undefined
  const run: Execute = (scope, out) => {
    const context = locals === undefined ? scope.context : scope.context.derived(locals(scope))
    const stack = scope.context.blocks.get(node.name)!
    if (node.isRequired && stack.length <= 1) throw runtimeError(`Required block '${node.name}' not found`)
    deeper(() => stack[0]!.render(context, out))
  }
  if (!frame.isTop) return [run]
  if (compiler.hasKnownExtends) return []
  return compiler.extendsSoFar === 0 ? [run] : [(scope, out) => void (scope.extended ?? run(scope, out))]
}

export function compileInclude(compiler: Compiler, node: Include, frame: Frame): Execute {
  const name = compiler.expression(node.template, frame)
  const isList = node.template.kind === 'tuple' || node.template.kind === 'list'
  const locals = compiler.locals(frame)
  return (scope, out) => {
    const { context } = scope
    const { environment } = context
    let template: Template
    try {
      const value = name(scope)
      template =
        isList || typeof value !== 'string' ? environment.selectTemplate(value) : environment.getTemplate(value)
    } catch (error) {
      const isMissing = error instanceof TemplateError && error.code === 'TEMPLATE_NOT_FOUND'
      if (node.ignoreMissing && isMissing) return
      throw error
    }
    if (!node.withContext) return out.add(environment.moduleOf(template).text)
    const inner = new Context(environment, template, context.all(locals(scope)))
    deeper(() => template.render(inner, out))
  }
}

function compileModule(compiler: Compiler, node: Import | FromImport, frame: Frame): (scope: Scope) => Module {
  const name = compiler.expression(node.template, frame)
  const locals = compiler.locals(frame)
  return (scope) => {
    const { context } = scope
    const template = context.environment.getTemplate(name(scope))
    if (!node.withContext) return context.environment.moduleOf(template)
    return new Module(template, new Context(context.environment, template, context.all(locals(scope))))
  }
}

export function compileImport(compiler: Compiler, node: Import, frame: Frame): Execute {
  const module = compileModule(compiler, node, frame)
  const store = compiler.store(node.target, frame, false)
  return (scope) => store(scope, module(scope))
}

export function compileFromImport(compiler: Compiler, node: FromImport, frame: Frame): Execute {
  const module = compileModule(compiler, node, frame)
  const names = node.names.map(({ name, alias }) => ({ name, store: compiler.store(alias, frame, false) }))
  return (scope) => {
    const found = module(scope)
    for (const { name, store } of names) {
      const value = found.attribute(name)
      const reason = `the template '${found.name}' (imported on line ${node.line} in '${compiler.template}') does not export the requested name '${name}'`
      store(scope, value === undefined ? new Undefined(reason, name) : value)
    }
  }
}
