/**
 * About how many tokens a text is, without a tokenizer.
 *
 * An estimate: it cuts the text where `o200k_base` cuts it and guesses how each piece is split further. On English
 * prose, code and JSON it is within a few percent of the real count, on a single file up to an eighth off either way,
 * and too high where long rows of signs abound. A caller that needs the exact number uses a `Tokenizer`.
 */
export function estimateTokens(text: string): number {
  let tokens = 0
  let before = start
  for (let i = 0; i < text.length; ) {
    const kind = kindAt(text, i)
    let end = i + 1
    if (kind === letter) end = wordEnd(text, i)
    else if (kind !== ideograph) while (end < text.length && kindAt(text, end) === kind) end++
    tokens += costs[kind]!(text, i, end, before)
    before = kind
    i = end
  }
  return Math.ceil(tokens)
}

const [letter, foreign, ideograph, digit, sign, blank, lineEnd, symbol, start] = [0, 1, 2, 3, 4, 5, 6, 7, 8]

type Cost = (text: string, from: number, to: number, before: number) => number

const costs: readonly Cost[] = [
  // Common words are one token however long, rare ones are not; the longer, the rarer.
  (text, from, to, before) => {
    const length = to - from
    if (length > 1 && isUpper(text.charCodeAt(from + 1))) return 0.7 + length * 0.2
    return (before === letter ? 0.85 : 1) + Math.max(0, length - 7) * 0.14
  },
  (_, from, to) => 0.5 + (to - from) * 0.22,
  () => 0.75,
  // Three digits are one token, and the space before them is one of its own.
  (_, from, to, before) => Math.ceil((to - from) / 3) + (before === blank ? 0.9 : 0),
  // `.name` and `_name` are often one token.
  (text, from, to) => {
    if (to - from > 2) return 1 + (to - from - 2) * 0.11
    return to - from === 1 && kindAt(text, to) === letter ? 0.8 : 1
  },
  // One space belongs to the word that follows.
  (_, from, to) => (to - from > 1 ? 0.9 : 0),
  // Signs take the line end after them along.
  (_, __, ___, before) => (before === sign ? 0.1 : 0.9),
  // Dashes, curly quotes, boxes, emoji (two units each).
  (_, from, to) => (to - from) * 0.9,
]

function kindAt(text: string, at: number): number {
  const code = text.charCodeAt(at)
  if (code < 128) {
    if (isLower(code) || isUpper(code)) return letter
    if (code >= 48 && code <= 57) return digit
    if (code === 10 || code === 13) return lineEnd
    return code === 32 || code === 9 ? blank : sign
  }
  if ((code >= 0x3040 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7af)) return ideograph
  return (code >= 0xc0 && code < 0x2000) || (code >= 0xf900 && code < 0xfe00) ? foreign : symbol
}

/** `parseHTMLText` is `parse`, `HTML` and `Text`: a word ends where a capital begins another. */
function wordEnd(text: string, from: number): number {
  let end = from + 1
  while (end < text.length && isUpper(text.charCodeAt(end))) end++
  if (end - from > 1) return isLower(text.charCodeAt(end)) && end - from > 2 ? end - 1 : end
  while (end < text.length && isLower(text.charCodeAt(end))) end++
  return end
}

const isLower = (code: number): boolean => code >= 97 && code <= 122
const isUpper = (code: number): boolean => code >= 65 && code <= 90
