/** Runners as processes: one for each task, or one that stays; stopped, killed, found again. And a person who is asked. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect } from 'vitest'
import { openWorkspace, type Workspace } from '../../src/index.ts'
import { heldClock } from '../../src/kernel/clock.ts'
import { quickTempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'
import { cli, plainEnvironment, programFor, quickCli } from './cli-program.ts'

let root: string
let workspace: Workspace
const started: ChildProcess[] = []
const environment = { PATH: process.env.PATH, HOME: '/nonexistent' }

/** `Slow` writes down its process group and what it was given, and goes on until somebody ends it. */
const roles = [
  'roles:',
  '  Quick:\n    program: [sh, -c, "cat > /dev/null; echo coverage 95%"]',
  '  Slow:\n    program: [sh, -c, "cat > brief; echo $$ > pid.tmp; mv pid.tmp pid; sleep 300 & wait"]',
].join('\n')

beforeEach(async () => {
  root = quickTempDir()
  mkdirSync(join(root, '.signalbox'), { mode: 0o700 })
  writeFileSync(join(root, '.signalbox/session.yaml'), roles)
  workspace = await openWorkspace({ root, environment })
  await workspace.sessions.start('s')
})
afterEach(async () => {
  await workspace.close()
  for (const child of started.splice(0)) child.kill('SIGKILL')
  if (existsSync(join(root, 'pid'))) endGroup(groupOf())
})

const session = (...words: readonly string[]) => quickCli(['session', ...words], { cwd: root })
const say = async (line: string, agent = 'Orchestrator') =>
  (await workspace.sessions.say(line, { session: 's', agent })).answer
const told = async () => (await workspace.sessions.inbox('Orchestrator', { session: 's', waitMs: 60_000 }))[0]

/** The command line as a process of its own, which runs on. */
function start(...words: readonly string[]) {
  const all = ['session', ...words]
  const child = spawn(process.execPath, [programFor(all), ...all], { cwd: root, env: plainEnvironment() })
  started.push(child)
  let out = ''
  child.stdout.on('data', (piece: Buffer) => {
    out += piece.toString()
  })
  const exited = new Promise<number | NodeJS.Signals | null>((done) =>
    child.on('close', (code, signal) => done(code ?? signal)),
  )
  return { child, exited, out: () => out }
}

async function until(is: () => boolean): Promise<void> {
  const end = Date.now() + 60_000
  while (!is()) {
    if (Date.now() > end) throw new Error('it has not come')
    await new Promise((done) => setTimeout(done, 5))
  }
}

const groupOf = (): number => Number(readFileSync(join(root, 'pid'), 'utf8'))
/** But for those who are dead and not yet cleared away. */
const membersOf = (group: number): number =>
  spawnSync('ps', ['-eo', 'pgid=,stat='], { encoding: 'utf8' })
    .stdout.split('\n')
    .filter((line) => new RegExp(`^\\s*${group}\\s+[^Z]`).test(line)).length

function endGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL')
  } catch {
    // ESRCH: it has ended.
  }
}

verifies(['SA-8', 'SA-8b'], 'a task starts a process of its own, and the command does not wait for it', async () => {
  // It starts itself once more, so it has to be a process of its own.
  const said = cli(['session', 'say', '--session', 's', '#DELEGATE:Quick:tests'], { cwd: root })
  expect(said).toMatchObject({ exit: 0, out: 'ack:task_id_001\n' })
  expect(await told()).toMatchObject({ kind: 'DONE', about: 'task_id_001', text: 'coverage 95%' })
  expect(await say('#EVALUATE:coverage')).toBe('coverage 95%')
})

