/** The grammar of expressions: conditions, then `or`, `and`, `not`, comparisons, sums, `~`, products, powers, postfixes. */
import type { Arguments, Comparison, Expression, FilterNode, NamespaceTarget, Slice, Target } from './nodes.ts'
import type { Operator } from './operators.ts'
import { describe, quoted, type TokenStream } from './token-stream.ts'
import type { Value } from './values.ts'

const comparisons = ['==', '!=', '<', '<=', '>', '>=']
const constants = new Map<string, Value>([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['none', null],
  ['None', null],
])

interface TupleRules {
  readonly isSimple?: boolean
  readonly noCondition?: boolean
  readonly inBrackets?: boolean
  readonly withNamespace?: boolean
}

export class ExpressionParser {
  protected readonly stream: TokenStream
  constructor(stream: TokenStream) {
    this.stream = stream
  }

  expression(noCondition = false): Expression {
    return this.stream.nested(() => (noCondition ? this.or() : this.condition()))
  }

  private condition(): Expression {
    let { line } = this.stream.current
    let yes = this.or()
    let length = 0
    while (this.stream.skipName('if')) {
      this.stream.checkChain(++length)
      const test = this.or()
      const no = this.stream.skipName('else') ? this.stream.nested(() => this.condition()) : undefined
      yes = { kind: 'condition', test, yes, no, line }
      line = this.stream.current.line
    }
    return yes
  }

  /** One level of operators that group from the left. */
  private leftToRight(read: () => Expression, operator: () => Operator | 'and' | 'or' | undefined): Expression {
    let { line } = this.stream.current
    let left = read()
    let length = 0
    for (let sign = operator(); sign !== undefined; sign = operator()) {
      this.stream.checkChain(++length)
      this.stream.next()
      left = { kind: 'binary', operator: sign, left, right: read(), line }
      line = this.stream.current.line
    }
    return left
  }

  private or(): Expression {
    return this.leftToRight(
      () => this.and(),
      () => (this.stream.isName('or') ? 'or' : undefined),
    )
  }

  private and(): Expression {
    return this.leftToRight(
      () => this.not(),
      () => (this.stream.isName('and') ? 'and' : undefined),
    )
  }

  private not(): Expression {
    if (!this.stream.isName('not')) return this.compare()
    const { line } = this.stream.next()
    return { kind: 'unary', operator: 'not', node: this.stream.nested(() => this.not()), line }
  }

  private compare(): Expression {
    let { line } = this.stream.current
    const first = this.sum()
    const rest: { operator: Comparison; node: Expression }[] = []
    for (let operator = this.comparison(); operator !== undefined; operator = this.comparison()) {
      rest.push({ operator, node: this.sum() })
      line = this.stream.current.line
    }
    return rest.length === 0 ? first : { kind: 'compare', first, rest, line }
  }

  private comparison(): Comparison | undefined {
    const { stream } = this
    if (stream.isSign(...comparisons)) return stream.next().text as Comparison
    if (stream.skipName('in')) return 'in'
    if (!stream.isName('not') || stream.look().type !== 'name' || stream.look().text !== 'in') return undefined
    stream.next()
    stream.next()
    return 'not in'
  }

  private signOf(...signs: Operator[]): Operator | undefined {
    return this.stream.isSign(...signs) ? (this.stream.current.text as Operator) : undefined
  }

  private sum(): Expression {
    return this.leftToRight(
      () => this.concat(),
      () => this.signOf('+', '-'),
    )
  }

  private concat(): Expression {
    const { line } = this.stream.current
    const items = [this.product()]
    while (this.stream.skipSign('~')) items.push(this.product())
    return items.length === 1 ? items[0]! : { kind: 'concat', items, line }
  }

  private product(): Expression {
    return this.leftToRight(
      () => this.power(),
      () => this.signOf('*', '/', '//', '%'),
    )
  }

  private power(): Expression {
    return this.leftToRight(
      () => this.unary(true),
      () => this.signOf('**'),
    )
  }

  private unary(withFilter: boolean): Expression {
    const { line, text } = this.stream.current
    let node: Expression
    if (this.stream.isSign('-', '+')) {
      this.stream.next()
      const inner = this.stream.nested(() => this.unary(false))
      node = { kind: 'unary', operator: text as '+' | '-', node: inner, line }
    } else node = this.primary()
    node = this.postfix(node)
    return withFilter ? this.filtersAndTests(node) : node
  }

