/** The tokens of a template, one after the other, with the messages for what is not as expected. */
import type { Token, TokenType } from './lexer.ts'
import { syntaxError } from './problem.ts'

const descriptions: Readonly<Partial<Record<TokenType, string>>> = {
  'block-begin': 'begin of statement block',
  'block-end': 'end of statement block',
  'variable-begin': 'begin of print statement',
  'variable-end': 'end of print statement',
  data: 'template data / text',
  end: 'end of template',
}

export const describe = ({ type, text }: Token): string =>
  type === 'name' || type === 'operator' ? text : (descriptions[type] ?? type)

/** How deep statements and expressions may lie in each other. Python's own compiler allows about as many. */
const deepest = 90

/** How many operators, filters or subscripts may follow each other. Each lies inside the next. */
const longest = 300

export class TokenStream {
  readonly template: string
  private readonly tokens: readonly Token[]
  private at = -1
  private depth = 0
  current: Token

  constructor(tokens: readonly Token[], template: string) {
    this.tokens = tokens
    this.template = template
    this.current = this.tokens[0]!
    this.next()
  }

  fail(reason: string, line = this.current.line, hint?: string): never {
    throw syntaxError(reason, hint).at(this.template, line)
  }

  /** Goes on, and answers the token that was left. */
  next(): Token {
    const left = this.current
    if (this.at < this.tokens.length - 1) this.at++
    this.current = this.tokens[this.at]!
    if (this.current.error !== undefined) throw this.current.error
    return left
  }

  look(): Token {
    const next = this.tokens[Math.min(this.at + 1, this.tokens.length - 1)]!
    if (next.error !== undefined) throw next.error
    return next
  }

  is(type: TokenType): boolean {
    return this.current.type === type
  }
  isName(...names: string[]): boolean {
    return this.current.type === 'name' && names.includes(this.current.text)
  }
  isSign(...signs: string[]): boolean {
    return this.current.type === 'operator' && signs.includes(this.current.text)
  }
  skipName(name: string): boolean {
    return this.isName(name) && this.next() !== undefined
  }
  skipSign(sign: string): boolean {
    return this.isSign(sign) && this.next() !== undefined
  }

  expect(type: TokenType): Token {
    if (!this.is(type)) this.unexpected(descriptions[type] ?? type)
    return this.next()
  }
  expectName(name: string): Token {
    if (!this.isName(name)) this.unexpected(name)
    return this.next()
  }
  expectSign(sign: string): Token {
    if (!this.isSign(sign)) this.unexpected(sign)
    return this.next()
  }
  private unexpected(wanted: string): never {
    if (this.is('end')) this.fail(`unexpected end of template, expected '${wanted}'.`)
    this.fail(`expected token '${wanted}', got ${quoted(describe(this.current))}`)
  }

  checkChain(length: number): void {
    if (length > longest) this.fail(`more than ${longest} operators, filters or subscripts follow each other`)
  }

  nested<T>(parse: () => T): T {
    if (++this.depth > deepest) this.fail(`more than ${deepest} expressions or statements lie in each other`)
    try {
      return parse()
    } finally {
      this.depth--
    }
  }
}

export const quoted = (text: string): string => (text.includes("'") ? `"${text}"` : `'${text}'`)
