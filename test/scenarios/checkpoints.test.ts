/** The recovery flow of the specification in a real repository, with names that no text can have. */
import fs from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { openMemoryTree } from '../../src/engines/memory/index.ts'
import { heldClock } from '../../src/kernel/clock.ts'
import {
  createdLines,
  diffLines,
  dryRunLines,
  listLines,
  rollbackLines,
  statusLines,
} from '../../src/protocols/shared-agent/checkpoints/answers.ts'
import { openStage } from '../support/checkpoint-stage.ts'
import { runtime } from '../support/child.ts'
import { git, makeRepository, pictureOf, put } from '../support/git-repository.ts'
import { verifies } from '../support/verifies.ts'

const orchestrator = { session: 'main', by: 'Orchestrator' }

describe(`checkpoints, on ${runtime}`, () => {
  verifies(['SA-13a', 'SA-3h', 'SA-3i'], 'the recovery flow of the specification, word for word', async () => {
    const root = makeRepository()
    const { checkpoints, states } = await openStage(root, { tree: openMemoryTree({ clock: heldClock() }) })
    states.set('main', 'a,b,c,d,e,f,g,h')
    const before = pictureOf(root)

    const created = await checkpoints.create({ ...orchestrator, type: 'manual', name: 'pre_deploy' })
    expect(createdLines(created)).toEqual(['checkpoint_id:cp_001'])
    expect(git(root, ['log', '-1', '--format=%B', created.commit]).trim()).toBe('Checkpoint: pre_deploy [cp_001]')
    expect(pictureOf(root)).toEqual(before)

    // The agent changes files, then fails.
    put(root, { 'README.md': 'one\nother\nthree\nfour\n', 'src/new.txt': '1\n2\n', 'src/a.txt': 'a\na\n' })
    fs.rmSync(join(root, 'src/b.txt'))
    fs.chmodSync(join(root, 'run.sh'), 0o644)
    states.set('main', 'a')
    const failed = pictureOf(root)

    expect(diffLines(await checkpoints.compare({ session: 'main', which: 'cp_001' }))).toEqual([
      'Files changed: 5, Lines: +5 -2',
    ])
    expect(dryRunLines(await checkpoints.compare({ session: 'main', which: 'pre_deploy' }))).toEqual([
      'dry_run:cp_001',
      'Files to restore: 5',
      '• remove src/new.txt',
      '• restore README.md',
      '• restore run.sh',
      '• restore src/a.txt',
      '• bring back src/b.txt',
    ])
    expect(pictureOf(root)).toEqual(failed)
    expect(statusLines(await checkpoints.status({ session: 'main' }))).toEqual(['none'])

    expect(rollbackLines(await checkpoints.rollback({ ...orchestrator, which: 'cp_001' }))).toEqual([
      'Stashing uncommitted changes',
      'Rolling back to cp_001',
      'Files restored: 5',
      'State restored: 8 keys',
      'rolled_back:cp_001',
    ])
    expect(pictureOf(root)).toEqual(before)
    expect(states.get('main')).toBe('a,b,c,d,e,f,g,h')
    expect(statusLines(await checkpoints.status({ session: 'main' }))).toEqual(['rolled_back:cp_001 0s ago'])
    expect(listLines(await checkpoints.list({ session: 'main' }))).toEqual([
      '• cp_002 before_cp_001 (auto, 0s ago)',
      '• cp_001 pre_deploy (manual, 0s ago)',
    ])

    const back = await checkpoints.rollback({ ...orchestrator, which: 'cp_002' })
    expect(back.saved).toBe('cp_003')
    expect(pictureOf(root)).toEqual(failed)
    expect(states.get('main')).toBe('a')
  })

  verifies(['SA-13a', 'SA-13b'], 'what is committed needs no stash, whatever messages lie there', async () => {
    const root = makeRepository()
    const { checkpoints } = await openStage(root)
    await checkpoints.create({ ...orchestrator, type: 'manual', name: 'before' })
    put(root, { 'README.md': 'other\n' })
    git(root, ['commit', '-q', '-a', '-m', 'third'])
    put(root, { 'llm/missions/m/pending/1.md': 'a message\n' })
    const rollback = async (which: string) => rollbackLines(await checkpoints.rollback({ ...orchestrator, which }))
    expect(await rollback('before')).toEqual([
      'Rolling back to cp_001',
      'Files restored: 1',
      'State restored: 0 keys',
      'rolled_back:cp_001',
    ])
    // HEAD stays, so that what came back is in no commit at its place.
    expect((await rollback('before_cp_001'))[0]).toBe('Stashing uncommitted changes')
  })

  for (const onBranch of [false, true])
    verifies(
      'SA-13f',
      `names with line ends and beyond UTF-8, links and modes come back${onBranch ? ', in the literal way' : ''}`,
      async () => {
        const root = makeRepository()
        const odd = Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0x66, 0xff, 0xfe, 0x0a, 0x09, 0x22, 0x5c])])
        fs.writeFileSync(odd, 'odd\n')
        put(root, { '-rf': 'dash\n', ' ': 'space\n', '*': 'star\n', ':(top)x': 'magic\n', secret: 'secret\n' })
        fs.chmodSync(join(root, 'secret'), 0o600)
        const target = Buffer.from([0x66, 0xff, 0x0a])
        fs.symlinkSync(target, Buffer.concat([Buffer.from(`${root}/l`), Buffer.from([0xfe])]))
        const before = pictureOf(root).files
        const { checkpoints } = await openStage(root, { onBranch })
        await checkpoints.create({ ...orchestrator, type: 'manual', name: 'odd' })

        fs.rmSync(odd)
        fs.rmSync(join(root, 'secret'))
        fs.chmodSync(join(root, 'src/a.txt'), 0o640)
        put(root, { '*': 'changed\n' })
        fs.rmSync(join(root, 'link'))
        fs.mkdirSync(join(root, 'link'))
        put(root, { 'link/inside': 'a folder where a link was\n' })
        fs.rmSync(join(root, 'src'), { recursive: true })
        fs.symlinkSync('ignored', join(root, 'src'))
        const after = pictureOf(root)
        await checkpoints.rollback({ ...orchestrator, which: 'odd' })
        expect(pictureOf(root).files).toEqual(before)
        await checkpoints.rollback({ ...orchestrator, which: 'cp_002' })
        expect(pictureOf(root)).toEqual(after)
      },
    )
})