  primary(withNamespace = false): Expression {
    const { stream } = this
    const { type, text, value, line } = stream.current
    if (type === 'name') {
      stream.next()
      const constant = constants.get(text)
      if (constant !== undefined) return { kind: 'constant', value: constant, line }
      if (withNamespace && stream.skipSign('.')) {
        return { kind: 'namespace-target', name: text, attribute: stream.expect('name').text, line }
      }
      return { kind: 'name', name: text, use: 'load', line }
    }
    if (type === 'string') {
      let joined = ''
      while (stream.is('string')) joined += stream.next().value as string
      return { kind: 'constant', value: joined, line }
    }
    if (type === 'integer' || type === 'float') {
      stream.next()
      return { kind: 'constant', value, line }
    }
    if (stream.skipSign('(')) {
      const node = this.tuple({ inBrackets: true })
      stream.expectSign(')')
      return node
    }
    if (stream.isSign('[')) return this.list()
    if (stream.isSign('{')) return this.dict()
    return stream.fail(`unexpected ${quoted(describe(stream.current))}`, line)
  }

  /** One expression, or several with commas between them. */
  tuple(rules: TupleRules = {}): Expression {
    const { stream } = this
    let { line } = stream.current
    const items: Expression[] = []
    let isTuple = false
    for (;;) {
      if (items.length > 0) stream.expectSign(',')
      if (stream.is('variable-end') || stream.is('block-end') || stream.isSign(')')) break
      items.push(rules.isSimple ? this.primary(rules.withNamespace) : this.expression(rules.noCondition))
      if (!stream.isSign(',')) break
      isTuple = true
      line = stream.current.line
    }
    if (!isTuple && items.length > 0) return items[0]!
    if (!isTuple && !rules.inBrackets) {
      stream.fail(`Expected an expression, got ${quoted(describe(stream.current))}`)
    }
    return { kind: 'tuple', items, line }
  }

  private list(): Expression {
    const { stream } = this
    const { line } = stream.expectSign('[')
    const items: Expression[] = []
    while (!stream.isSign(']')) {
      if (items.length > 0) stream.expectSign(',')
      if (stream.isSign(']')) break
      items.push(this.expression())
    }
    stream.expectSign(']')
    return { kind: 'list', items, line }
  }

  private dict(): Expression {
    const { stream } = this
    const { line } = stream.expectSign('{')
    const pairs: [Expression, Expression][] = []
    while (!stream.isSign('}')) {
      if (pairs.length > 0) stream.expectSign(',')
      if (stream.isSign('}')) break
      const key = this.expression()
      stream.expectSign(':')
      pairs.push([key, this.expression()])
    }
    stream.expectSign('}')
    return { kind: 'dict', pairs, line }
  }

  postfix(start: Expression): Expression {
    let node = start
    for (let length = 0; ; length++) {
      this.stream.checkChain(length)
      if (this.stream.isSign('.', '[')) node = this.subscript(node)
      else if (this.stream.isSign('(')) node = this.call(node)
      else return node
    }
  }

  private filtersAndTests(start: Expression): Expression {
    let node = start
    for (let length = 0; ; length++) {
      this.stream.checkChain(length)
      if (this.stream.isSign('|')) node = this.filters(node)!
      else if (this.stream.isName('is')) node = this.test(node)
      else if (this.stream.isSign('(')) node = this.call(node)
      else return node
    }
  }

  private call(node: Expression): Expression {
    const { line } = this.stream.current
    return { kind: 'call', node, ...this.arguments(), line }
  }

  private subscript(node: Expression): Expression {
    const { stream } = this
    const { line, text } = stream.next()
    if (text === '.') {
      const attribute = stream.next()
      if (attribute.type === 'name') return { kind: 'attribute', node, name: attribute.text, line }
      if (attribute.type !== 'integer') stream.fail('expected name or number', attribute.line)
      return { kind: 'item', node, key: { kind: 'constant', value: attribute.value, line: attribute.line }, line }
    }
    const keys: (Expression | Slice)[] = []
    while (!stream.isSign(']')) {
      if (keys.length > 0) stream.expectSign(',')
      keys.push(this.key())
    }
    stream.expectSign(']')
    return { kind: 'item', node, key: keys.length === 1 ? keys[0]! : { kind: 'tuple', items: keys, line }, line }
  }

  private key(): Expression | Slice {
    const { stream } = this
    const { line } = stream.current
    const parts: (Expression | undefined)[] = []
    if (!stream.isSign(':')) {
      const node = this.expression()
      if (!stream.isSign(':')) return node
      parts.push(node)
    } else parts.push(undefined)
    stream.next()
    const bound = () => (stream.isSign(']', ',', ':') ? undefined : this.expression())
    parts.push(bound())
    parts.push(stream.skipSign(':') ? bound() : undefined)
    return { kind: 'slice', parts: [parts[0], parts[1], parts[2]], line }
  }

