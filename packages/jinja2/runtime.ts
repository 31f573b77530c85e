/** What a template has while it runs: variables, the context, and where its output goes. */
import { currentLimits, deeper, limitError } from './limits.ts'
import { runtimeError } from './problem.ts'
import { type Kwargs, Markup, nothing, type Slot, Thing, Undefined, type Value } from './values.ts'

/** The variables of one frame that is under way. */
export class Scope {
  readonly slots: Slot[]
  readonly parent: Scope | undefined
  readonly context: Context
  /** What the body of a filter or `set` block has printed. */
  captured = ''
  /** The template that this one extends, once it does. */
  extended: Template | undefined
  constructor(size: number, parent: Scope | undefined, context: Context) {
    this.slots = new Array<Slot>(size).fill(nothing)
    this.parent = parent
    this.context = context
  }
}

export class Output {
  text = ''
  add(text: string): void {
    this.text += text
    if (this.text.length > currentLimits().output) {
      throw limitError('output', `the result has more than ${currentLimits().output} characters`)
    }
  }
}

export interface BlockBody {
  readonly name: string
  readonly render: (context: Context, out: Output) => void
}

export interface Template {
  readonly name: string
  readonly blocks: ReadonlyMap<string, BlockBody>
  readonly render: (context: Context, out: Output) => void
}

/** Where templates come from, and the names that every template knows. */
export interface Environment {
  getTemplate(name: Value): Template
  selectTemplate(names: Value): Template
  moduleOf(template: Template): Module
  readonly globals: ReadonlyMap<string, Value>
  /** From 0 up to, but not including, 1. */
  random(): number
}

/** The variables and blocks of one template, which it shares with those it extends. */
export class Context {
  readonly environment: Environment
  readonly name: string
  readonly vars = new Map<string, Value>()
  readonly exported = new Set<string>()
  readonly blocks = new Map<string, BlockBody[]>()
  /** Changed by `{% autoescape %}`; scoped blocks share it. */
  escaping = { isOn: false }
  private readonly parent: ReadonlyMap<string, Value>

  constructor(environment: Environment, template: Template, parent: ReadonlyMap<string, Value>) {
    this.environment = environment
    this.name = template.name
    this.parent = parent
    for (const [name, block] of template.blocks) this.blocks.set(name, [block])
  }

  resolve(name: string): Slot {
    let value = this.vars.get(name)
    if (value === undefined) value = this.parent.get(name)
    if (value === undefined) value = this.environment.globals.get(name)
    return value === undefined ? nothing : value
  }

  /** Everything that can be seen from here, for an include or an import. */
  all(locals: ReadonlyMap<string, Value> = new Map()): ReadonlyMap<string, Value> {
    if (this.vars.size === 0 && locals.size === 0) return this.parent
    return new Map([...this.parent, ...this.vars, ...locals])
  }

  /** The same template with more variables, for a scoped block. */
  derived(locals: ReadonlyMap<string, Value>): Context {
    const template = { name: this.name, blocks: new Map(), render: () => {} }
    const context = new Context(this.environment, template, this.all(locals))
    context.escaping = this.escaping
    for (const [name, blocks] of this.blocks) context.blocks.set(name, [...blocks])
    return context
  }
}

export const asMarkupIf = (isOn: boolean, text: string): Value => (isOn ? new Markup(text) : text)

/** What `super` and `self.name` are: a block that can be called. */
export class BlockReference extends Thing {
  override readonly typeName = 'BlockReference'
  private readonly name: string
  private readonly context: Context
  private readonly stack: readonly BlockBody[]
  private readonly depth: number

  constructor(name: string, context: Context, stack: readonly BlockBody[], depth: number) {
    super()
    this.name = name
    this.context = context
    this.stack = stack
    this.depth = depth
  }
  override attribute(name: string): Value | undefined {
    if (name === 'super') return superOf(this.name, this.context, this.stack, this.depth + 1)
    return name === 'name' ? this.name : undefined
  }
  override call(args: readonly Value[], kwargs: Kwargs): Value {
    if (args.length + kwargs.size > 0) throw runtimeError('a block takes no arguments')
    const out = new Output()
    deeper(() => this.stack[this.depth]!.render(this.context, out))
    return asMarkupIf(this.context.escaping.isOn, out.text)
  }
}

export function superOf(name: string, context: Context, stack: readonly BlockBody[], depth: number): Value {
  if (depth >= stack.length) return new Undefined(`there is no parent block called '${name}'.`, 'super')
  return new BlockReference(name, context, stack, depth)
}

/** `self` in a template. */
export class TemplateReference extends Thing {
  override readonly typeName = 'TemplateReference'
  private readonly context: Context
  constructor(context: Context) {
    super()
    this.context = context
  }
  override item(key: Value): Value | undefined {
    const stack = typeof key === 'string' ? this.context.blocks.get(key) : undefined
    return stack && new BlockReference(key as string, this.context, stack, 0)
  }
  override repr(): string {
    return `<TemplateReference '${this.context.name}'>`
  }
}

/** What `import` gives: the public names of a template. Printed, it is what the template renders. */
export class Module extends Thing {
  override readonly typeName = 'TemplateModule'
  readonly name: string
  readonly text: string
  private readonly names: ReadonlyMap<string, Value>

  constructor(template: Template, context: Context) {
    super()
    const out = new Output()
    deeper(() => template.render(context, out))
    this.name = template.name
    this.text = out.text
    this.names = new Map([...context.exported].map((name) => [name, context.vars.get(name)!]))
  }
  override attribute(name: string): Value | undefined {
    return this.names.get(name)
  }
  override str(): string {
    return this.text
  }
  override repr(): string {
    return `<TemplateModule '${this.name}'>`
  }
}
