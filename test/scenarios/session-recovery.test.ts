/**
 * The transcripts of the Shared Agent Protocol that need git, with real files, a real repository, and an agent that fails.
 * docs/shared-agent-transcripts.md says where the document writes more than an answer.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect } from 'vitest'
import { openWorkspace, type Workspace } from '../../src/index.ts'
import { git, makeRepository, pictureOf, put } from '../support/git-repository.ts'
import { tempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'

let root: string
let workspace: Workspace
const environment = { PATH: process.env.PATH, HOME: '/nonexistent' }
const open = async (settings = '') => {
  if (settings !== '') put(root, { 'signalbox.yaml': settings })
  workspace = await openWorkspace({ root, environment })
  await workspace.sessions.start('s')
}
const said = (line: string, agent = 'Orchestrator') => workspace.sessions.say(line, { session: 's', agent })
const say = async (line: string, agent?: string) => (await said(line, agent)).answer
const read = (path: string) => readFileSync(join(root, path), 'utf8')

beforeEach(() => {
  root = makeRepository()
})
afterEach(() => workspace.close())

/** Changes four files and makes a fifth, with 120 lines added and 45 deleted, and fails. */
const clumsy = [
  'for n in 1 2 3 4; do head -n 10 f$n > t; seq 1 25 >> t; mv t f$n; done',
  'head -n 5 f1 > t; tail -n 25 f1 >> t; mv t f1',
  'seq 1 20 > new.txt; echo "tests fail" >&2; exit 1',
].join('; ')

verifies(['SA-13a', 'SA-13b', 'SA-3h', 'SA-3i', 'SA-2b'], '§13 example recovery flow', async () => {
  const before = Object.fromEntries(
    [1, 2, 3, 4].map((n) => [`f${n}`, Array.from({ length: 20 }, (_, line) => `${n} ${line}\n`).join('')]),
  )
  put(root, before)
  await open()
  writeFileSync(
    join(root, '.signalbox/session.yaml'),
    `roles:\n  DevAgent:\n    program: [sh, -c, ${JSON.stringify(clumsy)}]\n`,
  )
  for (let n = 1; n <= 8; n++) await say(`#STATE:save:key_${n}:value ${n}`)
  await say('#LOCK:f1:600', 'DevAgent')

  expect(await say('#CHECKPOINT:create:manual:pre_deploy')).toBe('checkpoint_id:cp_001')
  // DevAgent modifies files, then fails.
  expect(await say('#DELEGATE:DevAgent:rework')).toBe('ack:task_id_001')
  expect(await workspace.sessions.work({ session: 's' })).toMatchObject([
    { agent: 'DevAgent', state: 'failed', result: 'exit 1: tests fail' },
  ])
  await say('#STATE:save:key_9:written meanwhile')
  await say('#STATE:save:key_1:overwritten')

  expect(await say('#CHECKPOINT:diff:cp_001')).toBe('Files changed: 5, Lines: +120 -45')
  expect((await said('#CHECKPOINT:diff:cp_001:detailed')).lines.slice(1)).toEqual([
    '• f1 +25 -15',
    '• f2 +25 -10',
    '• f3 +25 -10',
    '• f4 +25 -10',
    '• new.txt +20 -0',
  ])
  expect((await said('#ROLLBACK:dry-run:pre_deploy')).lines).toEqual([
    'dry_run:cp_001',
    'Files to restore: 5',
    '• remove new.txt',
    '• restore f1',
    '• restore f2',
    '• restore f3',
    '• restore f4',
  ])
  expect((await said('#ROLLBACK:cp_001')).lines).toEqual([
    'Stashing uncommitted changes',
    'Rolling back to cp_001',
    'Files restored: 5',
    'State restored: 8 keys',
    'Locks released: f1 (DevAgent)',
    'rolled_back:cp_001',
  ])
  expect((await workspace.sessions.inbox('DevAgent', { session: 's' })).at(-1)).toMatchObject({
    kind: 'restore',
    text: '8 keys; locks released: f1 (DevAgent)',
  })
  for (const [path, text] of Object.entries(before)) expect(read(path)).toBe(text)
  expect(existsSync(join(root, 'new.txt'))).toBe(false)
  expect(await say('#STATE:load:key_1')).toBe('value 1')
  expect(await say('#STATE:load:key_9')).toBe('not_found')
  expect(await workspace.sessions.locks('s')).toEqual([])
  expect(await say('#ROLLBACK:status')).toMatch(/^rolled_back:cp_001 \d+s ago$/)

  // What was there is a checkpoint of its own, with the files and the state of the failure.
  expect(await say('#ROLLBACK:before_cp_001')).toMatch(/\nrolled_back:cp_002$/)
  expect(read('new.txt')).toMatch(/^1\n2\n/)
  expect(await say('#STATE:load:key_1')).toBe('overwritten')
  expect(await say('#SUMMARY')).toBe('done 0, running 0, blocked 0, failed 1')
  const did = (await workspace.sessions.log('s')).map(({ by, did, about }) => `${by} ${did} ${about}`)
  expect(did).toContain('Orchestrator CHECKPOINT:create cp_001')
  expect(did).toContain('Orchestrator ROLLBACK cp_001')
})

