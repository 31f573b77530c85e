/** The grammar of statements: the tags between `{%` and `%}`, and the text around them. */
import { tokenize } from './lexer.ts'
import type { Block, Expression, FilterNode, If, Name, Statement, Target } from './nodes.ts'
import { ExpressionParser } from './parse-expressions.ts'
import { assertionError } from './problem.ts'
import { isSpace } from './text.ts'
import { quoted, TokenStream } from './token-stream.ts'

export function parse(source: string, template: string): Statement[] {
  return new Parser(new TokenStream(tokenize(source, template), template)).statements()
}

/** Tags that only an extension of Jinja2 brings. */
const extensions = ['do', 'break', 'continue', 'trans', 'pluralize', 'debug', 'cache', 'spaceless']

class Parser extends ExpressionParser {
  private readonly openTags: string[] = []
  private readonly endings: (readonly string[])[] = []

  /** Up to one of the tags that end the body, or to the end of the template. */
  statements(endings?: readonly string[]): Statement[] {
    const { stream } = this
    const body: Statement[] = []
    let items: Expression[] = []
    const flush = () => {
      if (items.length > 0) body.push({ kind: 'output', items, line: items[0]!.line })
      items = []
    }
    if (endings !== undefined) this.endings.push(endings)
    while (!stream.is('end')) {
      const { line, text } = stream.current
      if (stream.is('data')) {
        items.push({ kind: 'data', text, line })
        stream.next()
      } else if (stream.is('variable-begin')) {
        stream.next()
        items.push(this.tuple())
        stream.expect('variable-end')
      } else {
        flush()
        stream.next()
        if (endings !== undefined && stream.isName(...endings)) break
        body.push(stream.nested(() => this.statement()))
        stream.expect('block-end')
      }
    }
    flush()
    if (endings !== undefined) this.endings.pop()
    return body
  }

  /** The body of a tag, from its `%}` to the tag that ends it, at which it stays. */
  private body(...endings: string[]): Statement[] {
    this.stream.skipSign(':')
    this.stream.expect('block-end')
    const body = this.statements(endings)
    if (this.stream.is('end')) {
      this.endings.push(endings)
      this.failAtTag(undefined, this.stream.current.line)
    }
    return body
  }

  private bodyTo(ending: string): Statement[] {
    const body = this.body(ending)
    this.stream.next()
    return body
  }

  private failAtTag(name: string | undefined, line: number): never {
    const last = this.endings.at(-1)?.map(quoted).join(' or ')
    const parts = [name === undefined ? 'Unexpected end of template.' : `Encountered unknown tag ${quoted(name)}.`]
    if (last !== undefined) {
      const isNesting = name !== undefined && this.endings.some((endings) => endings.includes(name))
      parts.push(
        isNesting
          ? `You probably made a nesting mistake. Jinja is expecting this tag, but currently looking for ${last}.`
          : `Jinja was looking for the following tags: ${last}.`,
      )
    }
    const open = this.openTags.at(-1)
    if (open !== undefined) parts.push(`The innermost block that needs to be closed is ${quoted(open)}.`)
    const isExtension = name !== undefined && extensions.includes(name)
    this.stream.fail(
      parts.join(' '),
      line,
      isExtension ? `{% ${name} %} needs an extension of Jinja2; do without.` : undefined,
    )
  }

  private statement(): Statement {
    const { stream } = this
    const { text, line } = stream.current
    if (!stream.is('name')) stream.fail('tag name expected', line)
    const read = Object.hasOwn(statements, text) ? statements[text as keyof typeof statements] : undefined
    if (read === undefined) this.failAtTag(text, line)
    this.openTags.push(text)
    stream.next()
    const node = read(this, line)
    this.openTags.pop()
    return node
  }

  for(line: number): Statement {
    const { stream } = this
    const target = this.target()
    stream.expectName('in')
    const items = this.tuple({ noCondition: true })
    const test = stream.skipName('if') ? this.expression() : undefined
    const isRecursive = stream.skipName('recursive')
    const body = this.body('endfor', 'else')
    const otherwise = stream.next().text === 'endfor' ? [] : this.bodyTo('endfor')
    return { kind: 'for', target, items, body, otherwise, test, isRecursive, line }
  }

  if(line: number): Statement {
    const { stream } = this
    const test = this.tuple({ noCondition: true })
    const body = this.body('elif', 'else', 'endif')
    const elifs: If[] = []
    let otherwise: Statement[] = []
    while (stream.skipName('elif')) {
      const { line: own } = stream.current
      const other = this.tuple({ noCondition: true })
      elifs.push({
        kind: 'if',
        test: other,
        body: this.body('elif', 'else', 'endif'),
        elifs: [],
        otherwise: [],
        line: own,
      })
    }
    if (stream.next().text === 'else') otherwise = this.bodyTo('endif')
    return { kind: 'if', test, body, elifs, otherwise, line }
  }

  set(line: number): Statement {
    const target = this.target({ withNamespace: true })
    if (this.stream.skipSign('=')) return { kind: 'set', target, value: this.tuple(), line }
    const filter = this.filters(undefined) as FilterNode | undefined
    return { kind: 'set-block', target, filter, body: this.bodyTo('endset'), line }
  }

  with(line: number): Statement {
    const { stream } = this
    const targets: Target[] = []
    const values: Expression[] = []
    while (!stream.is('block-end')) {
      if (targets.length > 0) stream.expectSign(',')
      targets.push(this.asTarget(this.target(), 'param')!)
      stream.expectSign('=')
      values.push(this.expression())
    }
    return { kind: 'with', targets, values, body: this.bodyTo('endwith'), line }
  }

