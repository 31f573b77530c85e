/** What checkpoints leave alone, the literal way of the specification, and requests that cannot be met. */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { openMemoryTree } from '../../src/engines/memory/index.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import { errorLine } from '../../src/protocols/shared-agent/checkpoints/answers.ts'
import { openStage } from '../support/checkpoint-stage.ts'
import { git, makeRepository, pictureOf, put } from '../support/git-repository.ts'
import { quickTempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'

const orchestrator = { session: 'main', by: 'Orchestrator' }

describe('messages and the workspace’s own state', () => {
  for (const onBranch of [false, true]) {
    const way = onBranch ? 'in the literal way' : 'by default'
    verifies('SA-13c', `neither kept nor brought back, tracked or not, ${way}`, async () => {
      const root = makeRepository()
      put(root, {
        'llm/missions/m/queue/pending/tracked.md': 'pending\n',
        '.signalbox/state/kept.json': '{}\n',
        'part/.signalbox/state/kept.json': '{}\n',
      })
      git(root, ['add', '-A', '-f'])
      git(root, ['commit', '-q', '-m', 'messages'])
      put(root, { 'llm/missions/m/queue/pending/untracked.md': 'pending\n', 'messages/inbox/a.json': '{}\n' })
      const { checkpoints } = await openStage(root, { onBranch })
      await checkpoints.create({ ...orchestrator, type: 'manual', name: 'before' })

      // Messages are completed and claimed, and some of it is staged.
      for (const name of ['tracked', 'untracked']) {
        fs.mkdirSync(join(root, 'llm/missions/m/queue/completed'), { recursive: true })
        const queue = join(root, 'llm/missions/m/queue')
        fs.renameSync(join(queue, `pending/${name}.md`), join(queue, `completed/${name}.md`))
      }
      put(root, { 'messages/inbox/b.json': '{}\n', '.signalbox/state/kept.json': '{"claimed":1}\n' })
      put(root, { 'part/.signalbox/state/kept.json': '{"claimed":1}\n', 'README.md': 'changed\n' })
      fs.rmSync(join(root, 'messages/inbox/a.json'))
      git(root, ['add', '-A', '-f', 'llm'])
      const isMessage = (path: string) => /^(llm|messages|part)/.test(path)
      const messages = () => Object.entries(pictureOf(root).files).filter(([path]) => isMessage(path))
      const [then, own] = [messages(), fs.readFileSync(join(root, '.signalbox/state/kept.json'), 'utf8')]
      const head = git(root, ['rev-parse', 'HEAD'])

      await checkpoints.create({ ...orchestrator, type: 'manual', name: 'later' })
      const { saved } = await checkpoints.rollback({ ...orchestrator, which: 'before' })
      expect(fs.readFileSync(join(root, 'README.md'), 'utf8')).toBe('one\nmain\nthree\n')
      expect(messages()).toEqual(then)
      await checkpoints.rollback({ ...orchestrator, which: saved })
      expect(messages()).toEqual(then)
      expect(fs.readFileSync(join(root, '.signalbox/state/kept.json'), 'utf8')).toBe(own)
      for (const { commit } of (await checkpoints.list({ session: 'main' })).checkpoints)
        expect(git(root, ['ls-tree', '-r', '--name-only', commit])).not.toMatch(/llm|messages|signalbox/)
      if (!onBranch) return expect(git(root, ['rev-parse', 'HEAD'])).toBe(head)
      // The commits on the branch have the messages of the commit before, and nothing of what was staged.
      expect(git(root, ['diff', '--stat', 'HEAD~2', 'HEAD', '--', 'llm', '.signalbox', 'part'])).toBe('')
    })
  }
})

describe('a workspace below the top of its repository', () => {
  verifies('SA-13c', 'the whole repository is kept, but for the messages of that workspace', async () => {
    const root = makeRepository()
    const workspace = join(root, 'parts/one')
    put(workspace, { 'llm/queue/pending/m.md': 'pending\n', 'code.txt': 'code\n' })
    put(root, { 'llm/notes.md': 'no messages here\n' })
    const { checkpoints } = await openStage(workspace)
    await checkpoints.create({ ...orchestrator, type: 'manual', name: 'before' })
    const before = pictureOf(root)
    put(root, { 'llm/notes.md': 'changed\n', 'src/a.txt': 'changed\n' })
    fs.rmSync(join(workspace, 'code.txt'))
    fs.rmSync(join(workspace, 'llm'), { recursive: true })
    await checkpoints.rollback({ ...orchestrator, which: 'before' })
    const { 'parts/one/llm/queue/pending/m.md': message, ...files } = before.files
    const folders = ['parts/one/llm/', 'parts/one/llm/queue/', 'parts/one/llm/queue/pending/']
    expect(message).toBeDefined()
    expect(pictureOf(root).files).toEqual(
      Object.fromEntries(Object.entries(files).filter(([path]) => !folders.includes(path))),
    )
    // Nothing but the workspace's own folder was in it at one time: it stays, since commands run there.
    fs.rmSync(join(workspace, 'code.txt'))
    await checkpoints.create({ ...orchestrator, type: 'manual', name: 'empty' })
    put(workspace, { 'new.txt': 'new\n' })
    await checkpoints.rollback({ ...orchestrator, which: 'empty' })
    expect(fs.readdirSync(workspace)).toEqual([])
  })
})

describe('the literal way', () => {
  verifies('SA-13a', 'everything is added and committed on the branch, and a rollback moves it back', async () => {
    const root = makeRepository()
    git(root, ['config', 'user.name', 'Grace'])
    git(root, ['config', 'user.email', 'grace@example.org'])
    put(root, { '.gitattributes': '*.txt text eol=crlf\n', 'crlf.txt': 'a\r\nb\r\n', 'new.txt': 'new\n' })
    put(root, { '.git/hooks/pre-commit': '#!/bin/sh\nexit 1\n' })
    fs.chmodSync(join(root, '.git/hooks/pre-commit'), 0o755)
    const { checkpoints, states } = await openStage(root, { onBranch: true })
    states.set('main', 'x,y')
    const { id } = await checkpoints.create({ ...orchestrator, type: 'milestone', name: 'before_refactor' })
    expect(git(root, ['log', '-1', '--format=%an %s']).trim()).toBe(`Grace Checkpoint: before_refactor [${id}]`)
    expect(git(root, ['status', '--porcelain'])).toBe('')
    // Others see the line ends that the attributes ask for; the checkpoint has the bytes.
    expect(git(root, ['show', 'HEAD:crlf.txt'])).toBe('a\nb\n')
    const before = pictureOf(root)

    put(root, { 'crlf.txt': 'a\nb\n', 'later.txt': 'later\n' })
    git(root, ['add', 'later.txt'])
    git(root, ['commit', '-q', '--no-verify', '-m', 'an agent commits too'])
    put(root, { 'uncommitted.txt': 'x\n' })
    const after = pictureOf(root)
    const { saved } = await checkpoints.rollback({ ...orchestrator, which: id })
    expect(pictureOf(root).files).toEqual(before.files)
    expect(git(root, ['log', '-1', '--format=%s']).trim()).toBe(`Checkpoint: before_refactor [${id}]`)
    expect(git(root, ['status', '--porcelain'])).toBe('')

    await checkpoints.rollback({ ...orchestrator, which: saved })
    expect(pictureOf(root).files).toEqual(after.files)
    expect(git(root, ['log', '-1', '--format=%s']).trim()).toBe('an agent commits too')
    expect(git(root, ['status', '--porcelain']).split('\n').sort()).toEqual(
      ['', ' M crlf.txt', '?? uncommitted.txt'].sort(),
    )
  })

  verifies('SA-13a', 'before the first commit, with a nested repository beside', async () => {
    const root = makeRepository()
    fs.rmSync(join(root, '.git'), { recursive: true })
    git(root, ['init', '-q'])
    git(root, ['init', '-q', 'nested'])
    const { checkpoints } = await openStage(root, { onBranch: true })
    const { nested } = await checkpoints.create({ ...orchestrator, type: 'manual', name: 'first' })
    expect(nested).toEqual(['nested/'])
    expect(git(root, ['log', '--format=%an %s']).trim()).toBe('Signalbox Checkpoint: first [cp_001]')
    expect(git(root, ['status', '--porcelain']).trim()).toBe('?? nested/')
  })

  verifies('SA-13b', 'in the middle of a merge, or on another branch, it is refused', async () => {
    const root = makeRepository()
    const { checkpoints } = await openStage(root, { onBranch: true })
    await checkpoints.create({ ...orchestrator, type: 'manual', name: 'before' })
    git(root, ['checkout', '-q', 'side'])
    await expect(checkpoints.rollback({ ...orchestrator, which: 'before' })).rejects.toMatchObject({
      code: 'OTHER_BRANCH',
      exit: 4,
    })
    git(root, ['merge', 'main'], { mayFail: true })
    const merging = pictureOf(root)
    await expect(checkpoints.create({ ...orchestrator, type: 'manual', name: 'x' })).rejects.toMatchObject({
      code: 'GIT_IN_PROGRESS',
      exit: 4,
    })
    await expect(checkpoints.rollback({ ...orchestrator, which: 'before', force: true })).rejects.toMatchObject({
      code: 'GIT_IN_PROGRESS',
    })
    expect(pictureOf(root)).toEqual(merging)
  })
})

describe('requests', () => {
  verifies('SA-13d', 'types and names are checked before anything happens', async () => {
    const root = makeRepository()
    const { checkpoints, commands } = await openStage(root)
    const refused: [string, string, string][] = [
      ['other', 'x', '#ERROR:E002:type_manual_auto_or_milestone'],
      ['manual', '$(x)', '#ERROR:E002:invalid_checkpoint_name'],
      ['manual', 'x'.repeat(10_000), '#ERROR:E002:invalid_checkpoint_name'],
      ['manual', '', '#ERROR:E002:invalid_checkpoint_name'],
      ['manual', '../x', '#ERROR:E002:invalid_checkpoint_name'],
      ['manual', 'a\u0000b', '#ERROR:E002:invalid_checkpoint_name'],
      ['manual', 'cp_007', '#ERROR:E002:invalid_checkpoint_name'],
      ['manual', 'status', '#ERROR:E002:invalid_checkpoint_name'],
      ['manual', '-x', '#ERROR:E002:invalid_checkpoint_name'],
    ]
    for (const [type, name, line] of refused) {
      const error = await checkpoints.create({ ...orchestrator, type, name }).catch((thrown: unknown) => thrown)
      expect(errorLine(error), JSON.stringify(name.slice(0, 20))).toBe(line)
    }
    expect(commands).toEqual([])
  })

  verifies('SA-3i', 'a checkpoint is found by its id, or by a name that only one has', async () => {
    const root = makeRepository()
    const { checkpoints } = await openStage(root)
    await checkpoints.create({ ...orchestrator, type: 'manual', name: 'twice' })
    await checkpoints.create({ ...orchestrator, type: 'manual', name: 'twice' })
    const ask = (which: string) => checkpoints.compare({ session: 'main', which }).catch(errorLine)
    expect(await ask('twice')).toBe('#ERROR:E002:ambiguous_name cp_002, cp_001')
    expect(await ask('nothing')).toBe('#ERROR:E002:unknown_checkpoint')
    expect(await ask('$(x)')).toBe('#ERROR:E002:unknown_checkpoint')
    expect(await ask('cp_002')).toMatchObject({ id: 'cp_002', files: [] })
    // Of another session.
    const other = await checkpoints.compare({ session: 'other', which: 'cp_001' }).catch(errorLine)
    expect(other).toBe('#ERROR:E002:unknown_checkpoint')
  })

  verifies('SA-13a', 'ids are never used twice, whatever is lost, and by many at once', async () => {
    const root = makeRepository()
    const first = await openStage(root)
    const make = (stage: typeof first) => checkpoint(stage, 'x')
    const ids = await Promise.all([make(first), make(await openStage(root, first)), make(first)])
    expect(ids.sort()).toEqual(['cp_001', 'cp_002', 'cp_003'])
    // All records are lost: git still knows.
    const amnesiac = await openStage(root, { tree: openMemoryTree() })
    expect(
      (await amnesiac.checkpoints.list({ session: 'main' })).checkpoints.map(({ id, name }) => [id, name]),
    ).toEqual([
      ['cp_003', 'x'],
      ['cp_002', 'x'],
      ['cp_001', 'x'],
    ])
    expect(await make(amnesiac)).toBe('cp_004')
    // All references are lost: the records still know.
    git(root, ['for-each-ref', '--format=%(refname)', 'refs/signalbox'])
      .trim()
      .split('\n')
      .map((ref) => git(root, ['update-ref', '-d', ref]))
    expect(await make(first)).toBe('cp_004')
    expect((await first.checkpoints.list({ session: 'main' })).checkpoints.map(({ id }) => id)).toEqual(['cp_004'])
  })

  verifies(
    'SA-13d',
    'a checkpoint is made by itself before what is risky, or when many files have changed',
    async () => {
      const root = makeRepository()
      const { checkpoints } = await openStage(root)
      const handOver = (task: string, priority = 'P2') => checkpoints.beforeTask({ ...orchestrator, task, priority })
      expect(await handOver('write_tests')).toBe(undefined)
      expect((await handOver('write_tests', 'P0'))?.id).toBe('cp_001')
      expect((await handOver('deploy_app'))?.id).toBe('cp_002')
      put(root, Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`new/${n}.txt`, 'x\n'])))
      expect(await handOver('write_tests')).toBe(undefined)
      put(root, { 'new/6.txt': 'x\n' })
      expect((await handOver('write_tests'))?.id).toBe('cp_003')
      expect(await handOver('write_tests')).toBe(undefined)
      const { checkpoints: all } = await checkpoints.list({ session: 'main' })
      expect(all.map(({ name, type }) => `${name} ${type}`)).toEqual([
        'many_changes auto',
        'before_deploy auto',
        'before_delegation auto',
      ])
    },
  )

  verifies('SA-13a', 'an export can name the commit, and an import can check it', async () => {
    const root = makeRepository()
    const { checkpoints } = await openStage(root)
    const head = git(root, ['rev-parse', 'HEAD']).trim()
    expect(await checkpoints.reference({ session: 'main' })).toBe(head)
    const { commit } = await checkpoints.create({ ...orchestrator, type: 'manual', name: 'x' })
    expect(await checkpoints.reference({ session: 'main' })).toBe(commit)
    for (const [name, isKnown] of [
      [commit, true],
      [head.slice(0, 7), true],
      ['abc123', false],
      ['HEAD', false],
      ['--help', false],
      ['', false],
    ] as const)
      expect(await checkpoints.knows(name), name).toBe(isKnown)
    expect(await (await checkpoints.changes()).notes()).toEqual([])
  })

  verifies('SA-13a', 'records that a stranger left mislead nobody and hold nobody up', async () => {
    const root = makeRepository()
    const stage = await openStage(root)
    await checkpoint(stage, 'real')
    const id = fs.readFileSync(join(root, '.git/signalbox/top/id'), 'utf8')
    const folder = `.signalbox/state/sessions/main/checkpoints/${id}`
    const forged = { id: 'cp_007', name: 'forged', type: 'manual', by: 'x', at: 0, state: 'made' }
    const leaves: Record<string, string> = {
      'cp_007.json': JSON.stringify(forged),
      'cp_999999.json': '',
      'cp_1000000.json': '{}',
      'cp_999999999.json': '[',
      'cp_99999999999999999999.json': 'x',
      'rollback.json': '{"to":"../x","saved":"cp_001","at":1}',
      'other.txt': '',
    }
    for (const [name, text] of Object.entries(leaves)) await stage.tree.create(treePath(`${folder}/${name}`), text)
    expect((await stage.checkpoints.list({ session: 'main' })).checkpoints.map(({ name }) => name)).toEqual(['real'])
    expect(await stage.checkpoints.compare({ session: 'main', which: 'cp_007' }).catch(errorLine)).toBe(
      '#ERROR:E002:unknown_checkpoint',
    )
    expect((await stage.checkpoints.status({ session: 'main' })).last).toBe(undefined)
    expect([await checkpoint(stage, 'a'), await checkpoint(stage, 'b')]).toEqual(['cp_1000001', 'cp_1000002'])
  })

  verifies('SA-13a', 'a commit that somebody else put in the place of a checkpoint harms nothing', async () => {
    const place = quickTempDir()
    const root = join(place, 'work')
    fs.renameSync(makeRepository(), root)
    const stage = await openStage(root)
    const kept = (await stage.checkpoints.create({ ...orchestrator, type: 'manual', name: 'real' })).commit
    const ref = git(root, ['for-each-ref', '--format=%(refname)', 'refs/signalbox']).trim()
    const make = (args: readonly string[], input: string | Buffer) =>
      execFileSync('git', args, { cwd: root, input, encoding: 'utf8' }).trim()
    const blob = make(['hash-object', '-w', '--stdin'], 'evil\n')
    const named = (name: string, hash: string, mode: string) =>
      Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(hash, 'hex')])
    const treeOf = (entry: Buffer) => make(['hash-object', '-t', 'tree', '-w', '--literally', '--stdin'], entry)
    const outside = treeOf(named('..', treeOf(named('outside.txt', blob, '100644')), '40000'))
    const evil = (tree: string, keeper = `${kept}^2`) =>
      git(root, ['commit-tree', tree, '-p', 'HEAD', '-p', keeper, '-m', 'Checkpoint: real [cp_001]']).trim()
    const aside = (about: string) => {
      const other = make(['hash-object', '-w', '--stdin'], about)
      const lines = git(root, ['ls-tree', `${kept}^2`]).replace(/[0-9a-f]{40}(?=\tabout\.json)/, other)
      return git(root, ['commit-tree', make(['mktree'], lines), '-m', 'x']).trim()
    }
    const before = pictureOf(root).files
    for (const commit of [
      evil(outside),
      ...[
        '',
        '[]',
        '{"version":1}',
        '{"version":1,"head":{},"modes":{"usual":{"file":2541,"program":1,"folder":1}}}',
      ].map((about) => evil(`${kept}^{tree}`, aside(about))),
    ]) {
      git(root, ['update-ref', ref, commit])
      const rolled = (await openStage(root)).checkpoints.rollback({ ...orchestrator, which: 'cp_001' })
      await expect(rolled, commit).rejects.toMatchObject({ code: 'NOT_A_CHECKPOINT', exit: 5 })
      expect(pictureOf(root).files).toEqual(before)
      expect(fs.readdirSync(place)).toEqual(['work'])
    }
    // What lies there is not even looked at.
    put(place, { 'outside.txt': 'mine\n' })
    git(root, ['update-ref', ref, evil(outside)])
    const { checkpoints } = await openStage(root)
    const which = { ...orchestrator, which: 'cp_001' }
    await expect(checkpoints.compare(which)).rejects.toMatchObject({ code: 'NOT_A_CHECKPOINT' })
    await expect(checkpoints.rollback(which)).rejects.toMatchObject({ code: 'NOT_A_CHECKPOINT' })
    expect(fs.readFileSync(join(place, 'outside.txt'), 'utf8')).toBe('mine\n')
  })

  verifies('SA-13c', 'sessions have checkpoints of their own, whatever they are called', async () => {
    const root = makeRepository()
    const { checkpoints } = await openStage(root)
    for (const session of ['a..b', 'x.lock', 'main.', 'main'])
      expect(await checkpoints.create({ session, by: 'A', type: 'auto', name: 'x' })).toMatchObject({ id: 'cp_001' })
  })
})

const checkpoint = async ({ checkpoints }: Awaited<ReturnType<typeof openStage>>, name: string): Promise<string> =>
  (await checkpoints.create({ ...orchestrator, type: 'manual', name })).id
