/**
 * Repositories for tests, each a copy of one that is made once, and pictures of them: everything that is the user's, read with
 * nothing of the library and without asking git, which would write to its index.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { join } from 'node:path'
import { quickTempDir } from './temp.ts'

const environment = {
  PATH: process.env.PATH,
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.org',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.org',
  GIT_AUTHOR_DATE: '1700000000 +0000',
  GIT_COMMITTER_DATE: '1700000000 +0000',
  GIT_EDITOR: 'true',
}

/** git as a user would call it. `mayFail`: a merge with conflicts, for one. */
export function git(cwd: string, args: readonly string[], { mayFail = false } = {}): string {
  try {
    return execFileSync('git', ['-c', 'init.defaultBranch=main', '-c', 'protocol.file.allow=always', ...args], {
      cwd,
      env: environment,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', mayFail ? 'ignore' : 'pipe'],
    })
  } catch (error) {
    if (mayFail) return ''
    throw error
  }
}

export function put(root: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [path, content] of Object.entries(files)) {
    const full = join(root, path)
    fs.mkdirSync(join(full, '..'), { recursive: true })
    fs.writeFileSync(full, content)
  }
}

let template: string | undefined

/** A copy of a repository with two commits, an ignored file and a branch beside. */
export function makeRepository(): string {
  // Another test file that shares this module may have cleared it away.
  if (template === undefined || !fs.existsSync(template)) template = makeTemplate()
  const root = quickTempDir()
  execFileSync('cp', ['-a', `${template}/.`, root])
  return root
}

function makeTemplate(): string {
  const root = quickTempDir()
  git(root, ['init', '-q'])
  put(root, {
    'README.md': 'one\ntwo\nthree\n',
    'src/a.txt': 'a\n',
    'src/b.txt': 'b\n',
    'src/deep/c.txt': 'c\n',
    '.gitignore': 'ignored/\n*.log\n',
    'run.sh': '#!/bin/sh\n',
  })
  fs.chmodSync(join(root, 'run.sh'), 0o755)
  fs.symlinkSync('src/a.txt', join(root, 'link'))
  git(root, ['add', '-A'])
  git(root, ['commit', '-q', '-m', 'first'])
  git(root, ['checkout', '-q', '-b', 'side'])
  put(root, { 'README.md': 'one\nside\nthree\n', 'side.txt': 'side\n' })
  git(root, ['add', '-A'])
  git(root, ['commit', '-q', '-m', 'side'])
  git(root, ['checkout', '-q', 'main'])
  put(root, { 'README.md': 'one\nmain\nthree\n' })
  git(root, ['commit', '-q', '-a', '-m', 'second'])
  put(root, { 'ignored/cache': 'cached\n', 'noise.log': 'noise\n' })
  return root
}

export interface Picture {
  readonly files: Readonly<Record<string, string>>
  readonly git: Readonly<Record<string, string>>
}

/** Work tree with modes and links, and whatever the git directory holds but for objects and what is ours. */
export function pictureOf(root: string, { gitDirs = [join(root, '.git')] } = {}): Picture {
  const isGit = (path: string) => path === '.git' || path === '.signalbox'
  const isOurs = (path: string) => /(^|\/)(objects|signalbox)$/.test(path)
  return {
    files: digest(root, isGit),
    git: Object.assign({}, ...gitDirs.map((folder) => digest(folder, isOurs))),
  }
}

function digest(root: string, isLeftOut: (path: string) => boolean): Record<string, string> {
  const found: Record<string, string> = {}
  const walk = (folder: Buffer, name: string): void => {
    for (const entry of fs.readdirSync(folder, { encoding: 'buffer' })) {
      const path = Buffer.concat([folder, Buffer.from('/'), entry])
      const shown = name === '' ? entry.toString('latin1') : `${name}/${entry.toString('latin1')}`
      if (isLeftOut(shown)) continue
      const stats = fs.lstatSync(path)
      const mode = (stats.mode & 0o777).toString(8)
      if (stats.isDirectory()) {
        found[`${shown}/`] = mode
        walk(path, shown)
      } else if (stats.isSymbolicLink()) found[shown] = `→ ${fs.readlinkSync(path, { encoding: 'latin1' })}`
      else if (stats.isFile()) found[shown] = `${mode} ${hashOf(fs.readFileSync(path))}`
      else found[shown] = 'special'
    }
  }
  walk(Buffer.from(root), '')
  // Sorted: file systems list in any order, and some tests compare pictures as text.
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)))
}

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex').slice(0, 16)
