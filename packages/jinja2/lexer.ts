/** Cuts a template into tokens, with Jinja2's usual marks and its rules for blanks around them. */
import { currentLimits, limitError } from './limits.ts'
import { parseInteger } from './numbers.ts'
import { repr } from './print.ts'
import { refused, syntaxError, TemplateError } from './problem.ts'
import { blank, trimEnd } from './text.ts'
import { Float, type Value } from './values.ts'

export type TokenType =
  | 'data'
  | 'variable-begin'
  | 'variable-end'
  | 'block-begin'
  | 'block-end'
  | 'name'
  | 'string'
  | 'integer'
  | 'float'
  | 'operator'
  | 'end'
  | 'error'

export interface Token {
  readonly type: TokenType
  /** The name, the sign or the text. */
  readonly text: string
  /** Of strings and numbers. */
  readonly value: Value
  readonly line: number
  /** What is wrong from here on. It is thrown when the parser gets here, which may find something wrong before. */
  readonly error?: TemplateError
}

const opening = new RegExp(`\\{%([-+]?)${blank}*raw${blank}*(?:-%\\}${blank}*|%\\})|\\{([%{#])([-+]?)`, 'g')
const rawEnd = new RegExp(`\\{%([-+]?)${blank}*endraw${blank}*(?:\\+%\\}|-%\\}${blank}*|%\\})`, 'g')
const commentEnd = new RegExp(`\\+#\\}|-#\\}${blank}*|#\\}`, 'g')
const blockEnd = new RegExp(`\\+%\\}|-%\\}${blank}*|%\\}`, 'y')
const variableEnd = new RegExp(`-\\}\\}${blank}*|\\}\\}`, 'y')
const blanks = new RegExp(`${blank}+`, 'y')
const float = /(?<!\.)(?:\d+_)*\d+(?:(?:\.(?:\d+_)*\d+)?e[+-]?(?:\d+_)*\d+|\.(?:\d+_)*\d+)/iy
const integer = /0b(?:_?[01])+|0o(?:_?[0-7])+|0x(?:_?[\da-f])+|[1-9](?:_?\d)*|0(?:_?0)*/iy
const name = /[\p{L}\p{N}\p{M}_··]+/uy
const string = /'(?:[^'\\]|\\[\s\S])*'|"(?:[^"\\]|\\[\s\S])*"/y
const operator = /\/\/|\*\*|==|!=|>=|<=|[-+/*%~[\](){}><=.:|,;]/y
/** A letter, the low line, or anything beyond ASCII. */
const isWordSign = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95 || code > 127

const closing: Readonly<Record<string, string>> = { '{': '}', '(': ')', '[': ']' }

export function tokenize(source: string, template: string): Token[] {
  const limit = currentLimits().source
  if (source.length > limit) {
    throw limitError('source', `the template has more than ${limit} characters`).at(template, 1)
  }
  return new Lexer(source.replace(/\r\n|\r/g, '\n').replace(/\n$/, ''), template).run()
}

class Lexer {
  private at = 0
  private line = 1
  private readonly tokens: Token[] = []
  private readonly source: string
  private readonly template: string

  constructor(source: string, template: string) {
    this.source = source
    this.template = template
  }

  run(): Token[] {
    try {
      while (this.at < this.source.length) this.text()
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error
      this.tokens.push({ type: 'error', text: '', value: null, line: this.line, error })
    }
    this.tokens.push({ type: 'end', text: '', value: null, line: this.tokens.at(-1)?.line ?? 1 })
    return this.tokens
  }

  private fail(reason: string, line = this.line, hint?: string): never {
    throw syntaxError(reason, hint).at(this.template, line)
  }

  private push(type: TokenType, text: string, value: Value = null): void {
    this.tokens.push({ type, text, value, line: this.line })
  }

  /** Goes on to `end`, counting lines. */
  private skipTo(end: number): void {
    // Not by `indexOf`: from every token it would search up to the next line end, however far that is.
    for (; this.at < end; this.at++) if (this.source.charCodeAt(this.at) === 10) this.line++
  }

  /** Text up to the next mark; a minus behind the mark takes the blanks before it away. */
  private data(end: number, control: string | undefined): void {
    const text = this.source.slice(this.at, end)
    const kept = control === '-' ? trimEnd(text) : text
    if (kept !== '') this.push('data', kept)
    this.skipTo(end)
  }

  private text(): void {
    opening.lastIndex = this.at
    const match = opening.exec(this.source)
    if (match === null) {
      this.data(this.source.length, undefined)
      return
    }
    const [mark, rawControl, kind, control] = match
    this.data(match.index, kind === undefined ? rawControl : control)
    const isBlock = kind === '%'
    if (kind === undefined) this.raw(match.index + mark.length)
    else if (kind === '#') {
      this.skipTo(match.index + mark.length)
      this.comment()
    } else {
      this.push(isBlock ? 'block-begin' : 'variable-begin', mark)
      this.skipTo(match.index + mark.length)
      this.tag(isBlock)
    }
  }

  private raw(start: number): void {
    this.skipTo(start)
    rawEnd.lastIndex = start
    const match = rawEnd.exec(this.source)
    if (match === null) {
      if (start >= this.source.length) return
      this.fail('Missing end of raw directive', this.line, 'Add {% endraw %}.')
    }
    this.data(match.index, match[1])
    this.skipTo(rawEnd.lastIndex)
  }

  private comment(): void {
    commentEnd.lastIndex = this.at
    const match = commentEnd.exec(this.source)
    if (match === null) {
      if (this.at >= this.source.length) return
      this.fail('Missing end of comment tag', this.line, 'Add #}.')
    }
    this.skipTo(commentEnd.lastIndex)
  }

  /** What is between the marks. The end mark counts only outside of all brackets. */
  private tag(isBlock: boolean): void {
    const brackets: string[] = []
    const end = isBlock ? blockEnd : variableEnd
    while (this.at < this.source.length) {
      if (brackets.length === 0) {
        const closed = this.match(end)
        if (closed !== undefined) {
          this.push(isBlock ? 'block-end' : 'variable-end', closed)
          this.skipTo(this.at + closed.length)
          return
        }
      }
      this.token(brackets)
    }
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    this.found = pattern
    return pattern.exec(this.source)?.[0]
  }

  private token(brackets: string[]): void {
    const text = this.match(blanks) ?? this.matchToken()
    if (text === undefined) {
      this.fail(`unexpected char ${repr(String.fromCodePoint(this.source.codePointAt(this.at)!))} at ${this.at}`)
    }
    if (this.found === operator) this.sign(text, brackets)
    else if (this.found === string) this.push('string', text, this.unescape(text.slice(1, -1)))
    else if (this.found === float) this.push('float', text, new Float(Number(text.replaceAll('_', ''))))
    else if (this.found === integer) this.push('integer', text, this.number(text))
    else if (this.found === name) {
      if (!/^[\p{XIDS}_]\p{XIDC}*$/u.test(text)) this.fail('Invalid character in identifier')
      this.push('name', text)
    }
    this.skipTo(this.at + text.length)
  }

  /** The pattern that matched last. */
  private found: RegExp = blanks

  /** Tries only the patterns that can begin with this sign. */
  private matchToken(): string | undefined {
    const first = this.source.charCodeAt(this.at)
    const isDigit = first >= 48 && first <= 57
    const isQuote = first === 34 || first === 39
    const patterns = isDigit ? [float, integer, name] : isQuote ? [string] : isWordSign(first) ? [name] : [operator]
    for (const pattern of patterns) {
      const text = this.match(pattern)
      if (text !== undefined) return text
    }
    return undefined
  }

  private number(text: string): Value {
    const value = parseInteger(text, 0)
    if (value === undefined) throw limitError('digits', 'a number has too many digits').at(this.template, this.line)
    return value
  }

  private sign(text: string, brackets: string[]): void {
    if (text in closing) brackets.push(closing[text]!)
    else if (text === '}' || text === ')' || text === ']') {
      const expected = brackets.pop()
      if (expected === undefined) this.fail(`unexpected '${text}'`)
      if (expected !== text) this.fail(`unexpected '${text}', expected '${expected}'`)
    }
    this.push('operator', text)
  }

  /** Escapes as in Python; a backslash before any other sign stays. */
  private unescape(text: string): string {
    if (!text.includes('\\')) return text
    const plain: Readonly<Record<string, string>> = {
      '\n': '',
      '\\': '\\',
      "'": "'",
      '"': '"',
      a: '\x07',
      b: '\b',
      f: '\f',
      n: '\n',
      r: '\r',
      t: '\t',
      v: '\v',
    }
    return text.replace(
      /\\([0-7]{1,3}|x[\da-fA-F]{0,2}|u[\da-fA-F]{0,4}|U[\da-fA-F]{0,8}|[\s\S])/gu,
      (whole, found: string) => {
        const letter = found[0]!
        if (letter === 'N')
          throw refused('the escape \\N{…}', 'Write the character itself.').at(this.template, this.line)
        if (/[0-7]/.test(letter)) return String.fromCodePoint(Number.parseInt(found, 8))
        const digits = { x: 2, u: 4, U: 8 }[letter]
        if (digits !== undefined) {
          const code = Number.parseInt(found.slice(1), 16)
          if (found.length <= digits) this.fail(`truncated \\${letter}${'X'.repeat(digits)} escape`)
          if (code > 0x10ffff) this.fail('illegal Unicode character')
          return String.fromCodePoint(code)
        }
        return plain[letter] ?? whole
      },
    )
  }
}
