/** A sentence as words: where each stands, what is quoted, and which marks are between them. Pure. */

export interface Token {
  /** In lower case; a mark (`,` `:` `.` `;`) is a token of its own. */
  readonly word: string
  /** As it was written; what stood between quotes, without them. */
  readonly raw: string
  readonly isQuoted: boolean
  readonly isMark: boolean
  /** Where it stands in the text, quotes included. */
  readonly start: number
  readonly end: number
}

const piece = /"([^"]*)"|“([^”]*)”|`([^`]*)`|(?<=^|\s)'([^']*)'(?=$|[\s.,:;!?])|[^\s"“`]+/gu
/** Marks at the end of a word are no part of it, `./context/` and `v1.0` keep theirs. */
const ending = /[,:;.!?]+$/u
const short: Readonly<Record<string, string>> = { "'s": 'is', "'re": 'are', "'m": 'am', "'ve": 'have', "'ll": 'will' }

/** Without the apostrophe: `shouldnt`, `whats`. */
const negatedInHaste = /^(do|does|did|should|would|could|is|are|was|were|has|have|had|must|need)nt$/
const askedInHaste = /^(what|how|who|where|that)s$/

export function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  for (const found of text.replaceAll('’', "'").matchAll(piece)) {
    const quoted = found[1] ?? found[2] ?? found[3] ?? found[4]
    const at = found.index
    if (quoted === undefined) tokens.push(...wordsIn(found[0], at))
    else if (quoted.trim() !== '')
      tokens.push(tokenOf(quoted.trim(), at, { end: at + found[0].length, isQuoted: true }))
  }
  return tokens
}

function wordsIn(written: string, at: number): Token[] {
  const marks = written.length > 1 || ending.test(written) ? (ending.exec(written)?.[0] ?? '') : ''
  const word = written.slice(0, written.length - marks.length)
  const mark =
    marks === '' ? [] : [tokenOf(markOf(marks), at + word.length, { isMark: true, end: at + written.length })]
  return [...parts(word, at), ...mark]
}

/** Of several marks together, such as `…` or `?!`, the one that separates most. */
const markOf = (marks: string): string => [...marks].find((one) => one === ':' || one === ';') ?? marks[0]!

function parts(word: string, at: number): Token[] {
  if (word === '') return []
  const assigned = /^([A-Za-z]\w*)=(.+)$/.exec(word)
  if (assigned && assigned[1] !== 'lock') {
    const [, key, value] = assigned as unknown as [string, string, string]
    const sign = at + key.length
    return [tokenOf(key, at), tokenOf('=', sign), tokenOf(value, sign + 1)]
  }
  const lower = word.toLowerCase()
  if (/^can(?:not|'?t)$/.test(lower))
    return [tokenOf(word.slice(0, 3), at), tokenOf('not', at + 3, { end: at + word.length })]
  if (/^won'?t$/.test(lower))
    return [tokenOf('will', at, { end: at + 2 }), tokenOf('not', at + 2, { end: at + word.length })]
  const negated = /^(.*)n't$/.exec(lower) ?? negatedInHaste.exec(lower)
  if (negated) {
    const end = at + negated[1]!.length
    return [tokenOf(word.slice(0, negated[1]!.length), at), tokenOf('not', end, { end: at + word.length })]
  }
  const asked = askedInHaste.exec(lower)
  if (asked) {
    const end = at + asked[1]!.length
    return [tokenOf(word.slice(0, -1), at), tokenOf('is', end, { end: at + word.length })]
  }
  if (/^let'?s$/.test(lower)) return [tokenOf('let', at), tokenOf('us', at + 3, { end: at + word.length })]
  if (/^(?:i|we|you|they)'d$/.test(lower))
    return [tokenOf(word.slice(0, -2), at), tokenOf('would', at + word.length - 2, { end: at + word.length })]
  const [, head, tail] = /^(.+)('(?:s|re|m|ve|ll))$/i.exec(word) ?? []
  if (head === undefined || tail === undefined) return [tokenOf(word, at)]
  // `DevAgent's` is somebody's; `what's` is "what is".
  const isPossessive = tail === "'s" && !/^(?:what|who|where|how|that|this|it|there|here|when)$/i.test(head)
  return [
    tokenOf(head, at),
    tokenOf(isPossessive ? "'s" : short[tail.toLowerCase()]!, at + head.length, { end: at + word.length }),
  ]
}

const tokenOf = (raw: string, start: number, more: Partial<Token> = {}): Token => ({
  word: raw.toLowerCase(),
  raw,
  isQuoted: false,
  isMark: false,
  start,
  end: start + raw.length,
  ...more,
})

/** What was written from one token to another; a single quoted one without its quotes. */
export function writtenIn(text: string, tokens: readonly Token[]): string {
  const [first] = tokens
  if (first === undefined) return ''
  return tokens.length === 1 ? first.raw : text.slice(first.start, tokens.at(-1)!.end)
}

/** Without marks at its ends. */
export function trimmed(tokens: readonly Token[]): readonly Token[] {
  let [from, to] = [0, tokens.length]
  while (from < to && tokens[from]!.isMark) from++
  while (to > from && tokens[to - 1]!.isMark) to--
  return from === 0 && to === tokens.length ? tokens : tokens.slice(from, to)
}