  block(line: number): Statement {
    const { stream } = this
    const name = stream.expect('name').text
    const isScoped = stream.skipName('scoped')
    const isRequired = stream.skipName('required')
    if (stream.isSign('-')) {
      stream.fail(
        'Block names in Jinja have to be valid Python identifiers and may not contain hyphens, use an underscore instead.',
      )
    }
    const body = this.bodyTo('endblock')
    const isBlank = (item: Expression) => item.kind === 'data' && isSpace(item.text)
    if (isRequired && !body.every((part) => part.kind === 'output' && part.items.every(isBlank))) {
      stream.fail('Required blocks can only contain comments or whitespace')
    }
    stream.skipName(name)
    return { kind: 'block', name, body, isScoped, isRequired, line } satisfies Block
  }

  private isContext(): boolean {
    const next = this.stream.look()
    return this.stream.isName('with', 'without') && next.type === 'name' && next.text === 'context'
  }

  private context(usual: boolean): boolean {
    if (!this.isContext()) return usual
    const withContext = this.stream.next().text === 'with'
    this.stream.next()
    return withContext
  }

  include(line: number): Statement {
    const { stream } = this
    const template = this.expression()
    const ignoreMissing = stream.isName('ignore') && stream.look().text === 'missing'
    if (ignoreMissing) {
      stream.next()
      stream.next()
    }
    return { kind: 'include', template, ignoreMissing, withContext: this.context(true), line }
  }

  import(line: number): Statement {
    const template = this.expression()
    this.stream.expectName('as')
    const target = this.nameTarget().name
    return { kind: 'import', template, target, withContext: this.context(false), line }
  }

  from(line: number): Statement {
    const { stream } = this
    const template = this.expression()
    stream.expectName('import')
    const names: { name: string; alias: string }[] = []
    let withContext = false
    for (;;) {
      if (names.length > 0) stream.expectSign(',')
      if (!stream.is('name')) stream.expect('name')
      if (this.isContext()) {
        withContext = this.context(false)
        break
      }
      const { name, line: own } = this.nameTarget()
      if (name.startsWith('_')) {
        throw assertionError('names starting with an underline can not be imported').at(stream.template, own)
      }
      names.push({ name, alias: stream.skipName('as') ? this.nameTarget().name : name })
      if (this.isContext()) {
        withContext = this.context(false)
        break
      }
      if (!stream.isSign(',')) break
    }
    return { kind: 'from-import', template, names, withContext, line }
  }

  private signature(): { params: Name[]; defaults: Expression[] } {
    const { stream } = this
    const params: Name[] = []
    const defaults: Expression[] = []
    stream.expectSign('(')
    while (!stream.isSign(')')) {
      if (params.length > 0) stream.expectSign(',')
      const { name, line } = this.nameTarget()
      if (params.some((other) => other.name === name)) stream.fail(`the parameter '${name}' is there twice`, line)
      if (stream.skipSign('=')) defaults.push(this.expression())
      else if (defaults.length > 0) stream.fail('non-default argument follows default argument')
      params.push({ kind: 'name', name, use: 'param', line })
    }
    stream.expectSign(')')
    return { params, defaults }
  }

  call_(line: number): Statement {
    const { stream } = this
    const signature = stream.isSign('(') ? this.signature() : { params: [], defaults: [] }
    const call = this.expression()
    if (call.kind !== 'call') return stream.fail('expected call', line)
    return { kind: 'call-block', call, ...signature, body: this.bodyTo('endcall'), line }
  }

  macro(line: number): Statement {
    const { name } = this.nameTarget()
    return { kind: 'macro', name, ...this.signature(), body: this.bodyTo('endmacro'), line }
  }

  filter(line: number): Statement {
    const filter = this.filters(undefined, true) as FilterNode
    return { kind: 'filter-block', filter, body: this.bodyTo('endfilter'), line }
  }

  print(line: number): Statement {
    const items: Expression[] = []
    while (!this.stream.is('block-end')) {
      if (items.length > 0) this.stream.expectSign(',')
      items.push(this.expression())
    }
    return { kind: 'output', items, line }
  }

  autoescape(line: number): Statement {
    const value = this.expression()
    return { kind: 'autoescape', value, body: this.bodyTo('endautoescape'), line }
  }
}

const statements = {
  autoescape: (parser: Parser, line: number) => parser.autoescape(line),
  block: (parser: Parser, line: number) => parser.block(line),
  call: (parser: Parser, line: number) => parser.call_(line),
  extends: (parser: Parser, line: number): Statement => ({ kind: 'extends', template: parser.expression(), line }),
  filter: (parser: Parser, line: number) => parser.filter(line),
  for: (parser: Parser, line: number) => parser.for(line),
  from: (parser: Parser, line: number) => parser.from(line),
  if: (parser: Parser, line: number) => parser.if(line),
  import: (parser: Parser, line: number) => parser.import(line),
  include: (parser: Parser, line: number) => parser.include(line),
  macro: (parser: Parser, line: number) => parser.macro(line),
  print: (parser: Parser, line: number) => parser.print(line),
  set: (parser: Parser, line: number) => parser.set(line),
  with: (parser: Parser, line: number) => parser.with(line),
}

/** The tags, for the list of what is supported. `raw` is read by the lexer. */
export const statementNames = [...Object.keys(statements), 'raw'].sort()
