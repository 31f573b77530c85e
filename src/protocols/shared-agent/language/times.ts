/** Spans of time as people say them: `ten minutes`, `an hour and a half`, `5m`, `600`. In seconds. Pure. */
import { parseDuration } from '../../../formats/duration.ts'
import type { Token } from './tokens.ts'

const small = [
  ...['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'],
  ...['thirteen', 'fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen', 'nineteen'],
]
const tens = ['twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety']

const numbers: ReadonlyMap<string, number> = new Map<string, number>([
  ['a', 1],
  ['an', 1],
  ...small.map((word, n) => [word, n] as const),
  ...tens.map((word, n) => [word, 20 + 10 * n] as const),
  ...tens.flatMap((word, n) => small.slice(1, 10).map((one, m) => [`${word}-${one}`, 21 + 10 * n + m] as const)),
])

const units: ReadonlyMap<string, number> = new Map([
  ...['s', 'sec', 'secs', 'second', 'seconds'].map((word) => [word, 1] as const),
  ...['m', 'min', 'mins', 'minute', 'minutes'].map((word) => [word, 60] as const),
  ...['h', 'hr', 'hrs', 'hour', 'hours'].map((word) => [word, 3600] as const),
  ...['d', 'day', 'days'].map((word) => [word, 86_400] as const),
])

/** For finding what a mistyped one meant. */
export const timeWords: readonly string[] = [...numbers.keys(), ...units.keys(), 'half', 'quarter', 'couple']

export interface Span {
  readonly seconds: number
  /** How many tokens say it. */
  readonly length: number
}

/** The longest span that begins with this token; a bare number counts only as `isBareFine` says. */
export function timeAt(tokens: readonly Token[], from: number, isBareFine = false): Span | undefined {
  let total = 0
  let at = from
  let smallest = Number.POSITIVE_INFINITY
  for (;;) {
    // "and" joins two spans, and is otherwise the next word of the sentence.
    const begin = at > from && tokens[at]?.word === 'and' ? at + 1 : at
    const found = partAt(tokens, begin)
    if (!found || found.unit >= smallest) break
    total += found.seconds
    smallest = found.unit
    at = begin + found.length
  }
  if (at === from) {
    const [bare] = [tokens[from]]
    if (!isBareFine || !bare || !/^\d{1,9}$/.test(bare.word)) return undefined
    return { seconds: Number(bare.word), length: 1 }
  }
  return Number.isSafeInteger(total) ? { seconds: total, length: at - from } : undefined
}

interface Part extends Span {
  readonly unit: number
}

function partAt(tokens: readonly Token[], at: number): Part | undefined {
  const word = (n: number): string => tokens[at + n]?.word ?? ''
  const unit = (n: number): number | undefined => units.get(word(n))
  // `half an hour`, `a quarter of an hour`, `a couple of minutes`
  const skipped = word(0) === 'a' || word(0) === 'an' ? 1 : 0
  const share = word(skipped) === 'half' ? 0.5 : word(skipped) === 'quarter' ? 0.25 : undefined
  if (share !== undefined) {
    const n = skipped + 1 + Number(word(skipped + 1) === 'of')
    const article = word(n) === 'a' || word(n) === 'an' ? 1 : 0
    const found = unit(n + article)
    return found === undefined ? undefined : { seconds: found * share, length: n + article + 1, unit: found }
  }
  if (skipped === 1 && word(1) === 'couple') {
    const n = 2 + Number(word(2) === 'of')
    const found = unit(n)
    return found === undefined ? undefined : { seconds: 2 * found, length: n + 1, unit: found }
  }
  const compact = compactSeconds(word(0))
  if (compact !== undefined) return { seconds: compact, length: 1, unit: 0.5 }
  const counted = numberAt(tokens, at)
  if (!counted) return undefined
  const found = unit(counted.length)
  if (found === undefined) return undefined
  const length = counted.length + 1
  // `an hour and a half`
  const isHalfMore = word(length) === 'and' && word(length + 1) === 'a' && word(length + 2) === 'half'
  return isHalfMore && unit(length + 3) === undefined
    ? { seconds: (counted.number + 0.5) * found, length: length + 3, unit: found }
    : { seconds: counted.number * found, length, unit: found }
}

function numberAt(tokens: readonly Token[], at: number): { number: number; length: number } | undefined {
  const word = tokens[at]?.word ?? ''
  if (/^\d{1,9}(?:\.\d{1,3})?$/.test(word)) return { number: Number(word), length: 1 }
  const number = numbers.get(word)
  if (number === undefined) return undefined
  const next = numbers.get(tokens[at + 1]?.word ?? '') ?? 0
  if (number >= 20 && number % 10 === 0 && next >= 1 && next <= 9) return { number: number + next, length: 2 }
  if (tokens[at + 1]?.word === 'hundred') return { number: number * 100, length: 2 }
  return { number, length: 1 }
}

/** `5m`, `1h30m`, as everywhere else in Signalbox. */
function compactSeconds(word: string): number | undefined {
  if (!/^\d[\d.]*[a-z]/.test(word)) return undefined
  try {
    return parseDuration(word.replace(/(?<=\d)(?:secs?|mins?|hrs?)$/, (unit) => unit[0]!)) / 1000
  } catch {
    // BAD_DURATION: it is no span.
    return undefined
  }
}
