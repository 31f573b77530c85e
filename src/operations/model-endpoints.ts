/**
 * What every request to the endpoint of a model needs: its key, and that an endpoint which kept a command waiting is left
 * alone by later commands for a while (see `leavingAlone`).
 */
import { leavingAlone, type SilenceNote } from '../adapters/leave-alone.ts'
import { denied, invalidInput } from '../kernel/errors.ts'
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

const largest = 64 * 1024

/** The first line of a file that only its owner may read. */
export function modelKey({ models, outside }: Pick<AroundModels, 'models' | 'outside'>): { readonly key?: string } {
  const path = models.keyFile
  if (path === undefined) return {}
  if (!outside.isPrivate(path)) {
    throw denied('KEY_NOT_PRIVATE', `Others may read ${path}, so the key in it is not used.`, {
      hint: `Make it your own: chmod 600 '${path}'`,
      details: { path },
    })
  }
  const key = outside.readText(path, largest)?.split('\n', 1)[0]?.trim()
  if (key) return { key }
  throw invalidInput('NO_MODEL_KEY', `There is no key for the model in ${path}.`, {
    hint: 'Write it on the first line of that file, or unset SIGNALBOX_MODELS_KEY_FILE if the endpoint needs none.',
    details: { path },
  })
}
