/** What is delegated reaches a program or another protocol, and what comes of it is recorded. Real programs, real files. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect } from 'vitest'
import { runProgram } from '../../src/adapters/program.ts'
import { openMemoryTree } from '../../src/engines/memory/index.ts'
import { openWorkspace, type Workspace } from '../../src/index.ts'
import { sessionsOn, speaker } from '../support/session.ts'
import { tempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'

let root: string
let workspace: Workspace
const isWhole = process.env.SIGNALBOX_TEST_SCALE !== undefined
const env = { PATH: process.env.PATH, HOME: '/nonexistent' }
beforeEach(() => {
  root = tempDir()
})
afterEach(() => workspace?.close())

async function open(roles: string): Promise<void> {
  workspace = await openWorkspace({ root, environment: env })
  await workspace.sessions.start('s')
  writeFileSync(join(root, '.signalbox/session.yaml'), roles)
}
const say = async (line: string, agent = 'Orchestrator') =>
  (await workspace.sessions.say(line, { session: 's', agent })).answer
const work = () => workspace.sessions.work({ session: 's' })

const membersOf = (group: number): string[] =>
  spawnSync('ps', ['-eo', 'pgid=,stat='], { encoding: 'utf8' })
    .stdout.split('\n')
    .filter((line) => new RegExp(`^\\s*${group}\\s+[^Z]`).test(line))

verifies(
  ['SA-8', 'SA-8b'],
  'a program gets task and context quoted on standard input, and its output is the result',
  async () => {
    await open('roles:\n  Dev:\n    program: [sh, -c, "cat > brief.txt; echo coverage 95%", "--", "$(touch pwned)"]\n')
    await say('#STATE:save:branch:main')
    await say('{{TEAM}}: "blue"')
    const hostile = 'build ``` "$(touch pwned)"; rm -rf {{TEAM}}'
    expect(await say(`#DELEGATE:Dev:${hostile}:P1`)).toBe('ack:task_id_001\nno_checkpoint:NO_REPOSITORY')
    expect(await say('#SUMMARY')).toBe('done 0, running 0, blocked 0, waiting 1')
    expect(await work()).toEqual([{ task: 'task_id_001', agent: 'Dev', state: 'completed', result: 'coverage 95%' }])
    const brief = readFileSync(join(root, 'brief.txt'), 'utf8')
    expect(brief).toContain('# Task task_id_001 for Dev, priority P1, attempt 1')
    expect(brief).toContain('~~~text task\nbuild ``` "$(touch pwned)"; rm -rf blue\n~~~')
    expect(brief).toContain('branch: main')
    expect(brief).toContain('TEAM: blue')
    expect(existsSync(join(root, 'pwned'))).toBe(false)
    expect(await say('#EVALUATE:coverage')).toBe('coverage 95%')
    expect(await workspace.sessions.inbox('Orchestrator', { session: 's' })).toMatchObject([
      { kind: 'DONE', about: 'task_id_001', text: 'coverage 95%' },
    ])
    expect(await work()).toEqual([])
  },
)

verifies(['SA-8b'], 'a failing, missing, endless or loud program ends, and so does what it started', async () => {
  const marks = join(root, 'child')
  await open(
    [
      'roles:',
      '  Fails:\n    program: [sh, -c, "echo broken >&2; exit 3"]',
      '  Missing:\n    program: [/no/such/program]',
      `  Endless:\n    program: [sh, -c, "(sleep 300; touch ${marks}) & trap '' TERM; echo $$ > pid; sleep 300"]\n    seconds: 1`,
      `  Loud:\n    program: [sh, -c, "printf %020d 7; head -c ${isWhole ? 2 ** 30 : 2 ** 27} /dev/zero"]`,
    ].join('\n'),
  )
  for (const role of ['Fails', 'Missing', 'Endless', 'Loud']) await say(`#DELEGATE:${role}:work`)
  const before = process.memoryUsage().rss
  const done = Object.fromEntries(
    (await work()).map(({ agent, state, result }) => [agent, [state, result.slice(0, 20), result.length]]),
  )
  expect(done.Fails).toEqual(['failed', 'exit 3: broken', 14])
  expect(done.Missing?.[1]).toMatch(/^not started: /)
  expect(done.Endless).toEqual(['failed', 'timeout after 1 s', 17])
  expect(done.Loud).toEqual(['completed', '00000000000000000007', 4000])
  // Nothing but the beginning was ever kept.
  expect(process.memoryUsage().rss - before).toBeLessThan(64 * 2 ** 20)
  const pid = Number(readFileSync(join(root, 'pid'), 'utf8'))
  // Killed, though perhaps not yet cleared away by whoever looks after orphans.
  while (membersOf(pid).length > 0) await new Promise((done) => setTimeout(done, 5))
})

verifies(
  ['SA-8b'],
  'a runner that was killed is found; a retry counts the attempt, and the late result does not count',
  async () => {
    await open('roles:\n  Dev:\n    program: [sh, -c, "echo fine"]\n')
    await say('#DELEGATE:Dev:work')
    // As a runner leaves it that died after it had begun, and whose lease has ended.
    const neutral = await workspace.sessions.neutral()
    const taken = await neutral.take!('Dev', { place: 's' })
    expect(taken.outcome).toBe('taken')
    expect(await say('#REPORT:Dev:status')).toBe('• work: runner lost')
    expect(await say('#RETRY:Dev:work')).toBe('ack:task_id_001')
    expect(await work()).toMatchObject([{ state: 'completed', result: 'fine' }])
    if (taken.outcome === 'taken')
      await expect(neutral.done!(taken.receipt, { text: 'late' })).rejects.toMatchObject({ code: 'LOST_CLAIM' })
    expect(await say('#REPORT:Dev:results')).toBe('• work: fine')
  },
)

verifies(
  'SA-8b',
  'a task that is to be tried again while it runs is run again by who has it, and by nobody else',
  async () => {
    await open(
      'roles:\n  Dev:\n    program: [sh, -c, "echo x >> runs; while [ ! -e go ]; do sleep 0.01; done; wc -l < runs"]\n',
    )
    await say('#DELEGATE:Dev:work')
    const working = work()
    while (!existsSync(join(root, 'runs'))) await new Promise((done) => setTimeout(done, 5))
    expect(await say('#RETRY:Dev:work')).toBe('ack:task_id_001')
    // It waits again, and another runner has its lease: that is no reason to go round in circles.
    expect(await work()).toEqual([])
    expect(await say('#SUMMARY')).toBe('done 0, running 0, blocked 0, waiting 1')
    writeFileSync(join(root, 'go'), '')
    expect(await working).toEqual([{ task: 'task_id_001', agent: 'Dev', state: 'completed', result: '2' }])
    expect(readFileSync(join(root, 'runs'), 'utf8')).toBe('x\nx\n')
  },
)

verifies(
  ['SA-8b', 'SA-6b'],
  'the end of a session ends its programs, and nothing that comes in later starts it again',
  async () => {
    await open(
      [
        'roles:',
        '  Slow:\n    program: [sh, -c, "echo $$ > pid.tmp; mv pid.tmp pid; sleep 300 & wait"]',
        '  Quick:\n    program: [touch, never]',
      ].join('\n'),
    )
    const status = async () => (await workspace.sessions.list()).map((one) => one.status)
    await say('#DELEGATE:Slow:work')
    await say('#DELEGATE:Dev:think')
    const neutral = await workspace.sessions.neutral()
    const taken = await neutral.take!('Dev', { place: 's' })
    if (taken.outcome !== 'taken') throw new Error('there was a task')
    const working = work()
    while (!existsSync(join(root, 'pid'))) await new Promise((done) => setTimeout(done, 5))
    expect(await workspace.sessions.end('s')).toEqual({ outcome: 'ended', session: 's', stopped: ['task_id_001'] })
    expect(await working).toEqual([])
    const pid = Number(readFileSync(join(root, 'pid'), 'utf8'))
    while (membersOf(pid).length > 0) await new Promise((done) => setTimeout(done, 5))
    expect(await status()).toEqual(['ended'])
    expect((await workspace.sessions.log('s')).at(-1)).toMatchObject({ did: 'end', text: 'stopped task_id_001' })

    // What an agent had taken is recorded all the same.
    expect(await neutral.done!(taken.receipt, { text: 'thought' })).toMatchObject({ outcome: 'settled' })
    expect(await status()).toEqual(['ended'])
    await say('#DELEGATE:Quick:later')
    expect(await say('#REPORT:Slow:status')).toBe('• work: session ended')
    expect(await say('#REPORT:Dev:results')).toBe('• think: thought')
    // What still waits is begun by nobody while the session is over, and is there when it goes on.
    await workspace.sessions.end('s')
    expect(await work()).toEqual([])
    expect(await status()).toEqual(['ended'])
    expect(existsSync(join(root, 'never'))).toBe(false)
    await workspace.sessions.start('s')
    expect(await work()).toMatchObject([{ task: 'task_id_003', state: 'completed' }])
    expect(await workspace.sessions.end('s')).toMatchObject({ stopped: [] })
  },
)

verifies('SA-8b', 'what is stopped is ended, and input that nobody reads harms nobody', async () => {
  workspace = await openWorkspace({ root, environment: env })
  const run = { input: 'x'.repeat(1_000_000), folder: root, timeMs: 60_000, mostBytes: 1000 }
  const stop = new AbortController()
  const stopped = runProgram({ ...run, program: ['sleep', '100'], signal: stop.signal })
  stop.abort()
  expect(await stopped).toMatchObject({ outcome: 'stopped' })
  expect(await runProgram({ ...run, program: ['true'] })).toMatchObject({ outcome: 'ended', status: 0, output: '' })
  expect(await runProgram({ ...run, program: ['cat'] })).toMatchObject({
    outcome: 'ended',
    isCut: true,
    output: 'x'.repeat(1000),
  })
})

verifies(
  'SA-8b',
  'a retry right after a runner was killed waits for the end of its lease, and does the task',
  async () => {
    const tree = openMemoryTree()
    const roles = 'roles:\n  Dev:\n    program: [echo, fine]\n'
    const options = { roles, ports: { runProgram, folder: '/' }, settings: { startRunners: false } }
    const sessions = sessionsOn(tree, options)
    const tell = speaker(sessions, 's')
    await tell('Orchestrator', '#DELEGATE:Dev:work')
    const lease = tree.lease.bind(tree)
    await lease('runner s task_id_001', 'killed', 50)
    expect(await sessions.work({ session: 's', task: 'task_id_001' })).toMatchObject([{ result: 'fine' }])

    // One that lives renews it, and does the task once more by itself.
    await tell('Orchestrator', '#DELEGATE:Dev:more')
    const living = (ms: number) => lease('runner s task_id_002', 'living', ms)
    await living(200)
    const isSeen = new Promise<void>((seen) => {
      tree.lease = async (...given) => {
        const got = await lease(...given)
        seen()
        return got
      }
    })
    const waiting = sessions.work({ session: 's', task: 'task_id_002' })
    await isSeen
    await living(60_000)
    expect(await waiting).toEqual([])
    const stop = new AbortController()
    const stopped = sessions.work({ session: 's', task: 'task_id_002', signal: stop.signal })
    setImmediate(() => stop.abort())
    expect(await stopped).toEqual([])
  },
)
