/** Compares one name of a path with one part of a pattern: `*`, `?`, `[a-z]`, `[!x]` and letters. */
import { invalidInput } from '../kernel/errors.ts'

type NameMatcher = (name: string) => boolean

/** Stands for any number of items. */
export const star = Symbol('*')

/** A star, or a test for a single item. */
export type PatternPart<Item> = typeof star | ((item: Item) => boolean)

export function compileName(part: string, pattern: string): NameMatcher {
  const wild = /[*?[]/.exec(part)
  if (!wild) return (name) => name === part
  // The commonest patterns, `*` and `*.md`, need no search.
  const rest = part.slice(1)
  if (part.startsWith('*') && !/[*?[]/.test(rest)) return (name) => name.endsWith(rest) && !name.startsWith('.')
  const tokens = tokenize(part, pattern)
  const wantsDot = part.startsWith('.')
  return (name) => name.startsWith('.') === wantsDot && passes(tokens, codesOf(name))
}

const codesOf = (text: string): number[] => Array.from(text, (sign) => sign.codePointAt(0)!)

function tokenize(part: string, pattern: string): PatternPart<number>[] {
  const tokens: PatternPart<number>[] = []
  for (let i = 0; i < part.length; ) {
    const code = part.codePointAt(i)!
    const sign = String.fromCodePoint(code)
    i += sign.length
    if (sign === '*') {
      if (tokens.at(-1) !== star) tokens.push(star)
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
  const codes = codesOf(inner)
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

/**
 * Whether the items pass the steps in order, one each; a star stands for any run of items that it may cover. After a
 * mismatch it goes back to the last star only. That is enough for a right answer, and limits the work to steps × items,
 * however hostile the pattern.
 */
export function passes<Item>(
  steps: readonly PatternPart<Item>[],
  items: readonly Item[],
  mayCover: (item: Item) => boolean = () => true,
): boolean {
  let step = 0
  let at = 0
  let starStep = -1
  let starAt = 0
  while (at < items.length) {
    const current = steps[step]
    if (current === star) {
      starStep = step++
      starAt = at
    } else if (current?.(items[at]!)) {
      step++
      at++
    } else {
      if (starStep < 0 || !mayCover(items[starAt]!)) return false
      at = ++starAt
      step = starStep + 1
    }
  }
  while (steps[step] === star) step++
  return step === steps.length
}

export const badGlob = (pattern: string, reason: string) =>
  invalidInput('BAD_GLOB', `Not a pattern for files: ${JSON.stringify(pattern.slice(0, 120))}: ${reason}.`, {
    hint: 'Use a relative pattern such as context/**/*.md.',
    details: { pattern: pattern.slice(0, 120), reason },
  })
