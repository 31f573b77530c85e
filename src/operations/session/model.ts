/** The user's own model, asked what a sentence means that was not understood; only where an endpoint is configured. */
import type { LanguageModel } from '../../protocols/shared-agent/index.ts'
import { askingModel, modelKey } from '../model-endpoints.ts'
import type { AroundModels } from '../protocols.ts'

/** A person waits for the answer; without one, the sentence is asked back. */
const patience = { timeoutMs: 10_000, attempts: 2, pauseMs: 250 }
/** A command is a line. */
const mostTokens = 200

export function languageModel(
  around: Pick<AroundModels, 'models' | 'outside' | 'recently'>,
): LanguageModel | undefined {
  const { models, outside } = around
  const { url, model } = models
  if (url === undefined || model === undefined) return undefined
  const askModel = askingModel(around)
  return {
    async ask(_, prompt) {
      const { httpModel } = await import('../../adapters/models/http-model.ts')
      const { write } = httpModel({ url, model, ...patience, ...modelKey({ models, outside }) })
      return askModel(() => write({ material: prompt, mostTokens }))
    },
  }
}
