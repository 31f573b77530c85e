/** Makes the vectors of texts that have none yet, the newest first, for as long as there is time, and keeps them. */
import type { Embedder, EmbedderPort } from '../../kernel/embedder.ts'
import { SignalboxError } from '../../kernel/errors.ts'
import { isEnglishText } from '../../text/stop-words.ts'
import type { Tree } from '../../tree/tree.ts'
import { VectorIndex } from './vector-index.ts'

export interface Embeddable {
  readonly digest: string
  text(): Promise<string | undefined>
}

/** In milliseconds. */
export interface Patience {
  /** As long as this where nothing is embedded yet, or to finish. */
  readonly atFirst: number
  /** While there is more to do than that. */
  readonly later: number
}

/** So many are asked for and kept before the next: an endpoint that fails half-way need not begin again. */
const atOnce = 64

/** `texts`: the newest first. Throws what the provider throws. */
export async function embedTexts(
  { tree }: { readonly tree: Tree },
  embedder: Embedder,
  texts: readonly Embeddable[],
  patience: Patience,
) {
  const index = await VectorIndex.open(tree, embedder)
  // The same text is embedded once, however many messages say it.
  const distinct = [...new Map(texts.map((one) => [one.digest, one])).values()]
  const todo = distinct.filter(({ digest }) => !index.has(digest))
  const isFirst = todo.length === distinct.length
  // How long a text takes does not include loading the model.
  if (embedder.isLocal && todo.length > 0) await embedder.embed([''])
  const since = performance.now()
  const batch = embedder.isLocal ? 1 : atOnce
  let done = 0
  try {
    while (done < todo.length && (!embedder.isLocal || isTime(patience, isFirst, done, todo.length, since))) {
      await embedSome(index, embedder, todo.slice(done, done + batch))
      done = Math.min(todo.length, done + batch)
      if (done % atOnce === 0) await index.save()
      // Others in this process have something to do, too.
      await new Promise((resolve) => setImmediate(resolve))
    }
  } finally {
    await index.save()
  }
  return { index, made: done, missing: todo.length - done }
}

function isTime({ atFirst, later }: Patience, isFirst: boolean, done: number, all: number, since: number): boolean {
  const spent = performance.now() - since
  const isFinishing = done === 0 || (spent / done) * all <= atFirst
  return spent < (isFirst || isFinishing ? atFirst : later)
}

async function embedSome(index: VectorIndex, embedder: Embedder, some: readonly Embeddable[]): Promise<void> {
  const known: { digest: string; text: string }[] = []
  for (const { digest, text } of some) {
    const said = await text()
    if (said === undefined) continue
    if (embedder.isLocal && !isEnglishText(said)) index.add(digest, undefined)
    else known.push({ digest, text: said })
  }
  if (known.length === 0) return
  const vectors = await embedder.embed(known.map(({ text }) => text))
  for (const [i, { digest }] of known.entries()) index.add(digest, vectors[i])
}

/**
 * Works with the configured provider. When its endpoint fails, what comes with the package takes over, and when that fails too,
 * words alone. `instead`: why there is no provider. `failure`: why it is not the work of the configured one.
 */
export async function withMeaning<T>(
  port: EmbedderPort,
  byMeaning: (embedder: Embedder) => Promise<T>,
  byWords: (instead?: string) => T,
): Promise<{ readonly found: T; readonly failure?: SignalboxError }> {
  const attempt = async (which: 'configured' | 'offline'): Promise<T> => {
    const { embedder, instead } = await port.meaning(which)
    return embedder ? byMeaning(embedder) : byWords(which === 'configured' ? instead : undefined)
  }
  try {
    return { found: await attempt('configured') }
  } catch (failure) {
    if (!isProviderFailure(failure)) throw failure
    if (!isEndpointFailure(failure)) return { found: byWords(), failure }
    const found = await attempt('offline').catch((error: unknown) => {
      if (!isProviderFailure(error)) throw error
      return byWords()
    })
    return { found, failure }
  }
}

export const isEndpointFailure = ({ code }: SignalboxError): boolean =>
  ['EMBEDDINGS_UNAVAILABLE', 'BAD_EMBEDDINGS', 'BAD_ENDPOINT'].includes(code)

export const isProviderFailure = (error: unknown): error is SignalboxError =>
  error instanceof SignalboxError && (isEndpointFailure(error) || error.code === 'DAMAGED_MODEL')
