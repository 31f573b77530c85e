/**
 * One claim on one message: who has it, which time it was handed out, and until when. Pure. Where a claim is kept is the
 * protocol's (in the message, in a document, or in a note: `claim-notes.ts`); what makes one lost, and how that is said, is here.
 */
import { conflict, type SignalboxError } from '../../kernel/errors.ts'

export interface Claim {
  readonly holder: string
  /** 1 for the first time the message was handed out. A claim is known by it, also under the same name. */
  readonly attempt: number
  /** By the tree's time. Without it the claim has no end. */
  readonly until?: number
}

/** How an agent names its claim. Without an attempt: the claim that this agent holds. */
export interface Holding {
  readonly agent: string
  readonly attempt?: number
}

/** A claim without an end is never over. */
export const isOver = ({ until }: Pick<Claim, 'until'>, now: number): boolean => until !== undefined && until <= now

/** The claim that follows one that is over, or none. */
export const nextClaim = (before: Claim | undefined, holder: string, until?: number): Claim => ({
  holder,
  attempt: (before?.attempt ?? 0) + 1,
  ...(until === undefined ? {} : { until }),
})

/** Why a claim is not this agent's any more, as the end of a sentence; `undefined` while it is. */
export function whyLost(
  claim: Claim | undefined,
  { agent, attempt }: Holding,
  now = Number.NEGATIVE_INFINITY,
): string | undefined {
  if (!claim) return 'nobody has it'
  if (claim.holder !== agent) return `${claim.holder} has it, as attempt ${claim.attempt}`
  if (attempt !== undefined && attempt < claim.attempt) return `it was handed out again, as attempt ${claim.attempt}`
  if (attempt !== undefined && attempt > claim.attempt) return `attempt ${attempt} was never handed out`
  return isOver(claim, now) ? 'its time has run out' : undefined
}

/** The one error of every protocol for a claim that is not the caller's any more. `next`: what to do, in the imperative. */
export const lostClaim = (
  id: string,
  why: string,
  next = 'Stop working on it; what you wrote elsewhere stays. Claim the next message.',
  details: Readonly<Record<string, unknown>> = {},
): SignalboxError =>
  conflict('LOST_CLAIM', `The claim on message ${id} is lost: ${why}.`, { hint: next, details: { id, ...details } })

/** Throws `LOST_CLAIM` unless the claim is this agent's. */
export function expectHeld(id: string, claim: Claim | undefined, holding: Holding, now?: number, next?: string): void {
  const why = whyLost(claim, holding, now)
  if (why !== undefined) throw lostClaim(id, why, next, { agent: holding.agent, attempt: claim?.attempt ?? null })
}
