/** The lock file of another program: `flock`, as shell scripts use it. */
import { spawn, spawnSync } from 'node:child_process'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { loadNative } from '../../src/engines/file-system/native.ts'
import { treePath, treeRoot } from '../../src/kernel/tree-path.ts'
import { withTempDir } from '../support/temp.ts'

const lock = treePath('counter.lock')
const flock = (...words: string[]) => spawnSync('flock', words).status
const missing =
  flock('--version') !== 0 ? 'there is no flock program' : loadNative() ? undefined : 'flock cannot be called from here'

describe(`a foreign lock${missing ? ` (skipped: ${missing})` : ''}`, () => {
  it.skipIf(missing !== undefined)('is held while the work runs, and waited for', () =>
    withTempDir(async (root) => {
      const path = join(root, lock)
      writeFileSync(path, '')
      const tree = await openFileTree({ root })
      await tree.besideLock!(lock, async () => expect(flock('-n', path, 'true')).toBe(1))
      expect(flock('-n', path, 'true')).toBe(0)

      // Both write to one file: its order is the order in which they had the lock.
      const marks = join(root, 'marks')
      const other = spawn('flock', [path, 'sh', '-c', 'echo held; read line; echo done >> "$0"', marks], {
        stdio: ['pipe', 'pipe', 'inherit'],
      })
      await new Promise<void>((resolve) => other.stdout.once('data', () => resolve()))
      const work = tree.besideLock!(lock, async () => appendFileSync(marks, 'work\n'))
      await new Promise((resolve) => setTimeout(resolve, 30))
      other.stdin.end('\n')
      await work
      expect(readFileSync(marks, 'utf8')).toBe('done\nwork\n')
      await tree.close()
    }),
  )

  it('that is not there, or no file, keeps nobody from working, and is not made', () =>
    withTempDir(async (root) => {
      const tree = await openFileTree({ root })
      expect(await tree.besideLock!(lock, async () => 'done')).toBe('done')
      expect(await tree.list(treeRoot)).not.toContainEqual(expect.objectContaining({ name: lock }))
      await tree.makeFolder(lock)
      expect(await tree.besideLock!(lock, async () => 'done')).toBe('done')
      await tree.close()
    }))
})
