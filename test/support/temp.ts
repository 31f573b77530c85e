/** Directories for tests: new, outside the repository, removed when the tests of the file are done. */
import { mkdtempSync, realpathSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

const made = new Set<string>()

/** Makes a new directory. May be called in a test, in a hook, or outside of both. */
export function tempDir(base = tmpdir()): string {
  // The real path, because that is what programs see as their directory.
  const directory = realpathSync(mkdtempSync(join(base, 'signalbox-')))
  made.add(directory)
  return directory
}

/**
 * For tests that make and delete tens of thousands of files and prove nothing about a disk: in memory, if the machine has
 * such a file system with room. After a kill, files are left there as on a disk.
 */
export const quickTempDir = (): string => tempDir(memoryFileSystem)

const memoryFileSystem = roomIn('/dev/shm') > 2 ** 30 ? '/dev/shm' : tmpdir()

function roomIn(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    return 0 // Not on this system.
  }
}

/** A directory for one call, removed afterwards: for loops that would need thousands. */
export async function withTempDir<T>(use: (directory: string) => T | Promise<T>): Promise<T> {
  const directory = quickTempDir()
  try {
    return await use(directory)
  } finally {
    remove(directory)
  }
}

function remove(directory: string): void {
  made.delete(directory)
  // A child that was just killed may still be writing, so that the folder is not empty yet.
  rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 })
}

export function removeTempDirs(): void {
  for (const directory of made) remove(directory)
}

// Not `onTestFinished`: Bun accepts it in a `beforeAll`, and then calls it before the first test.
afterAll(removeTempDirs)
// If several test files share this module (bun test without --isolate), the hook runs only for the first.
process.on('exit', removeTempDirs)
