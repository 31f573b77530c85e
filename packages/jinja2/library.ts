/**
 * The templates of one rendering. Loading is asynchronous and rendering is not: what a template names literally is loaded
 * before, together with all that it names in turn. A name that is only known while rendering stops the pass; the template is
 * loaded, and rendering begins again. A pass has no effect outside, so that nobody can tell the difference.
 */

import { globals } from './builtins.ts'
import { compile } from './compile.ts'
import { type Limits, limitError, nothingSpent, type Spent, step, withLimits } from './limits.ts'
import { type Statement, walk } from './nodes.ts'
import { parse } from './parse.ts'
import { str } from './print.ts'
import { TemplateError } from './problem.ts'
import { Context, type Environment, Module, Output, type Template } from './runtime.ts'
import { listOf } from './sequences.ts'
import { isText, textOf, Undefined, type Value } from './values.ts'

/** The text of a template, or `undefined` where there is none of that name. */
export type Load = (name: string) => Promise<string | undefined>

interface Entry {
  readonly statements?: readonly Statement[]
  /** Why it cannot be used. Told when somebody uses it. */
  readonly problem?: unknown
  template?: Template
}

/** Thrown to leave a pass, and caught by `Library.render`. */
class NotLoaded {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

const notFound = (reason: string, name: string, kind = 'TemplateNotFound'): TemplateError =>
  new TemplateError('TEMPLATE_NOT_FOUND', kind, reason, {
    variable: name,
    hint: 'Check the name; it is relative to the folder of templates, and does not lead out of it.',
  })

/** Nothing that leads out of the folder is even asked for. */
const leadsOut = (name: string): boolean =>
  name === '' || /[\\\0]/.test(name) || name.startsWith('/') || name.split('/').includes('..')

export class Library {
  private readonly entries = new Map<string, Entry>()
  private readonly load: Load
  private readonly limits: Limits
  private readonly random: () => number

  constructor(load: Load, limits: Limits, random: () => number) {
    this.load = load
    this.limits = limits
    this.random = random
  }

  async render(name: string, readData: () => ReadonlyMap<string, Value>): Promise<string> {
    const spent = nothingSpent()
    const draws: number[] = []
    await this.fetch([name])
    for (;;) {
      // Steps count for all passes together; everything else is made anew.
      Object.assign(spent, { units: 0, depth: 0 } satisfies Partial<Spent>)
      try {
        return withLimits(this.limits, spent, () => this.pass(name, readData(), draws))
      } catch (error) {
        if (!(error instanceof NotLoaded)) throw describeOverflow(error, name)
        await this.fetch([error.name])
      }
    }
  }

  private pass(name: string, data: ReadonlyMap<string, Value>, draws: number[]): string {
    const environment = new Pass((wanted) => this.get(wanted), this.random, draws)
    const template = environment.getTemplate(name)
    const out = new Output()
    template.render(new Context(environment, template, data), out)
    return out.text
  }

  /** Loads templates, and those that they name literally. */
  private async fetch(names: readonly string[]): Promise<void> {
    const waiting = [...names]
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      if (this.entries.has(name)) continue
      const entry = await this.read(name)
      this.entries.set(name, entry)
      if (entry.statements !== undefined) waiting.push(...literalNames(entry.statements))
    }
  }

  private async read(name: string): Promise<Entry> {
    if (this.entries.size >= this.limits.templates) {
      return { problem: limitError('templates', `more than ${this.limits.templates} templates are loaded`) }
    }
    try {
      const source = leadsOut(name) ? undefined : await this.load(name)
      if (source === undefined) return { problem: notFound(name, name) }
      return { statements: withLimits(this.limits, nothingSpent(), () => parse(source, name)) }
    } catch (error) {
      return { problem: describeOverflow(error, name) }
    }
  }

  private get(name: string): Template {
    const entry = this.entries.get(name)
    if (entry === undefined) throw new NotLoaded(name)
    if (entry.problem !== undefined) throw freshly(entry.problem)
    entry.template ??= compile(entry.statements!, name)
    return entry.template
  }
}

/** A problem is told with the place of whoever meets it, so that each gets its own. */
function freshly(problem: unknown): unknown {
  if (!(problem instanceof TemplateError) || problem.template !== undefined) return problem
  const { code, kind, reason, hint, variable } = problem
  return new TemplateError(code, kind, reason, { hint, variable })
}

/** A template that is nested too deep for the stack is one that is nested too deep. */
function describeOverflow(error: unknown, name: string): unknown {
  if (!(error instanceof RangeError)) return error
  return limitError('depth', 'the template is nested too deep').at(name, 1)
}

function literalNames(statements: readonly Statement[]): string[] {
  const names: string[] = []
  for (const node of walk(...statements)) {
    if (!('template' in node)) continue
    const { template } = node
    const all = template.kind === 'tuple' || template.kind === 'list' ? template.items : [template]
    for (const item of all) {
      if (item.kind === 'constant' && typeof item.value === 'string') names.push(item.value)
    }
  }
  return names
}

/** What the templates of one pass share. */
class Pass implements Environment {
  readonly globals = globals
  private readonly modules = new Map<Template, Module>()
  private readonly get: (name: string) => Template
  private readonly source: () => number
  private readonly draws: number[]
  private drawn = 0

  constructor(get: (name: string) => Template, source: () => number, draws: number[]) {
    this.get = get
    this.source = source
    this.draws = draws
  }

  /** The same numbers in every pass. */
  random(): number {
    this.draws[this.drawn] ??= this.source()
    return this.draws[this.drawn++]!
  }

  getTemplate(name: Value): Template {
    step()
    if (name instanceof Undefined) name.fail()
    if (!isText(name)) throw notFound(str(name), str(name))
    return this.get(textOf(name))
  }

  selectTemplate(names: Value): Template {
    if (names instanceof Undefined) names.fail()
    const all = listOf(names)
    if (all.length === 0) throw notFound('Tried to select from an empty list of templates.', '', 'TemplatesNotFound')
    for (const name of all) {
      try {
        return this.getTemplate(name)
      } catch (error) {
        const isMissing = error instanceof TemplateError && /^TEMPLATE_(NOT_FOUND|UNDEFINED)$/.test(error.code)
        if (!isMissing || error.template !== undefined) throw error
      }
    }
    const tried = all.map((name) => (name instanceof Undefined ? name.reason : str(name)))
    throw notFound(`none of the templates given were found: ${tried.join(', ')}`, tried.at(-1)!, 'TemplatesNotFound')
  }

  /** Made once: who imports a template twice, or without its context, gets the same module. */
  moduleOf(template: Template): Module {
    let module = this.modules.get(template)
    if (module === undefined) {
      module = new Module(template, new Context(this, template, new Map()))
      this.modules.set(template, module)
    }
    return module
  }
}
