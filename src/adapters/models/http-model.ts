/** A model that writes texts, behind an endpoint that speaks as OpenAI's does (`POST URL/chat/completions`). */
import { corrupt, unavailable } from '../../kernel/errors.ts'
import { silentBefore } from '../leave-alone.ts'
import { below, checkAddress, placeOf, postJson } from '../post-json.ts'

interface ModelOptions {
  /** Without what comes after it: `https://api.example.com/v1`. */
  readonly url: string
  readonly model: string
  /** Never shown, not even in an error. */
  readonly key?: string
  readonly timeoutMs?: number
  readonly attempts?: number
  readonly pauseMs?: number
}

const mostBytes = 4 * 1024 * 1024
/** In characters. */
const longestAnswer = 20_000

interface HttpModel {
  readonly id: string
  write(asked: Asked): Promise<string>
}

export interface Asked {
  readonly instructions?: string
  readonly material: string
  readonly mostTokens?: number
}

export function httpModel(options: ModelOptions): HttpModel {
  const { url, model, key, timeoutMs = 60_000, attempts = 2, pauseMs = 1000 } = options
  checkAddress(url)
  return {
    id: model,
    async write({ instructions, material, mostTokens }) {
      const messages = [
        ...(instructions === undefined ? [] : [{ role: 'system', content: instructions }]),
        { role: 'user', content: material },
      ]
      const bound = mostTokens === undefined ? {} : { max_tokens: mostTokens }
      const sending = { address: below(url, 'chat/completions'), key, timeoutMs, attempts, pauseMs, mostBytes }
      const posted = await postJson({ model, messages, temperature: 0, ...bound }, sending)
      if (posted.outcome === 'unavailable' || posted.outcome === 'refused')
        throw cannotBeUsed(url, posted.why, { refused: posted.outcome === 'refused', silent: posted.isSilent === true })
      const text = posted.outcome === 'answered' ? textIn(posted.json) : undefined
      if (text === undefined) throw badAnswer(url)
      return text.slice(0, longestAnswer)
    },
  }
}

function textIn(answer: unknown): string | undefined {
  const { choices } = (answer ?? {}) as { choices?: unknown }
  const [first] = Array.isArray(choices) ? choices : []
  const content = (first as { message?: { content?: unknown } } | undefined)?.message?.content
  return typeof content === 'string' && content.trim() !== '' ? content.trim() : undefined
}

const cannotBeUsed = (url: string, why: string, details: Readonly<Record<string, boolean>> = {}) =>
  unavailable('MODEL_UNAVAILABLE', `The model at ${placeOf(url)} cannot be used: ${why}.`, {
    hint: 'See that it runs, and that SIGNALBOX_MODELS_URL, SIGNALBOX_MODELS_MODEL and the key are right.',
    details,
  })

/** The error for a model that kept an earlier command waiting, `agoMs` ago. */
export const silentModel = (url: string, agoMs: number) => cannotBeUsed(url, silentBefore(agoMs))

const badAnswer = (url: string) =>
  corrupt('BAD_MODEL_ANSWER', `The model at ${placeOf(url)} answered nothing that can be used.`, {
    hint: 'See that the configured model is one that writes texts.',
  })
