/** Errors as answers of the protocol: the speaker gets an `#ERROR` line, whatever the cause. */
import { SignalboxError } from '../../kernel/errors.ts'
import type { SayOutcome } from '../../protocols/shared-agent/index.ts'

/** Refused because of something outside of the protocol: there is no git repository, a file is damaged, a disk is full. */
interface Prevented extends Omit<SayOutcome, 'session'> {
  readonly outcome: 'refused'
  /** The error as other commands tell it. */
  readonly error: { readonly code: string; readonly message: string; readonly hint: string | null }
}

export type Answered = SayOutcome | Prevented

export async function answerOrRefusal(say: () => Promise<SayOutcome>): Promise<Answered> {
  try {
    return await say()
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error
    const { kind, code: cause, message, hint } = error
    const code = kind === 'Denied' ? 'E005' : 'E002'
    const answer = `#ERROR:${code}:${cause.toLowerCase()}`
    const told = { code: cause, message, hint: hint ?? null }
    return { outcome: 'refused', answer, lines: [answer], exit: 2, code, reason: message, error: told }
  }
}

/** Why it was refused, and what to do about it; `undefined` where it was not. */
export function reasonOf(answered: Answered) {
  const hint = 'error' in answered ? (answered.error.hint ?? undefined) : undefined
  return answered.reason === undefined ? undefined : { message: answered.reason, hint }
}
