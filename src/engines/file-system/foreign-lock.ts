/**
 * The lock of another program's lock file: `flock`, which many shell scripts use. It is the system's own, so it ends with
 * the process that holds it, and needs no recovery.
 */
import { pause } from '../../kernel/clock.ts'
import { unavailable } from '../../kernel/errors.ts'
import type { Disk } from './disk.ts'

/** Such locks are held for a few milliseconds. A program that holds one for so long is stuck. */
const patienceMs = 10_000
const [firstPauseMs, longestPauseMs] = [1, 20]

/**
 * Runs `work` while this process holds the lock of an open file, which is closed afterwards. Where the system's call cannot
 * be reached, `work` runs without the lock.
 */
export async function whileLocked<T>(disk: Disk, fd: number, shown: string, work: () => Promise<T>): Promise<T> {
  try {
    await take(disk, fd, shown)
    return await work()
  } finally {
    // Closing ends the lock.
    disk.close(fd)
  }
}

async function take(disk: Disk, fd: number, shown: string): Promise<void> {
  const giveUpAt = performance.now() + patienceMs
  for (let pauseMs = firstPauseMs; disk.lockOpen?.(fd) === 'busy'; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    if (performance.now() > giveUpAt) {
      throw unavailable('LOCK_HELD', `Another program has held the lock ${shown} for ${patienceMs / 1000} s.`, {
        hint: `Find out which one it is (fuser ${shown}), then try again.`,
      })
    }
    await pause(pauseMs)
  }
}
