/** The parts of a parsed template. */
import type { Order } from './compare.ts'
import type { Operator } from './operators.ts'
import type { Value } from './values.ts'

interface Placed {
  readonly line: number
}

export interface Arguments {
  readonly args: readonly Expression[]
  readonly kwargs: readonly { readonly key: string; readonly value: Expression }[]
  /** `*more` */
  readonly more: Expression | undefined
  /** `**named` */
  readonly named: Expression | undefined
}

/** A name that is read, or written; `param` is one that a frame gets from outside. */
export interface Name extends Placed {
  readonly kind: 'name'
  readonly name: string
  readonly use: 'load' | 'store' | 'param'
}
/** `ns.x` on the left of a `set`. */
export interface NamespaceTarget extends Placed {
  readonly kind: 'namespace-target'
  readonly name: string
  readonly attribute: string
}
export interface TupleNode extends Placed {
  readonly kind: 'tuple'
  readonly items: readonly Expression[]
}
export interface FilterNode extends Placed, Arguments {
  readonly kind: 'filter'
  /** Missing in a filter block, whose body takes its place. */
  readonly node: Expression | undefined
  readonly name: string
}
export interface CallNode extends Placed, Arguments {
  readonly kind: 'call'
  readonly node: Expression
}
export interface Slice extends Placed {
  readonly kind: 'slice'
  readonly parts: readonly [Expression | undefined, Expression | undefined, Expression | undefined]
}

export type Comparison = Order | '==' | '!=' | 'in' | 'not in'

export type Expression =
  | (Placed & { readonly kind: 'constant'; readonly value: Value })
  /** Text outside of all tags. */
  | (Placed & { readonly kind: 'data'; readonly text: string })
  | Name
  | NamespaceTarget
  | TupleNode
  | (Placed & { readonly kind: 'list'; readonly items: readonly Expression[] })
  | (Placed & { readonly kind: 'dict'; readonly pairs: readonly (readonly [Expression, Expression])[] })
  | (Placed & {
      readonly kind: 'condition'
      readonly test: Expression
      readonly yes: Expression
      readonly no: Expression | undefined
    })
  | FilterNode
  | (Placed & Arguments & { readonly kind: 'test'; readonly node: Expression; readonly name: string })
  | CallNode
  | (Placed & { readonly kind: 'attribute'; readonly node: Expression; readonly name: string })
  | (Placed & { readonly kind: 'item'; readonly node: Expression; readonly key: Expression | Slice })
  | Slice
  | (Placed & { readonly kind: 'concat'; readonly items: readonly Expression[] })
  | (Placed & {
      readonly kind: 'compare'
      readonly first: Expression
      readonly rest: readonly { readonly operator: Comparison; readonly node: Expression }[]
    })
  | (Placed & {
      readonly kind: 'binary'
      readonly operator: Operator | 'and' | 'or'
      readonly left: Expression
      readonly right: Expression
    })
  | (Placed & { readonly kind: 'unary'; readonly operator: '+' | '-' | 'not'; readonly node: Expression })

export type Target = Name | NamespaceTarget | TupleNode

export interface For extends Placed {
  readonly kind: 'for'
  readonly target: Target
  readonly items: Expression
  readonly body: readonly Statement[]
  readonly otherwise: readonly Statement[]
  readonly test: Expression | undefined
  readonly isRecursive: boolean
}
export interface If extends Placed {
  readonly kind: 'if'
  readonly test: Expression
  readonly body: readonly Statement[]
  readonly elifs: readonly If[]
  readonly otherwise: readonly Statement[]
}
export interface Macro extends Placed {
  readonly kind: 'macro'
  readonly name: string
  readonly params: readonly Name[]
  readonly defaults: readonly Expression[]
  readonly body: readonly Statement[]
}
export interface CallBlock extends Placed {
  readonly kind: 'call-block'
  readonly call: CallNode
  readonly params: readonly Name[]
  readonly defaults: readonly Expression[]
  readonly body: readonly Statement[]
}
export interface Block extends Placed {
  readonly kind: 'block'
  readonly name: string
  readonly body: readonly Statement[]
  readonly isScoped: boolean
  readonly isRequired: boolean
}
export interface Include extends Placed {
  readonly kind: 'include'
  readonly template: Expression
  readonly withContext: boolean
  readonly ignoreMissing: boolean
}
export interface Import extends Placed {
  readonly kind: 'import'
  readonly template: Expression
  readonly target: string
  readonly withContext: boolean
}
export interface FromImport extends Placed {
  readonly kind: 'from-import'
  readonly template: Expression
  readonly names: readonly { readonly name: string; readonly alias: string }[]
  readonly withContext: boolean
}

