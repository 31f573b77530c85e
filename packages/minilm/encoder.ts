/**
 * all-MiniLM-L6-v2: turns a text into a vector of 384 numbers, so that texts about the same thing get vectors in about the same
 * direction. Six layers of a transformer as BERT has them; the mean of all tokens, scaled to length 1.
 */
import { type Pack, readPack } from './pack.ts'
import { WordPiece } from './word-piece.ts'

const layerCount = 6
/** Numbers of a token, and of a token within a layer. */
const width = 384
const wide = 1536
/** Numbers of a word that share a scale. */
const group = 32
/** The beginning of a text says what it is about, and each token costs a millisecond. */
const mostTokens = 128
/** The kernel keeps nothing there; address 0 stays free. */
const firstAddress = 1024

/** What every runtime has and the types of Node leave out. */
const { Memory, Module, Instance } = (globalThis as unknown as { readonly WebAssembly: WebAssemblyParts }).WebAssembly

interface WebAssemblyParts {
  readonly Memory: new (size: { readonly initial: number }) => { readonly buffer: ArrayBuffer }
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown }
}

interface Kernel {
  writeToken(to: number, word: number, wordScales: number, place: number, placeScale: number): void
  quantize(from: number, to: number, scales: number, rows: number, size: number): void
  multiply(
    ...[from, scales, weights, weightScales, bias, to, rows, size, outputs]: [
      ...[number, number, number, number, number],
      ...[number, number, number, number],
    ]
  ): void
  addAndNormalize(to: number, added: number, gain: number, bias: number, rows: number): void
  activate(at: number, count: number): void
  attend(
    ...[queries, keys, values, to, scores, tokens, padded]: [
      ...[number, number, number, number],
      ...[number, number, number],
    ]
  ): void
}

export class Encoder {
  /** Such as `all-MiniLM-L6-v2`. */
  readonly model: string
  /** Another one: other weights, whose vectors must not be compared with these. */
  readonly version: string
  readonly dimensions = width
  readonly #kernel: Kernel
  readonly #floats: Float32Array
  readonly #words: WordPiece
  readonly #addressOf: (block: string) => number
  readonly #layers: readonly Layer[]
  readonly #room: Room

  /** `pack`: `minilm.bin`. `kernel`: what `assembly/kernel.ts` compiles to. Throws when one of them is damaged. */
  constructor(pack: Uint8Array, kernel: Uint8Array) {
    const { model, checksum, vocabulary, numbers, offsetOf } = readPack(pack)
    const room = roomAfter(firstAddress + numbers.length)
    const memory = new Memory({ initial: Math.ceil(room.end / 65_536) })
    new Uint8Array(memory.buffer).set(numbers, firstAddress)
    const { exports } = new Instance(new Module(kernel), { env: { memory } })
    this.model = model
    this.version = checksum
    this.#kernel = exports as Kernel
    this.#floats = new Float32Array(memory.buffer)
    this.#words = new WordPiece(vocabulary)
    this.#addressOf = (block) => firstAddress + offsetOf(block)
    this.#layers = Array.from({ length: layerCount }, (_, layer) => layerAt(layer, this.#addressOf))
    this.#room = room
  }

  /** Of length 1, for any text. */
  encode(text: string): Float32Array {
    const pieces = this.#words.piecesOf(text, mostTokens)
    const tokens = pieces.length
    // The kernel takes four rows at a time; what is in the rows that fill up is not looked at.
    const rows = Math.ceil(tokens / 4) * 4
    this.#begin(pieces, rows)
    for (const layer of this.#layers) this.#pass(layer, tokens, rows)
    return this.#meanOf(tokens)
  }

  /** What the model starts from: the numbers of one piece of a word, by itself. */
  vectorOf(piece: string): Float32Array | undefined {
    const number = this.#words.numberOf(piece)
    if (number === undefined) return undefined
    this.#writeToken(number, 0, 0, this.#room.hidden)
    return this.#rowOf(0).slice()
  }

  #rowOf(token: number): Float32Array {
    const start = this.#room.hidden / 4 + token * width
    return this.#floats.subarray(start, start + width)
  }

