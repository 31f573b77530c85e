/** What AC-MQ needs from outside the tree: models that know what texts mean. */
import { invalidInput } from '../../kernel/errors.ts'
import { once } from '../../kernel/once.ts'
import type { AcmqPorts, Meaning } from '../../protocols/ac-mq/index.ts'
import { askingEmbedder, askingModel, modelKey } from '../model-endpoints.ts'
import type { AroundModels } from '../protocols.ts'

type Needed = Pick<AroundModels, 'packageFile' | 'models' | 'outside' | 'recently'>

/** How long is waited for an endpoint, unless its adapter shall decide. */
interface Patience {
  readonly timeoutMs?: number
  readonly attempts?: number
  readonly pauseMs?: number
}

export function acmqPorts(around: Needed, patience: Patience = {}): AcmqPorts {
  const { packageFile, models, outside } = around
  const [askEmbedder, askModel] = [askingEmbedder(around), askingModel(around)]
  const local = once(async (): Promise<Meaning> => {
    const { localEmbedder } = await import('../../adapters/embeddings/local-embedder.ts')
    return { embedder: localEmbedder(packageFile) }
  })
  const endpoint = once(async (): Promise<Meaning> => {
    const { embeddings: provider, embeddingsUrl: url, embeddingsModel: model } = models
    if (provider === 'local') return local()
    if (url === undefined || model === undefined) throw incomplete(provider)
    const { httpEmbedder } = await import('../../adapters/embeddings/http-embedder.ts')
    const embedder = await askEmbedder(() =>
      httpEmbedder({ provider, url, model, ...patience, ...modelKey({ models, outside }) }),
    )
    return { embedder: { ...embedder, embed: (texts) => askEmbedder(() => embedder.embed(texts)) } }
  })
  return {
    async meaning(which = 'configured') {
      return which === 'offline' ? local() : endpoint()
    },
    async writer() {
      const { url, model } = models
      if (url === undefined || model === undefined) return undefined
      const { httpModel } = await import('../../adapters/models/http-model.ts')
      const { id, write } = httpModel({ url, model, ...patience, ...modelKey({ models, outside }) })
      return { id, write: (asked) => askModel(() => write(asked)) }
    },
  }
}

const incomplete = (provider: string) =>
  invalidInput('BAD_CONFIGURATION', `Embeddings should come from ${provider}, but it is not said from where.`, {
    hint: 'Set SIGNALBOX_MODELS_EMBEDDINGS_URL and SIGNALBOX_MODELS_EMBEDDINGS_MODEL, or unset SIGNALBOX_MODELS_EMBEDDINGS.',
  })
