/** Directories for tests: fresh, outside the repository, gone when the tests of the file are done. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

const made = new Set<string>()

/** Makes a directory of its own; callable in a test, in a hook or beside them. */
export function tempDir(): string {
  // The real path, because a program that asks where it is gets that one.
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-')))
  made.add(directory)
  return directory
}

/** Lends a directory for the length of one call: for loops that would otherwise pile up thousands. */
export async function withTempDir<T>(use: (directory: string) => T | Promise<T>): Promise<T> {
  const directory = tempDir()
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
