/**
 * `npm run eval`: prints how well clustering and search do on the part of the labelled set that nobody tunes on.
 *
 *   npm run eval -- --tune                                          on the other part, for whoever changes a number
 *   npm run eval -- --provider openai --url URL --model NAME        with the vectors of an endpoint (or `ollama`)
 *   npm run eval -- --json
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { WordVectors } from '../../src/text/word-vectors.ts'
import { evaluate } from './evaluate.ts'
import { readPart } from './labelled-set.ts'
import { printEvaluation } from './print.ts'

const { values } = parseArgs({
  options: {
    tune: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    provider: { type: 'string', default: 'local' },
    url: { type: 'string' },
    model: { type: 'string' },
    'key-file': { type: 'string' },
  },
})
const root = process.env.SIGNALBOX_EVAL_ROOT ?? '.'
const name = values.tune ? 'hand-tune-1' : 'hand-tune-2'
const part = readPart(`${root}/test/eval/${name}.md`)
const isLocal = values.provider === 'local'
const evaluation = await evaluate(part, { embedder: await chosen(), isLocal })
console.log(values.json ? JSON.stringify(evaluation) : `${printEvaluation(evaluation)}`)

async function chosen() {
  if (isLocal) return new WordVectors(readFileSync(`${root}/data/word-vectors.bin`))
  const { httpEmbedder } = await import('../../src/adapters/embeddings/http-embedder.ts')
  const { provider, url, model, 'key-file': keyFile } = values
  if ((provider !== 'openai' && provider !== 'ollama') || !url || !model)
    throw new Error('Say --provider openai or ollama, --url and --model.')
  const key = keyFile === undefined ? undefined : readFileSync(keyFile, 'utf8').trim()
  return httpEmbedder({ provider, url, model, ...(key === undefined ? {} : { key }) })
}
