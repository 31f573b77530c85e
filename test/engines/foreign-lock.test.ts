/** The lock file of another program: `flock`, as shell scripts use it. */
import { spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
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

      const other = spawn('flock', [path, 'sh', '-c', 'echo held; read line; echo done'], {
        stdio: ['pipe', 'pipe', 'inherit'],
      })
      const said: string[] = []
      await new Promise<void>((resolve) => other.stdout.on('data', (text) => resolve(void said.push(`${text}`))))
      const work = tree.besideLock!(lock, async () => said.push('work'))
      await new Promise((resolve) => setTimeout(resolve, 30))
      other.stdin.end('\n')
      await work
      expect(said.join('')).toBe('held\ndone\nwork')
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
