/** Dream.OS from outside: the commands as people and agents type them. */

import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { spawnProgram } from '../support/child.ts'
import { mailboxFile } from '../support/dream.ts'
import { tempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'
import { cliJson, plainEnvironment, programFor, quickCli } from './cli-program.ts'

let root: string
beforeEach(() => {
  root = tempDir()
})

const dream = (...words: string[]) => quickCli(['dream', ...words], { cwd: root })
const asJson = (...words: string[]) => cliJson(['dream', ...words], { cwd: root }, quickCli)
const at = (path: string) => join(root, path)
const read = (path: string) => JSON.parse(readFileSync(at(path), 'utf8'))
function put(path: string, content: unknown) {
  mkdirSync(dirname(at(path)), { recursive: true })
  writeFileSync(at(path), typeof content === 'string' ? content : JSON.stringify(content))
}
const box = mailboxFile(1)
const task = {
  task_id: 'task-001',
  action: 'RUN',
  params: {},
  target_agent: 'Bob',
  status: 'PENDING',
  priority: 3,
  depends_on: [],
}

describe('a mailbox day', () => {
  it('[DO-5a][DO-5c][DO-6b] as agents type it', () => {
    expect(dream('mailbox', 'init', '2').out).toBe('Made 2 mailboxes: 1, 2\n')
    expect(dream('mailbox', 'claim', '--agent', 'Worker').out).toBe('Worker has mailbox 1 now.\n')
    const sent = asJson(
      'mailbox',
      'send',
      '--mailbox',
      '1',
      '--from',
      'Agent_0',
      '--command',
      'run',
      '--params',
      '{"a": 1}',
      '--task',
      'task-001',
    )
    expect(sent).toMatchObject({
      exit: 0,
      output: { outcome: 'sent', message: { protocol: 'dream', to: 'mailbox 1', state: 'waiting', path: box } },
    })
    const next = asJson('mailbox', 'next', '--mailbox', '1', '--as', 'Worker')
    expect(next).toMatchObject({
      exit: 0,
      output: {
        outcome: 'given',
        attempt: 1,
        redelivered: false,
        message: { command: 'run', params: { a: 1 }, task_id: 'task-001' },
      },
    })
    expect(asJson('mailbox', 'next', '--mailbox', '1', '--as', 'Worker')).toMatchObject({
      exit: 1,
      output: { outcome: 'nothing' },
    })
    expect(dream('mailbox', 'next', '--mailbox', '1', '--as', 'Somebody').exit).toBe(4)
    const { message_id: id } = next.output.message
    expect(dream('mailbox', 'done', '--mailbox', '1', '--as', 'Somebody', id).exit).toBe(4)
    expect(dream('mailbox', 'done', '--mailbox', '1', '--as', 'Worker', id, '--output', '{"ok": true}').out).toBe(
      'Recorded: COMPLETED\n',
    )
    expect(dream('mailbox', 'done', '--mailbox', '1', '--as', 'Worker', id).out).toBe('It had an outcome already.\n')
    expect(asJson('completed', '--task', 'task-001')).toMatchObject({
      output: { completed: [{ agent_id: 'Worker', output: { ok: true } }] },
    })
    expect(dream('mailbox').out).toMatch(/^1 +idle +Worker /m)
    expect(dream('mailbox', 'heartbeat', '--mailbox', '1', '--as', 'Worker').exit).toBe(0)
    expect(dream('mailbox', 'release', '--mailbox', '1', '--as', 'Worker').out).toBe('Released mailbox 1.\n')
    expect(dream('mailbox', 'compact', '--mailbox', '1').exit).toBe(0)
  })
})

describe('planning with expansion', () => {
  it('[DO-4][DO-4c][DO-4d] as agents type it, to a person’s answer', () => {
    const { output } = asJson('plan', '--as', 'Agent_0', '--to', 'Planner', '--goal', 'Ship it')
    const results = [task, { ...task, task_id: 'task-002', depends_on: ['task-001'] }]
    expect(dream('task', 'take', 'Planner').out).toContain('GENERATE_TASK_SEQUENCE')
    expect(
      dream('task', 'done', 'Planner', `task_${output.plan}.json`, '--output', JSON.stringify({ results })).exit,
    ).toBe(0)
    expect(asJson('tasks', '--runnable').output.tasks).toEqual([task])
    const split = asJson('plan', '--as', 'Agent_0', '--to', 'Planner', '--goal', 'Smaller', '--under', 'task-001')
      .output.plan
    put('runtime/Planner/outbox/msg_x.json', {
      type: 'TASK_COMPLETED',
      source_id: 'Planner',
      target_id: 'Agent_0',
      data: { correlation_id: split, results: [{ ...task, task_id: 'part-1' }] },
    })
    expect(asJson('route', '--once')).toMatchObject({
      exit: 0,
      output: { outcome: 'routed', plans: [{ outcome: 'joined', tasks: ['part-1'] }] },
    })
    expect(asJson('tasks', '--dispatch')).toMatchObject({
      exit: 0,
      output: { outcome: 'dispatched', tasks: [{ task_id: 'part-1' }] },
    })
    expect(dream('tasks', '--dispatch')).toMatchObject({ exit: 0, out: 'Nothing may start.\n' })
    expect(dream('task', 'inbox', 'Bob').out).toContain('task_part-1.json')
    expect(dream('task', 'take', 'Bob').exit).toBe(0)
    expect(dream('task', 'done', 'Bob', 'part-1', '--error', '{"code": "E"}').out).toContain('FAILED')
    expect(asJson('tasks').output.tasks.map(({ status }: { status: string }) => status)).toEqual([
      'BLOCKED',
      'BLOCKED',
      'FAILED',
    ])
    expect(asJson('governance', 'query', '--type', 'PLAN_JOINED').output.events).toHaveLength(2)
    expect(asJson('supervisor', 'show').output.state).toMatchObject({ task_assignments: { 'part-1': 'Bob' } })
    const waiting = JSON.parse(quickCli(['human', 'list', '--json'], { cwd: root }).out).waiting
    expect(waiting).toMatchObject([{ protocol: 'dream', kind: 'escalation', from: 'Bob', task: 'part-1' }])
    expect(quickCli(['human', 'approve', waiting[0].id, '--as', 'rose'], { cwd: root })).toMatchObject({ exit: 0 })
    expect(asJson('tasks', '--runnable').output.tasks).toMatchObject([{ task_id: 'part-1', status: 'PENDING' }])
    expect(dream('task', 'inbox', 'Bob').out).toContain('HUMAN_ANSWER')
  })
})

describe('a prompt’s round trip', () => {
  it('[DO-3a][DO-3c][DO-3e] with a bridge that knows nothing of us', async () => {
    if (spawnSync('python3', ['-c', '1']).status !== 0) return
    put('templates/ask.j2', 'Review {{ file }}\n')
    expect(asJson('prompt', 'render', 'ask.j2', '--vars', '{"file": "a.py"}').output).toEqual({
      outcome: 'rendered',
      text: 'Review a.py',
    })
    const program = new URL('../support/dream_agent.py', import.meta.url).pathname
    const bridge = spawnProgram(['python3', program, 'bridge', root])
    await bridge.nextLine()
    expect(dream('prompt', 'stage', 'ask.j2', '--vars', '{"file": "a.py"}').exit).toBe(0)
    await bridge.exited
    expect(asJson('prompt', 'fetch', '--wait', '10').output).toMatchObject({
      outcome: 'fetched',
      response: { answer: 'REVIEW A.PY' },
    })
    expect(dream('prompt', 'fetch')).toMatchObject({ exit: 1, out: 'There is no response.\n' })
  })

  verifies.unless(
    spawnSync('python3', ['-c', '1']).status === 0 ? undefined : 'python3 is not installed',
    ['DO-4', 'DO-2a'],
    'a Python agent plans with nothing of ours',
    async () => {
      const program = new URL('../support/dream_agent.py', import.meta.url).pathname
      dream('plan', '--as', 'Agent_0', '--to', 'PyPlanner', '--goal', 'x')
      expect((await spawnProgram(['python3', program, 'agent', root, 'PyPlanner']).exited).code).toBe(0)
      expect(asJson('route', '--once').output.plans).toMatchObject([{ outcome: 'joined', tasks: ['py-1', 'py-2'] }])
      expect(asJson('tasks', '--runnable').output.tasks).toMatchObject([{ task_id: 'py-1' }])
    },
  )
})

it('[X-shell] a sender with nothing but a shell: printf to a temporary name, then mv', () => {
  const script = `set -e
mkdir -p runtime/Bob/inbox runtime/Ann/outbox
printf '{"task_id": "t-1", "action": "RUN"}' > runtime/Bob/inbox/.t.tmp && mv runtime/Bob/inbox/.t.tmp runtime/Bob/inbox/task_t-1.json
printf '{"type": "NOTE", "source_id": "Ann", "target_id": "Bob", "data": {}}' > runtime/Ann/outbox/.m.tmp && mv runtime/Ann/outbox/.m.tmp runtime/Ann/outbox/msg_1.json`
  expect(spawnSync('sh', ['-c', script], { cwd: root }).status).toBe(0)
  expect(dream('task', 'take', 'Bob').out).toContain('t-1')
  expect(dream('task', 'take', 'Bob').out).toContain('msg_1@Ann.json')
  expect(dream('task', 'take', 'Bob').exit).toBe(1)
})

it('[X-recipient] whoever sends to somebody nobody has seen is told so, with the nearest name', () => {
  dream('task', 'take', 'RefactorAgent')
  put('t.json', task)
  const sent = dream('task', 'send', '--to', 'RefactorAgnt', '--file', 't.json')
  expect(sent).toMatchObject({ exit: 0, err: expect.stringContaining('Did you mean RefactorAgent?') })
  const { findings } = JSON.parse(quickCli(['doctor', '--json'], { cwd: root }).out)
  expect(findings.map(({ code }: { code: string }) => code)).toContain('UNSEEN_RECIPIENT')
})

describe('[X-recipient] every way that sends asks whether anybody has seen the recipient', () => {
  const event = (to: string) => ({ type: 'NOTE', source_id: 'Ann', target_id: to, data: {} })

  it('and is refused where the settings are strict: nothing is sent, nothing is lost', () => {
    put('signalbox.yaml', 'strict: true\n')
    dream('task', 'take', 'Worker')
    put('temp/cursor_output.json', event('Wroker'))
    expect(asJson('prompt', 'fetch', '--dispatch')).toMatchObject({
      exit: 3,
      output: { error: { code: 'UNSEEN_AGENT', hint: 'Did you mean Worker?' } },
    })
    expect(read('temp/cursor_output.json')).toEqual(event('Wroker'))
    put('runtime/task_list.json', [{ ...task, target_agent: 'Wroker' }])
    expect(dream('tasks', '--dispatch')).toMatchObject({
      exit: 3,
      out: 'Nothing may start.\n',
      err: expect.stringContaining('Nobody has seen Wroker'),
    })
    expect(dream('plan', '--as', 'Worker', '--to', 'Wroker', '--goal', 'x').exit).toBe(3)
    expect(dream('task', 'send', '--to', 'Wroker', '--content', '{"task_id": "a"}').exit).toBe(3)
    put('runtime/Planner/outbox/msg_1.json', {
      ...event('Wroker'),
      type: 'TASK_COMPLETED',
      data: { correlation_id: 'plan-1', results: [{ ...task, task_id: 'other', target_agent: 'Worker' }] },
    })
    expect(asJson('route', '--once').output).toMatchObject({
      plans: [{ outcome: 'joined' }],
      unroutable: [{ target: 'Wroker', reason: expect.stringContaining('`strict` is set') }],
    })
    expect(existsSync(at('runtime/Planner/outbox/msg_1.json'))).toBe(true)
    expect(existsSync(at('runtime/Wroker'))).toBe(false)
  })

  it('and tells it where they are not', () => {
    dream('task', 'take', 'Worker')
    put('temp/cursor_output.json', event('Wroker'))
    const said = 'Nobody has seen Wroker yet; the message waits for it. Did you mean Worker?'
    expect(asJson('prompt', 'fetch', '--dispatch')).toMatchObject({ exit: 0, output: { notices: [said] } })
    put('runtime/task_list.json', [{ ...task, target_agent: 'Wroker' }])
    expect(dream('tasks', '--dispatch')).toMatchObject({ exit: 0, err: expect.stringContaining(said) })
  })
})

it('a router that stays tells once of what cannot be carried, not at every pass', async () => {
  const note = (to: string) => ({ type: 'NOTE', source_id: 'Ann', target_id: to, data: {} })
  dream('task', 'take', 'Bob')
  put('runtime/Ann/outbox/msg_lost.json', note('Nobody'))
  put(box, '{"broken')
  const router = spawnProgram([process.execPath, programFor(['dream']), 'dream', 'route'], {
    cwd: root,
    env: { ...plainEnvironment() } as Record<string, string>,
  })
  const until = async (words: string) => {
    for await (const line of router.lines()) if (line.includes(words)) return
    throw new Error(`${words}: ${router.stdout.join('\n')} ${router.stderr()}`)
  }
  await until('msg_lost.json stays')
  for (const n of [1, 2]) {
    put(`runtime/Ann/outbox/.${n}`, note('Bob'))
    renameSync(at(`runtime/Ann/outbox/.${n}`), at(`runtime/Ann/outbox/msg_${n}.json`))
    await until(`msg_${n}@Ann.json`)
  }
  router.kill('SIGTERM')
  await router.exited
  expect(router.stdout.filter((line) => line.includes('msg_lost.json stays'))).toHaveLength(1)
  expect(router.stdout.filter((line) => line.includes('mailbox_1.json'))).toHaveLength(1)
})

it('[DO-5f] a lock without a name that is five minutes old by its time is waited for by nobody', () => {
  put('signalbox.yaml', 'dream:\n  lockWait: 0\n')
  dream('mailbox', 'init', '1')
  put(`${box}.lock`, '')
  const send = () => dream('mailbox', 'send', '--mailbox', '1', '--command', 'c', '--params', '{}')
  expect(send().exit).toBe(8)
  const before = new Date(Date.now() - 300_000)
  utimesSync(at(`${box}.lock`), before, before)
  expect(send().exit).toBe(0)
  expect(asJson('governance', 'query', '--type', 'LOCK_BROKEN').output.events).toHaveLength(1)
})

it('a mailbox that is too large and full of what waits: the way out is named, and packing says why it is none', () => {
  put('signalbox.yaml', 'dream:\n  largestMessage: 65536\n')
  const message = { sender_agent_id: 'A', timestamp_dispatched: '2026-01-01T00:00:00Z', command: 'c' }
  const messages = Array.from({ length: 2 }, (_, n) => ({
    message_id: `m-${n}`,
    ...message,
    params: { text: 'x'.repeat(40_000) },
  }))
  put(box, { status: 'offline', assigned_agent_id: null, last_seen_utc: null, messages, processed_message_ids: [] })
  const sent = asJson('mailbox', 'send', '--mailbox', '1', '--command', 'c', '--params', '{}')
  expect(sent).toMatchObject({
    exit: 5,
    output: { error: { code: 'MAILBOX_TOO_LARGE', hint: expect.stringContaining('`largestMessage` under `dream:`') } },
  })
  expect(dream('mailbox', 'compact', '--mailbox', '1')).toMatchObject({
    exit: 0,
    out: 'Nothing in it can be packed.\n',
    err: expect.stringMatching(/2 messages wait in it, and only what is processed can be packed.*largestMessage/),
  })
  put('signalbox.yaml', 'dream:\n  largestMessage: 262144\n')
  expect(dream('mailbox', 'send', '--mailbox', '1', '--command', 'c', '--params', '{}').exit).toBe(0)
})

it('[DO-3c] a response that could not be printed is handed out by the next fetch, once', () => {
  put('signalbox.yaml', 'dream:\n  settle: 50ms\n')
  put('temp/cursor_output.json', { answer: 42 })
  const onFull = { cwd: root, under: ['sh', '-c', 'exec "$@" > /dev/full', 'sh'] }
  const cut = quickCli(['dream', 'prompt', 'fetch', '--json'], onFull)
  expect(cut).toMatchObject({ exit: 8, err: expect.stringContaining('hands it out again') })
  expect(asJson('prompt', 'fetch')).toMatchObject({ exit: 0, output: { outcome: 'fetched', response: { answer: 42 } } })
  expect(dream('prompt', 'fetch')).toMatchObject({ exit: 1 })
  expect(JSON.parse(quickCli(['doctor', '--json'], { cwd: root }).out).findings).toEqual([])
})

describe('bad input is a clear error, and what is there stays as it is', () => {
  it.each([
    ['not JSON', '{"messages"', 5],
    ['a list', '[]', 5],
    ['a number', '42', 5],
    ['200 levels deep', `${'['.repeat(200)}${']'.repeat(200)}`, 5],
    ['without messages', '{"status": "idle"}', 5],
  ])('a mailbox that is %s', (_, text, exit) => {
    put(box, text)
    const { output, exit: status } = asJson('mailbox', 'send', '--mailbox', '1', '--command', 'c', '--params', '{}')
    expect(status).toBe(exit)
    expect(output.error).toMatchObject({
      code: expect.stringMatching(/^[A-Z_]+$/),
      message: expect.stringContaining('mailbox_1.json'),
      hint: expect.any(String),
    })
    expect(readFileSync(at(box), 'utf8')).toBe(text)
    expect(existsSync(at(`${box}.lock`))).toBe(false)
    put(mailboxFile(2), {
      status: 'offline',
      assigned_agent_id: null,
      last_seen_utc: null,
      messages: [],
      processed_message_ids: [],
    })
    expect(dream('mailbox', 'send', '--mailbox', '2', '--command', 'c', '--params', '{}').exit).toBe(0)
  })

  it('a mailbox of 100 MB', () => {
    put(box, '{"messages": []}')
    truncateSync(at(box), 100_000_000)
    const { output, exit } = asJson('mailbox', 'send', '--mailbox', '1', '--command', 'c', '--params', '{}')
    expect(exit).toBe(5)
    expect(output.error).toMatchObject({
      code: 'MAILBOX_TOO_LARGE',
      message: expect.stringContaining('mailbox_1.json'),
      hint: 'Pack what is processed: signalbox dream mailbox compact --mailbox 1. If that does not help, raise `largestMessage` under `dream:` in signalbox.yaml.',
    })
    expect(statSync(at(box)).size).toBe(100_000_000)
    expect(existsSync(at(`${box}.lock`))).toBe(false)
  })

  it.each([
    ['priority "soon"', { priority: 'soon' }, 'priority is "soon"'],
    ['no target', { target_agent: null }, 'target_agent is null'],
    ['itself before it', { depends_on: ['task-001'] }, 'Task task-001 depends on itself.'],
  ])('a task with %s is not sent, not joined and not handed out', (_, wrong, words) => {
    put('t.json', { ...task, ...wrong })
    expect(asJson('task', 'send', '--to', 'Bob', '--file', 't.json')).toMatchObject({
      exit: 2,
      output: { error: { code: 'BAD_TASK', message: expect.stringContaining(words), hint: expect.any(String) } },
    })
    const list = JSON.stringify([
      { ...task, ...wrong },
      { ...task, task_id: 'good' },
    ])
    put('runtime/task_list.json', list)
    expect(dream('tasks', '--runnable')).toMatchObject({
      exit: 0,
      out: expect.stringContaining('good'),
      err: expect.stringContaining(words),
    })
    expect(readFileSync(at('runtime/task_list.json'), 'utf8')).toBe(list)
    const { findings } = JSON.parse(quickCli(['doctor', '--json'], { cwd: root }).out)
    expect(findings.filter(({ code }: { code: string }) => code === 'BAD_TASK')).toMatchObject([
      { path: 'runtime/task_list.json', message: expect.stringContaining(words), hint: 'Correct the file.' },
    ])
  })

  it('messages without an id or with another’s are told, and the others flow', () => {
    const good = {
      message_id: 'm-1',
      sender_agent_id: 'A',
      timestamp_dispatched: '2026-01-01T00:00:00Z',
      command: 'c',
      params: {},
    }
    put(box, {
      status: 'offline',
      assigned_agent_id: null,
      last_seen_utc: null,
      messages: [{ ...good, message_id: undefined }, good, good, 7],
      processed_message_ids: [],
    })
    dream('mailbox', 'claim', '--agent', 'W')
    expect(asJson('mailbox', 'next', '--mailbox', '1', '--as', 'W').output).toMatchObject({
      outcome: 'given',
      message: { message_id: 'm-1' },
    })
    expect(asJson('mailbox', 'next', '--mailbox', '1', '--as', 'W').output.notices).toHaveLength(3)
    const { findings } = JSON.parse(quickCli(['doctor', '--json'], { cwd: root }).out)
    const bad = findings.filter(({ code }: { code: string }) => code === 'BAD_MAILBOX')
    expect(bad.map(({ severity }: { severity: string }) => severity)).toEqual(['warning', 'warning', 'warning'])
  })

  it('[X-doctor] a mailbox that cannot be read is an error: what is in it is stuck', () => {
    put(box, '{ "messages": [')
    const doctor = quickCli(['doctor', '--json'], { cwd: root })
    expect(doctor.exit).toBe(5)
    expect(JSON.parse(doctor.out).findings[0]).toMatchObject({ code: 'BAD_MAILBOX', severity: 'error' })
  })

  it.each([
    [['mailbox', 'send', '--mailbox', '1', '--command', 'c', '--params', '[1]'], 2, 'NOT_AN_OBJECT'],
    [['mailbox', 'send', '--mailbox', '1', '--command', 'c', '--params', '{"a"'], 2, 'BAD_JSON'],
    [['mailbox', 'send', '--mailbox', '0', '--command', 'c', '--params', '{}'], 2, 'INVALID_INPUT'],
    [['mailbox', 'send', '--mailbox', '7', '--command', 'c', '--params', '{}'], 3, 'NO_SUCH_MAILBOX'],
    [['mailbox', 'claim', '--agent', '..'], 2, 'INVALID_AGENT_ID'],
    [['mailbox', 'claim', '--agent', 'shared_mailboxes'], 2, 'INVALID_AGENT_ID'],
    [['task', 'take', 'a/b'], 2, 'INVALID_AGENT_ID'],
    [['task', 'take', 'bob'], 4, 'SAME_BUT_FOR_CASE'],
    [['prompt', 'render', 'latin.j2', '--vars', '{}'], 5, 'BAD_TEMPLATE'],
    [['prompt', 'fetch'], 5, 'BAD_RESPONSE'],
    [['task', 'done', 'Bob', 'none.json'], 3, 'NO_SUCH_FILE'],
    [['task', 'send', '--to', 'Bob', '--content', '{"task_id": "../x"}'], 2, 'INVALID_TASK_ID'],
    [['task', 'send', '--to', 'Bob', '--content', '{"task_id": 5}'], 2, 'INVALID_TASK_ID'],
    [['prompt', 'render', '../x.j2', '--vars', '{}'], 2, 'PATH_ESCAPES_ROOT'],
    [['prompt', 'render', 'none.j2', '--vars', '{}'], 3, 'NO_SUCH_TEMPLATE'],
    [['prompt', 'render', 'link.j2', '--vars', '{}'], 5, ''],
    [['plan', '--as', 'A', '--to', 'B', '--goal', 'x', '--under', 'none'], 3, 'NO_SUCH_TASK'],
    [['governance', 'query', '--since', 'yesterday'], 2, 'INVALID_TIME'],
    [['report', '../x', '--body', 'y'], 2, 'INVALID_NAME'],
  ])('%j', (words, exit, code) => {
    put('secret.txt', 'secret')
    put('templates/a.j2', 'x')
    symlinkSync(at('secret.txt'), at('templates/link.j2'))
    writeFileSync(at('templates/latin.j2'), Buffer.of(0xff, 0x41))
    put('temp/cursor_output.json', '')
    put('runtime/Bob/outbox/.keep', '')
    const found = asJson(...words)
    expect(found.exit, JSON.stringify(found.output)).toBe(exit)
    if (code !== '' && code !== 'INVALID_INPUT') expect(found.output.error.code).toBe(code)
    expect(JSON.stringify(found.output)).not.toContain('secret"')
  })
})

it('files of the field are read with --compat, told, and written back with nothing else changed', () => {
  const bare =
    '[\n    {"message_id": "msg_1", "sender": "A", "timestamp_utc": "2025-05-01T10:00:00+00:00Z", "command": "c", "params": {}, "x": 1.50}\n]\n'
  put(box, bare)
  expect(dream('mailbox', 'list').err).toContain('--compat')
  expect(dream('mailbox', 'list', '--compat').err).toContain('sender is read as sender_agent_id.')
  const { output } = asJson('mailbox', 'send', '--mailbox', '1', '--command', 'more', '--params', '{}', '--compat')
  expect(readFileSync(at(box), 'utf8').startsWith(bare.slice(0, -3))).toBe(true)
  expect(read(box)).toHaveLength(2)
  expect(asJson('mailbox', 'next', '--mailbox', '1', '--as', 'W', '--compat').output).toMatchObject({
    message: { sender: 'A', x: 1.5 },
  })
  expect(dream('mailbox', 'done', '--mailbox', '1', '--as', 'W', 'msg_1', '--compat').exit).toBe(0)
  expect(asJson('mailbox', 'next', '--mailbox', '1', '--as', 'W', '--compat').output.message.message_id).toBe(
    output.record.message_id,
  )
  put(
    'runtime/governance_memory.jsonl',
    '{"event_type": "OLD", "agent_source": "A", "timestamp": "2025-05-01T10:00:00Z"}\n// remark\n',
  )
  expect(asJson('governance', 'query', '--compat')).toMatchObject({
    output: { events: [{ event_type: 'OLD' }], notices: ['1 line could not be read.'] },
  })
})

it('in JSON remarks are `notices` and files that are no messages `rejected`, whichever command tells them', () => {
  put('runtime/Bob/inbox/bad.json', '{"half')
  put('runtime/Bob/inbox/good.json', '{"task_id": "t", "n": 9007199254740993}')
  put('runtime/Bob/outbox/bad.json', '[1]')
  put(box, { status: 'idle', assigned_agent_id: 'W', last_seen_utc: null, messages: [7], processed_message_ids: [] })
  const bad = [{ path: 'runtime/Bob/inbox/bad.json', reason: expect.any(String) }]
  const told: Record<string, unknown>[] = [
    asJson('task', 'inbox', 'Bob').output,
    asJson('task', 'take', 'Bob').output,
    asJson('task', 'take', 'Bob').output,
    asJson('route', '--once').output,
    asJson('mailbox', 'next', '--mailbox', '1', '--as', 'W').output,
    asJson('mailbox', 'list').output.mailboxes[0],
  ]
  expect(told).toMatchObject([
    { rejected: bad },
    { outcome: 'taken', rejected: bad, notices: [expect.stringContaining('too large to be exact')] },
    { outcome: 'nothing', rejected: bad },
    { rejected: [{ path: 'runtime/Bob/outbox/bad.json' }] },
    { outcome: 'nothing', notices: [expect.stringContaining('messages[0]')] },
    { notices: [expect.stringContaining('messages[0]')] },
  ])
  for (const output of told)
    for (const word of ['notes', 'problems', 'unreadable']) expect(output).not.toHaveProperty(word)
})

describe('what is printed as the next command works when it is pasted', () => {
  const pasted = (out: string, title = 'when done') => {
    const command = new RegExp(`^${title}: +(.+)$`, 'm').exec(out)![1]!
    const script = `signalbox() { "$RUNTIME" "$PROGRAM" "$@"; }\n${command}`
    const env = { ...plainEnvironment(), RUNTIME: process.execPath, PROGRAM: programFor(['dream']) }
    return spawnSync('sh', ['-c', script], { cwd: root, env, encoding: 'utf8' })
  }

  it('of a message that was read with --compat, under an id that is no word', () => {
    const id = "m 1; touch pwned; 'x"
    put(box, [{ id, sender: 'A', timestamp_utc: '2025-05-01T10:00:00Z', command: 'c', payload: { a: 1 } }])
    const next = dream('mailbox', 'next', '--mailbox', '1', '--as', 'W', '--compat')
    expect(next.out).toMatch(/^from: +A$/m)
    expect(next.out).toContain('"a": 1')
    expect(pasted(next.out)).toMatchObject({ status: 0, stdout: 'Recorded: COMPLETED\n' })
    expect(pasted(next.out)).toMatchObject({ status: 0, stdout: 'It had an outcome already.\n' })
    expect(pasted(next.out, 'or else')).toMatchObject({ status: 4 })
    expect(existsSync(at('pwned'))).toBe(false)
  })

  it('of a file that was read with --compat', () => {
    put("runtime/Bob/inbox/a '; b.json", '// remark\n{"task_id": "t"}')
    const taken = dream('task', 'take', 'Bob', '--compat')
    expect(taken.exit).toBe(0)
    expect(pasted(taken.out)).toMatchObject({ status: 0, stdout: expect.stringContaining('Recorded: COMPLETED') })
    expect(pasted(taken.out, 'or else')).toMatchObject({ status: 4 })
  })
})

it('an attempt that there was not yet is told as such, and links and folders that have the name of a mailbox are listed', () => {
  dream('mailbox', 'init', '1')
  dream('mailbox', 'claim', '--agent', 'W')
  dream('mailbox', 'send', '--mailbox', '1', '--command', 'c', '--params', '{}')
  const { message_id: id } = asJson('mailbox', 'next', '--mailbox', '1', '--as', 'W').output.message
  const done = dream('mailbox', 'done', '--mailbox', '1', '--as', 'W', id, '--attempt', '7')
  expect(done).toMatchObject({ exit: 4, err: expect.stringContaining('attempt 7 was never handed out') })
  mkdirSync(at(mailboxFile(2)))
  symlinkSync(at('secret.txt'), at(mailboxFile(3)))
  const { mailboxes } = asJson('mailbox', 'list').output
  expect(
    mailboxes.map(({ mailbox, unreadable }: { mailbox: number; unreadable?: true }) => [mailbox, unreadable]),
  ).toEqual([
    [1, undefined],
    [2, true],
    [3, true],
  ])
})

it('a project that has folders of these names is not taken for one of Dream.OS', () => {
  for (const folder of ['templates', 'logs', 'temp', 'runtime/src']) mkdirSync(at(folder), { recursive: true })
  put('logs/a.md', 'mine')
  expect(quickCli(['init'], { cwd: root }).exit).toBe(0)
  const backup = tempDir()
  expect(quickCli(['export', backup], { cwd: root }).exit).toBe(0)
  expect(readdirSync(backup)).not.toContain('logs')
  dream('governance', 'add', 'DECISION_MADE', '--agent', 'A', '--details', '{}')
  const second = tempDir()
  expect(quickCli(['export', second], { cwd: root }).exit).toBe(0)
  expect(readdirSync(second)).toEqual(expect.arrayContaining(['governance_memory.jsonl', 'logs']))
})

/** The words of a command line; what stands between quotes is one word. */
const wordsOf = (line: string) => [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!)

it('who acts is named by --as, and each command answers what it declares', () => {
  put('templates/t.j2', 'Hello {{ name }}')
  put('temp/cursor_output.json', '{"answer": 1}')
  put('task.json', { ...task, depends_on: [] })
  for (const [line, outcome] of [
    ['mailbox init 1', 'created'],
    ['mailbox init 1', 'unchanged'],
    ['mailbox claim --as Worker', 'claimed'],
    ['mailbox claim --as Worker', 'unchanged'],
    ['mailbox claim --as Other', 'nothing'],
    ['mailbox heartbeat --mailbox 1 --as Worker', 'refreshed'],
    [`mailbox send --mailbox 1 --as Lead --command c --params '{"a": 1}'`, 'sent'],
    ['mailbox next --mailbox 1 --as Worker', 'given'],
    ['mailbox next --mailbox 1 --as Worker', 'nothing'],
    ['mailbox compact --mailbox 1', 'unchanged'],
    ['mailbox release --mailbox 1 --as Worker', 'released'],
    ['mailbox release --mailbox 1 --as Worker', 'unchanged'],
    ['mailbox list', 'listed'],
    ['task send --to Bob --file task.json --as Lead', 'sent'],
    ['task send --to Bob --file task.json --as Lead', 'unchanged'],
    ['task inbox --as Bob', 'listed'],
    ['task take --as Bob', 'taken'],
    ['task take --as Bob', 'nothing'],
    [`task done --as Bob task_task-001.json --output '{"ok": true}'`, 'recorded'],
    [`task done --as Bob task_task-001.json --output '{"ok": true}'`, 'unchanged'],
    ['route --once', 'nothing'],
    ['plan --as Lead --to Bob --goal Tidy', 'sent'],
    ['tasks', 'listed'],
    ['tasks --dispatch', 'nothing'],
    ['completed --agent Bob', 'listed'],
    ['completed --agent Nobody', 'nothing'],
    [`prompt render t --vars '{"name": "Ann"}'`, 'rendered'],
    [`prompt stage t --vars '{"name": "Ann"}'`, 'staged'],
    ['prompt fetch', 'fetched'],
    ['prompt fetch', 'nothing'],
    [`prompt ask t --as Lead --vars '{"name": "Ann"}'`, 'nothing'],
    [`governance add DECISION_MADE --as Lead --details '{"what": "ship"}'`, 'added'],
    ['governance query --type DECISION_MADE', 'found'],
    ['governance query --type NONE', 'nothing'],
    ['reflect --as Worker --body Hm', 'written'],
    ['report weekly --body Fine', 'written'],
    ['report weekly --body Fine', 'unchanged'],
    ['report weekly --body More --over add', 'added'],
    [`state build --set '{"phase": 1}'`, 'written'],
    [`state build --set '{"phase": 1}'`, 'unchanged'],
    ['state build', 'told'],
    ['supervisor show', 'told'],
  ] as const)
    expect([line, asJson(...wordsOf(line)).output]).toMatchObject([line, { outcome }])
})

it('another name than that of --as is refused, and a command without anybody says so', () => {
  expect(asJson('task', 'take', 'Bob', '--as', 'Ann')).toMatchObject({
    exit: 2,
    output: { error: { code: 'CONTRADICTION' } },
  })
  expect(asJson('task', 'take')).toMatchObject({ exit: 2, output: { error: { code: 'NO_AGENT' } } })
  expect(asJson('mailbox', 'claim')).toMatchObject({ exit: 2, output: { error: { code: 'NO_AGENT' } } })
})