export type Statement =
  | (Placed & { readonly kind: 'output'; readonly items: readonly Expression[] })
  | (Placed & { readonly kind: 'extends'; readonly template: Expression })
  | For
  | If
  | Macro
  | CallBlock
  | (Placed & { readonly kind: 'filter-block'; readonly filter: FilterNode; readonly body: readonly Statement[] })
  | (Placed & {
      readonly kind: 'with'
      readonly targets: readonly Target[]
      readonly values: readonly Expression[]
      readonly body: readonly Statement[]
    })
  | Block
  | Include
  | Import
  | FromImport
  | (Placed & { readonly kind: 'set'; readonly target: Target; readonly value: Expression })
  | (Placed & {
      readonly kind: 'set-block'
      readonly target: Target
      readonly filter: FilterNode | undefined
      readonly body: readonly Statement[]
    })
  | (Placed & { readonly kind: 'autoescape'; readonly value: Expression; readonly body: readonly Statement[] })

export type Node = Expression | Statement

/** The parts of a node in the order in which Jinja2 visits them. The order decides which names count as set before use. */
export function childrenOf(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'tuple':
    case 'list':
    case 'concat':
    case 'output':
      return node.items
    case 'dict':
      return node.pairs.flat()
    case 'condition':
      return [node.test, node.yes, ...some(node.no)]
    case 'filter':
    case 'test':
    case 'call':
      return [
        ...some(node.node),
        ...node.args,
        ...node.kwargs.map(({ value }) => value),
        ...some(node.more),
        ...some(node.named),
      ]
    case 'attribute':
    case 'unary':
      return [node.node]
    case 'item':
      return [node.node, node.key]
    case 'slice':
      return node.parts.filter((part) => part !== undefined)
    case 'compare':
      return [node.first, ...node.rest.map((part) => part.node)]
    case 'binary':
      return [node.left, node.right]
    case 'extends':
    case 'include':
    case 'import':
    case 'from-import':
      return [node.template]
    case 'for':
      return [node.target, node.items, ...node.body, ...node.otherwise, ...some(node.test)]
    case 'if':
      return [node.test, ...node.body, ...node.elifs, ...node.otherwise]
    case 'macro':
      return [...node.params, ...node.defaults, ...node.body]
    case 'call-block':
      return [node.call, ...node.params, ...node.defaults, ...node.body]
    case 'filter-block':
      return [...node.body, node.filter]
    case 'with':
      return [...node.targets, ...node.values, ...node.body]
    case 'block':
      return node.body
    case 'set':
      return [node.target, node.value]
    case 'set-block':
      return [node.target, ...some(node.filter), ...node.body]
    case 'autoescape':
      return [node.value, ...node.body]
    default:
      return []
  }
}

const some = <T>(part: T | undefined): T[] => (part === undefined ? [] : [part])

/** The nodes and everything inside them, each before its parts. */
export function* walk(...nodes: readonly Node[]): IterableIterator<Node> {
  const waiting = nodes.toReversed()
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    yield node
    waiting.push(...childrenOf(node).toReversed())
  }
}

const constantKinds = [
  'constant',
  'tuple',
  'list',
  'dict',
  'condition',
  'attribute',
  'item',
  'slice',
  'concat',
  'compare',
  'binary',
  'unary',
]

/** Whether its value is known without running anything. */
export const isConstant = (node: Node): boolean =>
  constantKinds.includes(node.kind) && childrenOf(node).every(isConstant)

/** These look at more than what they are given. */
const lively = ['map', 'random', 'reject', 'rejectattr', 'select', 'selectattr']

/** The same, where filters and tests may be computed before too. */
export const isFoldable = (node: Node): boolean => {
  const isFilter =
    (node.kind === 'filter' || node.kind === 'test') && node.node !== undefined && !lively.includes(node.name)
  return (isFilter || constantKinds.includes(node.kind)) && childrenOf(node).every(isFoldable)
}
