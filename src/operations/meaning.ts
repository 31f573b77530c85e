/** Vectors for whoever searches: from the sentence model of the package, or from the endpoint that the user has set. */
import type { EmbedderPort, Meaning } from '../kernel/embedder.ts'
import { invalidInput } from '../kernel/errors.ts'
import { once } from '../kernel/once.ts'
import { askingEmbedder, modelKey } from './model-endpoints.ts'
import type { AroundModels } from './protocols.ts'

export type NeededForModels = Pick<AroundModels, 'packageFile' | 'models' | 'outside' | 'recently'>

/** How long is waited for an endpoint, unless its adapter shall decide. */
export interface EndpointPatience {
  readonly timeoutMs?: number
  readonly attempts?: number
  readonly pauseMs?: number
}

export function embedderPort(around: NeededForModels, patience: EndpointPatience = {}): EmbedderPort {
  const { packageFile, models, outside } = around
  const ask = askingEmbedder(around)
  const local = once(async (): Promise<Meaning> => {
    const { localEmbedder } = await import('../adapters/embeddings/local-embedder.ts')
    return { embedder: localEmbedder(packageFile) }
  })
  const configured = once(async (): Promise<Meaning> => {
    const { embeddings: provider, embeddingsUrl: url, embeddingsModel: model } = models
    if (provider === 'local') return local()
    if (url === undefined || model === undefined) throw incomplete(provider)
    const { httpEmbedder } = await import('../adapters/embeddings/http-embedder.ts')
    const embedder = await ask(() =>
      httpEmbedder({ provider, url, model, ...patience, ...modelKey({ models, outside }) }),
    )
    return { embedder: { ...embedder, embed: (texts) => ask(() => embedder.embed(texts)) } }
  })
  return { meaning: (which = 'configured') => (which === 'offline' ? local() : configured()) }
}

const incomplete = (provider: string) =>
  invalidInput('BAD_CONFIGURATION', `Embeddings should come from ${provider}, but it is not said from where.`, {
    hint: 'Set SIGNALBOX_MODELS_EMBEDDINGS_URL and SIGNALBOX_MODELS_EMBEDDINGS_MODEL, or unset SIGNALBOX_MODELS_EMBEDDINGS.',
  })
