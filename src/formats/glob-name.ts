/** Compares one name of a path with one part of a pattern: `*`, `?`, `[a-z]`, `[!x]` and letters. */
import { badGlob } from './glob-error.ts'

export type NameMatcher = (name: string) => boolean

/** One or more characters of the pattern: any run, or a test for a single character. */
type Token = '*' | ((code: number) => boolean)

export function compileName(part: string, pattern: string): NameMatcher {
  const wild = /[*?[]/.exec(part)
  if (!wild) return (name) => name === part
  // The commonest patterns, `*` and `*.md`, need no search.
  const rest = part.slice(1)
  if (part.startsWith('*') && !/[*?[]/.test(rest)) return (name) => name.endsWith(rest) && !name.startsWith('.')
  const tokens = tokenize(part, pattern)
  const wantsDot = part.startsWith('.')
  return (name) => name.startsWith('.') === wantsDot && matches(tokens, name)
}

function tokenize(part: string, pattern: string): Token[] {
  const tokens: Token[] = []
  for (let i = 0; i < part.length; ) {
    const code = part.codePointAt(i)!
    const sign = String.fromCodePoint(code)
    i += sign.length
    if (sign === '*') {
      if (tokens.at(-1) !== '*') tokens.push('*')
    } else if (sign === '?') tokens.push(() => true)
    else if (sign !== '[') tokens.push((other) => other === code)
    else {
      const found = /^([!^]?)(\]?[^\]]*)\]/u.exec(part.slice(i))
      if (!found?.[2]) throw badGlob(pattern, 'a `[` is not closed')
      tokens.push(classTest(found[2], found[1] !== '', pattern))
      i += found[0].length
    }
  }
  return tokens
}

function classTest(inner: string, isNegated: boolean, pattern: string): (code: number) => boolean {
  const codes = Array.from(inner, (sign) => sign.codePointAt(0)!)
  const ranges: [number, number][] = []
  for (let i = 0; i < codes.length; i++) {
    const low = codes[i]!
    const isRange = codes[i + 1] === 45 && i + 2 < codes.length
    const high = isRange ? codes[i + 2]! : low
    if (high < low) throw badGlob(pattern, `the range in [${inner}] runs backwards`)
    ranges.push([low, high])
    if (isRange) i += 2
  }
  return (code) => ranges.some(([low, high]) => low <= code && code <= high) !== isNegated
}

function matches(tokens: readonly Token[], name: string): boolean {
  let token = 0
  let at = 0
  let starToken = -1
  let starAt = 0
  while (at < name.length) {
    const current = tokens[token]
    const code = name.codePointAt(at)!
    if (current === '*') {
      starToken = token++
      starAt = at
    } else if (current?.(code)) {
      token++
      at += code > 0xffff ? 2 : 1
    } else {
      if (starToken < 0) return false
      starAt += name.codePointAt(starAt)! > 0xffff ? 2 : 1
      at = starAt
      token = starToken + 1
    }
  }
  while (tokens[token] === '*') token++
  return token === tokens.length
}
