/** Spans of time as people say them: `ten minutes`, `an hour and a half`, `5m`, `zehn Minuten`. In seconds. Pure. */
import { parseDuration } from '../../../formats/duration.ts'
import type { Piece } from './tokens.ts'

const counted = (words: string, first = 0, step = 1) =>
  words.split(' ').map((word, n) => [word, first + n * step] as const)
const tens = counted('twenty thirty forty fifty sixty seventy eighty ninety', 20, 10)
const small = counted(
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen',
)

const numbers: ReadonlyMap<string, number> = new Map([
  ...small,
  ...tens,
  ...tens.flatMap(([ten, n]) => small.slice(1, 10).map(([one, m]) => [`${ten}-${one}`, n + m] as const)),
  ...'a an ein eine einer einen un una'.split(' ').map((word) => [word, 1] as const),
  ...counted('zwei drei vier fünf sechs sieben acht neun zehn elf zwölf', 2),
  ...counted('dos tres cuatro cinco seis siete ocho nueve diez once doce', 2),
  ...counted('fünfzehn quince', 15, 0),
  ...counted('zwanzig veinte', 20, 0),
  ...counted('dreißig dreissig treinta', 30, 0),
])

const units: ReadonlyMap<string, number> = new Map([
  ...counted('s sec secs second seconds sekunde sekunden segundo segundos', 1, 0),
  ...counted('m min mins minute minutes minuten minuto minutos mintues minuts', 60, 0),
  ...counted('h hr hrs hour hours stunde stunden hora horas', 3600, 0),
  ...counted('d day days tag tage tagen día días', 86_400, 0),
])
const shares: ReadonlyMap<string, number> = new Map([
  ...counted('half halbe halben media', 0.5, 0),
  ['quarter', 0.25],
  ['couple', 2],
  ['few', 3],
])

interface Span {
  readonly seconds: number
  /** How many pieces say it. */
  readonly length: number
}

/** The longest span that begins with this piece. */
export function timeAt(pieces: readonly Piece[], from: number): Span | undefined {
  let total = 0
  let at = from
  let smallest = Number.POSITIVE_INFINITY
  for (;;) {
    // "and" joins two spans, and is otherwise the next word of the sentence.
    const begin = at > from && pieces[at]?.word === 'and' ? at + 1 : at
    const found = partAt(pieces, begin)
    if (!found || found.unit >= smallest) break
    total += found.seconds
    smallest = found.unit
    at = begin + found.length
  }
  return at > from && Number.isSafeInteger(total) ? { seconds: total, length: at - from } : undefined
}

interface Part extends Span {
  readonly unit: number
}

function partAt(pieces: readonly Piece[], at: number): Part | undefined {
  const word = (n: number): string => (pieces[at + n]?.kind === 'word' ? pieces[at + n]!.word : '')
  const isArticle = (n: number): boolean => numbers.get(word(n)) === 1 && word(n) !== 'one'
  // `half an hour`, `a quarter of an hour`, `a couple of minutes`, `eine halbe Stunde`
  const skipped = isArticle(0) ? 1 : 0
  const share = shares.get(word(skipped))
  if (share !== undefined) {
    const of = skipped + 1 + Number(word(skipped + 1) === 'of')
    const n = of + Number(isArticle(of))
    const unit = units.get(word(n))
    return unit === undefined ? undefined : { seconds: unit * share, length: n + 1, unit }
  }
  const compact = compactSeconds(word(0))
  if (compact !== undefined) return { seconds: compact, length: 1, unit: 0.5 }
  const count = numberAt(word)
  const unit = count && units.get(word(count.length))
  if (!count || unit === undefined) return undefined
  const length = count.length + 1
  // `an hour and a half`
  const isHalfMore = word(length) === 'and' && word(length + 1) === 'a' && word(length + 2) === 'half'
  return isHalfMore && !units.has(word(length + 3))
    ? { seconds: (count.number + 0.5) * unit, length: length + 3, unit }
    : { seconds: count.number * unit, length, unit }
}

function numberAt(word: (n: number) => string): { number: number; length: number } | undefined {
  if (/^\d{1,9}(?:\.\d{1,3})?$/.test(word(0))) return { number: Number(word(0)), length: 1 }
  const number = numbers.get(word(0))
  if (number === undefined) return undefined
  const next = numbers.get(word(1)) ?? 0
  if (number >= 20 && number % 10 === 0 && next >= 1 && next <= 9) return { number: number + next, length: 2 }
  return word(1) === 'hundred' ? { number: number * 100, length: 2 } : { number, length: 1 }
}

/** `5m`, `1h30m`, as everywhere else in Signalbox; `ten-minute`. */
function compactSeconds(word: string): number | undefined {
  const [, number = '', unit = ''] = /^([a-z\d]+)-([a-z]+)$/.exec(word) ?? []
  if (units.has(unit) && unit.length > 1) {
    const count = numbers.get(number) ?? Number(number)
    return Number.isFinite(count) && number !== '' ? count * units.get(unit)! : undefined
  }
  if (!/^\d[\d.]*[a-z]/.test(word)) return undefined
  try {
    return parseDuration(word.replace(/(?<=\d)(?:secs?|mins?|hrs?)$/, (one) => one[0]!)) / 1000
  } catch {
    // BAD_DURATION: it is no span.
    return undefined
  }
}
