/** Pieces of a few letters, by which words are alike that have no stem in common: compounds, misspellings, other languages. */
import { isEnglish, isStopWord } from './stop-words.ts'
import { isNumber, longestWord, pairsIn, unspaced, wordsIn } from './words.ts'

/** Every `n` letters of each content word, with a mark where it begins and ends; of scripts without spaces every two. */
export const nGramsOf = (text: string, n = 4): string[] => contentWordsIn(text).flatMap((word) => piecesOf(word, n))

/** The hashes of what `nGramsOf` answers, several times as quick where words have plain letters. */
export function pieceHashesOf(text: string, n = 4): number[] {
  const hashes: number[] = []
  for (const word of contentWordsIn(text)) {
    if (!/^[a-z0-9]+$/.test(word)) {
      for (const piece of piecesOf(word, n)) hashes.push(hashOf(piece))
      continue
    }
    const marked = `_${word}_`
    const last = Math.max(0, marked.length - n)
    for (let start = 0; start <= last; start++) {
      const end = Math.min(start + n, marked.length)
      let hash = basis
      for (let i = start; i < end; i++) hash = Math.imul(hash ^ marked.charCodeAt(i), prime)
      hashes.push(hash >>> 0)
    }
  }
  return hashes
}

/** Not stop words, mere numbers or what is too long to be a word. */
function contentWordsIn(text: string): string[] {
  const words = wordsIn(text)
  const english = isEnglish(words)
  return words.filter((word) => word.length <= longestWord && !isStopWord(word, english) && !isNumber(word))
}

function piecesOf(word: string, n: number): string[] {
  if (unspaced.test(word)) return pairsIn(word)
  const letters = Array.from(`_${word}_`)
  if (letters.length <= n) return [letters.join('')]
  return Array.from({ length: letters.length - n + 1 }, (_, i) => letters.slice(i, i + n).join(''))
}

const basis = 0x811c9dc5
const prime = 0x01000193

/** FNV-1a over the code units of a text. */
export function hashOf(text: string): number {
  let hash = basis
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), prime)
  return hash >>> 0
}
