/**
 * Embeddings from an endpoint, by plain `fetch`: one that speaks as OpenAI's does (`POST URL/embeddings`), or Ollama
 * (`POST URL/api/embed`). Texts go in batches; what fails for a while is tried again. Nothing is sent unless
 * the user configured an endpoint.
 */
import type { Embedder } from '../../kernel/embedder.ts'
import { corrupt, unavailable } from '../../kernel/errors.ts'
import { silentBefore } from '../leave-alone.ts'
import { below, checkAddress, placeOf, postJson } from '../post-json.ts'

export interface EndpointOptions {
  readonly provider: 'openai' | 'ollama'
  /** The base, without the path of the request: `https://api.example.com/v1`, `http://localhost:11434`. */
  readonly url: string
  readonly model: string
  /** Never shown, not even in an error. */
  readonly key?: string
  readonly timeoutMs?: number
  readonly attempts?: number
  readonly batch?: number
  /** In milliseconds, before the second attempt; twice as long before each further one. */
  readonly pauseMs?: number
}

/** Of one answer. */
const mostBytes = 64 * 1024 * 1024
/** Endpoints refuse longer texts; the beginning says what a text is about. In characters. */
const longestText = 8000

export async function httpEmbedder(options: EndpointOptions): Promise<Embedder> {
  checkAddress(options.url)
  const embed = (texts: readonly string[]) => embedAll(options, texts)
  // How many numbers a vector has is known only from an answer.
  const [probe] = await embed(['signalbox'])
  const dim = probe!.length
  return {
    id: options.provider,
    // Two servers may give one name to different models, and vectors of both must not be compared.
    version: `${options.model} at ${placeOf(options.url)}${new URL(options.url).pathname}`,
    dim,
    async embed(texts) {
      const vectors = await embed(texts)
      const odd = vectors.find((vector) => vector.length !== dim)
      if (odd) throw badAnswer(options, `vectors of ${odd.length} numbers where it gave ${dim} before`)
      return vectors
    },
  }
}

async function embedAll(options: EndpointOptions, texts: readonly string[]): Promise<Float32Array[]> {
  const { batch = 64 } = options
  const vectors: Float32Array[] = []
  for (let at = 0; at < texts.length; at += batch) {
    // Some endpoints refuse an empty text.
    const some = texts.slice(at, at + batch).map((text) => text.slice(0, longestText) || ' ')
    vectors.push(...vectorsIn(options, await ask(options, some), some.length))
  }
  return vectors
}

async function ask(options: EndpointOptions, input: readonly string[]): Promise<unknown> {
  const { provider, url, model, key, timeoutMs = 30_000, attempts = 3, pauseMs = 500 } = options
  const address = below(url, provider === 'openai' ? 'embeddings' : 'api/embed')
  const posted = await postJson({ model, input }, { address, key, timeoutMs, attempts, pauseMs, mostBytes })
  if (posted.outcome === 'answered') return posted.json
  if (posted.outcome === 'bad') throw badAnswer(options, posted.why)
  throw cannotBeUsed(url, posted.why, { refused: posted.outcome === 'refused', silent: posted.isSilent === true })
}

const cannotBeUsed = (url: string, why: string, details: Readonly<Record<string, boolean>> = {}) =>
  unavailable('EMBEDDINGS_UNAVAILABLE', `The endpoint for embeddings at ${placeOf(url)} cannot be used: ${why}.`, {
    hint: 'See that it runs, and that SIGNALBOX_MODELS_EMBEDDINGS_URL, …_MODEL and the key are right.',
    details,
  })

/** The error for an endpoint that kept an earlier command waiting, `agoMs` ago. */
export const silentEmbedder = (url: string, agoMs: number) => cannotBeUsed(url, silentBefore(agoMs))

function vectorsIn(options: EndpointOptions, answer: unknown, count: number): Float32Array[] {
  const { data, embeddings } = (answer ?? {}) as { data?: unknown; embeddings?: unknown }
  const rows = options.provider === 'openai' ? inPlace(data, count) : embeddings
  if (!Array.isArray(rows) || rows.length !== count)
    throw badAnswer(options, `not one vector for each of ${count} texts`)
  return rows.map((row) => {
    if (!Array.isArray(row) || row.length === 0 || row.length > 65_536 || !row.every(Number.isFinite))
      throw badAnswer(options, 'a vector that is none')
    return Float32Array.from(row as number[])
  })
}

/** Each vector says which text it is for, because endpoints may answer in another order. */
function inPlace(data: unknown, count: number): unknown {
  if (!Array.isArray(data) || data.length !== count) return undefined
  const rows: unknown[] = new Array(count)
  for (const [at, one] of data.entries()) {
    const { index = at, embedding } = (one ?? {}) as { index?: unknown; embedding?: unknown }
    if (typeof index !== 'number' || !(index in data) || rows[index] !== undefined) return undefined
    rows[index] = embedding
  }
  return rows
}

const badAnswer = ({ url }: EndpointOptions, what: string) =>
  corrupt('BAD_EMBEDDINGS', `The endpoint for embeddings at ${placeOf(url)} answered ${what}.`, {
    hint: 'See that the configured model is one for embeddings.',
  })
