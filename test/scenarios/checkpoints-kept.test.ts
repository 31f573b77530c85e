/**
 * Nothing of the user's is ever lost: repositories in every state that git knows, each compared before and after. A checkpoint
 * changes nothing, a rollback brings back exactly what was there, and going back to the checkpoint that it made first brings
 * back exactly what it replaced.
 */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { plainFiles } from '../../src/engines/file-system/plain-files.ts'
import { openMemoryTree } from '../../src/engines/memory/index.ts'
import { type PlainFiles, rawPath } from '../../src/kernel/plain-files.ts'
import { createdLines, rollbackLines } from '../../src/protocols/shared-agent/checkpoints/answers.ts'
import { openStage } from '../support/checkpoint-stage.ts'
import { isShort } from '../support/child.ts'
import { git, makeRepository, type Picture, pictureOf, put } from '../support/git-repository.ts'
import { quickTempDir, tempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'

const isWhole = process.env.SIGNALBOX_TEST_SCALE !== undefined
const orchestrator = { session: 'main', by: 'Orchestrator' }

interface Case {
  readonly name: string
  /** Brings a fresh repository into the state. */
  prepare?(root: string): void
  /** Gives another place to work in than the top of the fresh repository. */
  elsewhere?(root: string): string
  /** What somebody does after the checkpoint, besides what is always done. */
  change?(root: string): void
  /** What the answer must say is left alone. */
  readonly nested?: readonly string[]
  /** In the literal way nothing is committed in the middle of something. */
  readonly isUnderWay?: boolean
  /** Or git itself refuses it. */
  readonly complaint?: string
}

const ageOf = (root: string, path: string, seconds: number): void => {
  const time = Date.now() / 1000 - seconds
  fs.utimesSync(join(root, path), time, time)
}

const cases: readonly Case[] = [
  { name: 'clean' },
  {
    name: 'staged and unstaged in one file',
    prepare(root) {
      put(root, { 'src/a.txt': 'staged\n' })
      git(root, ['add', 'src/a.txt'])
      put(root, { 'src/a.txt': 'and not\n' })
    },
    change: (root) => void git(root, ['checkout', '-q', 'HEAD', '--', 'src']),
  },
  {
    name: 'staged and unstaged in the same instant and of the same length',
    prepare(root) {
      put(root, { 'src/a.txt': 'a\n' })
      put(root, { 'src/a.txt': '1\n' })
      git(root, ['add', 'src/a.txt'])
      put(root, { 'src/a.txt': '2\n' })
      ageOf(root, 'src/a.txt', 10)
      fs.utimesSync(join(root, '.git/index'), Date.now() / 1000 - 10, Date.now() / 1000 - 10)
    },
  },
  { name: 'untracked', prepare: (root) => put(root, { 'new/x.txt': 'x\n', 'y.txt': '' }) },
  {
    name: 'ignored, and tracked though ignored',
    prepare(root) {
      put(root, { 'ignored/kept.txt': 'kept\n' })
      git(root, ['add', '-f', 'ignored/kept.txt'])
    },
    change(root) {
      git(root, ['rm', '-q', '--cached', 'ignored/kept.txt'])
      put(root, { 'ignored/kept.txt': 'would be lost\n' })
    },
  },
  {
    name: 'a folder of ignored files where the checkpoint has a file',
    change(root) {
      fs.rmSync(join(root, 'src/b.txt'))
      put(root, { 'src/b.txt/deep/a.log': 'ignored\n', 'src/b.txt/b.log': 'ignored\n' })
    },
  },
  {
    name: 'deleted and renamed',
    prepare(root) {
      git(root, ['rm', '-q', 'src/a.txt'])
      git(root, ['mv', 'src/b.txt', 'src/b2.txt'])
      fs.rmSync(join(root, 'src/deep/c.txt'))
    },
    change: (root) => fs.renameSync(join(root, 'src/b2.txt'), join(root, 'src/b3.txt')),
  },
  {
    name: 'a submodule, clean',
    prepare: addSubmodule,
    nested: ['module/'],
  },
  {
    name: 'a submodule, dirty',
    prepare(root) {
      addSubmodule(root)
      put(root, { 'module/m.txt': 'dirty\n', 'module/new.txt': 'new\n' })
    },
    nested: ['module/'],
  },
  {
    name: 'nested repositories with and without a commit',
    prepare(root) {
      for (const name of ['empty', 'full']) {
        git(root, ['init', '-q', name])
        put(root, { [`${name}/f.txt`]: 'f\n' })
      }
      git(join(root, 'full'), ['add', '-A'])
      git(join(root, 'full'), ['commit', '-q', '-m', 'nested'])
    },
    nested: ['empty/', 'full/'],
  },
  { name: 'detached HEAD', prepare: (root) => void git(root, ['checkout', '-q', '--detach', 'HEAD~1']) },
  {
    name: 'no commit yet',
    elsewhere() {
      const root = quickTempDir()
      git(root, ['init', '-q'])
      put(root, { 'src/a.txt': 'a\n', 'README.md': 'r\n', 'src/b.txt': 'b\n' })
      git(root, ['add', 'src/a.txt'])
      return root
    },
  },
  {
    name: 'no commit and no index yet',
    elsewhere() {
      const root = quickTempDir()
      git(root, ['init', '-q'])
      put(root, { 'src/a.txt': 'a\n', 'README.md': 'r\n', 'src/b.txt': 'b\n' })
      return root
    },
    change: (root) => void git(root, ['add', 'README.md']),
  },
  {
    name: 'a merge in progress',
    isUnderWay: true,
    prepare: (root) => void git(root, ['merge', 'side'], { mayFail: true }),
  },
  {
    name: 'a merge in progress, with a conflict resolved afterwards',
    isUnderWay: true,
    prepare: (root) => void git(root, ['merge', 'side'], { mayFail: true }),
    change: (root) => void git(root, ['add', 'README.md']),
  },
  {
    name: 'a rebase in progress',
    isUnderWay: true,
    prepare: (root) => void git(root, ['rebase', 'side'], { mayFail: true }),
  },
  {
    name: 'a cherry-pick in progress',
    isUnderWay: true,
    prepare: (root) => void git(root, ['cherry-pick', 'side'], { mayFail: true }),
  },
  {
    name: 'a stash',
    prepare(root) {
      put(root, { 'README.md': 'stashed\n' })
      git(root, ['stash', '-q'])
    },
  },
  {
    name: 'a linked work tree',
    elsewhere(root) {
      const linked = join(quickTempDir(), 'linked')
      git(root, ['worktree', 'add', '-q', linked, 'side'])
      return linked
    },
  },
  {
    name: 'CRLF with text attributes, and an encoding',
    prepare(root) {
      const wide = Buffer.from('wide\r\n', 'utf16le')
      put(root, { '.gitattributes': '*.txt text eol=crlf\n*.wide text working-tree-encoding=UTF-16LE\n*.id ident\n' })
      git(root, ['add', '-A'])
      put(root, {
        'crlf.txt': 'a\r\nb\nc\r\n',
        'w.wide': wide,
        'i.id': '$Id: as it is $\n',
        'src/a.txt': 'mixed\r\nends\n',
      })
      git(root, ['add', '-A'])
    },
    change(root) {
      put(root, { 'crlf.txt': 'a\nb\nc\n', 'i.id': '$Id$\n' })
      fs.rmSync(join(root, 'w.wide'))
    },
  },
  {
    name: 'a clean and a smudge filter',
    prepare(root) {
      git(root, ['config', 'filter.shout.clean', 'tr a-z A-Z'])
      git(root, ['config', 'filter.shout.smudge', 'tr A-Z a-z'])
      git(root, ['config', 'filter.shout.required', 'true'])
      put(root, { '.gitattributes': '*.loud filter=shout\n', 'x.loud': 'Quiet Words\n' })
      git(root, ['add', '-A'])
    },
    change: (root) => put(root, { 'x.loud': 'Other Words\n' }),
  },
  {
    name: 'a filter that fails',
    complaint: "filter 'false' failed",
    prepare(root) {
      git(root, ['config', 'filter.broken.clean', 'false'])
      git(root, ['config', 'filter.broken.required', 'true'])
      put(root, { '.gitattributes': '*.broken filter=broken\n', 'y.broken': 'no filter can read this\n' })
    },
    change: (root) => put(root, { 'y.broken': 'changed\n' }),
  },
  {
    name: 'hooks, signing and no identity',
    prepare(root) {
      for (const hook of [
        'pre-commit',
        'commit-msg',
        'post-commit',
        'reference-transaction',
        'post-checkout',
        'post-index-change',
      ]) {
        put(root, { [`.git/hooks/${hook}`]: `#!/bin/sh\ntouch '${root}/hook-ran'\nexit 1\n` })
        fs.chmodSync(join(root, '.git/hooks', hook), 0o755)
      }
      git(root, ['config', 'commit.gpgSign', 'true'])
      git(root, ['config', 'gpg.program', 'false'])
      git(root, ['config', 'user.useConfigOnly', 'true'])
      git(root, ['config', 'core.fsmonitor', `touch '${root}/monitor-ran'`])
    },
    change: () => {},
  },
  {
    name: 'sparse checkout',
    prepare(root) {
      git(root, ['sparse-checkout', 'set', '--no-cone', '/*', '!/src/deep/'])
    },
  },
  {
    name: 'flags in the index: assume unchanged, skip, intent to add',
    prepare(root) {
      git(root, ['update-index', '--assume-unchanged', 'src/a.txt'])
      git(root, ['update-index', '--skip-worktree', 'src/b.txt'])
      put(root, { 'src/a.txt': 'changed all the same\n', 'planned.txt': 'planned\n' })
      git(root, ['add', '-N', 'planned.txt'])
    },
    change: (root) => void git(root, ['update-index', '--no-assume-unchanged', 'src/a.txt']),
  },
  {
    name: 'a git directory on another file system',
    elsewhere(root) {
      const place = quickTempDir()
      git(root, ['clone', '-q', '--separate-git-dir', join(tempDir(), 'git'), root, place])
      return place
    },
  },
  {
    name: 'a repository with SHA-256',
    elsewhere() {
      const root = quickTempDir()
      git(root, ['init', '-q', '--object-format=sha256'])
      put(root, { 'src/a.txt': 'a\n', 'README.md': 'r\n', 'src/b.txt': 'b\n' })
      git(root, ['add', '-A'])
      git(root, ['commit', '-q', '-m', 'first'])
      return root
    },
  },
]

function addSubmodule(root: string): void {
  const origin = quickTempDir()
  git(origin, ['init', '-q'])
  put(origin, { 'm.txt': 'm\n' })
  git(origin, ['add', '-A'])
  git(origin, ['commit', '-q', '-m', 'module'])
  git(root, ['submodule', '--quiet', 'add', origin, 'module'])
  git(root, ['commit', '-q', '-m', 'with a module'])
}

/** What an agent does to any repository: changes, deletes, adds, stages, changes modes, swaps files for folders and links. */
function changeMuch(root: string): void {
  put(root, { 'README.md': 'changed\n', 'added/deep/x.txt': 'added\n', 'staged.txt': 'staged\n' })
  git(root, ['add', 'staged.txt'])
  fs.rmSync(join(root, 'src/b.txt'), { force: true, recursive: true })
  fs.chmodSync(join(root, 'README.md'), 0o755)
  fs.rmSync(join(root, 'src/a.txt'), { force: true })
  put(root, { 'src/a.txt/inside.txt': 'a folder where a file was\n' })
}

const gitDirsOf = (place: string): string[] => {
  const dirs = git(place, ['rev-parse', '--absolute-git-dir', '--git-common-dir']).trim().split('\n')
  return [...new Set(dirs.map((dir) => join(dir.startsWith('/') ? '' : place, dir)))]
}

const expectSound = (root: string): void =>
  expect(git(root, ['fsck', '--connectivity-only'])).not.toMatch(/missing|error/)

describe('a work tree is kept and brought back as it was', () => {
  for (const { name, prepare, elsewhere, change, nested = [] } of cases) {
    verifies(['SA-13b', 'SA-13e', 'SA-13f'], name, async () => {
      const made = makeRepository()
      prepare?.(made)
      const root = elsewhere?.(made) ?? made
      const gitDirs = gitDirsOf(root)
      const look = (): Picture => pictureOf(root, { gitDirs })
      const before = look()
      const { checkpoints } = await openStage(root)
      const created = await checkpoints.create({ ...orchestrator, type: 'manual', name: 'before' })
      expect(created.nested).toEqual(nested)
      expect(createdLines(created)[1]).toBe(
        nested[0] === undefined ? undefined : `left_alone:${nested[0]} (a repository of its own)`,
      )
      expect(look(), 'a checkpoint changes nothing').toEqual(before)

      change?.(root)
      if (!change) changeMuch(root)
      const changed = look()
      if (isWhole || nested.length > 0 || name === 'clean') {
        expect(await checkpoints.compare({ session: 'main', which: 'before' })).toMatchObject({ nested })
        expect(look(), 'a dry run changes nothing').toEqual(changed)
      }

      const { saved } = await checkpoints.rollback({ ...orchestrator, which: 'before' })
      expect(look(), 'what was there is back').toEqual(before)
      await checkpoints.rollback({ ...orchestrator, which: saved })
      expect(look(), 'what was replaced is back').toEqual(changed)
      if (isWhole || nested.length > 0) expectSound(root)
    })
  }
})

describe('the literal way', () => {
  const some = cases.filter((_, i) => !isShort || i % 3 === 0)
  for (const { name, prepare, elsewhere, change, nested = [], isUnderWay, complaint } of some) {
    verifies(['SA-13a', 'SA-13b', 'SA-13e'], `${name}, committed on the branch`, async () => {
      const made = makeRepository()
      prepare?.(made)
      const root = elsewhere?.(made) ?? made
      const gitDirs = gitDirsOf(root)
      // What moves HEAD is told in its log, here as by any git.
      const look = (): Picture => withoutLogs(pictureOf(root, { gitDirs }))
      const first = look()
      const { checkpoints } = await openStage(root, { onBranch: true })
      const create = () => checkpoints.create({ ...orchestrator, type: 'manual', name: 'before' })
      if (isUnderWay || complaint !== undefined) {
        await expect(create()).rejects.toMatchObject(
          isUnderWay ? { code: 'GIT_IN_PROGRESS' } : { message: expect.stringMatching(complaint!) },
        )
        expect(look(), 'nothing was done').toEqual(first)
        expect(await checkpoints.recover()).toBe(undefined)
        return
      }
      const head = git(root, ['rev-parse', '-q', '--verify', 'HEAD'], { mayFail: true }).trim()
      expect((await create()).nested).toEqual(nested)
      const before = look()
      expect(before.files).toEqual(first.files)
      const parents = git(root, ['log', '-1', '--format=%P %s']).trim()
      expect(parents).toBe(`${head} Checkpoint: before [cp_001]`.trim())
      expect(git(root, ['diff', '--cached', '--name-only'])).toBe('')

      change?.(root)
      if (!change) changeMuch(root)
      const changed = look()
      const { saved } = await checkpoints.rollback({ ...orchestrator, which: 'before' })
      expect(look(), 'what was there is back').toEqual(before)
      await checkpoints.rollback({ ...orchestrator, which: saved })
      expect(look(), 'what was replaced is back').toEqual(changed)
      if (isWhole || nested.length > 0) expectSound(root)
    })
  }
})

const withoutLogs = ({ files, git }: Picture): Picture => ({
  files,
  git: Object.fromEntries(Object.entries(git).filter(([path]) => !/(^|\/)logs\/|refs\/signalbox/.test(path))),
})

describe('an index in two parts', () => {
  verifies('SA-13b', 'is kept whole, since git throws the other part away some day', async () => {
    const root = makeRepository()
    git(root, ['update-index', '--split-index'])
    put(root, { 'src/a.txt': 'staged\n' })
    git(root, ['add', 'src/a.txt'])
    put(root, { 'src/a.txt': 'not staged\n' })
    const look = () => ({ ...pictureOf(root).files, index: git(root, ['ls-files', '--stage', '-v']) })
    const before = look()
    const { checkpoints } = await openStage(root)
    await checkpoints.create({ ...orchestrator, type: 'manual', name: 'before' })
    expect((await checkpoints.rollback({ ...orchestrator, which: 'before' })).hadChanges).toBe(false)
    changeMuch(root)
    const changed = look()
    const { saved } = await checkpoints.rollback({ ...orchestrator, which: 'before' })
    for (const name of fs.readdirSync(join(root, '.git')))
      if (name.startsWith('sharedindex')) fs.rmSync(join(root, '.git', name))
    expect(look()).toEqual(before)
    await checkpoints.rollback({ ...orchestrator, which: saved })
    expect(look()).toEqual(changed)
  })
})

describe('what is something else since the checkpoint', () => {
  const filesOf = (root: string) => pictureOf(root).files

  verifies(['SA-13b', 'SA-13e'], 'files that git ignores only since then stay, there and back', async () => {
    const root = makeRepository()
    git(root, ['rm', '-q', '.gitignore'])
    fs.rmSync(join(root, 'ignored'), { recursive: true })
    const { checkpoints } = await openStage(root)
    await checkpoints.create({ ...orchestrator, type: 'manual', name: 'before' })
    const before = filesOf(root)
    put(root, { '.gitignore': '/deep/\n:*\n', 'more/.gitignore': '*.o\n', 'new.txt': 'new\n' })
    put(root, { ':odd': 'ignored\n', 'deep/in/x.txt': 'ignored\n', 'more/x.o': 'ignored\n' })
    const changed = filesOf(root)
    const { '.gitignore': _, 'more/.gitignore': __, 'new.txt': ___, ...left } = changed

    const { saved } = await checkpoints.rollback({ ...orchestrator, which: 'before' })
    expect(filesOf(root)).toEqual({ ...left, ...before })
    const { files } = await checkpoints.compare({ session: 'main', which: saved })
    expect(files.map(({ path }) => path)).toEqual(['.gitignore', 'more/.gitignore', 'new.txt'])
    await checkpoints.rollback({ ...orchestrator, which: saved })
    expect(filesOf(root)).toEqual(changed)
  })

  verifies(['SA-13b', 'SA-13e'], 'a rollback that was cut off does not take them either', async () => {
    const root = makeRepository()
    git(root, ['rm', '-q', '.gitignore'])
    fs.rmSync(join(root, 'ignored'), { recursive: true })
    let isCut = false
    const files: PlainFiles = {
      ...plainFiles,
      rename(from, to) {
        if (isCut && to === rawPath(join(root, 'README.md'))) throw new Error('cut off')
        plainFiles.rename(from, to)
      },
    }
    const { checkpoints } = await openStage(root, { files })
    await checkpoints.create({ ...orchestrator, type: 'manual', name: 'before' })
    put(root, { '.gitignore': 'ignored/\n', 'ignored/x.txt': 'ignored\n', 'README.md': 'changed\n' })
    isCut = true
    await expect(checkpoints.rollback({ ...orchestrator, which: 'before' })).rejects.toThrow('cut off')
    expect(fs.existsSync(join(root, '.gitignore'))).toBe(false)
    isCut = false
    expect(await checkpoints.recover()).toMatchObject({ outcome: 'finished', what: 'rollback' })
    expect(fs.readFileSync(join(root, 'README.md'), 'utf8')).toBe('one\nmain\nthree\n')
    expect(fs.readFileSync(join(root, 'ignored/x.txt'), 'utf8')).toBe('ignored\n')
  })

  verifies('SA-13b', 'empty folders where a file was give way', async () => {
    const root = makeRepository()
    const { checkpoints } = await openStage(root)
    await checkpoints.create({ ...orchestrator, type: 'manual', name: 'before' })
    const before = pictureOf(root)
    fs.rmSync(join(root, 'src/b.txt'))
    put(root, { 'src/b.txt/deep/new.txt': 'new\n' })
    fs.mkdirSync(join(root, 'src/b.txt/empty/deeper'), { recursive: true })
    await checkpoints.rollback({ ...orchestrator, which: 'before' })
    expect(pictureOf(root)).toEqual(before)
  })

  verifies(['SA-13e', 'SA-13f'], 'a submodule where files were is left alone, and named', async () => {
    const root = makeRepository()
    put(root, { 'module/m.txt': 'ours\n', 'module/n.txt': 'ours\n' })
    const { checkpoints } = await openStage(root)
    await checkpoints.create({ ...orchestrator, type: 'manual', name: 'before' })
    fs.rmSync(join(root, 'module'), { recursive: true })
    addSubmodule(root)
    put(root, { 'module/m.txt': 'dirty\n', 'module/new.txt': 'new\n', 'README.md': 'changed\n' })
    const changed = pictureOf(root)
    const inModule = () => Object.entries(filesOf(root)).filter(([path]) => path.startsWith('module/'))
    const then = inModule()

    const { saved, nested } = await checkpoints.rollback({ ...orchestrator, which: 'before' })
    expect(nested).toEqual(['module/'])
    expect(inModule()).toEqual(then)
    expect(fs.readFileSync(join(root, 'README.md'), 'utf8')).toBe('one\nmain\nthree\n')
    expect((await checkpoints.rollback({ ...orchestrator, which: saved })).nested).toEqual(['module/'])
    expect(pictureOf(root)).toEqual(changed)
  })
})

describe('what does not stand still', () => {
  /** `app.log` is written again whenever the files have been looked at. */
  async function openRestless({ isRestless = (): boolean => true } = {}) {
    const root = makeRepository()
    put(root, { '.gitignore': '' })
    let writes = 0
    const { checkpoints, states } = await openStage(root, {
      around: (git) => async (call) => {
        const answer = await git(call)
        if (call.args.includes('write-tree') && isRestless()) put(root, { 'app.log': `${++writes}\n` })
        return answer
      },
    })
    const ids = async () =>
      (await checkpoints.list({ session: 'main' })).checkpoints.map(({ id, name }) => `${id} ${name}`)
    return { root, checkpoints, states, ids, writes: () => writes }
  }
  const textOf = (root: string, path: string) => fs.readFileSync(join(root, path), 'utf8')

  verifies('SA-13b', 'is named, and a rollback that did not begin leaves nothing behind', async () => {
    const { root, checkpoints, ids } = await openRestless()
    await checkpoints.create({ ...orchestrator, type: 'manual', name: 'before' })
    put(root, { 'README.md': 'changed\n' })
    for (let n = 0; n < 2; n++)
      await expect(checkpoints.rollback({ ...orchestrator, which: 'before' })).rejects.toMatchObject({
        code: 'CHANGED_MEANWHILE',
        exit: 4,
        message: expect.stringContaining('app.log'),
        hint: expect.stringContaining('force'),
        details: { paths: ['app.log'] },
      })
    expect(await ids()).toEqual(['cp_001 before'])
    expect(textOf(root, 'README.md')).toBe('changed\n')
    expect(await checkpoints.recover()).toBe(undefined)
    expect(git(root, ['for-each-ref', '--format=%(refname:lstrip=-1)', 'refs/signalbox']).trim()).toBe('cp_001')
  })

  verifies('SA-13b', 'stays as it is when a rollback is forced, which brings back the rest and says so', async () => {
    const { root, checkpoints, ids, writes } = await openRestless()
    await checkpoints.create({ ...orchestrator, type: 'manual', name: 'before' })
    put(root, { 'README.md': 'changed\n', 'new.txt': 'new\n' })
    const done = await checkpoints.rollback({ ...orchestrator, which: 'before', force: true })
    expect(done.left).toEqual(['app.log'])
    expect(rollbackLines(done)[0]).toBe('left_alone:app.log (somebody keeps changing it)')
    expect(textOf(root, 'README.md')).toBe('one\nmain\nthree\n')
    expect(fs.existsSync(join(root, 'new.txt'))).toBe(false)
    expect(textOf(root, 'app.log')).toBe(`${writes()}\n`)
    expect((await ids()).slice(1)).toEqual(['cp_001 before'])
    expect((await ids())[0]).toBe(`${done.saved} before_cp_001`)
    await checkpoints.rollback({ ...orchestrator, which: done.saved, force: true })
    expect(textOf(root, 'new.txt')).toBe('new\n')
  })

  verifies('SA-13b', 'is brought back when it comes to rest, and kept as it was then', async () => {
    let left = 0
    const { root, checkpoints, ids } = await openRestless({ isRestless: () => left-- > 0 })
    put(root, { 'app.log': 'then\n' })
    await checkpoints.create({ ...orchestrator, type: 'manual', name: 'before' })
    put(root, { 'app.log': 'changed\n' })
    left = 1
    const done = await checkpoints.rollback({ ...orchestrator, which: 'before' })
    expect(done.left).toEqual([])
    expect(textOf(root, 'app.log')).toBe('then\n')
    expect(await ids()).toEqual([`${done.saved} before_cp_001`, 'cp_001 before'])
    await checkpoints.rollback({ ...orchestrator, which: done.saved })
    expect(textOf(root, 'app.log')).toBe('1\n')
  })

  verifies('SA-13b', 'stays as it is when other files have given way already: nothing is left half done', async () => {
    const root = makeRepository()
    let [isPlacing, writes] = [false, 0]
    // While the journal says that files are being put in place.
    const tree = new Proxy(openMemoryTree(), {
      get(target, key) {
        const call = Reflect.get(target, key, target) as unknown
        if (typeof call !== 'function') return call
        return (path: string, bytes: unknown, ...more: unknown[]) => {
          if ((key === 'create' || key === 'replace') && path.includes('/.unfinished/'))
            isPlacing = JSON.parse(String(bytes)).steps[0].do === 'place'
          return call.call(target, path, bytes, ...more)
        }
      },
    })
    const files: PlainFiles = {
      ...plainFiles,
      look(path) {
        if (isPlacing && path === rawPath(join(root, 'src'))) put(root, { 'src/b.txt': `${++writes}\n` })
        return plainFiles.look(path)
      },
    }
    const { checkpoints } = await openStage(root, { files, tree })
    await checkpoints.create({ ...orchestrator, type: 'manual', name: 'before' })
    put(root, { 'README.md': 'changed\n', 'src/a.txt': 'changed\n', 'src/b.txt': 'changed\n' })
    const { left, saved } = await checkpoints.rollback({ ...orchestrator, which: 'before' })
    expect(left).toEqual(['src/b.txt'])
    expect(['README.md', 'src/a.txt', 'src/b.txt'].map((path) => textOf(root, path))).toEqual([
      'one\nmain\nthree\n',
      'a\n',
      `${writes}\n`,
    ])
    await checkpoints.rollback({ ...orchestrator, which: saved })
    expect(textOf(root, 'src/a.txt')).toBe('changed\n')
  })

  verifies('SA-13b', 'is a log that a program writes to all the time', async () => {
    const root = makeRepository()
    put(root, { '.gitignore': '' })
    const { checkpoints } = await openStage(root)
    await checkpoints.create({ ...orchestrator, type: 'manual', name: 'before' })
    put(root, { 'README.md': 'changed\n' })
    const writing = setInterval(() => fs.appendFileSync(join(root, 'app.log'), 'x\n'), 5)
    try {
      const { left } = await checkpoints.rollback({ ...orchestrator, which: 'before', force: true })
      expect(left).toEqual(['app.log'])
      expect(textOf(root, 'README.md')).toBe('one\nmain\nthree\n')
    } finally {
      clearInterval(writing)
    }
  })
})

describe('what stands in the way', () => {
  verifies('SA-13b', 'a pipe where the checkpoint has a folder stops a rollback before it begins', async () => {
    const root = makeRepository()
    const { checkpoints } = await openStage(root)
    await checkpoints.create({ ...orchestrator, type: 'manual', name: 'before' })
    fs.rmSync(join(root, 'src'), { recursive: true })
    execFileSync('mkfifo', [join(root, 'src')])
    const changed = pictureOf(root)
    await expect(checkpoints.rollback({ ...orchestrator, which: 'before' })).rejects.toMatchObject({
      code: 'IN_THE_WAY',
    })
    expect(pictureOf(root)).toEqual(changed)
    expect(await checkpoints.recover()).toBe(undefined)
    expect((await checkpoints.list({ session: 'main' })).checkpoints.map(({ id }) => id)).toEqual(['cp_001'])
  })

  verifies('SA-13b', 'a pipe where the checkpoint has a file stops a rollback before it begins', async () => {
    const root = makeRepository()
    const { checkpoints } = await openStage(root)
    await checkpoints.create({ ...orchestrator, type: 'manual', name: 'before' })
    fs.rmSync(join(root, 'src/a.txt'))
    execFileSync('mkfifo', [join(root, 'src/a.txt')])
    const changed = pictureOf(root)
    await expect(checkpoints.rollback({ ...orchestrator, which: 'before' })).rejects.toMatchObject({
      code: 'IN_THE_WAY',
    })
    expect(pictureOf(root)).toEqual(changed)
    expect(await checkpoints.recover()).toBe(undefined)
  })

  verifies('SA-13b', 'a second process that holds index.lock is waited for by the user, not overruled', async () => {
    const root = makeRepository()
    const { checkpoints } = await openStage(root)
    await checkpoints.create({ ...orchestrator, type: 'manual', name: 'before' })
    changeMuch(root)
    fs.writeFileSync(join(root, '.git/index.lock'), '')
    const changed = pictureOf(root)
    // Making one needs no lock; going back does.
    await checkpoints.create({ ...orchestrator, type: 'manual', name: 'locked' })
    await expect(checkpoints.rollback({ ...orchestrator, which: 'before', force: true })).rejects.toMatchObject({
      code: 'INDEX_LOCKED',
      exit: 8,
    })
    expect(pictureOf(root)).toEqual(changed)
    // In the literal way the index is what it is made with.
    const literal = await openStage(root, { onBranch: true })
    await expect(literal.checkpoints.create({ ...orchestrator, type: 'manual', name: 'x' })).rejects.toMatchObject({
      code: 'INDEX_LOCKED',
      exit: 8,
    })
    expect(withoutLogs(pictureOf(root))).toEqual(withoutLogs(changed))
  })

  verifies('SA-13b', 'a merge that began since stops a rollback, and force goes on', async () => {
    const root = makeRepository()
    const { checkpoints } = await openStage(root)
    await checkpoints.create({ ...orchestrator, type: 'manual', name: 'before' })
    const before = pictureOf(root)
    git(root, ['merge', 'side'], { mayFail: true })
    const merging = pictureOf(root)
    await expect(checkpoints.rollback({ ...orchestrator, which: 'before' })).rejects.toMatchObject({
      code: 'GIT_IN_PROGRESS',
      exit: 4,
    })
    expect(pictureOf(root)).toEqual(merging)
    await checkpoints.rollback({ ...orchestrator, which: 'before', force: true })
    expect(pictureOf(root).files).toEqual(before.files)
    expect(fs.existsSync(join(root, '.git/MERGE_HEAD'))).toBe(true)
    await checkpoints.rollback({ ...orchestrator, which: 'before_cp_001', force: true })
    expect(pictureOf(root)).toEqual(merging)
  })

  verifies(
    'SA-13b',
    'a nested repository where the checkpoint has a file is left alone, and so is all else',
    async () => {
      const root = makeRepository()
      const { checkpoints } = await openStage(root)
      await checkpoints.create({ ...orchestrator, type: 'manual', name: 'before' })
      fs.rmSync(join(root, 'src/a.txt'))
      git(root, ['init', '-q', 'src/a.txt'])
      put(root, { 'README.md': 'changed\n' })
      const changed = pictureOf(root)
      await expect(checkpoints.rollback({ ...orchestrator, which: 'before' })).rejects.toMatchObject({
        code: 'IN_THE_WAY',
        exit: 4,
      })
      expect(pictureOf(root)).toEqual(changed)
    },
  )

  const isRoot = process.getuid?.() === 0 ? 'root may read every file' : undefined
  verifies.unless(isRoot, 'SA-13b', 'a file that this user may not read is named, and nothing is changed', async () => {
    const root = makeRepository()
    put(root, { closed: 'x' })
    fs.chmodSync(join(root, 'closed'), 0)
    const { checkpoints } = await openStage(root)
    await expect(checkpoints.create({ ...orchestrator, type: 'manual', name: 'x' })).rejects.toMatchObject({
      code: 'UNREADABLE_FILE',
      exit: 6,
    })
  })

  for (const [name, code, exit, prepare] of [
    ['no repository', 'NO_REPOSITORY', 3, () => quickTempDir()],
    ['a bare repository', 'NO_WORK_TREE', 7, () => bareRepository()],
  ] as const) {
    verifies('SA-13a', `${name} is said, with what to do`, async () => {
      const { checkpoints } = await openStage(prepare())
      const refused = checkpoints.create({ ...orchestrator, type: 'manual', name: 'x' })
      await expect(refused).rejects.toMatchObject({ code, exit, hint: expect.stringMatching(/git|work tree/) })
    })
  }

  verifies('SA-13a', 'git that is not installed: unavailable, with how to get it', async () => {
    const { checkpoints } = await openStage(makeRepository(), { program: 'no-such-git' })
    const refused = checkpoints.create({ ...orchestrator, type: 'manual', name: 'x' })
    await expect(refused).rejects.toMatchObject({
      code: 'GIT_MISSING',
      exit: 8,
      hint: expect.stringMatching(/apt install git/),
    })
  })
})

function bareRepository(): string {
  const root = quickTempDir()
  execFileSync('git', ['init', '-q', '--bare', root])
  return root
}
