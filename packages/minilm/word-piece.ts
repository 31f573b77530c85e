/** Cuts a text into the pieces of words that the model knows: BERT's WordPiece, for text without upper case and accents. */

const unknown = 100
const start = 101
const end = 102
/** A longer word is unknown, as in BERT. */
const longestWord = 100
/** So many characters have more pieces than are looked at; a text may have a megabyte. */
const mostCharacters = 4000

/** Control characters, halves of surrogate pairs and characters of private use; not the white space among them. */
const dropped = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\ufffd]/gu
const accents = /\p{Mn}/gu
/** Signs and Chinese characters stand alone. */
const alone = '\\p{P}$+<=>^`|~\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff\\u{20000}-\\u{2ceaf}\\u{2f800}-\\u{2fa1f}'
const word = new RegExp(`[${alone}]|[^\\s${alone}]+`, 'gu')

export class WordPiece {
  readonly #numbers: ReadonlyMap<string, number>

  constructor(vocabulary: readonly string[]) {
    this.#numbers = new Map(vocabulary.map((piece, number) => [piece, number]))
  }

  /** The number of a whole piece; `##` stands before one that goes on a word. */
  numberOf(piece: string): number | undefined {
    return this.#numbers.get(piece)
  }

  /** The numbers of its pieces, between a mark for the start and one for the end: `most` at most, and two at least. */
  piecesOf(text: string, most: number): number[] {
    const pieces = [start]
    const plain = text.slice(0, mostCharacters).replace(dropped, '').normalize('NFD').replace(accents, '').toLowerCase()
    for (const [found] of plain.matchAll(word)) {
      if (pieces.length >= most - 1) break
      this.#addWord(found, pieces)
    }
    pieces.length = Math.min(pieces.length, most - 1)
    pieces.push(end)
    return pieces
  }

  /** The longest piece first, then the longest that goes on from there. */
  #addWord(found: string, pieces: number[]): void {
    const before = pieces.length
    let at = found.length > longestWord ? -1 : 0
    while (at >= 0 && at < found.length) at = this.#addLongest(found, at, pieces)
    if (at >= 0) return
    pieces.length = before
    pieces.push(unknown)
  }

  /** Where the word goes on; -1 when no piece fits. */
  #addLongest(found: string, at: number, pieces: number[]): number {
    for (let to = found.length; to > at; to--) {
      const piece = found.slice(at, to)
      const number = this.#numbers.get(at === 0 ? piece : `##${piece}`)
      if (number === undefined) continue
      pieces.push(number)
      return to
    }
    return -1
  }
}
