/** The key for the endpoints of models: the first line of a file that only its owner may read. */
import { denied, invalidInput } from '../kernel/errors.ts'
import type { AroundModels } from './protocols.ts'

const largest = 64 * 1024

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
