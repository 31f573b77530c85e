/** Directories for tests: fresh, outside the repository, gone when the tests of the file are done. */
import { mkdtempSync, realpathSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

const made = new Set<string>()

/** Makes a directory of its own; callable in a test, in a hook or beside them. */
export function tempDir(base = tmpdir()): string {
  // The real path, because a program that asks where it is gets that one.
  const directory = realpathSync(mkdtempSync(join(base, 'signalbox-')))
  made.add(directory)
  return directory
}

/**
 * For tests that make and delete files by the ten thousand and prove nothing about a disk: a file system in memory
 * where the machine has one with room. A process that is killed leaves the same there as on a disk.
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

/** Lends a directory for the length of one call: for loops that would otherwise pile up thousands. */
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
  // A child that was killed a moment ago may still be writing; then the folder is not empty at first.
  rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 })
}

function removeAll(): void {
  for (const directory of made) remove(directory)
}

// Not `onTestFinished`: Bun accepts it in a `beforeAll`, and then calls it before the first test.
afterAll(removeAll)
// Where several files share one module (bun test without --isolate) the hook belongs to the first of them.
process.on('exit', removeAll)
