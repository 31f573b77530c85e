/** The user's own model, asked what a sentence means that was not understood; only where an endpoint is configured. */
import type { SessionPorts } from '../../protocols/shared-agent/index.ts'
import { modelKey } from '../model-key.ts'
import type { Around } from '../protocols.ts'

/** People wait for this; a question comes back all the same when nobody answers. */
const patience = { timeoutMs: 10_000, attempts: 2, pauseMs: 250 }
/** A command is a line. */
const mostTokens = 200

export function languageModel({ models, outside }: Pick<Around, 'models' | 'outside'>): SessionPorts['model'] {
  const { url, model } = models
  if (url === undefined || model === undefined) return undefined
  return {
    async ask(_, prompt) {
      const { httpModel } = await import('../../adapters/models/http-model.ts')
      return httpModel({ url, model, ...patience, ...modelKey({ models, outside }) }).write({
        material: prompt,
        mostTokens,
      })
    },
  }
}
