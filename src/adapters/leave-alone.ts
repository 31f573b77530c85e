/**
 * An endpoint that did not answer is left alone for a while: callers get the same error at once. Otherwise each of many
 * questions in one pass would wait as long as the first. An endpoint that let its time limit pass is noted, too, so that the
 * next command does not wait again.
 */
import { SignalboxError } from '../kernel/errors.ts'

const longestMs = 5 * 60 * 1000

export type Asking = <T>(ask: () => Promise<T>) => Promise<T>

/** What one process leaves for the next: that an endpoint kept it waiting. */
export interface SilenceNote {
  /** How long ago that was, in milliseconds; `undefined` when there is no note. */
  age(): Promise<number | undefined>
  put(): Promise<void>
  /** What callers get while the endpoint is left alone. */
  error(agoMs: number): Promise<SignalboxError>
}

interface Leaving {
  /** In milliseconds, unless a test says otherwise. */
  readonly now?: () => number
  readonly note?: SilenceNote
}

export function leavingAlone({ now = () => performance.now(), note }: Leaving = {}): Asking {
  let failed: { readonly error: SignalboxError; readonly until: number } | undefined
  let isNoteRead = note === undefined
  const readNote = async (note: SilenceNote): Promise<void> => {
    isNoteRead = true
    const age = await note.age()
    if (age !== undefined && age < longestMs) failed = { error: await note.error(age), until: now() + longestMs - age }
  }
  return async (ask) => {
    if (note && !isNoteRead) await readNote(note)
    if (failed && now() < failed.until) throw failed.error
    try {
      return await ask()
    } catch (error) {
      if (error instanceof SignalboxError && error.kind === 'Unavailable' && error.details.refused !== true) {
        failed = { error, until: now() + longestMs }
        // An endpoint that fails at once costs the next command nothing, and may work again by then.
        if (error.details.silent === true) await note?.put()
      }
      throw error
    }
  }
}

/** What is said of an endpoint that kept an earlier command waiting. */
export const silentBefore = (agoMs: number): string => {
  const minutes = Math.round(agoMs / 60_000)
  const ago = minutes === 0 ? 'less than a minute' : minutes === 1 ? 'a minute' : `${minutes} minutes`
  return `it did not answer in time ${ago} ago, and is asked again five minutes after that`
}
