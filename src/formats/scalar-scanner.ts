/**
 * Reads the scalars of a header. Part of the fast reader: a method returns false if it is not sure to read what the `yaml`
 * package reads. After that the scanner must not be used any more.
 */
import {
  backslash,
  carriageReturn,
  colon,
  dot,
  doubleQuote,
  hash,
  hyphen,
  isBlank,
  isLineEnd,
  isWordPart,
  lineFeed,
  openParenthesis,
  plus,
  singleQuote,
  slash,
  space,
  tab,
  tilde,
} from './codes.ts'
import type { Scalar } from './header-field.ts'
import { resolvePlain } from './plain-scalar.ts'

export class ScalarScanner {
  readonly text: string
  at = 0
  /** The scalar read last: what it means, its text, where it ends. */
  value: Scalar = null
  source = ''
  end = 0

  constructor(text: string) {
    this.text = text
  }

  /** The code at `at`, NaN past the end. */
  get code(): number {
    return this.text.charCodeAt(this.at)
  }

  skipSpaces(): void {
    while (this.text.charCodeAt(this.at) === space) this.at++
  }

  skipLine(): void {
    const end = this.text.indexOf('\n', this.at)
    this.at = end < 0 ? this.text.length : end + 1
  }

  /** The rest of a line: blanks, and a comment if a blank stands before it. */
  lineEnd(): boolean {
    const start = this.at
    this.skipSpaces()
    const { code } = this
    if (code === hash && this.at > start) this.skipLine()
    else if (code === lineFeed) this.at++
    else if (code === carriageReturn && this.text.charCodeAt(this.at + 1) === lineFeed) this.at += 2
    else return this.at >= this.text.length
    return true
  }

  /** A scalar and the rest of its line. */
  scalarLine(): boolean {
    return (this.quoted() ?? this.plain()) && this.lineEnd()
  }

  /** A scalar between commas: quoted, or plain without characters that have a meaning in a list. */
  flowScalar(): boolean {
    return this.quoted() ?? this.flowPlain()
  }

  private quoted(): boolean | undefined {
    const { code } = this
    if (code === doubleQuote) return this.doubleQuoted()
    return code === singleQuote ? this.singleQuoted() : undefined
  }

  private doubleQuoted(): boolean {
    const { text } = this
    const start = this.at
    let isEscaped = false
    let i = start + 1
    for (let code = text.charCodeAt(i); code !== doubleQuote; code = text.charCodeAt(++i)) {
      if (!(code >= space)) return false
      if (code !== backslash) continue
      isEscaped = true
      i++
    }
    if (!isEscaped) return this.take(text.slice(start + 1, i), i + 1)
    try {
      // JSON's escapes mean the same in YAML; the others, such as \x41, are left to `yaml`.
      return this.take(JSON.parse(text.slice(start, i + 1)) as string, i + 1)
    } catch {
      return false // a SyntaxError: an escape that JSON does not know
    }
  }

  private singleQuoted(): boolean {
    const { text } = this
    const start = this.at + 1
    let isDoubled = false
    let i = start
    for (let code = text.charCodeAt(i); ; code = text.charCodeAt(++i)) {
      if (!(code >= space)) return false
      if (code !== singleQuote) continue
      if (text.charCodeAt(i + 1) !== singleQuote) break
      isDoubled = true
      i++
    }
    const inner = text.slice(start, i)
    return this.take(isDoubled ? inner.replaceAll("''", "'") : inner, i + 1)
  }

  private plain(): boolean {
    const { text } = this
    const start = this.at
    if (!canStartPlain(text.charCodeAt(start), text.charCodeAt(start + 1))) return false
    let end = start
    for (let i = start; i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (code > colon) end = i + 1
      else if (code === lineFeed || code === carriageReturn) break
      else if (code === hash && text.charCodeAt(i - 1) === space) break
      else if (code === tab || (code === colon && isBlank(text.charCodeAt(i + 1)))) return false
      else if (code !== space) end = i + 1
    }
    return this.takePlain(end)
  }

  private flowPlain(): boolean {
    let end = this.at
    while (isFlowPart(this.text.charCodeAt(end))) end++
    return end > this.at && this.code !== hyphen && this.takePlain(end)
  }

  private takePlain(end: number): boolean {
    const source = this.text.slice(this.at, end)
    this.take(source, end)
    this.value = resolvePlain(source)
    return true
  }

  private take(text: string, end: number): true {
    this.value = this.source = text
    this.at = this.end = end
    return true
  }
}

const isFlowPart = (code: number): boolean => isWordPart(code) || code === dot || code === slash

/** Letters, digits, and a few signs where YAML gives them no meaning of their own. */
function canStartPlain(first: number, second: number): boolean {
  if (first === hyphen || first === plus || first === dot) return isFlowPart(second) && second !== hyphen
  if (isWordPart(first) || first === slash || first === openParenthesis) return true
  if (first === tilde) return second === space || isLineEnd(second)
  return first >= 0xc0 && first !== 0xfeff
}
