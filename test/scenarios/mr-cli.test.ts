/** Message Routing from outside: the commands as people and agents type them; on Bun each is a process of its own. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { haveStrace, runtime, spawnProgram } from '../support/child.ts'
import { tempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'
import { type CliOptions, cliJson, mainProgram, ownHome, plainEnvironment, quickCli } from './cli-program.ts'

let root: string
beforeEach(() => {
  root = tempDir()
})

/** A busy machine must not raise alerts that the test does not ask for. */
const env = { SIGNALBOX_MR_ALERT_WRITE_MS: '1000000', SIGNALBOX_MR_ALERT_READ_MS: '1000000' }
const mr = (words: readonly string[], options: CliOptions = {}) =>
  quickCli(['mr', ...words], { cwd: root, env, ...options })
const mrJson = (words: readonly string[], options: CliOptions = {}) =>
  cliJson(['mr', ...words], { cwd: root, env, ...options }, quickCli)
const place = (...path: string[]) => join(root, 'state/agents', ...path)
const onDisk = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'))
const configure = (text: string) => writeFileSync(join(root, 'signalbox.yaml'), text)

const task = ['--type', 'task-delegation', '--payload', '{"task": "Fix the login"}']

/** Sends a task from lead and gives the message. */
function send(to = 'coder-1', ...words: string[]) {
  const { exit, output } = mrJson(['send', '--from', 'lead', '--to', to, ...task, ...words])
  expect({ exit, outcome: output.outcome }).toEqual({ exit: 0, outcome: 'sent' })
  return output.message as { id: string; path: string }
}

/** Put there by another program, long enough ago that nobody can still be writing it. */
function writeForeign(agent: string, name: string, content: unknown) {
  mkdirSync(place(agent, 'inbox'), { recursive: true })
  const file = place(agent, 'inbox', name)
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  utimesSync(file, new Date(Date.now() - 60_000), new Date(Date.now() - 60_000))
}

const foreign = {
  version: '1.0.0',
  msg_id: 'msg_0000000a',
  from: 'stranger',
  to: 'coder-1',
  timestamp: '2026-01-01T00:00:00.000Z',
  sequence: 1,
  type: 'task-delegation',
  payload: { task: 'Anything' },
}

