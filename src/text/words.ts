/** The words of a text, in any script, and the terms by which texts are compared. */
import { stemOf } from './stems.ts'
import { isEnglish, isStopWord } from './stop-words.ts'

/** More of a text adds nothing to what it is about, and a body may be a megabyte. In characters. */
export const mostCompared = 40_000

const word = /[\p{L}\p{M}\p{N}]+/gu
/** Scripts that put no space between words. */
export const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u
const camel = /(\p{Ll})(\p{Lu})/gu

/** Every word, in lower case; `parseHeader` and `parse_header` are two each. */
export const wordsIn = (text: string): string[] =>
  text.slice(0, mostCompared).replace(camel, '$1 $2').normalize('NFKC').toLowerCase().match(word) ?? []

/**
 * What a text is compared by: the stems of its English words, the words of other languages as they are, and of scripts
 * without spaces every two letters. Stop words, single letters and mere numbers are left out.
 */
export function termsOf(text: string): string[] {
  const words = wordsIn(text)
  const stems = isEnglish(words)
  const terms: string[] = []
  for (const one of words) {
    if (unspaced.test(one)) terms.push(...pairsIn(one))
    else if (one.length > 1 && one.length <= longestWord && !isStopWord(one, stems) && !isNumber(one))
      terms.push(stems ? stemOf(one) : one)
  }
  return terms
}

/** Longer ones are hashes, keys or encoded data. */
export const longestWord = 40

/** The first letter decides for nearly all words, which is quicker. */
export const isNumber = (text: string): boolean => /^\p{N}/u.test(text) && /^\p{N}+$/u.test(text)

/** A single letter is answered as it is. */
export function pairsIn(text: string): string[] {
  const letters = Array.from(text)
  if (letters.length < 2) return letters
  return letters.slice(1).map((letter, i) => letters[i]! + letter)
}

export const countsOf = (terms: Iterable<string>): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1)
  return counts
}
