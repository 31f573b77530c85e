/**
 * Tokens as models count them: docs/decisions/0038-a-real-tokenizer.md. A text is cut into pieces by a pattern, and each piece
 * into tokens by joining bytes, the pair with the lowest rank first. The table that comes with the package is searched as it
 * lies in its file: building a map of 200,000 tokens takes longer than a whole command does otherwise.
 */
import { corrupt } from '../kernel/errors.ts'
import type { Tokenizer } from '../kernel/tokenizer.ts'

/** Where the table of an encoding is in the package; `scripts/token-tables.mjs` makes it. */
export const tokenTable = (encoding: string): string => `data/tokens/${encoding}.bin`

export function tokenizerFrom(file: Uint8Array): Tokenizer {
  const { pattern, rankOf } = tableIn(file)
  const encoder = new TextEncoder()
  function* lengthsOf(text: string): Generator<number> {
    for (const [piece] of text.matchAll(pattern)) yield* joined(encoder.encode(piece), rankOf)
  }
  return {
    count(text) {
      let count = 0
      for (const _ of lengthsOf(text)) count++
      return count
    },
    first(text, most) {
      let [count, end] = [0, 0]
      for (const length of lengthsOf(text)) {
        // A token may end inside a character, which then is not whole.
        if (count++ === most)
          return Buffer.from(text)
            .subarray(0, end)
            .toString()
            .replace(/\ufffd+$/, '')
        end += length
      }
      return text
    },
  }
}

/** The rank of the token that these bytes are; infinite if they are none. */
type RankOf = (bytes: Uint8Array, from: number, to: number) => number

function tableIn(file: Uint8Array): { readonly pattern: RegExp; readonly rankOf: RankOf } {
  const start = file.indexOf(10) + 1
  const header = headerIn(file.subarray(0, start))
  const ranks = start + header.tokens
  const offsets = new Uint32Array(header.tokens + 1)
  offsets[0] = ranks + header.tokens * 3
  for (let n = 0; n < header.tokens; n++) offsets[n + 1] = offsets[n]! + file[start + n]!
  if (offsets[header.tokens] !== file.length) throw broken()
  return {
    pattern: new RegExp(header.pattern, 'gu'),
    rankOf(bytes, from, to) {
      let [low, high] = [0, header.tokens]
      while (low < high) {
        const middle = (low + high) >>> 1
        const order = compare(file, offsets[middle]!, offsets[middle + 1]!, bytes, from, to)
        if (order === 0) {
          const at = ranks + middle * 3
          return file[at]! | (file[at + 1]! << 8) | (file[at + 2]! << 16)
        }
        if (order < 0) low = middle + 1
        else high = middle
      }
      return Number.POSITIVE_INFINITY
    },
  }
}

function compare(a: Uint8Array, from: number, to: number, b: Uint8Array, start: number, end: number): number {
  const shorter = Math.min(to - from, end - start)
  for (let n = 0; n < shorter; n++) {
    const difference = a[from + n]! - b[start + n]!
    if (difference !== 0) return difference
  }
  return to - from - (end - start)
}

function headerIn(line: Uint8Array): { readonly pattern: string; readonly tokens: number } {
  try {
    const { pattern, tokens } = JSON.parse(Buffer.from(line).toString())
    if (typeof pattern === 'string' && Number.isSafeInteger(tokens)) return { pattern, tokens }
  } catch {
    // A SyntaxError: the file is no table.
  }
  throw broken()
}

const broken = () =>
  corrupt('BAD_TOKEN_TABLE', 'The table by which tokens are counted is damaged.', {
    hint: 'Install the package again.',
  })

/** The lengths of the tokens of one piece: parts that are next to each other are joined, those with the lowest rank first. */
function joined(piece: Uint8Array, rankOf: RankOf): number[] {
  if (rankOf(piece, 0, piece.length) !== Number.POSITIVE_INFINITY) return [piece.length]
  /** Where the part that begins here ends, and the rank of what it would become with the next one. */
  const ends = Array.from(piece, (_, at) => at + 1)
  const rankWithNext = (at: number) => {
    const end = ends[at]!
    return end < piece.length ? rankOf(piece, at, ends[end]!) : Number.POSITIVE_INFINITY
  }
  const ranks = ends.map((_, at) => rankWithNext(at))
  const join = (at: number, before: number) => {
    ends[at] = ends[ends[at]!]!
    ranks[at] = rankWithNext(at)
    if (before >= 0) ranks[before] = rankWithNext(before)
  }
  for (;;) {
    let lowest = Number.POSITIVE_INFINITY
    for (let at = 0; at < piece.length; at = ends[at]!) lowest = Math.min(lowest, ranks[at]!)
    if (lowest === Number.POSITIVE_INFINITY) break
    // Join all pairs of this rank from the left, until a join makes a pair of a lower rank, or of this rank further left.
    for (let [at, before] = [0, -1]; at < piece.length; [before, at] = [at, ends[at]!]) {
      while (ranks[at] === lowest) join(at, before)
      if (ranks[at]! < lowest || (before >= 0 && ranks[before]! <= lowest)) break
    }
  }
  const lengths: number[] = []
  for (let at = 0; at < piece.length; at = ends[at]!) lengths.push(ends[at]! - at)
  return lengths
}