verifies(
  ['MR-4', 'MR-5', 'MR-13'],
  'a task goes out, is taken once, acknowledged, answered, and can be brought back',
  () => {
    expect(mrJson(['init', 'lead'])).toEqual({
      exit: 0,
      err: '',
      output: {
        outcome: 'created',
        agent: 'lead',
        path: 'state/agents/lead',
        sequencesReset: 0,
        notices: [],
        durability: 'process',
      },
    })
    expect(mr(['init', 'lead']).out).toBe('Agent lead is there already: state/agents/lead\n')

    const words = ['--from', 'lead', '--to', 'coder-1', '--requires-ack', '--priority', '8', ...task]
    const sent = mrJson(['send', ...words])
    const id = sent.output.message.id as string
    expect(sent).toEqual({
      exit: 0,
      err: '',
      output: {
        outcome: 'sent',
        message: {
          protocol: 'mr',
          id: expect.stringMatching(/^msg_[0-9a-f]{8}$/),
          from: 'lead',
          to: 'coder-1',
          state: 'inbox',
          path: `state/agents/coder-1/inbox/${id}.json`,
          summary: 'Fix the login',
          createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
          type: 'task-delegation',
          sequence: 1,
          requiresAck: true,
          priority: 8,
          notices: [],
        },
        durability: 'process',
        evicted: [],
        depth: 1,
        notices: ['coder-1 was not known here; its inbox was made.'],
        alerts: [],
        toldBefore: [],
      },
    })
    const file = onDisk(sent.output.message.path)

    const peeked = mrJson(['receive', 'coder-1', '--peek'])
    expect(peeked).toMatchObject({ exit: 0, output: { outcome: 'received', messages: [file] } })
    const received = mrJson(['receive', 'coder-1'])
    expect(received.exit).toBe(0)
    // The messages are exactly what the files say; what all protocols have in common stands beside them.
    expect(received.output.messages).toEqual([file])
    expect(received.output.envelopes).toMatchObject([
      { protocol: 'mr', id, from: 'lead', to: 'coder-1', state: 'taken', summary: 'Fix the login' },
    ])
    expect(received.output).toMatchObject({ rejected: [], gaps: [], depth: 0, durability: 'process' })
    expect(mr(['receive', 'coder-1'])).toEqual({ exit: 1, out: 'Nothing waits.\n', err: '' })

    expect(mr(['unacked', 'lead']).out).toMatch(new RegExp(`^${id} +the acknowledgement of coder-1 `, 'm'))
    const acknowledged = mrJson(['ack', 'coder-1', id])
    expect(acknowledged).toMatchObject({
      exit: 0,
      output: { outcome: 'acknowledged', durability: 'process', message: { to: 'lead', correlationId: id } },
    })
    expect(mrJson(['ack', 'coder-1', id])).toMatchObject({ exit: 0, output: { outcome: 'unchanged' } })
    expect(mr(['unacked', 'lead']).out).toBe('Everything is acknowledged.\n')
    expect(mrJson(['await', 'lead', id, '--wait', '5'])).toMatchObject({
      exit: 0,
      output: { outcome: 'received', durability: 'process', message: { record: { correlation_id: id } } },
    })
    expect(mr(['await', 'lead', id, '--wait', '0'])).toEqual({ exit: 1, out: 'No reply yet.\n', err: '' })

    const answered = mrJson(
      ['send', '--as', 'coder-1', '--to', 'lead', '--type', 'result', '--reply-to', id, '--payload', '-'],
      { input: '{"status": "success"}' },
    )
    expect(answered.output.message).toMatchObject({ from: 'coder-1', correlationId: id })

    expect(mr(['taken', 'coder-1']).out).toMatch(new RegExp(`^${id} .* lead +task-delegation +Fix the login$`, 'm'))
    expect(mrJson(['recover', 'coder-1', id])).toMatchObject({
      exit: 0,
      output: { outcome: 'recovered', from: 'taken', durability: 'process', message: { id, state: 'inbox' } },
    })
    const text = mr(['receive', 'coder-1', '--wait', '5']).out
    expect(text).toContain(`acknowledge:  signalbox mr ack ${id} --as coder-1\n`)
    expect(text).toContain(
      '``` quoted from lead: what it says is theirs, not this program\'s\n{\n  "task": "Fix the login"\n}\n```\n',
    )
  },
)

verifies(['MR-6', 'MR-6b'], 'what is no message is told with its reasons beside the good ones', () => {
  const { id } = send()
  writeForeign('coder-1', 'msg_0000000b.json', foreign)
  writeForeign('coder-1', 'msg_0000000c.json', '{"version"')
  const { exit, out, err } = mr(['receive', 'coder-1'])
  expect(exit).toBe(0)
  expect(out).toContain(`id:         ${id}\n`)
  expect(err).toMatch(/^rejected: msg_0000000b\.json \(NAME_MISMATCH\): .*rejected\/msg_0000000b\.json$/m)
  expect(err).toMatch(/^rejected: msg_0000000c\.json \(VALIDATION_FAILED\): /m)
  expect(mr(['rejected', 'coder-1']).out.split('\n')).toHaveLength(4)
})

verifies('MR-4b', 'a write that fails ends with status 8 and its reason, and is in the log', () => {
  mr(['init', 'lead'])
  mkdirSync(place('coder-1'), { recursive: true })
  writeFileSync(place('coder-1', 'inbox'), '')
  const { exit, output } = mrJson(['send', '--from', 'lead', '--to', 'coder-1', ...task])
  expect({ exit, code: output.error.code }).toEqual({ exit: 8, code: 'DELIVERY_FAILED' })
  expect(output.error.message).toMatch(/^The message to coder-1 was not delivered: ./)
  expect(readFileSync(place('lead', 'error.log'), 'utf8')).toMatch(/"error":"DELIVERY_FAILED"/)
  mr(['init', 'coder-2'])
  const broadcast = mrJson(['broadcast', '--from', 'lead', '--type', 'command', '--payload', '{"action": "pause"}'])
  expect(broadcast).toMatchObject({
    exit: 8,
    output: { outcome: 'partly', messages: [{ to: 'coder-2' }], failed: [{ to: 'coder-1', code: 'DELIVERY_FAILED' }] },
  })
})

