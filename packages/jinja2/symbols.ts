/**
 * Which variable a name means, decided before anything runs, as Jinja2 does it. Loops, macros, `with` and blocks have frames of
 * their own. A name that a frame sets anywhere belongs to that frame everywhere in it, and begins as the outer variable of
 * that name, as what the context has, or as nothing. Hence `set` inside a loop does not reach the next round.
 */
import { childrenOf, type Expression, type For, type If, type Node, type Statement, walk } from './nodes.ts'

/** How a variable begins when its frame is entered. */
export type Load =
  | { readonly from: 'parameter' }
  | { readonly from: 'context'; readonly name: string }
  | { readonly from: 'outer'; readonly variable: Variable }
  | { readonly from: 'nothing' }

export interface Variable {
  /** How many frames lie around the one it belongs to. */
  readonly level: number
  readonly slot: number
}

export class Symbols {
  readonly level: number
  readonly loads = new Map<number, Load>()
  readonly stores = new Set<string>()
  private readonly parent: Symbols | undefined
  private readonly own = new Map<string, Variable>()
  /** Shared by the branches of an `if`, which belong to one frame. */
  private readonly slots: Map<string, number>

  constructor(parent?: Symbols, slots = new Map<string, number>()) {
    this.parent = parent
    this.level = parent === undefined ? 0 : parent.level + 1
    this.slots = slots
  }

  get size(): number {
    return this.slots.size
  }

  find(name: string): Variable | undefined {
    return this.own.get(name) ?? this.parent?.find(name)
  }

  private define(name: string, load: Load): Variable {
    let slot = this.slots.get(name)
    if (slot === undefined) this.slots.set(name, (slot = this.slots.size))
    const variable = { level: this.level, slot }
    this.own.set(name, variable)
    this.loads.set(slot, load)
    return variable
  }

  load(name: string): void {
    if (this.find(name) === undefined) this.define(name, { from: 'context', name })
  }

  store(name: string): void {
    this.stores.add(name)
    if (this.own.has(name)) return
    const outer = this.parent?.find(name)
    this.define(name, outer === undefined ? { from: 'nothing' } : { from: 'outer', variable: outer })
  }

  parameter(name: string): Variable {
    this.stores.add(name)
    return this.define(name, { from: 'parameter' })
  }

  private copy(): Symbols {
    const copy = new Symbols(this.parent, this.slots)
    for (const [name, variable] of this.own) copy.own.set(name, variable)
    for (const [slot, load] of this.loads) copy.loads.set(slot, load)
    for (const name of this.stores) copy.stores.add(name)
    return copy
  }

  /** What one of several branches sets may be set or not afterwards, so that it begins as what it was before. */
  private merge(branches: readonly Symbols[]): void {
    const names = new Set(branches.flatMap((branch) => [...branch.stores]).filter((name) => !this.stores.has(name)))
    for (const branch of branches) {
      for (const [name, variable] of branch.own) this.own.set(name, variable)
      for (const [slot, load] of branch.loads) this.loads.set(slot, load)
      for (const name of branch.stores) this.stores.add(name)
    }
    for (const name of names) {
      const outer = this.parent?.find(name)
      const { slot } = this.find(name)!
      this.loads.set(slot, outer === undefined ? { from: 'context', name } : { from: 'outer', variable: outer })
    }
  }

  /** Names that are set here or in a frame around, with the variables they mean: what an include gets to see. */
  allStores(): Map<string, Variable> {
    const all = new Map<string, Variable>()
    for (let symbols: Symbols | undefined = this; symbols !== undefined; symbols = symbols.parent) {
      for (const name of symbols.stores) if (!all.has(name)) all.set(name, this.find(name)!)
    }
    return all
  }

  /** Notes the names of all nodes that belong to this frame; inner frames note their own. */
  analyze(nodes: Iterable<Node>): void {
    for (const node of nodes) this.visit(node)
  }

  analyzeTarget(target: Expression): void {
    if (target.kind === 'name') this.parameter(target.name)
    else for (const child of childrenOf(target)) this.analyzeTarget(child as Expression)
  }

  private visit(node: Node): void {
    switch (node.kind) {
      case 'name':
        if (node.use === 'load') this.load(node.name)
        else if (node.use === 'store') this.store(node.name)
        else this.parameter(node.name)
        break
      case 'namespace-target':
        this.load(node.name)
        break
      case 'if':
        this.visitIf(node)
        break
      case 'macro':
        this.store(node.name)
        break
      case 'import':
        this.visit(node.template)
        this.store(node.target)
        break
      case 'from-import':
        this.visit(node.template)
        for (const { alias } of node.names) this.store(alias)
        break
      case 'set':
        this.visit(node.value)
        this.visit(node.target)
        break
      case 'for':
        this.visit(node.items)
        break
      case 'call-block':
        this.visit(node.call)
        break
      case 'filter-block':
        this.visit(node.filter)
        break
      case 'with':
        this.analyze(node.values)
        break
      case 'set-block':
        this.visit(node.target)
        if (node.filter !== undefined) this.visit(node.filter)
        break
      case 'autoescape':
      case 'block':
        break
      default:
        this.analyze(childrenOf(node))
    }
  }

  private visitIf(node: If): void {
    this.visit(node.test)
    const branch = (nodes: readonly Statement[]) => {
      const symbols = this.copy()
      symbols.analyze(nodes)
      return symbols
    }
    this.merge([branch(node.body), branch(node.elifs), branch(node.otherwise)])
  }
}

/**
 * Which of the names are read in the nodes before anything there sets them. They have a meaning of their own there (`loop`,
 * `caller`), and are made only where somebody asks for them.
 */
export function findUndeclared(nodes: Iterable<Node>, names: readonly string[]): Set<string> {
  const open = new Set(names)
  const found = new Set<string>()
  const visit = (node: Node): void => {
    if (node.kind === 'block') return
    if (node.kind === 'name') {
      if (node.use === 'load' && open.has(node.name)) found.add(node.name)
      else open.delete(node.name)
    }
    for (const child of childrenOf(node)) visit(child)
  }
  for (const node of nodes) visit(node)
  return found
}

/** Whether blocks inside the loop see its variables. */
export const hasScopedBlock = (node: For): boolean =>
  [...walk(node)].some((part) => part.kind === 'block' && part.isScoped)