verifies(['SA-13a', 'SA-13d', 'SA-3h'], '§13 checkpoint creation, literally and privately', async () => {
  await open()
  const before = pictureOf(root)
  expect(await say('#CHECKPOINT:create:manual:before_refactor')).toBe('checkpoint_id:cp_001')
  const { 'packed-refs': _, ...refs } = pictureOf(root).git
  expect(pictureOf(root).files).toEqual(before.files)
  expect(Object.keys(refs).filter((path) => !(path in before.git) && path.startsWith('refs/heads'))).toEqual([])
  expect(git(root, ['log', '--format=%s', '-1', '--all', '--grep=Checkpoint']).trim()).toBe(
    'Checkpoint: before_refactor [cp_001]',
  )
  expect(git(root, ['log', '--format=%s', '-1']).trim()).toBe('second')
  await workspace.close()
  await open('session:\n  literalCheckpoints: true\n')
  expect(await say('#CHECKPOINT:create:milestone:phase_one')).toBe('checkpoint_id:cp_002')
  expect(git(root, ['log', '--format=%s', '-1']).trim()).toBe('Checkpoint: phase_one [cp_002]')
  expect(git(root, ['ls-files', '.signalbox']).trim()).toBe('')
  expect((await said('#CHECKPOINT:list')).lines.map((line) => line.replace(/\d+s ago/, 'now'))).toEqual([
    '• cp_002 phase_one (milestone, now)',
    '• cp_001 before_refactor (manual, now)',
  ])
  // A milestone is a major phase transition: a reason for a new session.
  expect(await say('#HEALTH:session')).toMatch(/phase/)
})

verifies(['SA-13a', 'SA-7'], 'what cannot be met is refused, and changes nothing', async () => {
  await open()
  await say('#CHECKPOINT:create:manual:one')
  await say('#CHECKPOINT:create:manual:two')
  await say('#CHECKPOINT:create:auto:two')
  const before = [pictureOf(root), (await workspace.sessions.log('s')).length]
  for (const [line, answer] of [
    ['#CHECKPOINT:create:manual:$(x)', '#ERROR:E002:invalid_checkpoint_name'],
    [`#CHECKPOINT:create:manual:${'x'.repeat(10_000)}`, '#ERROR:E002:invalid_checkpoint_name'],
    ['#CHECKPOINT:create:weekly:x', '#ERROR:E002:expected_manual_auto_milestone'],
    ['#ROLLBACK:cp_009', '#ERROR:E002:unknown_checkpoint'],
    ['#ROLLBACK:two', '#ERROR:E002:ambiguous_name cp_003, cp_002'],
    ['#CHECKPOINT:diff:none', '#ERROR:E002:unknown_checkpoint'],
  ] as const)
    expect(await said(line)).toMatchObject({ outcome: 'refused', answer, code: 'E002' })
  expect([pictureOf(root), (await workspace.sessions.log('s')).length]).toEqual(before)
})

verifies(
  ['SA-13d', 'SA-8'],
  'checkpoints are made before what is risky, and where many files have changed',
  async () => {
    await open()
    expect(await say('#DELEGATE:Dev:ordinary work:P1')).toBe('ack:task_id_001\nunassigned:Dev')
    expect(await say('#DELEGATE:Dev:look at it:P0')).toBe('ack:task_id_002\nunassigned:Dev\nack:checkpoint:cp_001')
    expect(await say('#DELEGATE:Dev:delete the cache:P2')).toBe(
      'ack:task_id_003\nunassigned:Dev\nack:checkpoint:cp_002',
    )
    put(root, Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`made/${n}`, `${n}\n`])))
    expect(await say('#DELEGATE:Dev:five files')).toBe('ack:task_id_004\nunassigned:Dev')
    put(root, { 'made/6': '6\n' })
    expect(await say('#DELEGATE:Dev:six files')).toBe('ack:task_id_005\nunassigned:Dev\nack:checkpoint:cp_003')
    expect((await said('#CHECKPOINT:list')).lines.map((line) => line.replace(/, .*/, ''))).toEqual([
      '• cp_003 many_changes (auto',
      '• cp_002 before_delete (auto',
      '• cp_001 before_delegation (auto',
    ])
    await workspace.close()
    await open('session:\n  automaticCheckpoints: false\n')
    expect(await say('#DELEGATE:Dev:deploy:P0')).toBe('ack:task_id_006\nunassigned:Dev')
  },
)