  arguments(): Arguments {
    const { stream } = this
    const { line } = stream.expectSign('(')
    const args: Expression[] = []
    const kwargs: { key: string; value: Expression }[] = []
    let more: Expression | undefined
    let named: Expression | undefined
    const ensure = (isFine: boolean) => {
      if (!isFine) stream.fail('invalid syntax for function call expression', line)
    }
    for (let isFirst = true; !stream.isSign(')'); isFirst = false) {
      if (!isFirst) {
        stream.expectSign(',')
        if (stream.isSign(')')) break
      }
      if (stream.isSign('*')) {
        ensure(more === undefined && named === undefined)
        stream.next()
        more = this.expression()
      } else if (stream.isSign('**')) {
        ensure(named === undefined)
        stream.next()
        named = this.expression()
      } else if (stream.is('name') && stream.look().type === 'operator' && stream.look().text === '=') {
        ensure(named === undefined)
        const key = stream.next().text
        if (kwargs.some((other) => other.key === key)) stream.fail(`keyword argument repeated: ${key}`)
        stream.next()
        kwargs.push({ key, value: this.expression() })
      } else {
        ensure(more === undefined && named === undefined && kwargs.length === 0)
        args.push(this.expression())
      }
    }
    stream.expectSign(')')
    return { args, kwargs, more, named }
  }

  private dottedName(): { name: string; line: number } {
    const first = this.stream.expect('name')
    let name = first.text
    while (this.stream.skipSign('.')) name += `.${this.stream.expect('name').text}`
    return { name, line: first.line }
  }

  /** `|one|two(…)`, behind an expression or, in a block, with nothing before the first. */
  filters(start: Expression | undefined, isInline = false): Expression | undefined {
    let node = start
    let length = 0
    for (let isFirst = isInline; isFirst || this.stream.isSign('|'); isFirst = false) {
      this.stream.checkChain(++length)
      if (!isFirst) this.stream.next()
      const { name, line } = this.dottedName()
      const filter: FilterNode = { kind: 'filter', node, name, ...this.optionalArguments(), line }
      node = filter
    }
    return node
  }

  private optionalArguments(): Arguments {
    return this.stream.isSign('(') ? this.arguments() : { args: [], kwargs: [], more: undefined, named: undefined }
  }

  private test(node: Expression): Expression {
    const { stream } = this
    const { line } = stream.next()
    const isNegated = stream.skipName('not')
    const { name } = this.dottedName()
    const hasBrackets = stream.isSign('(')
    let given = this.optionalArguments()
    if (!hasBrackets && this.beginsArgument()) {
      if (stream.isName('is')) stream.fail('You cannot chain multiple tests with is')
      given = { ...given, args: [this.postfix(this.primary())] }
    }
    const test: Expression = { kind: 'test', node, name, ...given, line }
    return isNegated ? { kind: 'unary', operator: 'not', node: test, line } : test
  }

  /** `x is divisibleby 3`: one argument may come without brackets. */
  private beginsArgument(): boolean {
    const { stream } = this
    if (stream.is('name')) return !stream.isName('else', 'or', 'and')
    return stream.is('string') || stream.is('integer') || stream.is('float') || stream.isSign('[', '{')
  }

  /** What a value can be assigned to. */
  target(rules: { withNamespace?: boolean } = {}): Target {
    const node = this.tuple({ ...rules, isSimple: true })
    const target = this.asTarget(node, 'store')
    if (target === undefined) {
      const name = { constant: 'const', dict: 'dict', list: 'list' }[node.kind as string] ?? node.kind
      this.stream.fail(`can't assign to '${name}'`, node.line)
    }
    return target
  }

  asTarget(node: Expression, use: 'store' | 'param'): Target | undefined {
    if (node.kind === 'name') return { ...node, use }
    if (node.kind === 'namespace-target') return node satisfies NamespaceTarget
    if (node.kind !== 'tuple') return undefined
    const items = node.items.map((item) => this.asTarget(item, use))
    return items.includes(undefined) ? undefined : { ...node, items: items as Target[] }
  }

  nameTarget(): { name: string; line: number } {
    const { text, line } = this.stream.expect('name')
    if (constants.has(text)) this.stream.fail("can't assign to 'name'", line)
    return { name: text, line }
  }
}
