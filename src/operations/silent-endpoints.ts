/** Endpoints that kept a command waiting are left alone by the commands after it for a while: see `leavingAlone`. */
import { leavingAlone, type SilenceNote } from '../adapters/leave-alone.ts'
import type { AroundModels } from './protocols.ts'

type Needed = Pick<AroundModels, 'models' | 'recently'>

export const askingEmbedder = ({ models, recently }: Needed) =>
  leaving(recently, `embeddings ${models.embeddingsUrl} ${models.embeddingsModel}`, async (agoMs) =>
    (await import('../adapters/embeddings/http-embedder.ts')).silentEmbedder(models.embeddingsUrl!, agoMs),
  )

export const askingModel = ({ models, recently }: Needed) =>
  leaving(recently, `model ${models.url} ${models.model}`, async (agoMs) =>
    (await import('../adapters/models/http-model.ts')).silentModel(models.url!, agoMs),
  )

function leaving(recently: Needed['recently'], what: string, error: SilenceNote['error']) {
  if (!recently) return leavingAlone()
  const silent = `${what} kept silent`
  const [age, put] = [async () => (await recently()).age(silent), async () => (await recently()).note(silent)]
  return leavingAlone({ note: { age, put, error } })
}
