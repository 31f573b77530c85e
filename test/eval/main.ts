/**
 * `npm run eval`: prints how well search and groups do on the side of the labelled sets that nobody tunes on. Count the looks: they
 * stand in `docs/memory-quality.md`.
 *
 *   npm run eval -- --tune                                          on the other side, for whoever changes a number
 *   npm run eval -- --glove                                         beside GloVe, too (fetches 118 MB once)
 *   npm run eval -- --provider openai --url URL --model NAME        with the vectors of an endpoint (or `ollama`)
 *   npm run eval -- --json
 */
import { existsSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { localEmbedder } from '../../src/adapters/embeddings/local-embedder.ts'
import { type Evaluation, evaluate, type Vectors } from './evaluate.ts'
import { readParts } from './parts.ts'
import { printEvaluations } from './print.ts'

const { values } = parseArgs({
  options: {
    tune: { type: 'boolean', default: false },
    glove: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    provider: { type: 'string', default: 'local' },
    url: { type: 'string' },
    model: { type: 'string' },
    'key-file': { type: 'string' },
  },
})
const root = process.env.SIGNALBOX_EVAL_ROOT ?? '.'
const model = await chosen()
const others = values.glove ? { GloVe: (await import('./glove.ts')).glove(`${root}/build/glove`) } : {}
const evaluations = new Map<string, Evaluation>()
for (const [name, part] of readParts(values.tune ? 'tune' : 'test', `${root}/test/eval`))
  evaluations.set(name, await evaluate(part, model, others))
console.log(values.json ? JSON.stringify([...evaluations]) : printEvaluations(evaluations))

async function chosen(): Promise<Vectors> {
  if (values.provider === 'local') {
    const read = (path: string) => (existsSync(`${root}/${path}`) ? readFileSync(`${root}/${path}`) : undefined)
    return { ...localEmbedder(read), isLocal: true }
  }
  const { httpEmbedder } = await import('../../src/adapters/embeddings/http-embedder.ts')
  const { provider, url, model: name, 'key-file': keyFile } = values
  if ((provider !== 'openai' && provider !== 'ollama') || !url || !name)
    throw new Error('Say --provider openai or ollama, --url and --model.')
  const key = keyFile === undefined ? undefined : readFileSync(keyFile, 'utf8').trim()
  return {
    ...(await httpEmbedder({ provider, url, model: name, ...(key === undefined ? {} : { key }) })),
    isLocal: false,
  }
}
