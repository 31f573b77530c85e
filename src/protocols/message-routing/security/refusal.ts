/** How the guards say no to a message that has arrived; the store logs it and sets the file aside. */
import type { Rejection } from '../hooks.ts'

type Code = 'UNSIGNED' | 'UNKNOWN_KEY' | 'BAD_SIGNATURE' | 'REPLAYED' | 'TOO_OLD' | 'RATE_EXCEEDED' | 'NOT_OPENED'

/** Issues have no full stop, as in the specification's example. */
export const rejected = (code: Code, issue: string): Rejection => ({
  outcome: 'rejected',
  code,
  issues: [issue],
})