verifies(['SA-8b'], 'who wants no process started lets `session work` do it, once or for good', async () => {
  writeFileSync(join(root, 'signalbox.yaml'), 'session:\n  startRunners: false\n')
  await workspace.close()
  workspace = await openWorkspace({ root, environment })
  await say('#DELEGATE:Quick:one')
  expect(await say('#SUMMARY')).toBe('done 0, running 0, blocked 0, waiting 1')
  const once = ['work', '--session', 's', '--once'] as const
  expect(session(...once)).toMatchObject({ exit: 0, out: 'completed task_id_001 Quick: coverage 95%\n' })
  expect(session(...once)).toMatchObject({ exit: 1, out: 'Nothing was to do.\n' })
  await told()

  const resident = start('work', '--session', 's')
  await say('#DELEGATE:Quick:two')
  expect(await told()).toMatchObject({ kind: 'DONE', about: 'task_id_002' })
  // Woken by what is delegated, and stopped while a task runs: that is told, and its program ends with it.
  await say('#DELEGATE:Slow:three')
  await until(() => existsSync(join(root, 'pid')))
  resident.child.kill('SIGTERM')
  expect(await resident.exited).toBe(0)
  expect(resident.out()).toContain('task_id_002 Quick: coverage 95%')
  expect(await told()).toMatchObject({ kind: 'FAIL', about: 'task_id_003', text: 'stopped' })
  await until(() => membersOf(groupOf()) === 0)
})

verifies(['SA-8b', 'X-crash'], 'a runner that is killed is found, and a retry counts the attempt', async () => {
  await say('#DELEGATE:Slow:work')
  const resident = start('work', '--session', 's')
  await until(() => existsSync(join(root, 'pid')))
  resident.child.kill('SIGKILL')
  expect(await resident.exited).toBe('SIGKILL')
  expect(await say('#SUMMARY')).toBe('done 0, running 1, blocked 0')
  // Nobody looks after its program any more, and a second attempt must not run beside it.
  await until(() => membersOf(groupOf()) === 0)
  expect(readFileSync(join(root, 'brief'), 'utf8')).toContain('# Task task_id_001 for Slow, priority P2, attempt 1')
  // Its lease has ended by then.
  await workspace.close()
  writeFileSync(join(root, '.signalbox/session.yaml'), roles.replaceAll('sleep 300 & wait', 'echo done'))
  workspace = await openWorkspace({ root, environment, clock: heldClock(Date.now() + 31_000) })
  expect(await say('#REPORT:Slow:status')).toBe('• work: runner lost')
  expect(await told()).toMatchObject({ kind: 'FAIL', about: 'task_id_001', text: 'runner lost' })
  expect(await say('#RETRY:Slow:work')).toBe('ack:task_id_001')
  expect(await workspace.sessions.work({ session: 's' })).toMatchObject([{ state: 'completed', result: 'done' }])
  expect(readFileSync(join(root, 'brief'), 'utf8')).toContain('attempt 2')
})

verifies(['SA-8'], 'what is escalated waits for a person, whose answer comes back to who asked', async () => {
  expect(session('say', '--session', 's', '--as', 'Dev', '#ESCALATE:may I drop it?').out).toBe('escalated:esc_001\n')
  const human = (...words: readonly string[]) => quickCli(['human', ...words], { cwd: root })
  expect(JSON.parse(human('list', '--json').out).waiting).toMatchObject([
    { id: 's:esc_001', protocol: 'session', kind: 'escalation', from: 'Dev', summary: 'may I drop it?', options: [] },
  ])
  expect(human('approve', 's:esc_001')).toMatchObject({ exit: 7 })
  expect(human('answer', 's:esc_001', '--option', '1').exit).not.toBe(0)
  expect(human('answer', 's:esc_001', '--body', 'never')).toMatchObject({ exit: 0 })
  expect(human('answer', 's:esc_001', '--body', 'never')).toMatchObject({ exit: 0 })
  expect(human('answer', 's:esc_001', '--body', 'well')).toMatchObject({ exit: 4 })
  expect(JSON.parse(human('list', '--json').out).waiting).toEqual([])
  const { out } = session('inbox', '--session', 's', '--as', 'Dev', '--json')
  expect(JSON.parse(out).messages).toMatchObject([{ kind: 'ANSWER', about: 'esc_001', text: 'never' }])
  expect(session('inbox', '--session', 's', '--as', 'Dev')).toMatchObject({ exit: 1 })
})