verifies(
  ['SA-13a', 'SA-8'],
  'without a repository tasks are given with a notice, and checkpoints say what to do',
  async () => {
    root = tempDir()
    await open()
    expect(await say('#DELEGATE:Dev:deploy:P0')).toBe('ack:task_id_001\nunassigned:Dev\nno_checkpoint:NO_REPOSITORY')
    expect(await say('#DELEGATE:Dev:ordinary')).toBe('ack:task_id_002\nunassigned:Dev')
    await expect(say('#CHECKPOINT:create:manual:x')).rejects.toMatchObject({
      code: 'NO_REPOSITORY',
      hint: 'Make one there: git init',
    })
    expect((await said('#CONTEXT:export:./context/a.ctx')).lines[1]).toBe('git_ref:none')
  },
)

verifies(['SA-16b', 'SA-16'], '§16 an export names a commit, and an import checks it', async () => {
  await open()
  const head = git(root, ['rev-parse', 'HEAD']).trim()
  await say('#STATE:save:k:v:persistent')
  expect((await said('#CONTEXT:export:./context/a.ctx')).lines[1]).toBe(`git_ref:${head}`)
  expect(read('context/a.ctx')).toContain(`git_checkpoint: "${head}"\n`)
  expect((await said('#CONTEXT:validate:./context/a.ctx')).lines[1]).toBe('git_checkpoint:found')
  expect((await said('#CONTEXT:import:./context/a.ctx')).lines[0]).toBe(`validated:git_ref:${head}`)
  await say('#CHECKPOINT:create:manual:one')
  const kept = git(root, ['log', '--format=%H', '-1', '--all', '--grep=Checkpoint: one']).trim()
  expect((await said('#CONTEXT:export:./context/b.ctx')).lines[1]).toBe(`git_ref:${kept}`)
  put(root, { 'context/a.ctx': read('context/a.ctx').replace(head, 'abcdef0123456789') })
  expect((await said('#CONTEXT:import:./context/a.ctx')).lines[0]).toBe('git_ref:unknown')
})

verifies(['SA-2.5a', 'SA-3i'], 'in words, one goes back to a checkpoint by its name, after a yes', async () => {
  await open()
  await say('make a checkpoint called stable')
  put(root, { 'README.md': 'ruined\n' })
  expect(await workspace.sessions.translate('roll back to stable', { session: 's' })).toMatchObject({
    command: '#ROLLBACK:stable',
  })
  const asked = await said('roll back to stable')
  const done = asked.outcome === 'answered' ? asked : await said('yes')
  expect(done.answer).toMatch(/cp_001/)
  expect(read('README.md')).toBe('one\nmain\nthree\n')
})

verifies(['SA-13c'], 'messages stay as they are, also those that git tracks, in both ways', async () => {
  for (const literalCheckpoints of [false, true]) {
    root = makeRepository()
    await open(`session:\n  literalCheckpoints: ${literalCheckpoints}\n`)
    const task = { from: 'lead', to: 'coder-1', type: 'task-delegation', payload: { task: 'Fix the login' } } as const
    await workspace.mr.sending.send(task)
    git(root, ['add', '-f', 'state'])
    git(root, ['commit', '-q', '-m', 'messages are tracked'])
    await say('#CHECKPOINT:create:manual:before')
    const { messages } = await workspace.mr.claiming.receive('coder-1')
    expect(messages).toHaveLength(1)
    await workspace.mr.sending.send({ ...task, payload: { task: 'Later' } })
    put(root, { 'src/a.txt': 'changed\n' })
    const before = messagesIn()
    expect(await say('#ROLLBACK:before')).toMatch(/\nFiles restored: 1\n/)
    expect(read('src/a.txt')).toBe('a\n')
    expect(messagesIn()).toEqual(before)
    const again = await workspace.mr.claiming.receive('coder-1')
    expect(again.messages.map(({ message }) => message.payload)).toEqual([{ task: 'Later' }])
    if (!literalCheckpoints) await workspace.close()
  }
})

const messagesIn = () => Object.entries(pictureOf(root).files).filter(([path]) => path.startsWith('state/'))
