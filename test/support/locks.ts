/** A lock as a program takes it that has nothing to write down before. */
import type { LockWish } from '../../src/messaging/locks/line.ts'
import type { Busy, Held, LockRequest, LockWaitOptions } from '../../src/messaging/locks/lock-request.ts'
import type { NamedLocks } from '../../src/messaging/locks/named-locks.ts'

const take = (locks: NamedLocks, request: LockRequest): Promise<Held | Busy> =>
  locks.turn(async () => (await request.busy()) ?? request.take())

export const acquire = (locks: NamedLocks, wish: LockWish): Promise<Held | Busy> => take(locks, locks.request(wish))

/** The answer of the last look, when the time is up. */
export async function waitFor(locks: NamedLocks, wish: LockWish, options: LockWaitOptions): Promise<Held | Busy> {
  const request = await locks.waitingRequest(wish, options)
  try {
    for (;;) {
      const taken = await take(locks, request)
      if (taken.outcome === 'held' || taken.circle || !(await request.next())) return taken
    }
  } finally {
    await request.close()
  }
}
