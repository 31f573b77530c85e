/**
 * Somebody who did not answer is left alone for a while: whoever asks meanwhile is told at once what was the matter. Otherwise
 * each of many questions in one pass would wait as long as the first.
 */
import { SignalboxError } from '../kernel/errors.ts'

const longestMs = 5 * 60 * 1000

export type Asking = <T>(ask: () => Promise<T>) => Promise<T>

/** `now` in milliseconds, unless a test says otherwise. */
export function leavingAlone(now: () => number = () => performance.now()): Asking {
  let failed: { readonly error: SignalboxError; readonly until: number } | undefined
  return async (ask) => {
    if (failed && now() < failed.until) throw failed.error
    try {
      return await ask()
    } catch (error) {
      if (error instanceof SignalboxError && error.kind === 'Unavailable' && error.details.refused !== true)
        failed = { error, until: now() + longestMs }
      throw error
    }
  }
}
