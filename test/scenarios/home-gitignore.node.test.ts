/** What Signalbox keeps for itself stays out of `git status`, also where nobody ran `init`. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempDir } from '../support/temp.ts'
import { quickCli } from './cli-program.ts'

const hasGit = spawnSync('git', ['--version']).status === 0
const status = (root: string) =>
  execFileSync('git', ['status', '--short', '--untracked-files=all'], { cwd: root, encoding: 'utf8' })

function work(root: string): void {
  const run = (...words: string[]) => expect(quickCli([...words, '--root', root]).exit).toBe(0)
  run('acmq', 'create-mission', 'alpha')
  run('acmq', 'send', 'alpha', '--from', 'ann', '--to', 'bob', '--body', 'Hello')
  run('acmq', 'claim', 'alpha', '--as', 'bob')
  run('mr', 'init', 'bob')
  run('mr', 'send', '--from', 'ann', '--to', 'bob', '--type', 'command', '--payload', '{"action":"start"}')
}

it.skipIf(!hasGit)('nothing of .signalbox/ is new to git after work without init', () => {
  const root = tempDir()
  execFileSync('git', ['init', '-q', root])
  work(root)
  expect(existsSync(join(root, '.signalbox/engine'))).toBe(true)
  expect(status(root)).not.toContain('.signalbox')
  // `init` makes one that is meant to be committed.
  expect(quickCli(['init', '--root', root]).out).toContain('made  .signalbox/.gitignore')
  expect(status(root)).toContain('.signalbox/.gitignore')
  expect(status(root)).not.toContain('.signalbox/engine')
})

it('a .gitignore that is there is left as it is, and none is put into a folder that somebody made', () => {
  const [own, made] = [tempDir(), tempDir()]
  for (const root of [own, made]) mkdirSync(join(root, '.signalbox'))
  writeFileSync(join(own, '.signalbox/.gitignore'), '*\n')
  work(own)
  work(made)
  expect(quickCli(['init', '--root', own]).out).toContain('was there  .signalbox/.gitignore')
  expect(readFileSync(join(own, '.signalbox/.gitignore'), 'utf8')).toBe('*\n')
  expect(existsSync(join(made, '.signalbox/.gitignore'))).toBe(false)
})
