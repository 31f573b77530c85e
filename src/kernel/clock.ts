/** Time is passed in, so that tests can stop it. Milliseconds since 1970, UTC. */
export interface Clock {
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** `2025-07-04T10:30:00Z`: to the second, as people read it. */
export const isoTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`

/** A clock that moves only when told to. */
export function heldClock(start = Date.UTC(2026, 0, 1)): Clock & { advance(milliseconds: number): void } {
  let at = start
  return {
    now: () => at,
    advance(milliseconds) {
      at += milliseconds
    },
  }
}