verifies(
  ['MR-7c', 'MR-8', 'MR-8b'],
  'a full inbox: what was evicted is told, counted, listed and recovered; alerts are raised',
  () => {
    configure('mr:\n  inboxLimit: 2\n  alertDepth: 1\n')
    const first = send()
    send()
    const { exit, out, err } = mr(['send', '--from', 'lead', '--to', 'coder-1', ...task])
    expect({ exit, out }).toEqual({ exit: 0, out: expect.stringMatching(/^Sent to coder-1 msg_/) })
    expect(err).toMatch(new RegExp(`^evicted: .*${first.id}.*signalbox mr recover coder-1 ${first.id}$`, 'm'))
    expect(err).toMatch(/^alert: The inbox of coder-1 holds 2 messages; the alert is at more than 1\.$/m)
    expect(mrJson(['evicted', 'coder-1']).output).toMatchObject({
      outcome: 'listed',
      messages: [{ id: first.id, message: { state: 'evicted', from: 'lead' } }],
    })

    const status = mr(['status'])
    expect(status.out).toMatch(/^coder-1 +2 of 2 +\d+s +· +1 +·$/m)
    expect(status.err).toMatch(/^alert: The inbox of coder-1 holds 2 messages/m)
    const text = mr(['metrics']).out
    expect(text).toMatch(/^# TYPE message_write_latency_ms histogram$/m)
    expect(text).toMatch(/^message_write_latency_ms_count 3$/m)
    expect(text).toMatch(/^inbox_depth\{agent="coder-1"\} 2$/m)
    expect(text).toMatch(/^eviction_count 1$/m)
    const table = mr(['metrics', '--format', 'table']).out
    expect(table).toMatch(/^milliseconds +count +p50 +p90 +p99 +max +mean$/m)
    expect(table).toMatch(/^message_write_latency_ms +3( +\d+\.\d\d){5}$/m)
    expect(mrJson(['metrics']).output.metrics).toMatchObject({ inbox_depth: { 'coder-1': 2 }, eviction_count: 1 })

    const received = mr(['receive', 'coder-1'])
    expect(received.err).toMatch(/^missing: number 1 of lead \(1\) never came/m)
    expect(mrJson(['recover', 'coder-1', first.id]).output).toMatchObject({ outcome: 'recovered', from: 'evicted' })
    expect(mrJson(['receive', 'coder-1']).output).toMatchObject({ outcome: 'received', gaps: [] })
  },
)

describe('validate', () => {
  verifies('MR-1a', 'names every mistake with its field, and judges a file in an inbox by its place too', () => {
    writeFileSync(join(root, 'good.json'), JSON.stringify(foreign))
    expect(mrJson(['validate', 'good.json'])).toMatchObject({
      exit: 0,
      output: { outcome: 'valid', issues: [], payloadIssues: [], size: JSON.stringify(foreign).length },
    })
    writeFileSync(join(root, 'bad.json'), JSON.stringify({ ...foreign, from: 'A B', priority: 11, sequence: 0 }))
    const bad = mr(['validate', 'bad.json'])
    expect({ exit: bad.exit, err: bad.err }).toEqual({ exit: 5, err: '' })
    expect(bad.out).toMatch(/^Not a message.*\n( {2}✗ Invalid (from|sequence|priority): expected .*, got .*\n){3}$/)
    writeForeign('coder-1', 'msg_0000000b.json', foreign)
    const misplaced = mrJson(['validate', place('coder-1', 'inbox', 'msg_0000000b.json')])
    expect(misplaced).toMatchObject({
      exit: 5,
      output: { outcome: 'invalid', issues: [{ message: expect.stringMatching(/msg_0000000b/) }] },
    })
    expect(mrJson(['validate', '-'], { input: '{' })).toMatchObject({ exit: 5, output: { outcome: 'invalid' } })
    expect(mrJson(['validate', 'none.json'])).toMatchObject({ exit: 3, output: { error: { code: 'NO_SUCH_FILE' } } })
  })
})

describe('mistakes', () => {
  it.each<[string, string[], number, string, RegExp]>([
    [
      'a payload that is no JSON',
      ['--payload', '{task: x}'],
      2,
      'BAD_PAYLOAD',
      /The payload must be a JSON object; it is not JSON/,
    ],
    ['a payload that is a list', ['--payload', '[1]'], 2, 'BAD_PAYLOAD', /it is a list/],
    ['a payload that lacks its part', ['--payload', '{}'], 2, 'VALIDATION_FAILED', /payload\.task/],
    ['a payload in a file that is not there', ['--payload', '@none.json'], 3, 'NO_SUCH_FILE', /none\.json/],
    [
      'a name that leads elsewhere',
      ['--payload', '{"task": "x"}', '--to', '../x'],
      2,
      'INVALID_AGENT_ID',
      /lower-case/,
    ],
    [
      'a reply to no message',
      ['--payload', '{"task": "x"}', '--reply-to', 'x'],
      2,
      'INVALID_MESSAGE_ID',
      /Not a message/,
    ],
  ])('%s', (_title, words, exit, code, message) => {
    const to = words.includes('--to') ? [] : ['--to', 'coder-1']
    const found = mrJson(['send', '--from', 'lead', '--type', 'task-delegation', ...to, ...words])
    expect({ exit: found.exit, code: found.output.error.code }).toEqual({ exit, code })
    expect(found.output.error.message).toMatch(message)
    expect(found.output.error.hint).toEqual(expect.any(String))
    expect(readdirSync(root)).toEqual([])
  })

  it('a mistyped name is told wherever it is used', () => {
    mr(['init', 'coder-1'])
    expect(mr(['receive', 'coder1'])).toEqual({
      exit: 1,
      out: 'Nothing waits.\n',
      err: 'note: There is no agent coder1 yet. Did you mean coder-1?\n',
    })
    expect(mrJson(['status', 'coder1'])).toMatchObject({
      exit: 3,
      output: { error: { code: 'NO_SUCH_AGENT', hint: 'Did you mean coder-1?' } },
    })
    const { err } = mr(['send', '--from', 'lead', '--to', 'coder1', ...task])
    expect(err).toBe(
      'note: coder1 was not known here; its inbox was made.\nnote: Nobody has seen coder1 yet; the message waits for it. Did you mean coder-1?\n',
    )
    // That typo has an inbox by now, and is proposed to nobody all the same.
    expect(mr(['send', '--from', 'lead', '--to', 'coder12', ...task]).err).not.toContain('coder1?')
  })
})

it('who acts is said by --as alone, where a word or --from used to say it', () => {
  const { output } = mrJson(['send', '--as', 'lead', '--to', 'coder-1', ...task, '--requires-ack'])
  expect(output.message).toMatchObject({ from: 'lead', to: 'coder-1' })
  expect(mrJson(['receive', '--as', 'coder-1']).output.messages).toMatchObject([{ from: 'lead' }])
  const { id } = output.message
  expect(mrJson(['ack', id, '--as', 'coder-1']).output.outcome).toBe('acknowledged')
  expect(mrJson(['await', id, '--as', 'lead', '--wait', '0']).output.message).toMatchObject({ from: 'coder-1' })
  expect(mrJson(['broadcast', '--as', 'lead', ...task]).output.messages).toMatchObject([{ to: 'coder-1' }])
  const unnamed = mrJson(['send', '--to', 'coder-1', ...task])
  expect({ exit: unnamed.exit, code: unnamed.output.error.code }).toEqual({ exit: 2, code: 'NO_AGENT' })
})

describe('on request', () => {
  verifies('MR-12', 'signing, encryption and rates come from the settings; doctor looks after the keys', () => {
    configure('mr:\n  signing: require\n  encryption: true\n  messagesPerMinute: 1\n')
    const refused = mrJson(['send', '--from', 'lead', '--to', 'coder-1', ...task])
    expect(refused).toMatchObject({
      exit: 6,
      output: { error: { code: 'NO_KEY', hint: expect.stringMatching(/mr keys lead --generate/) } },
    })
    expect(mrJson(['keys', 'lead', '--generate'])).toMatchObject({ exit: 0, output: { outcome: 'created' } })
    const made = mr(['keys', 'coder-1', '--generate']).out
    expect(made).toMatch(/^ {2}encryption: +age1[a-z0-9]{58}$/m)
    expect(made).not.toMatch(/SECRET|PRIVATE KEY/)
    const { path } = send()
    expect(onDisk(path)).toMatchObject({ payload: { encrypted: 'age' }, signature: { algorithm: 'ed25519' } })
    expect(mrJson(['receive', 'coder-1']).output.messages).toMatchObject([{ payload: { task: 'Fix the login' } }])
    const limited = mrJson(['send', '--from', 'lead', '--to', 'coder-1', ...task])
    expect(limited).toMatchObject({
      exit: 8,
      output: { error: { code: 'RATE_LIMITED', hint: expect.stringMatching(/^Try again in \d+ s/) } },
    })

    const workspace = readdirSync(join(ownHome, 'signalbox/workspaces')).find((name) => name.startsWith(basename(root)))
    const secret = join(ownHome, 'signalbox/workspaces', workspace!, 'keys/private/lead.pem')
    expect(cliJson(['doctor'], { cwd: root }, quickCli).output.findings).toEqual([])
    chmodSync(secret, 0o644)
    const doctor = cliJson(['doctor'], { cwd: root }, quickCli)
    expect(doctor).toMatchObject({
      exit: 5,
      output: { findings: [{ code: 'KEY_EXPOSED', severity: 'error', path: secret }] },
    })
  })

  it('keys of others are entered by hand', () => {
    const key = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'
    expect(mrJson(['keys', 'coder-2', '--trust', key])).toMatchObject({
      exit: 0,
      output: { outcome: 'trusted', keys: [{ agent: 'coder-2', isOwn: false, signing: { publicKey: key } }] },
    })
    expect(mrJson(['keys', 'coder-2', '--trust', key.replace('1', 'x')])).toMatchObject({
      exit: 4,
      output: { error: { code: 'OTHER_KEY' } },
    })
    expect(mrJson(['keys', 'nobody'])).toMatchObject({ exit: 0, output: { outcome: 'nothing', keys: [] } })
    expect(mrJson(['keys', '--generate'])).toMatchObject({ exit: 2, output: { error: { code: 'MISSING_INPUT' } } })
  })

  it('what others write against the specification is read with --compat, or when that is configured', () => {
    const theirs = { ...foreign, version: '1.1', msg_id: 'msg-1767268800-042', timestamp: 1_767_268_800 }
    writeForeign('coder-1', 'msg-1767268800-042.json', theirs)
    expect(mrJson(['receive', 'coder-1', '--peek'])).toMatchObject({ exit: 1, output: { rejected: [{}] } })
    configure('compat: true\n')
    expect(mrJson(['receive', 'coder-1', '--peek']).exit).toBe(0)
    configure('')
    const { exit, output } = mrJson(['receive', 'coder-1', '--compat'])
    expect({ exit, timestamp: output.messages[0].timestamp }).toEqual({
      exit: 0,
      timestamp: '2026-01-01T12:00:00.000Z',
    })
    expect(output.envelopes[0].notices.length).toBeGreaterThan(2)
  })
})

describe('beside other programs', () => {
  const theirs = { ...foreign, version: '1.0', msg_id: 'msg-1767268800-042', timestamp: 1_767_268_800 }

  verifies(
    'MR-13',
    'what they wrote is brought back after a strict receive, and answered so that they understand',
    () => {
      // One of that name was set aside before, and is none.
      writeForeign('coder-1', 'msg-1767268800-042.json', '{}')
      mr(['receive', 'coder-1'])
      writeForeign('coder-1', 'msg-1767268800-042.json', theirs)
      const peeked = mr(['receive', 'coder-1', '--peek'])
      expect(peeked.err).toMatch(
        /^no message: .* It is still state\/agents\/coder-1\/inbox\/msg-1767268800-042\.json\n$/,
      )
      const strict = mr(['receive', 'coder-1'])
      expect([strict.exit, strict.out]).toEqual([1, 'Nothing waits.\n'])
      const [, words] = /--compat reads them\. Bring them back: signalbox (.+), then /.exec(strict.err) ?? []
      // Quoted for a shell: its spare name has a `~` in it.
      const back = quickCli(words!.replaceAll("'", '').split(' '), { cwd: root, env })
      expect(back).toMatchObject({
        exit: 0,
        out: 'Back from rejected/: msg_6a5949bb: state/agents/coder-1/inbox/msg-1767268800-042.json\n',
      })
      expect(back.err).toMatch(/^note: .*signalbox mr receive --as coder-1 --compat\n$/)
      const { out } = mr(['receive', 'coder-1', '--compat'])
      const [, answer] = /^when done: +signalbox (.+ --compat) --payload '{"status":"success"}'$/m.exec(out) ?? []
      expect(quickCli([...answer!.split(' '), '--payload', '{"status": "success"}'], { cwd: root, env }).exit).toBe(0)
      const [name] = readdirSync(place('stranger', 'inbox')).filter((one) => one.startsWith('msg-'))
      expect(onDisk(`state/agents/stranger/inbox/${name}`)).toMatchObject({
        version: '1.0',
        correlation_id: 'msg-1767268800-042',
      })
    },
  )

  it('the first message is written in their form too, and that is said once', () => {
    const words = ['send', '--from', 'lead', '--to', 'coder-1', ...task, '--compat']
    const [first, second] = [mr(words), mr(words)]
    expect(first.err).toMatch(/^note: It is written as other programs write it/)
    expect([first.exit, second.exit, second.err]).toEqual([0, 0, ''])
    const [name] = readdirSync(place('coder-1', 'inbox'))
    expect(name).toMatch(/^msg-\d+-\d{3}\.json$/)
    const { correlation_id, ...message } = onDisk(`state/agents/coder-1/inbox/${name}`)
    expect(correlation_id).toBeUndefined()
    expect(message).toMatchObject({ version: '1.0', timestamp: expect.any(Number), requires_ack: false })
  })
})

verifies('MR-13', 'what could not be printed is in the inbox, and is handed out by the next command', () => {
  const { id } = send()
  const onFull = { under: ['sh', '-c', 'exec "$@" > /dev/full', 'sh'] }
  const { exit, err } = mr(['receive', 'coder-1'], onFull)
  expect([exit, err]).toEqual([8, expect.stringMatching(/What had been taken is in the inbox again\./)])
  expect(readdirSync(place('coder-1', 'inbox'))).toEqual([`${id}.json`])
  expect(mrJson(['receive', 'coder-1']).output).toMatchObject({ messages: [{ msg_id: id }], gaps: [], restarts: [] })
})

it('a remark comes once while it lasts; programs find it each time, and -q leaves it out', () => {
  const odd = [
    'send',
    '--from',
    'coder-1',
    '--to',
    'coder-2',
    '--type',
    'heartbeat',
    '--payload',
    '{"health": "healthy"}',
  ]
  const usual = /usually goes from agent to coordinator/
  expect(mr(odd).err).toMatch(usual)
  expect(mr(odd).err).toBe('')
  const { output } = mrJson(odd)
  expect([output.notices[0], output.toldBefore[0]]).toEqual([expect.stringMatching(usual), output.notices[0]])
  expect(mr([...odd.slice(0, 4), 'coder-3', ...odd.slice(5), '-q']).err).toBe('')
})

verifies('MR-11', 'a broadcast tells whom it reached, and that nobody is there', () => {
  const words = ['broadcast', '--from', 'lead', '--type', 'command', '--payload', '{"action": "stop"}']
  expect(mr(words)).toMatchObject({ exit: 1, out: expect.stringMatching(/^There is nobody else yet/) })
  for (const agent of ['lead', 'coder-1', 'coder-2']) mr(['init', agent])
  expect(mr(words).out).toMatch(/^Sent to 2:\n {2}coder-1 +msg_\w+: .*\n {2}coder-2 +msg_\w+: .*\n$/)
})

describe('a cold command', () => {
  verifies.unless(haveStrace().reason, 'X-cold', 'that sends loads its own part of the program and no package', () => {
    const log = join(tempDir(), 'trace')
    const under = ['strace', '-f', '-e', 'trace=open,openat', '-o', log]
    expect(mr(['send', '--from', 'lead', '--to', 'coder-1', ...task], { under }).exit).toBe(0)
    expect(readFileSync(log, 'utf8')).not.toMatch(/node_modules\/(yaml|age-encryption)\/.*= \d/)
    if (runtime === 'bun') {
      const parts = [...readFileSync(log, 'utf8').matchAll(/dist\/([\w-]+)\.js", [^=]*= \d/g)].map(([, name]) => name!)
      expect(new Set(parts)).toEqual(new Set(['main-on-bun', 'mr-on-bun']))
      return
    }
    const chunks = [...readFileSync(log, 'utf8').matchAll(/dist\/chunks\/([\w-]+?)-\w{8}\.js", [^=]*= \d/g)].map(
      ([, name]) => name!,
    )
    expect(chunks).toContain('send')
    const others =
      /^(receive|await|validate|status|metrics|keys|key-ring|guards|compat|help|doctor|missions|settings-yaml|age)$/
    expect(chunks.filter((name) => others.test(name))).toEqual([])
  })

  verifies.unless(
    haveStrace().reason,
    'MR-5',
    'that waits makes fewer than two calls a second to the file system',
    async () => {
      mr(['init', 'lead'])
      const log = join(tempDir(), 'trace')
      const seconds = 8
      const words = ['mr', 'await', 'lead', 'msg_00000000', '--wait', String(seconds)]
      const child = spawnProgram([process.execPath, mainProgram, ...words], {
        cwd: root,
        env: plainEnvironment(),
        under: ['strace', '-f', '-ttt', '-e', 'trace=%file,getdents64', '-o', log],
      })
      expect((await child.exited).code).toBe(1)
      const calls = readFileSync(log, 'utf8')
        .split('\n')
        // Bun looks at its own memory once a second: a file in /proc, opened and asked for its size.
        .filter((line) => / \d+\.\d+ \w+\(/.test(line) && !/\/proc\/self\/statm|AT_EMPTY_PATH/.test(line))
        .map((line) => Number(line.split(/ +/)[1]))
      // Starting and ending are not waiting.
      const endedAt = calls.at(-1)!
      const [from, to] = [endedAt - seconds + 1, endedAt - 1]
      const idle = calls.filter((at) => at > from && at < to)
      expect(idle.length / (to - from)).toBeLessThan(2)
    },
    300_000,
  )

  it('that waits is woken by another process at once', async () => {
    mr(['init', 'lead'])
    const waiter = spawnProgram([process.execPath, mainProgram, 'mr', 'receive', 'lead', '--wait', '60', '--json'], {
      cwd: root,
      env: plainEnvironment(),
    })
    const words = ['--from', 'coder-1', '--to', 'lead', '--type', 'heartbeat', '--payload', '{"health": "healthy"}']
    expect(mr(['send', ...words]).exit).toBe(0)
    expect(JSON.parse((await waiter.nextLine())!)).toMatchObject({
      outcome: 'received',
      messages: [{ type: 'heartbeat' }],
    })
    expect((await waiter.exited).code).toBe(0)
  })
})

verifies(
  'X-tokens',
  'as text `receive` takes fifty at most and says how many wait; nothing is taken that is not shown',
  () => {
    mrJson(['init', 'coder-1'])
    for (let n = 1; n <= 55; n++) {
      const msg_id = `msg_${n.toString(16).padStart(8, '0')}`
      writeForeign('coder-1', `${msg_id}.json`, { ...foreign, msg_id, sequence: n })
    }
    for (let n = 0; n < 25; n++) writeForeign('coder-1', `broken-${n}.json`, '{')
    const { out, err } = mr(['receive', 'coder-1'])
    expect(out.match(/^id: /gm)).toHaveLength(50)
    expect(out).toMatch(/\n5 more in the inbox\.\n$/)
    expect(err.match(/^rejected: /gm)).toHaveLength(20)
    expect(err).toContain('\n… and 5 more that are no messages\n')
    expect(mrJson(['receive', 'coder-1']).output.messages).toHaveLength(5)
  },
)

verifies('MR-7a', 'files that are no messages drive out none, and of many evicted ones twenty are told', () => {
  mrJson(['init', 'coder-1'])
  for (let n = 1; n <= 125; n++) {
    const msg_id = `msg_${n.toString(16).padStart(8, '0')}`
    writeForeign('coder-1', `${msg_id}.json`, { ...foreign, msg_id, sequence: n })
  }
  for (let n = 0; n < 30; n++) writeForeign('coder-1', `broken-${n}.json`, '{}')
  const { err } = mr(['receive', 'coder-1'])
  expect(err.match(/^evicted: /gm)).toHaveLength(20)
  expect(err).toContain('\n… and 5 more that were evicted\n')
})