  #writeToken(piece: number, place: number, placeScale: number, to: number): void {
    const word = this.#addressOf('words') + (piece * width) / 2
    const scales = this.#addressOf('words.scales') + (piece * width * 2) / group
    this.#kernel.writeToken(to, word, scales, this.#addressOf('places') + place * width, placeScale)
  }

  #begin(pieces: readonly number[], rows: number): void {
    const { hidden, mixed } = this.#room
    this.#floats.fill(0, hidden / 4, hidden / 4 + rows * width)
    this.#floats.fill(0, mixed / 4, mixed / 4 + rows * width)
    const placeScales = this.#addressOf('places.scales') / 4
    for (const [place, piece] of pieces.entries())
      this.#writeToken(piece, place, this.#floats[placeScales + place]!, hidden + place * width * 4)
    const [gain, bias] = [this.#addressOf('norm.gain'), this.#addressOf('norm.bias')]
    this.#kernel.addAndNormalize(hidden, mixed, gain, bias, pieces.length)
  }

  #pass(layer: Layer, tokens: number, rows: number): void {
    const { hidden, mixed, queries, keys, values, widened, scores } = this.#room
    const kernel = this.#kernel
    this.#multiply(hidden, rows, width, [
      { by: layer.query, to: queries, outputs: width },
      { by: layer.key, to: keys, outputs: width },
      { by: layer.value, to: values, outputs: width },
    ])
    kernel.attend(queries, keys, values, mixed, scores, tokens, rows)
    this.#multiply(mixed, rows, width, [{ by: layer.attended, to: queries, outputs: width }])
    kernel.addAndNormalize(hidden, queries, layer.attendedNorm.gain, layer.attendedNorm.bias, tokens)
    this.#multiply(hidden, rows, width, [{ by: layer.wide, to: widened, outputs: wide }])
    kernel.activate(widened, rows * wide)
    this.#multiply(widened, rows, wide, [{ by: layer.narrow, to: queries, outputs: width }])
    kernel.addAndNormalize(hidden, queries, layer.norm.gain, layer.norm.bias, tokens)
  }

  #multiply(from: number, rows: number, size: number, products: readonly Product[]): void {
    const { whole, wholeScales } = this.#room
    this.#kernel.quantize(from, whole, wholeScales, rows, size)
    for (const { by, to, outputs } of products)
      this.#kernel.multiply(whole, wholeScales, by.weights, by.scales, by.bias, to, rows, size, outputs)
  }

  #meanOf(tokens: number): Float32Array {
    const sum = new Float64Array(width)
    for (let token = 0; token < tokens; token++) {
      const row = this.#rowOf(token)
      for (let i = 0; i < width; i++) sum[i]! += row[i]!
    }
    let squares = 0
    for (const one of sum) squares += one * one
    const length = Math.sqrt(squares) || 1
    return Float32Array.from(sum, (one) => one / length)
  }
}

interface Matrix {
  readonly weights: number
  readonly scales: number
  readonly bias: number
}

interface Product {
  readonly by: Matrix
  readonly to: number
  readonly outputs: number
}

interface Norm {
  readonly gain: number
  readonly bias: number
}

/** The addresses of its weights. */
type Layer = Readonly<
  Record<'query' | 'key' | 'value' | 'attended' | 'wide' | 'narrow', Matrix> & Record<'attendedNorm' | 'norm', Norm>
>

function layerAt(layer: number, addressOf: Pack['offsetOf']): Layer {
  const matrix = (name: string): Matrix => ({
    weights: addressOf(`${layer}.${name}`),
    scales: addressOf(`${layer}.${name}.scales`),
    bias: addressOf(`${layer}.${name}.bias`),
  })
  const norm = (name: string): Norm => ({
    gain: addressOf(`${layer}.${name}.gain`),
    bias: addressOf(`${layer}.${name}.bias`),
  })
  return {
    query: matrix('query'),
    key: matrix('key'),
    value: matrix('value'),
    attended: matrix('attended'),
    wide: matrix('wide'),
    narrow: matrix('narrow'),
    attendedNorm: norm('attendedNorm'),
    norm: norm('norm'),
  }
}

/** Where the kernel works: addresses of matrices with a row for each token. */
type Room = ReturnType<typeof roomAfter>

function roomAfter(address: number) {
  let end = Math.ceil(address / 16) * 16
  const take = (bytes: number): number => {
    const start = end
    end += Math.ceil(bytes / 16) * 16
    return start
  }
  const floats = (numbers: number) => take(mostTokens * numbers * 4)
  const room = {
    hidden: floats(width),
    mixed: floats(width),
    queries: floats(width),
    keys: floats(width),
    values: floats(width),
    widened: floats(wide),
    scores: floats(1),
    /** Whole numbers of 16 bits, and the scale of each row. */
    whole: take(mostTokens * wide * 2),
    wholeScales: floats(1),
  }
  return { ...room, end }
}
