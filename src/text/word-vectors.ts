/**
 * The vectors of words that come with the package, and the vector of a text made from those of its words.
 *
 * The pack is made by `scripts/word-vectors.mjs`: a line `SBWV1`, a line with the numbers of words, dimensions and bytes of the
 * list of words and a checksum of what follows, then the words, one a line, the most frequent first, and their vectors as
 * signed bytes.
 */
import type { Embedder, KnowsWords } from '../kernel/embedder.ts'
import { corrupt } from '../kernel/errors.ts'
import { toUnit } from './vectors.ts'
import { wordsIn } from './words.ts'

const magic = 'SBWV1'
/** A word that makes up this share of all text counts half. Arora et al., "A simple but tough-to-beat baseline". */
const halfWeightAt = 1e-3

/** The same for single words of a query. */
const sayingHalf = 3e-4

/** How much of all text a word makes up, which by Zipf's law follows from its rank. */
const shareOf = (place: number): number => 0.1 / (place + 2.7)

export class WordVectors implements Embedder, KnowsWords {
  readonly id = 'local'
  readonly version: string
  readonly dim: number
  readonly #places: ReadonlyMap<string, number>
  readonly #numbers: Int8Array

  /** Throws a `Corrupt` error when the bytes are not those of a whole pack. */
  constructor(pack: Uint8Array) {
    const { words, dim, version, numbers } = readPack(pack)
    this.version = version
    this.dim = dim
    this.#numbers = numbers
    this.#places = new Map(words.map((word, place) => [word, place]))
  }

  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    return texts.map((text) => this.embedOne(text))
  }

  /** Of length 1; `undefined` for a word that is not known. */
  vectorOf(word: string): Float32Array | undefined {
    const place = this.#places.get(word)
    if (place === undefined) return undefined
    const vector = new Float32Array(this.dim)
    this.#addTo(vector, place, 1)
    return vector
  }

  /** From 0 to 1: how much a word says by itself. Rare words say more. */
  weightOf(word: string): number {
    const place = this.#places.get(word)
    return place === undefined ? 0 : sayingHalf / (sayingHalf + shareOf(place))
  }

  embedOne(text: string): Float32Array {
    const vector = new Float32Array(this.dim)
    const counts = new Map<number, number>()
    for (const word of wordsIn(text)) {
      const place = this.#places.get(word)
      if (place !== undefined) counts.set(place, (counts.get(place) ?? 0) + 1)
    }
    for (const [place, count] of counts) {
      this.#addTo(vector, place, ((1 + Math.log(count)) * halfWeightAt) / (halfWeightAt + shareOf(place)))
    }
    return toUnit(vector)
  }

  #addTo(vector: Float32Array, place: number, weight: number): void {
    const start = place * this.dim
    let squares = 0
    for (let i = 0; i < this.dim; i++) squares += this.#numbers[start + i]! ** 2
    const scale = weight / (Math.sqrt(squares) || 1)
    for (let i = 0; i < this.dim; i++) vector[i] = vector[i]! + this.#numbers[start + i]! * scale
  }
}

function readPack(pack: Uint8Array) {
  const first = pack.indexOf(10)
  const second = pack.indexOf(10, first + 1)
  const head = new TextDecoder().decode(pack.subarray(0, second > 0 && second < 100 ? second : 0))
  const found = /^(\w+)\n(\d+) (\d+) (\d+) ([0-9a-f]{8})$/.exec(head)
  if (!found || found[1] !== magic) throw damaged('it does not begin as one')
  const [count, dim, length] = [Number(found[2]), Number(found[3]), Number(found[4])]
  const content = pack.subarray(second + 1)
  if (content.length !== length + count * dim) throw damaged(`it has ${pack.length} bytes`)
  if (checksum(content) !== found[5]) throw damaged('its bytes have changed')
  const words = new TextDecoder().decode(content.subarray(0, length - 1)).split('\n')
  const numbers = new Int8Array(content.buffer, content.byteOffset + length, count * dim)
  return { words, dim, version: found[5]!, numbers }
}

/** FNV-1a. */
function checksum(bytes: Uint8Array): string {
  let hash = 0x811c9dc5
  for (let i = 0; i < bytes.length; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193)
  return (hash >>> 0).toString(16).padStart(8, '0')
}

const damaged = (why: string) =>
  corrupt('DAMAGED_WORD_VECTORS', `The word vectors of this installation cannot be used: ${why}.`, {
    hint: 'Install Signalbox again. Until then texts are compared by their words alone.',
  })
