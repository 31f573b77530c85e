/** AC-MQ from outside: the commands as people and agents type them; on Bun each is a process of its own. */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { etcdHealth, openEtcdTree } from '../../src/engines/etcd/index.ts'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import * as outside from '../../src/engines/file-system/outside.ts'
import { type Host, runCommandLine } from '../../src/surfaces/cli/run.ts'
import { repository, spawnProgram } from '../support/child.ts'
import { tempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'
import { type CliOptions, cli, cliJson, mainProgram, plainEnvironment, quickCli } from './cli-program.ts'

let root: string

/** A workspace with the mission `alpha`, and the test in its root. */
beforeEach(() => {
  root = tempDir()
})

const acmq = (words: readonly string[], options: CliOptions = {}) =>
  quickCli(['acmq', ...words], { cwd: root, ...options })
const acmqJson = (words: readonly string[], options: CliOptions = {}) =>
  cliJson(['acmq', ...words], { cwd: root, ...options }, quickCli)
const signalbox = (...words: string[]) => quickCli(words, { cwd: root })

const makeMission = (name = 'alpha') => expect(acmq(['create-mission', name]).exit).toBe(0)
const missionFile = (...path: string[]) => join(root, 'llm/missions/alpha', ...path)
const queue = (name: string) => readdirSync(missionFile('queue', name)).sort()
const textIn = (name: string) => readFileSync(missionFile('queue', name, queue(name)[0]!), 'utf8')

interface SendOptions {
  readonly to?: string
  readonly words?: readonly string[]
}

/** Sends as claude and gives the message. */
function send(body: string, { to = 'gemini', words = [] }: SendOptions = {}) {
  const { exit, output } = acmqJson(['send', 'alpha', '--to', to, '--as', 'claude', '--body', body, ...words])
  expect({ exit, outcome: output.outcome }).toEqual({ exit: 0, outcome: 'sent' })
  return output.message as { id: string; path: string; name: string; createdAt: string }
}

function claim(agent = 'gemini', ...words: string[]) {
  const { exit, output } = acmqJson(['claim', 'alpha', '--as', agent, ...words])
  expect({ exit, outcome: output.outcome }).toEqual({ exit: 0, outcome: 'claimed' })
  return output.message as { id: string; attempt: number; body: string; path: string }
}

/** An error as programs get it: its message, its hint and its status. Gives its code. */
function refused(words: readonly string[], exit: number, message: RegExp, hint?: RegExp) {
  const { exit: found, output, err } = acmqJson(words)
  expect({ exit: found, err, keys: Object.keys(output) }).toEqual({ exit, err: '', keys: ['error'] })
  expect(output.error.message).toMatch(message)
  if (hint) expect(output.error.hint).toMatch(hint)
  return output.error.code as string
}

const envelope = {
  protocol: 'acmq',
  id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  from: 'claude',
  to: 'gemini',
  state: 'pending',
  path: expect.stringMatching(/^llm\/missions\/alpha\/queue\/pending\/\d{14}-[0-9a-f]{8}-from-claude-to-gemini\.md$/),
  summary: 'Design the schema',
  createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/),
}

/** The program around the command line, as on this machine but at another time. */
function hostAt(now: number, environment: Record<string, string>): Host & { printed(): string } {
  let printed = ''
  return {
    about: { version: '0', runtime: 'test' },
    terminal: {
      out: (text) => void (printed += text),
      err: (text) => void (printed += text),
      streams: () => ({ out: outside.terminalOf(1), err: outside.terminalOf(2) }),
    },
    environment,
    clock: { now: () => now },
    outside,
    engines: { files: async (options) => openFileTree(options), etcd: openEtcdTree, etcdHealth },
    stopSignal: () => new AbortController().signal,
    benchmark: () => undefined,
    printed: () => printed,
  }
}

const cell = new Int32Array(new SharedArrayBuffer(4))

/** Asks again until it is so: claims run out by real time only, and asking keeps a core busy that others could use. */
function until<T>(ask: () => T, isSo: (answer: T) => boolean): T {
  for (const startedAt = performance.now(); performance.now() - startedAt < 60_000; ) {
    const answer = ask()
    if (isSo(answer)) return answer
    Atomics.wait(cell, 0, 0, 50)
  }
  throw new Error('It never came.')
}

it('a command says and does the same whether its process is new or warm', () => {
  const life = (run: typeof cli) => {
    const home = tempDir()
    const lines = [
      ['create-mission', 'alpha', '--objective', 'Build it'],
      ['send', 'alpha', '--to', 'gemini', '--from', 'claude', '--id', 'first-one', '--body', '-'],
      ['list', 'alpha', '--queue', 'pending'],
      ['claim', 'alpha', '--as', 'gemini', '--id', 'first-one'],
      ['complete', 'alpha', 'first-one', '--as', 'codex'],
      ['complete', 'alpha', 'first-one', '--as', 'gemini', '--result', 'Done.', '--json'],
      ['claim', 'alpha', '--as', 'gemini'],
      ['show', 'alpha', 'no-such-one', '--json'],
      ['status', 'beta'],
      ['nonsense'],
    ]
    const routed = [
      ['init', 'lead'],
      ['init', 'lead', '--json'],
      ['send', '--from', 'lead', '--to', 'coder', '--type', 'nonsense', '--payload', '{}'],
      ['receive', 'lead'],
      ['receive', 'nobody', '--json'],
    ]
    const all = [...lines.map((words) => ['acmq', ...words]), ...routed.map((words) => ['mr', ...words])]
    return all.map((words) => {
      const { exit, out, err } = run(words, { cwd: home, input: 'From a pipe\n' })
      return { words, exit, out: withoutTimes(out), err }
    })
  }
  const withoutTimes = (text: string) =>
    text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z|\d{14}(?=-)|\d+(?= s(?:econds?)? ago)/g, 'then')
  expect(life(quickCli as typeof cli)).toEqual(life(cli))
})

describe('create-mission', () => {
  const folders = [
    '_meta',
    'archive',
    'artifacts',
    'context',
    'findings',
    'queue/completed',
    'queue/failed',
    'queue/pending',
    'queue/processing',
  ]
  const isMission = (folder: string) =>
    folders.every((name) => existsSync(join(folder, name))) && existsSync(join(folder, '_meta/manifest.md'))

  verifies('AC-2a', 'makes the manifest and every folder, under a root of one’s choice', () => {
    expect(acmqJson(['create-mission', 'alpha', '--objective', 'Design the login'])).toEqual({
      exit: 0,
      err: '',
      output: {
        outcome: 'created',
        mission: 'alpha',
        path: 'llm/missions/alpha',
        manifest: 'llm/missions/alpha/_meta/manifest.md',
        durability: 'process',
      },
    })
    expect(isMission(missionFile())).toBe(true)
    expect(readFileSync(missionFile('_meta/manifest.md'), 'utf8')).toContain('Design the login')

    const [flag, variable, own, file] = [tempDir(), tempDir(), tempDir(), tempDir()]
    acmq(['create-mission', 'alpha', '--root', flag])
    acmq(['create-mission', 'alpha'], { env: { SIGNALBOX_ROOT: variable } })
    acmq(['create-mission', 'alpha'], { cwd: own, env: { SIGNALBOX_ACMQ_ROOT: 'work/missions' } })
    writeFileSync(join(file, 'signalbox.yaml'), 'acmq:\n  root: ./team/missions/\n')
    acmq(['create-mission', 'alpha'], { cwd: file })
    expect(
      [
        join(flag, 'llm/missions'),
        join(variable, 'llm/missions'),
        join(own, 'work/missions'),
        join(file, 'team/missions'),
      ].map((folder) => isMission(join(folder, 'alpha'))),
    ).toEqual([true, true, true, true])
    expect(acmqJson(['missions'], { cwd: file }).output.missions).toMatchObject([{ path: 'team/missions/alpha' }])
  })

  verifies('AC-2b', 'a mission that exists is left as it is, and it is said', () => {
    makeMission()
    writeFileSync(missionFile('_meta/manifest.md'), '# Mine\n')
    expect(acmq(['create-mission', 'alpha', '--objective', 'Other'])).toEqual({
      exit: 0,
      out: 'Mission alpha is there already: llm/missions/alpha\n',
      err: '',
    })
    expect(acmqJson(['create-mission', 'alpha'])).toMatchObject({ exit: 0, output: { outcome: 'unchanged' } })
    expect(readFileSync(missionFile('_meta/manifest.md'), 'utf8')).toBe('# Mine\n')
  })

  verifies(
    'AC-2c',
    'names that could leave the root are refused before anything is written',
    () => {
      const names = [
        '..',
        '../x',
        'a/../b',
        '/etc',
        'a//b',
        '.hidden',
        'a/.b',
        'a b',
        'a\u001b[2J',
        'a\nb',
        'x'.repeat(65),
        '',
      ]
      for (const name of names) {
        const code = refused(['create-mission', name], 2, /^Not a mission: /, /^Use a name/)
        expect(code).toBe('INVALID_MISSION_NAME')
      }
      expect(readdirSync(root)).toEqual([])
      makeMission()
      for (const agent of ['..', '../x', 'a/b', '.a', 'a\u0007', 'x'.repeat(65), 'a-from-b']) {
        for (const words of [
          ['--to', agent, '--from', 'claude'],
          ['--to', 'gemini', '--from', agent],
        ]) {
          const { exit, output } = acmqJson(['send', 'alpha', ...words, '--body', 'x'])
          expect({ exit, code: output.error.code, agent }).toEqual({ exit: 2, code: 'INVALID_AGENT_ID', agent })
        }
      }
      expect(queue('pending')).toEqual([])
    },
    240_000,
  )

  it('names the nearest mission, or how to make one', () => {
    makeMission()
    expect(refused(['status', 'alpah'], 3, /There is no mission "alpah"/, /Did you mean alpha\?/)).toBe(
      'NO_SUCH_MISSION',
    )
    refused(
      ['claim', 'zebra', '--as', 'gemini'],
      3,
      /There is no mission "zebra"/,
      /Make it: acmq create-mission zebra/,
    )
    refused(['create-mission', 'other/child'], 3, /There is no mission "other"/)
    expect(acmq(['status', 'alpah'])).toEqual({
      exit: 3,
      out: '',
      err: 'signalbox: There is no mission "alpah" under llm/missions.\nhint: Did you mean alpha?\n',
    })
  })
})

verifies('AC-12', 'the commands of the specification work as it writes them, each with --json too', () => {
  makeMission('system-design')
  writeFileSync(
    join(root, 'message.md'),
    '---\nfrom: claude\nsummary: "Design the schema"\npriority: 1\ntimeout_seconds: 1\n---\n\nThree tables at most.\n',
  )
  const sent = acmq(['send', 'system-design', '--to', 'gemini', '--file', 'message.md'])
  expect(sent.exit).toBe(0)
  expect(sent.out).toMatch(/^Sent to gemini [0-9a-f-]{36}: llm\/missions\/system-design\/queue\/pending\/.*\.md\n$/)
  const { output: again } = acmqJson(['send', 'system-design', '--to', 'gemini', '--file', 'message.md'])
  expect(again).toMatchObject({ outcome: 'sent', durability: 'process', message: { priority: 1, timeoutSeconds: 1 } })

  const listed = acmq(['list', 'system-design', '--queue', 'pending'])
  expect(listed).toMatchObject({ exit: 0, err: '' })
  expect(listed.out.split('\n').length).toBe(4)
  expect(listed.out).toContain('Design the schema')
  expect(acmqJson(['list', 'system-design', '--queue', 'pending']).output.messages).toHaveLength(2)

  const status = acmq(['status', 'system-design'])
  expect(status.exit).toBe(0)
  expect(status.out).toMatch(/^ {2}pending +2$/m)
  expect(status.out).toMatch(/^ {2}(processing|completed|failed) +0$/m)
  expect(acmqJson(['status', 'system-design']).output).toMatchObject({
    outcome: 'told',
    counts: { pending: 2, processing: 0, completed: 0, failed: 0 },
  })

  expect(acmq(['find-stalled', 'system-design'])).toEqual({ exit: 0, out: 'Nothing is stalled.\n', err: '' })
  expect(acmq(['claim', 'system-design', '--as', 'gemini']).exit).toBe(0)
  const { stalled } = until(
    () => acmqJson(['find-stalled', 'system-design']).output,
    (output) => output.stalled.length > 0,
  )
  expect(stalled).toMatchObject([{ message: { state: 'processing', to: 'gemini' }, since: expect.any(String) }])
  expect(acmq(['find-stalled', 'system-design']).out).toContain('Design the schema')
})

describe('send', () => {
  beforeEach(() => makeMission())

  it('answers with the message as every protocol shows it', () => {
    const { exit, output } = acmqJson([
      ...['send', 'alpha', '--to', 'gemini', '--as', 'claude', '--body', 'Design the schema'],
      ...['--priority', '1', '--timeout', '15m', '--depends', 'path:context/a.md', '--depends', 'b.md'],
    ])
    expect(exit).toBe(0)
    expect(output).toEqual({
      outcome: 'sent',
      message: {
        ...envelope,
        mission: 'alpha',
        name: expect.any(String),
        priority: 1,
        timeoutSeconds: 900,
        dependencies: ['path:context/a.md', 'b.md'],
        attempt: 1,
        notices: [],
      },
      durability: 'process',
      notices: [
        'Neither a message nor a file b.md is there yet: this one waits for it.',
        'Nobody has seen gemini yet; the message waits for it.',
      ],
    })
    expect(textIn('pending')).toContain('Design the schema')
  })

  it('takes what the file says where no option says otherwise, and its `from` in any case', () => {
    const file = join(root, 'message.md')
    writeFileSync(
      file,
      '---\nid: 00123456\nfrom: ada\nto: gemini\nsummary: From the file\npriority: 2\ntimeout_seconds: 60\ndependencies: [path:a.md]\nthread: t1\nmission_id: beta\n---\n\nThe body.\n---\nStill the body.\n',
    )
    const plain = acmqJson(['send', 'alpha', '--file', file], { env: { SIGNALBOX_AGENT: 'env' } }).output
    expect(plain.message).toMatchObject({
      id: '00123456',
      from: 'ada',
      to: 'gemini',
      summary: 'From the file',
      priority: 2,
      timeoutSeconds: 60,
      dependencies: ['path:a.md'],
    })
    expect(plain.notices).toEqual([
      'The file was for mission beta; it goes to alpha.',
      'Nobody has seen gemini yet; the message waits for it.',
    ])
    // What AC-MQ does not know travels along.
    expect(readFileSync(join(root, plain.message.path), 'utf8')).toMatch(
      /summary: "From the file"\nthread: t1\n---\n\nThe body\.\n---\nStill the body\.\n$/,
    )

    const words = [
      '--to',
      'codex',
      '--from',
      'eve',
      '--summary',
      'Mine',
      '--priority',
      '5',
      '--timeout',
      '7',
      '--id',
      'other-id',
      '--depends',
      'b.md',
    ]
    expect(acmqJson(['send', 'alpha', '--file', file, ...words]).output.message).toMatchObject({
      id: 'other-id',
      from: 'ada',
      to: 'codex',
      summary: 'Mine',
      priority: 5,
      timeoutSeconds: 7,
      dependencies: ['b.md'],
    })
  })

  it('says who sends: the file, else --from, else whoever acts', () => {
    writeFileSync(join(root, 'body.md'), 'Just a body\n')
    const from = (words: string[], env = {}) =>
      acmqJson(['send', 'alpha', '--to', 'gemini', '--file', 'body.md', ...words], { env }).output.message.from
    expect(from(['--from', 'eve'], { SIGNALBOX_AGENT: 'env' })).toBe('eve')
    expect(from(['--as', 'ada'], { SIGNALBOX_AGENT: 'env' })).toBe('ada')
    expect(from([], { SIGNALBOX_AGENT: 'env' })).toBe('env')
    writeFileSync(join(root, 'signalbox.yaml'), 'agent: configured\n')
    expect(from([])).toBe('configured')
    writeFileSync(join(root, 'signalbox.yaml'), '')
    expect(
      refused(['send', 'alpha', '--to', 'gemini', '--body', 'x'], 2, /Nobody was named as the sender/, /--as AGENT/),
    ).toBe('NO_AGENT')
  })

  it('reads standard input, where it may be a whole message too', () => {
    const piped = (flag: string, input: string) =>
      acmqJson(['send', 'alpha', '--to', 'gemini', '--as', 'claude', flag, '-'], { input }).output.message
    expect(piped('--file', 'From a pipe\n')).toMatchObject({ summary: 'From a pipe', from: 'claude' })
    expect(piped('--file', '---\nfrom: ada\nsummary: Piped\n---\nx\n')).toMatchObject({ summary: 'Piped', from: 'ada' })
    expect(piped('--body', '---\nfrom: ada\n---\nx\n')).toMatchObject({ from: 'claude', summary: '---' })
    expect(send('@gemini: please look').id).toBeDefined()
  })

  it.each<[string, string[], number, RegExp, string]>([
    ['nothing to send', ['--to', 'gemini'], 2, /There is nothing to send/, 'MISSING_INPUT'],
    ['both', ['--to', 'gemini', '--body', 'x', '--file', 'message.md'], 2, /Both a body and a file/, 'GIVEN_TWICE'],
    ['nobody to send it to', ['--body', 'x'], 2, /The recipient is missing/, 'MISSING_INPUT'],
    [
      'a file that is not there',
      ['--to', 'gemini', '--file', 'none.md'],
      3,
      /There is no file .*none\.md/,
      'NO_SUCH_FILE',
    ],
    [
      'a header that is never closed',
      ['--to', 'gemini', '--file', 'open.md'],
      5,
      /no line `---` closes it/,
      'BAD_FRONT_MATTER',
    ],
    [
      'a priority of a word',
      ['--to', 'gemini', '--file', 'high.md'],
      2,
      /priority must be a number/,
      'INVALID_MESSAGE',
    ],
    [
      'a priority out of range',
      ['--to', 'gemini', '--body', 'x', '--priority', '6'],
      2,
      /from 1 to 5; found 6/,
      'OUT_OF_RANGE',
    ],
    [
      'a path out of the mission',
      ['--to', 'gemini', '--body', 'x', '--depends', 'path:../x'],
      2,
      /stay inside/,
      'BAD_DEPENDENCY',
    ],
    ['an id of no use', ['--to', 'gemini', '--body', 'x', '--id', 'a/b'], 2, /The id must be/, 'INVALID_MESSAGE'],
  ])('refuses %s', (_title, words, exit, message, code) => {
    writeFileSync(join(root, 'message.md'), 'x\n')
    writeFileSync(join(root, 'open.md'), '---\nfrom: claude\n')
    writeFileSync(join(root, 'high.md'), '---\npriority: high\n---\nx\n')
    expect(refused(['send', 'alpha', '--as', 'claude', ...words], exit, message)).toBe(code)
    expect(queue('pending')).toEqual([])
  })

  it('twice with one id sends once; with other content it is a conflict', () => {
    const again = ['send', 'alpha', '--to', 'gemini', '--as', 'claude', '--id', 'fixed-id-1', '--body']
    expect(acmqJson([...again, 'Once']).output.outcome).toBe('sent')
    expect(acmqJson([...again, 'Once'])).toMatchObject({ exit: 0, output: { outcome: 'unchanged' } })
    expect(refused([...again, 'Something else'], 4, /already has the id fixed-id-1/)).toBe('DUPLICATE_ID')
    expect(queue('pending')).toHaveLength(1)
  })

  it('names a cycle that it would close', () => {
    send('First', { words: ['--id', 'first-one', '--depends', 'msg:second-one'] })
    const words = [
      'send',
      'alpha',
      '--to',
      'gemini',
      '--as',
      'claude',
      '--body',
      'x',
      '--id',
      'second-one',
      '--depends',
      'msg:first-one',
    ]
    expect(refused(words, 2, /wait for itself: .*second-one → first-one → second-one/)).toBe('DEPENDENCY_CYCLE')
  })

  it('keeps a large body by reference, and says so', () => {
    writeFileSync(join(root, 'large.md'), `# Large\n${'x'.repeat(300 * 1024)}\n`)
    const { exit, out, err } = acmq(['send', 'alpha', '--to', 'gemini', '--as', 'claude', '--file', 'large.md'])
    expect({ exit, lines: out.split('\n').length }).toEqual({ exit: 0, lines: 2 })
    expect(err).toMatch(/^note: The body has 307209 bytes; it is stored in context\/message-.*\.md/m)
  })

  it('[X-recipient] tells who has not been seen, with the nearest name, until that agent claims something', () => {
    const told = (to: string, ...words: string[]) =>
      acmq(['send', 'alpha', '--to', to, '--as', 'claude', '--body', 'x', ...words])
    expect(told('gemini')).toMatchObject({
      exit: 0,
      err: 'note: Nobody has seen gemini yet; the message waits for it.\n',
    })
    // Being written to twice is not being there.
    expect(told('gemini').err).toBe(
      'note: Nobody has seen gemini yet; the message waits for it. Seen so far: claude.\n',
    )
    acmq(['claim', 'alpha', '--as', 'gemini'])
    expect(told('gemini').err).toBe('')
    expect(told('all', '--priority', '1').err).toBe('')
    acmq(['claim', 'alpha', '--as', 'codex'])
    expect(told('codex').err).toBe('')
    expect(told('claude').err).toBe('')
    expect(told('gemni').err).toBe('note: Nobody has seen gemni yet; the message waits for it. Did you mean gemini?\n')
    expect(told('zebra', '--quiet').err).toBe('')
    // A name that was only written to may be mistyped itself.
    expect(told('zebrah').err).toBe(
      'note: Nobody has seen zebrah yet; the message waits for it. Seen so far: claude, codex, gemini.\n',
    )
    mkdirSync(join(root, '.signalbox/state/presence/circe'), { recursive: true })
    expect(told('circe').err).toContain('Nobody has seen circe')
    writeFileSync(join(root, '.signalbox/state/presence/cursor.json'), '{"name":"cursor"}')
    expect(told('cursor').err).toBe('')
    writeFileSync(missionFile('queue/pending/by-hand.md'), '---\nid: by-hand-1\nfrom: harold\nto: claude\n---\nx\n')
    expect(told('harold').err).toBe('')
    expect(told('harolt').err).toContain('Did you mean harold?')
  })

  it('looks through no large queue for the sake of a note', () => {
    // Enough for every file system to call the folder large.
    for (let i = 0; i < 7000; i++) writeFileSync(missionFile(`queue/completed/${i}-${'x'.repeat(40)}.txt`), '')
    const { exit, err } = acmq(['send', 'alpha', '--to', 'nobody', '--as', 'claude', '--body', 'x'])
    expect({ exit, err }).toEqual({ exit: 0, err: '' })
  })
})

describe('claim', () => {
  beforeEach(() => makeMission())

  it('gives the message with body and attempt, or nothing with what is blocked', () => {
    expect(acmqJson(['claim', 'alpha', '--as', 'gemini'])).toEqual({
      exit: 1,
      err: '',
      output: { outcome: 'nothing', blocked: [] },
    })
    const first = send('Design the schema')
    const second = send('Write the code', { words: ['--depends', `msg:${first.id}`] })
    const { exit, output } = acmqJson(['claim', 'alpha', '--as', 'gemini'])
    expect(exit).toBe(0)
    expect(output).toEqual({
      outcome: 'claimed',
      message: {
        ...envelope,
        id: first.id,
        state: 'processing',
        path: first.path.replace('pending', 'processing'),
        mission: 'alpha',
        name: first.name,
        priority: 3,
        timeoutSeconds: 3600,
        dependencies: [],
        attempt: 1,
        notices: [],
        body: 'Design the schema',
      },
      until: expect.stringMatching(/^\d{4}-.*Z$/),
      durability: 'process',
    })
    expect(acmqJson(['claim', 'alpha', '--as', 'gemini'])).toEqual({
      exit: 1,
      err: '',
      output: {
        outcome: 'nothing',
        blocked: [
          { id: second.id, summary: 'Write the code', to: 'gemini', reason: `waits for ${first.id} (processing)` },
        ],
      },
    })
    const text = acmq(['claim', 'alpha', '--as', 'gemini'])
    expect(text.exit).toBe(1)
    expect(text.out).toContain(`${second.id}  waits for ${first.id} (processing) · Write the code`)
    expect(acmq(['claim', 'alpha', '--as', 'codex'])).toEqual({ exit: 1, out: 'Nothing to claim.\n', err: '' })
  })

  it('shows people and agents the header, what to do next, and the body as a quotation', () => {
    const { id } = send('Look:\n````\ncode\n````\nDone?')
    const { exit, out } = acmq(['claim', 'alpha', '--as', 'gemini'])
    expect(exit).toBe(0)
    const [header = '', quoted = ''] = out.split('\n\n')
    expect(header).toMatch(new RegExp(`^id: +${id}\nfrom: +claude\nto: +gemini\nsummary: +Look:\nstate: +processing\n`))
    expect(header).toContain(`acmq complete alpha ${id} --as gemini --attempt 1 --result TEXT`)
    expect(quoted).toMatch(/^`{5} quoted from claude: .*\nLook:\n````\ncode\n````\nDone\?\n`{5}\n$/)
  })

  it('takes one message by its id; what one holds again, what is another’s not', () => {
    const { id } = send('For gemini')
    expect(refused(['claim', 'alpha', '--as', 'codex', '--id', id], 4, /is for gemini, not for codex/)).toBe(
      'NOT_YOUR_MESSAGE',
    )
    expect(claim('gemini', '--id', id.slice(0, 8)).id).toBe(id)
    expect(claim('gemini', '--id', id).id).toBe(id)
    expect(refused(['claim', 'alpha', '--as', 'gemini', '--id', 'nonsense'], 3, /There is no message nonsense/)).toBe(
      'NO_SUCH_MESSAGE',
    )
    expect(refused(['claim', 'alpha'], 2, /Nobody was named as the one who acts/, /--as AGENT/)).toBe('NO_AGENT')
  })

  it('waits for one to come', async () => {
    expect(acmq(['claim', 'alpha', '--as', 'gemini', '--wait', '1']).exit).toBe(1)
    const words = ['acmq', 'claim', 'alpha', '--as', 'gemini', '--wait', '60', '--json', '--root', root]
    const waiting = spawnProgram([process.execPath, mainProgram, ...words])
    const { id } = send('Here it is')
    expect(JSON.parse((await waiting.nextLine())!)).toMatchObject({ outcome: 'claimed', message: { id } })
    expect(await waiting.exited).toEqual({ code: 0, signal: null })
  })
})

describe('what becomes of a claim', () => {
  beforeEach(() => makeMission())

  it('completed: with result and links, and twice is fine', () => {
    const { id } = send('Research')
    claim()
    mkdirSync(missionFile('findings/deep'), { recursive: true })
    writeFileSync(missionFile('findings/deep/rust.md'), 'fast\n')
    const words = ['complete', 'alpha', id, '--as', 'gemini', '--attempt', '1', '--result', 'Rust is fast.']
    const { exit, output } = acmqJson([
      ...words,
      ...['--link', './findings/deep/rust.md', '--link', 'llm/missions/alpha/findings/deep/../later.md'],
    ])
    expect({ exit, outcome: output.outcome, durability: output.durability }).toEqual({
      exit: 0,
      outcome: 'completed',
      durability: 'process',
    })
    expect(output.message).toMatchObject({ id, state: 'completed', path: expect.stringContaining('/completed/') })
    expect(output.notices).toEqual(['There is no findings/later.md in mission alpha yet.'])
    expect(textIn('completed')).toMatch(/Rust is fast\./)
    expect(textIn('completed')).toContain('findings/deep/rust.md')
    const again = acmq(words)
    expect({ exit: again.exit, out: again.out }).toEqual({
      exit: 0,
      out: expect.stringMatching(/^Was completed already: /),
    })
  })

  it('completed: the result may come from a file or a pipe', () => {
    writeFileSync(join(root, 'result.md'), 'From a file.\n')
    for (const [words, input, expected] of [
      [['--result-file', 'result.md'], '', 'From a file.'],
      [['--result-file', '-'], 'From a pipe.', 'From a pipe.'],
      [['--result', '-'], 'Also piped.', 'Also piped.'],
    ] as const) {
      const { id } = send('Work')
      claim()
      expect(acmq(['complete', 'alpha', id, '--as', 'gemini', ...words], { input }).exit).toBe(0)
      expect(acmqJson(['show', 'alpha', id]).output.message.body).toContain(expected)
    }
    refused(
      ['complete', 'alpha', 'x', '--as', 'gemini', '--result', 'a', '--result-file', 'b'],
      2,
      /Both --result and --result-file/,
    )
  })

  it.each(['/etc/passwd', '../beta/x.md', 'findings/../../x', '..', '.', 'a\u0007b'])(
    'a link to %j is refused',
    (link) => {
      const { id } = send('Work')
      claim()
      expect(refused(['complete', 'alpha', id, '--as', 'gemini', '--link', link], 2, /Not a file of the mission/)).toBe(
        'LINK_LEAVES_MISSION',
      )
      expect(queue('processing')).toHaveLength(1)
    },
  )

  it('failed, retried, and lost to whoever worked on the attempt before', () => {
    const { id } = send('Work')
    claim()
    refused(['fail', 'alpha', id, '--as', 'gemini'], 2, /--reason is missing/)
    const failing = ['fail', 'alpha', id, '--as', 'gemini', '--reason', 'No network', '--detail', 'Tried twice.']
    expect(acmqJson(failing).output).toMatchObject({
      outcome: 'failed',
      message: { state: 'failed' },
      durability: 'process',
    })
    expect(acmqJson(failing)).toMatchObject({ exit: 0, output: { outcome: 'unchanged' } })
    expect(textIn('failed')).toMatch(/\*\*Failure Report\*\*[\s\S]*No network[\s\S]*Tried twice\./)
    expect(acmqJson(['retry', 'alpha', id]).output).toMatchObject({
      outcome: 'retried',
      message: { attempt: 2, state: 'pending' },
    })
    expect(acmqJson(['retry', 'alpha', id])).toMatchObject({ exit: 0, output: { outcome: 'unchanged' } })
    expect(claim().attempt).toBe(2)
    for (const verb of [['complete'], ['renew'], ['fail', '--reason', 'x']] as const) {
      const [name, ...more] = verb
      const words = [name, 'alpha', id, '--as', 'gemini', '--attempt', '1', ...more]
      expect(refused(words, 4, /The claim on message .* is lost: it was handed out again, as attempt 2/)).toBe(
        'LOST_CLAIM',
      )
    }
    const renewed = acmqJson(['renew', 'alpha', id, '--as', 'gemini', '--attempt', '2'])
    expect(renewed).toMatchObject({
      exit: 0,
      output: { outcome: 'renewed', message: { id }, until: expect.any(String), durability: 'process' },
    })
    expect(acmq(['renew', 'alpha', id, '--as', 'gemini']).out).toMatch(/^Yours until \d{4}-/)
    refused(['complete', 'alpha', id, '--as', 'codex'], 4, /is for gemini, not for codex/)
    expect(acmq(['complete', 'alpha', id, '--as', 'gemini', '--attempt', '2']).exit).toBe(0)
    refused(['fail', 'alpha', id, '--as', 'gemini', '--reason', 'x'], 4, /is lost: it is in completed now/)
    refused(['retry', 'alpha', id], 4, /is in completed; there is nothing to retry/)
    refused(['renew', 'alpha', 'nonsense', '--as', 'gemini'], 3, /There is no message nonsense/)
  })
})

describe('looking', () => {
  beforeEach(() => makeMission())

  it('list: by queue, agent, what is blocked, and the archive', () => {
    const done = send('Old work')
    claim()
    acmq(['complete', 'alpha', done.id, '--as', 'gemini', '--result', 'ok'])
    const [low, high] = [
      send('Later', { words: ['--priority', '5'] }),
      send('Urgent', { to: 'codex', words: ['--priority', '1'] }),
    ]
    const held = send('Blocked', { words: ['--depends', 'context/none.md'] })
    const ids = (...words: string[]) => {
      const { exit, output } = acmqJson(['list', 'alpha', ...words])
      expect({ exit, outcome: output.outcome }).toEqual({ exit: 0, outcome: 'listed' })
      return output.messages.map(({ id }: { id: string }) => id)
    }
    expect(ids()).toEqual([high.id, held.id, low.id, done.id])
    expect(ids('--queue', 'pending')).toEqual([high.id, held.id, low.id])
    expect(ids('--queue', 'completed')).toEqual([done.id])
    expect(ids('--queue', 'failed')).toEqual([])
    expect(ids('--to', 'codex')).toEqual([high.id])
    expect(ids('--blocked')).toEqual([held.id])
    expect(ids('--queue', 'archive')).toEqual([])
    expect(acmqJson(['list', 'alpha', '--limit', '1']).output).toMatchObject({
      leftOut: 3,
      messages: [{ id: high.id }],
    })
    expect(acmq(['list', 'alpha', '--blocked']).out).toContain('Blocked · the file context/none.md is missing')
    expect(acmq(['list', 'alpha', '--queue', 'failed']).out).toBe('No messages.\n')
    refused(['list', 'alpha', '--queue', 'failed', '--blocked'], 2, /Nothing in failed is blocked/)
    refused(['list', 'alpha', '--queue', 'pendign'], 2, /--queue must be one of/, /Did you mean pending\?/)

    expect(acmqJson(['archive', 'alpha', '--older-than', '7d'])).toMatchObject({
      exit: 0,
      output: { outcome: 'nothing', archived: 0 },
    })
    expect(acmqJson(['archive', 'alpha', '--older-than', '0'])).toMatchObject({
      exit: 0,
      output: { outcome: 'archived', archived: 1, durability: 'process' },
    })
    expect(acmq(['archive', 'alpha', '--older-than', '0'])).toMatchObject({ exit: 0, out: 'Nothing is old enough.\n' })
    expect(ids('--queue', 'archive', '--to', 'gemini')).toEqual([done.id])
    expect(acmqJson(['list', 'alpha', '--queue', 'archive']).output.messages).toMatchObject([
      {
        protocol: 'acmq',
        from: 'claude',
        to: 'gemini',
        state: 'archived',
        summary: 'Old work',
        path: expect.stringContaining('/archive/'),
        createdAt: done.createdAt,
      },
    ])
    expect(acmqJson(['show', 'alpha', done.id]).output.message).toMatchObject({
      state: 'archived',
      body: expect.stringContaining('ok'),
    })
    refused(['archive', 'alpha', '--older-than', 'soon'], 2, /--older-than must be a duration/)
  })

  it('a file that is no message is told beside the list, and by doctor', () => {
    send('Fine')
    writeFileSync(missionFile('queue/pending/broken.md'), 'no header\n')
    symlinkSync('/etc/passwd', missionFile('queue/pending/link.md'))
    const { exit, out, err } = acmq(['list', 'alpha'])
    expect({ exit, lines: out.split('\n').length }).toEqual({ exit: 0, lines: 3 })
    expect(err).toMatch(/^unreadable: llm\/missions\/alpha\/queue\/pending\/broken\.md: /m)
    expect(err).toMatch(/link\.md: Not an ordinary file/)
    const found = cliJson(['doctor'], { cwd: root }, quickCli).output.findings
    expect(found.map(({ path }: { path: string }) => path)).toContain('llm/missions/alpha/queue/pending/broken.md')
    expect(acmq(['claim', 'alpha', '--as', 'gemini']).exit).toBe(0)
  })

  it('show: one message with its text, by a short id too', () => {
    const { id } = send('Design the schema')
    const { exit, output } = acmqJson(['show', 'alpha', id.slice(0, 8)])
    expect({ exit, outcome: output.outcome }).toEqual({ exit: 0, outcome: 'shown' })
    expect(output.message).toMatchObject({ ...envelope, id, body: 'Design the schema' })
    expect(acmq(['show', 'alpha', id]).out).toMatch(/\n``` quoted from claude: .*\nDesign the schema\n```\n$/)
    expect(refused(['show', 'alpha', 'nonsense'], 3, /There is no message nonsense/)).toBe('NO_SUCH_MESSAGE')
    refused(['show', 'alpha'], 2, /ID is missing/)
  })

  verifies('AC-7.2', 'missions inside missions are whole missions, to any depth, and count in those above', () => {
    for (const name of ['alpha/feature', 'alpha/feature/part']) makeMission(name)
    expect(existsSync(missionFile('sub-missions/feature/sub-missions/part/queue/pending'))).toBe(true)
    const deep = 'alpha/feature/part'
    acmq(['send', deep, '--to', 'gemini', '--as', 'claude', '--body', 'Deep work'])
    acmq(['send', deep, '--to', 'gemini', '--as', 'claude', '--body', 'More'])
    send('Shallow work')
    const claimed = acmqJson(['claim', deep, '--as', 'gemini']).output.message
    expect(acmqJson(['complete', deep, claimed.id, '--as', 'gemini']).output.message.mission).toBe(deep)
    const { output } = acmqJson(['status', 'alpha'])
    expect(output).toMatchObject({
      counts: { pending: 1, completed: 0 },
      total: { pending: 2, processing: 0, completed: 1, failed: 0 },
      subMissions: [
        { mission: 'alpha/feature', counts: { pending: 0, completed: 0 } },
        { mission: deep, counts: { pending: 1, completed: 1 } },
      ],
    })
    expect(acmq(['status', 'alpha']).out).toMatch(/^alpha\/feature\/part +1 +· +1 +·/m)
    expect(acmqJson(['status', 'alpha/feature']).output.subMissions).toHaveLength(1)
    expect(acmqJson(['missions']).output.missions.map(({ mission }: { mission: string }) => mission)).toEqual([
      'alpha',
      'alpha/feature',
      deep,
    ])
  })

  it('status: who works, what is blocked and why, how fast it goes', () => {
    const first = send('Done soon')
    claim()
    acmq(['complete', 'alpha', first.id, '--as', 'gemini'])
    send('Waits', { to: 'codex' })
    const held = send('Blocked', { words: ['--depends', 'msg:unknown-1'] })
    const { output } = acmqJson(['status', 'alpha'])
    expect(output).toMatchObject({
      outcome: 'told',
      mission: 'alpha',
      path: 'llm/missions/alpha',
      counts: { pending: 2, processing: 0, completed: 1, failed: 0 },
      archived: 0,
      oldestPending: { summary: 'Waits', ageSeconds: expect.any(Number) },
      blocked: [{ id: held.id, summary: 'Blocked', reason: 'depends on unknown-1, which is not known' }],
      stalled: [],
      rejected: [],
      completedLastHour: 1,
      failedLastHour: 0,
      agents: { gemini: { pending: 1, completed: 1 }, codex: { pending: 1 } },
      subMissions: [],
    })
    const { out } = acmq(['status', 'alpha'])
    expect(out).toMatch(/^oldest pending: +\d+s, .*: Waits$/m)
    expect(out).toMatch(/^last hour: +1 completed, 0 failed$/m)
    expect(out).toMatch(/^gemini +1 +· +1 +·$/m)
    expect(out).toContain('Blocked (1)\n')
  })

  it('graph: as Mermaid, DOT and JSON', () => {
    const first = send('First')
    const second = send('Second', { words: ['--depends', `msg:${first.id}`] })
    expect(acmq(['graph', 'alpha']).out).toMatch(/^flowchart /)
    expect(acmq(['graph', 'alpha', '--format', 'dot']).out).toMatch(/^digraph /)
    const drawn = JSON.parse(acmq(['graph', 'alpha', '--format', 'json']).out)
    expect(JSON.stringify(drawn)).toContain(second.id)
    expect(acmqJson(['graph', 'alpha', '--format', 'json']).output).toMatchObject({
      outcome: 'drawn',
      format: 'json',
      graph: drawn,
    })
    expect(acmqJson(['graph', 'alpha']).output.graph).toMatch(/^flowchart /)
    refused(['graph', 'alpha', '--format', 'svg'], 2, /--format must be one of mermaid, dot, json/)
  })

  it('hydrate: the document on standard output, what was left out on standard error', () => {
    writeFileSync(
      missionFile('_meta/manifest.md'),
      '# Alpha\n\n## Objective\n\nDesign it.\n\n## Context\n\n- `context/*.md`\n',
    )
    writeFileSync(missionFile('context/facts.md'), 'Water is wet.\n')
    writeFileSync(missionFile('context/picture.md'), Buffer.from([0xff, 0xd8, 0, 1]))
    const { id } = send('Use the facts')
    const { exit, out, err } = acmq(['hydrate', 'alpha', id])
    expect(exit).toBe(0)
    for (const text of ['Design it.', 'Water is wet.', 'Use the facts']) expect(out).toContain(text)
    expect(err).toMatch(/^left out: .*picture\.md: binary/m)
    const { output } = acmqJson(['hydrate', 'alpha'])
    expect(output).toMatchObject({ outcome: 'hydrated', mission: 'alpha', tokens: expect.any(Number) })
    expect(output.document).not.toContain('Use the facts')
    expect(output.leftOut).toMatchObject([{ path: expect.stringContaining('picture.md'), reason: 'binary' }])
    expect(acmqJson(['hydrate', 'alpha', '--budget', '200']).output.tokens).toBeLessThanOrEqual(200)
    refused(['hydrate', 'alpha', 'nonsense'], 3, /There is no message nonsense/)
    refused(['hydrate', 'alpha', '--budget', '0'], 2, /--budget must be a whole number/)
  })

  it('milestone: ticked, ticked already, and taken back', () => {
    writeFileSync(missionFile('_meta/manifest.md'), '# Alpha\n\n## Milestones\n\n- [ ] First draft\n- [x] Kickoff\n')
    const tick = (...words: string[]) => acmqJson(['milestone', 'alpha', ...words])
    expect(tick('First draft')).toMatchObject({ exit: 0, output: { outcome: 'ticked', durability: 'process' } })
    expect(tick('First draft')).toMatchObject({ exit: 0, output: { outcome: 'unchanged' } })
    expect(readFileSync(missionFile('_meta/manifest.md'), 'utf8')).toContain('- [x] First draft\n')
    expect(acmq(['milestone', 'alpha', 'First draft', '--undo']).out).toBe(
      'Changed:\n  [ ] First draft\n  [x] Kickoff\n',
    )
    expect(acmq(['status', 'alpha']).out).toContain('1 of 2 milestones · next: First draft')
    refused(['milestone', 'alpha', 'Frist draft'], 3, /no milestone "Frist draft"/, /Did you mean "First draft"\?/)
  })
})

describe('an agent', () => {
  const manifest =
    '# Alpha\n\n## Objective\n\nDesign it.\n\n## Milestones\n\n- [ ] First draft\n\n## Context\n\n- `context/*.md`\n'

  verifies(
    'AC-5d',
    'is told what to know when it starts and with each task; milestones go by hand and by command',
    () => {
      makeMission()
      writeFileSync(missionFile('_meta/manifest.md'), manifest)
      writeFileSync(missionFile('context/facts.md'), 'Water is wet.\n')
      const started = acmq(['reconcile', 'alpha', '--as', 'gemini', '--hydrate'])
      expect(started).toMatchObject({ exit: 0, err: '' })
      for (const text of ['0 pending', 'Design it.', 'Water is wet.']) expect(started.out).toContain(text)
      expect(acmq(['reconcile', 'alpha', '--as', 'gemini']).out).not.toContain('Water is wet.')

      // What came in between, and what this task depends on, is there when the task is claimed.
      const first = send('Use the facts')
      writeFileSync(missionFile('artifacts/schema.sql'), 'create table users;\n')
      send('Use the schema', { words: ['--depends', 'artifacts/schema.sql'] })
      writeFileSync(missionFile('context/news.md'), 'It rains.\n')
      const task = acmqJson(['claim', 'alpha', '--as', 'gemini', '--hydrate']).output
      expect(task).toMatchObject({ outcome: 'claimed', message: { id: first.id }, hydration: { leftOut: [] } })
      for (const text of ['Design it.', 'Water is wet.', 'It rains.', 'Use the facts']) {
        expect(task.hydration.document).toContain(text)
      }
      expect(task.hydration.document).not.toContain('create table users;')
      writeFileSync(missionFile('context/picture.md'), Buffer.from([0xff, 0xd8, 0, 1]))
      const next = acmq(['claim', 'alpha', '--as', 'gemini', '--hydrate'])
      expect(next.out).toContain('create table users;')
      expect(next.err).toMatch(/^left out: .*picture\.md: binary/m)

      // A person edits the manifest, a program asks for the tick; each sees what the other did.
      const text = () => readFileSync(missionFile('_meta/manifest.md'), 'utf8')
      writeFileSync(
        missionFile('_meta/manifest.md'),
        text().replace('- [ ] First draft', '- [x] First draft\n- [ ] Review'),
      )
      expect(acmq(['status', 'alpha']).out).toContain('1 of 2 milestones · next: Review')
      expect(acmq(['milestone', 'alpha', 'Review']).exit).toBe(0)
      expect(text()).toBe(manifest.replace('- [ ] First draft', '- [x] First draft\n- [x] Review'))
    },
  )
})

verifies(
  'AC-11.1',
  'what it makes is for the owner alone, or for a group when so configured; an open root is reported',
  () => {
    const everything = (folder: string): string[] =>
      readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
        const path = join(folder, entry.name)
        return entry.isDirectory() ? [path, ...everything(path)] : [path]
      })
    const modesIn = (folder: string, word: RegExp) =>
      new Set(everything(folder).flatMap((path) => (word.test(path) ? [statSync(path).mode & 0o777] : [])))
    const live = (home: string, env: Record<string, string>, umask: number) => {
      const act = (...words: string[]) => expect(acmq(words, { cwd: home, env }).exit).toBe(0)
      const before = process.umask(umask)
      act('create-mission', 'alpha')
      act('send', 'alpha', '--to', 'gemini', '--as', 'claude', '--id', 'first-one', '--body', 'One')
      act('send', 'alpha', '--to', 'gemini', '--as', 'claude', '--id', 'second-one', '--body', 'Two')
      act('claim', 'alpha', '--as', 'gemini', '--id', 'first-one')
      act('complete', 'alpha', 'first-one', '--as', 'gemini', '--result', 'Done.')
      act('archive', 'alpha', '--older-than', '0')
      act('claim', 'alpha', '--as', 'gemini', '--id', 'second-one')
      act('fail', 'alpha', 'second-one', '--as', 'gemini', '--reason', 'No.')
      process.umask(before)
    }
    const isFile = /\.\w+$/
    const [own, shared] = [tempDir(), tempDir()]
    // Whatever the umask of whoever starts it would allow.
    live(own, {}, 0o000)
    expect(modesIn(join(own, 'llm'), isFile)).toEqual(new Set([0o600]))
    expect(modesIn(join(own, 'llm'), /\/[^.]+$/)).toEqual(new Set([0o700]))
    live(shared, { SIGNALBOX_PERMISSIONS: 'group' }, 0o007)
    expect(modesIn(join(shared, 'llm'), isFile)).toEqual(new Set([0o660]))
    expect(modesIn(join(shared, 'llm'), /\/[^.]+$/)).toEqual(new Set([0o770]))

    chmodSync(own, 0o777)
    expect(cliJson(['doctor'], { cwd: own }, quickCli).output.findings).toMatchObject([
      { code: 'WORLD_WRITABLE_ROOT', severity: 'warning' },
    ])
    chmodSync(own, 0o700)
    expect(cliJson(['doctor'], { cwd: own }, quickCli).output.findings).toEqual([])
  },
)

describe('supervision', () => {
  beforeEach(() => makeMission())

  verifies(
    'AC-9.2b',
    'archives by itself what was completed seven days ago, or as long ago as configured',
    async () => {
      const { id } = send('Done long ago')
      claim()
      acmq(['complete', 'alpha', id, '--as', 'gemini'])
      const hours = 60 * 60 * 1000
      const superviseAfter = async (time: number, environment: Record<string, string> = {}) => {
        const host = hostAt(Date.now() + time, environment)
        expect(await runCommandLine(['acmq', 'supervise', 'alpha', '--once', '--json', '--root', root], host)).toBe(0)
        return JSON.parse(host.printed()).archived as number
      }
      expect(await superviseAfter((7 * 24 - 1) * hours)).toBe(0)
      expect(queue('completed')).toHaveLength(1)
      expect(await superviseAfter((7 * 24 + 1) * hours)).toBe(1)
      expect(queue('completed')).toEqual([])
      expect(acmqJson(['show', 'alpha', id]).output.message).toMatchObject({ id, state: 'archived' })

      const later = send('Done two hours ago')
      claim()
      acmq(['complete', 'alpha', later.id, '--as', 'gemini'])
      writeFileSync(join(root, 'signalbox.yaml'), 'acmq:\n  archiveAfter: 2h\n')
      expect(await superviseAfter(1 * hours)).toBe(0)
      expect(await superviseAfter(3 * hours)).toBe(1)
    },
  )

  verifies('AC-8.2a', 'what has exceeded its time is listed, and nothing else', () => {
    send('Long enough')
    const short = send('Too short', { words: ['--timeout', '1'] })
    claim()
    claim()
    const { stalled } = until(
      () => acmqJson(['find-stalled', 'alpha']).output,
      (output) => output.stalled.length > 0,
    )
    expect(stalled).toMatchObject([{ message: { id: short.id, state: 'processing' } }])
    expect(queue('processing')).toHaveLength(2)
  })

  it('--once settles stalls, and twice does it once', () => {
    const { id } = send('Too slow', { words: ['--timeout', '1'] })
    claim()
    const swept = until(
      () => acmqJson(['supervise', 'alpha', '--once']).output,
      (output) => output.outcome === 'swept',
    )
    expect(swept).toMatchObject({
      stalled: [{ message: { id, state: 'failed' }, investigation: `investigate-${id}-1` }],
      archived: 0,
      nextStallAt: null,
    })
    expect(acmq(['supervise', 'alpha', '--once'])).toEqual({ exit: 0, out: 'Nothing had to be done.\n', err: '' })
    expect(acmqJson(['list', 'alpha', '--queue', 'pending']).output.messages).toMatchObject([
      { from: 'supervisor', to: 'claude', priority: 1 },
    ])
    refused(['complete', 'alpha', id, '--as', 'gemini', '--attempt', '1'], 4, /is lost: it is in failed now/)
  })

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`stays, tells what it does, and ends cleanly on ${signal}`, async () => {
      const supervisor = spawnProgram([process.execPath, mainProgram, 'acmq', 'supervise', 'alpha', '--root', root])
      expect(await supervisor.nextLine()).toBe('Looking after alpha. Stop with Ctrl-C.')
      const { id } = send('Too slow', { words: ['--timeout', '1'] })
      claim()
      expect(await supervisor.nextLine()).toBe(`  › gemini stalled on ${id} (Too slow); asked claude to look into it`)
      expect(queue('failed')).toHaveLength(1)
      supervisor.kill(signal)
      expect(await supervisor.exited).toEqual({ code: 0, signal: null })
      expect(supervisor.stdout.at(-1)).toBe('Stopped. 1 stalled, 0 put in order, 0 archived.')
      expect(supervisor.stderr()).toBe('')
    })
  }

  verifies('AC-3.2c', 'a file that is being written is left alone for five seconds, then set aside', async () => {
    const [whole, half] = [missionFile('queue/pending/whole.md'), missionFile('queue/pending/half.md')]
    writeFileSync(whole, '---\nid: slow-writer\nto: gem')
    writeFileSync(half, '---\nid: never-finished\nto: gem')
    const writtenAt = Date.now()
    expect(acmq(['claim', 'alpha', '--as', 'gemini']).exit).toBe(1)
    writeFileSync(whole, '---\nid: slow-writer\nto: gemini\n---\nNow it is whole.\n')
    expect(acmqJson(['claim', 'alpha', '--as', 'gemini']).output.message.id).toBe('slow-writer')
    const supervisor = spawnProgram([process.execPath, mainProgram, 'acmq', 'supervise', 'alpha', '--root', root])
    await supervisor.nextLine()
    expect(await supervisor.nextLine()).toContain('half.md')
    expect(Date.now() - writtenAt).toBeGreaterThanOrEqual(5000)
    expect([queue('pending'), queue('failed')]).toEqual([[], ['half.md']])
    expect(readFileSync(missionFile('queue/failed/half.md'), 'utf8')).toContain('**Failure Report**')
    supervisor.kill('SIGTERM')
    await supervisor.exited
    // It waits for a person now, and until then somebody has to act.
    expect(cliJson(['doctor'], { cwd: root })).toMatchObject({
      exit: 1,
      output: { findings: [{ code: 'WAITS_FOR_PERSON' }] },
    })
  })

  it('stays with --json too: one document, when it ends', async () => {
    writeFileSync(join(root, 'signalbox.yaml'), 'acmq:\n  archiveAfter: 0\n')
    const { id } = send('Done')
    claim()
    acmq(['complete', 'alpha', id, '--as', 'gemini'])
    const supervisor = spawnProgram([
      process.execPath,
      mainProgram,
      'acmq',
      'supervise',
      'alpha',
      '--root',
      root,
      '--json',
    ])
    until(
      () => queue('completed'),
      (names) => names.length === 0 || acmq(['missions']).exit !== 0,
    )
    supervisor.kill('SIGTERM')
    expect(await supervisor.exited).toEqual({ code: 0, signal: null })
    expect(supervisor.stdout).toHaveLength(1)
    expect(JSON.parse(supervisor.stdout[0]!)).toMatchObject({
      outcome: 'swept',
      archived: 1,
      passes: expect.any(Number),
    })
  })

  it('a mission that is not there: exit 3, with or without --once', () => {
    refused(['supervise', 'zebra'], 3, /There is no mission "zebra"/)
    refused(['supervise', 'zebra', '--once'], 3, /There is no mission "zebra"/)
  })

  it('reconcile tells an agent where it stands, and puts a half-done move in order', () => {
    const held = send('Held')
    const done = send('Finished, but not moved')
    claim()
    claim()
    const file = missionFile('queue/processing', done.name)
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^status: processing$/m, 'status: completed'))
    const { exit, output } = acmqJson(['reconcile', 'alpha', '--as', 'gemini'])
    expect(exit).toBe(0)
    expect(output).toMatchObject({
      outcome: 'reconciled',
      mission: 'alpha',
      counts: { pending: 0, processing: 1, completed: 1, failed: 0 },
      manifest: { milestones: expect.any(Array) },
      mine: [{ message: { id: held.id }, isStalled: false }],
      repairs: [{ what: 'finished' }],
    })
    expect(acmq(['reconcile', 'alpha', '--as', 'gemini']).out).toMatch(
      new RegExp(`^${held.id} +1 +running +Held$`, 'm'),
    )
    expect(acmqJson(['reconcile', 'alpha']).output).toMatchObject({ mine: [], repairs: [] })
  })
})

describe('what a person must see first', () => {
  beforeEach(() => {
    makeMission()
    mkdirSync(join(root, '.signalbox'), { recursive: true })
    writeFileSync(join(root, '.signalbox/policy.yaml'), 'hold:\n  - "rm -rf"\n  - "deploy * production"\n')
  })
  const human = (...words: string[]) => cliJson(['human', ...words], { cwd: root }, quickCli)

  verifies('AC-11.2b', 'is held back when sent and when claimed, until a person approves it', () => {
    const sent = acmqJson([
      'send',
      'alpha',
      '--to',
      'gemini',
      '--as',
      'claude',
      '--body',
      'Please DEPLOY it to production',
    ])
    const { id } = sent.output.message
    expect(sent.output.notices.join()).toContain(`signalbox human approve ${id}`)
    send('Harmless')
    expect(claim().body).toBe('Harmless')
    const { exit, output } = acmqJson(['claim', 'alpha', '--as', 'gemini'])
    expect({ exit, blocked: output.blocked }).toMatchObject({
      exit: 1,
      blocked: [{ id, reason: expect.stringContaining('deploy * production') }],
    })
    expect(human('list')).toMatchObject({
      exit: 0,
      output: {
        outcome: 'listed',
        waiting: [
          { mission: 'alpha', pattern: 'deploy * production', message: { id, body: 'Please DEPLOY it to production' } },
        ],
      },
    })
    expect(signalbox('human').out).toContain(`signalbox human approve ${id}`)
    expect(human('approve', id.slice(0, 8))).toMatchObject({
      exit: 0,
      output: { outcome: 'approved', message: { id }, durability: 'process' },
    })
    expect(human('approve', id).exit).toBe(0)
    expect(human('list').output.waiting).toEqual([])
    expect(claim().id).toBe(id)
  })

  it('can be denied: then it fails with the reason', () => {
    const { id } = acmqJson(['send', 'alpha', '--to', 'gemini', '--as', 'claude', '--body', 'rm -rf /']).output.message
    expect(human('deny', id, '--reason', 'Not today')).toMatchObject({
      exit: 0,
      output: { outcome: 'denied', message: { state: 'failed' }, durability: 'process' },
    })
    expect(textIn('failed')).toContain('Not today')
    expect(human('deny', id)).toMatchObject({ exit: 0, output: { outcome: 'unchanged' } })
    expect(signalbox('human').out).toBe('Nothing waits for you.\n')
    expect(human('approve', 'nonsense')).toMatchObject({ exit: 3, output: { error: { code: 'NO_SUCH_MESSAGE' } } })
    expect(human('answer', id, '--body', 'x')).toMatchObject({ exit: 7, output: { error: { code: 'UNSUPPORTED' } } })
  })

  const policy = () => join(root, '.signalbox/policy.yaml')
  const written = (text: string) => () => writeFileSync(policy(), text)

  it.each([
    ['no list', written('hold: everything\n'), /policy\.yaml must have a list of texts/],
    ['a pattern for everything', written('hold: ["*"]\n'), /policy\.yaml must have a list of texts/],
    ['another key', written('holds:\n  - deploy\n'), /policy\.yaml has an unknown key "holds"/],
    ['no YAML', written('hold: [\n'), /policy\.yaml cannot be read, line 1: /],
    ['too large', written(`hold:\n${'  - "deploy"\n'.repeat(6000)}`), /policy\.yaml is larger than/],
    ['a folder', () => mkdirSync(policy()), /policy\.yaml/],
    ['a link', () => symlinkSync('/etc/hostname', policy()), /policy\.yaml/],
  ] as const)(
    '[AC-11.2b] a policy that cannot be read lets nothing through and stops no sender: %s',
    (_, write, reason) => {
      rmSync(policy(), { force: true })
      write()
      const sent = acmqJson(['send', 'alpha', '--to', 'gemini', '--as', 'claude', '--body', 'Work'])
      expect(sent).toMatchObject({ exit: 0, output: { outcome: 'sent' } })
      expect(sent.output.notices.join()).toContain('It waits until the policy can be read.')
      refused(['claim', 'alpha', '--as', 'gemini'], 5, reason)
      rmSync(policy(), { recursive: true })
      expect(claim().id).toBe(sent.output.message.id)
    },
  )
})

verifies(
  'AC-11.2',
  'what messages say is never run and never reaches a terminal raw',
  () => {
    makeMission()
    const hostile = '\u001b[2J\u001b]0;owned\u0007\u009b31m\u202e$(touch pwned) `touch pwned`; touch pwned\r\n'
    const file = join(root, 'hostile.md')
    writeFileSync(
      file,
      `---\nid: hostile-1\nfrom: claude\nto: gemini\nsummary: ${JSON.stringify(hostile)}\ndependencies: ["context/$(touch pwned)\\e[2J.md"]\n---\n${hostile}`,
    )
    writeFileSync(missionFile('_meta/manifest.md'), `# Alpha\n\n## Objective\n\n${hostile}\n\n- [ ] ${hostile}`)
    // By hand: what is sent is checked, what strangers put there is not.
    writeFileSync(missionFile('queue/pending/$(touch pwned).md'), readFileSync(file))
    const runs = [
      ['list', 'alpha'],
      ['list', 'alpha', '--blocked'],
      ['show', 'alpha', 'hostile-1'],
      ['status', 'alpha'],
      ['missions'],
      ['graph', 'alpha'],
      ['graph', 'alpha', '--format', 'dot'],
      ['graph', 'alpha', '--format', 'json'],
      ['hydrate', 'alpha', 'hostile-1'],
      ['claim', 'alpha', '--as', 'gemini'],
      ['reconcile', 'alpha', '--as', 'gemini'],
      ['supervise', 'alpha', '--once'],
    ]
    for (const words of runs) {
      for (const json of [[], ['--json']]) {
        const { out, err } = acmq([...words, ...json], { env: { FORCE_COLOR: '0' } })
        expect(out + err, words.join(' ')).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/)
      }
    }
    const sent = acmq(['send', 'alpha', '--to', 'gemini', '--as', 'claude', '--body', hostile])
    expect(sent.out + sent.err).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/)
    const claimed = acmq(['claim', 'alpha', '--as', 'gemini'])
    expect(claimed.exit).toBe(0)
    expect(claimed.out).toContain('\\x1b[2J')
    expect(claimed.out).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/)
    expect(
      acmqJson(['show', 'alpha', acmqJson(['list', 'alpha', '--queue', 'processing']).output.messages[0].id]).output
        .message.body,
    ).toBe(hostile)
    expect(readdirSync(root).sort()).toEqual(
      ['.signalbox', 'hostile.md', 'llm'].filter((name) => existsSync(join(root, name))),
    )
  },
  240_000,
)

it('a sender with nothing but a shell is first-class: printf, mv, claim, complete', () => {
  makeMission()
  const script = `
    cd llm/missions/alpha/queue/pending
    printf '%s\\n' '---' 'to: gemini' 'from: shell' 'id: 20250704-by-hand' 'summary: From a shell' '---' 'Hello from printf.' > .new.tmp
    mv .new.tmp 20250704103000-by-hand.md`
  expect(spawnSync('sh', ['-ec', script], { cwd: root, encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
  const claimed = claim()
  expect(claimed).toMatchObject({ id: '20250704-by-hand', body: 'Hello from printf.\n', attempt: 1 })
  const done = acmqJson([
    'complete',
    'alpha',
    claimed.id,
    '--as',
    'gemini',
    '--attempt',
    '1',
    '--result',
    'Hello back.',
  ])
  expect(done).toMatchObject({ exit: 0, output: { outcome: 'completed' } })
  expect(queue('completed')).toEqual(['20250704103000-by-hand.md'])
  expect(textIn('completed')).toMatch(
    /^---\nto: gemini\nfrom: shell\nid: 20250704-by-hand\nsummary: From a shell\nstatus: completed\n---\nHello from printf\.\n/,
  )
})

verifies('AC-6.1', 'simple research: asked, claimed, found out, linked, completed', () => {
  makeMission()
  const asked = send('Research the performance of Rust and Go for web servers.')
  const task = claim()
  expect(task.id).toBe(asked.id)
  writeFileSync(missionFile('findings/research-rust-vs-go.md'), '# Rust and Go\n\nBoth are fast.\n')
  const words = ['--result', 'Both are fast; see the findings.', '--link', 'findings/research-rust-vs-go.md']
  expect(
    acmq(['complete', 'alpha', task.id, '--as', 'gemini', '--attempt', String(task.attempt), ...words]),
  ).toMatchObject({ exit: 0, err: '' })
  const { message } = acmqJson(['show', 'alpha', asked.id]).output
  expect(message).toMatchObject({ state: 'completed', from: 'claude', to: 'gemini' })
  expect(message.body).toMatch(/^Research the performance[\s\S]*Both are fast; see the findings\./)
  expect(message.body).toContain('findings/research-rust-vs-go.md')
  expect([queue('pending'), queue('processing'), queue('completed')]).toEqual([[], [], [asked.name]])
})

verifies('AC-6.2', 'multi-step design: the second task waits for the file that the first one makes', () => {
  makeMission()
  const design = send('Design the database schema for the user authentication module.')
  const code = send('Generate the API endpoint code based on the new schema.', {
    words: ['--depends', 'artifacts/db-schema-auth.sql'],
  })
  const first = claim()
  expect(first.id).toBe(design.id)
  expect(acmqJson(['claim', 'alpha', '--as', 'gemini']).output.blocked).toMatchObject([
    { id: code.id, reason: 'the file artifacts/db-schema-auth.sql is missing' },
  ])
  writeFileSync(missionFile('artifacts/db-schema-auth.sql'), 'create table users (id integer);\n')
  acmq(['complete', 'alpha', first.id, '--as', 'gemini', '--link', 'artifacts/db-schema-auth.sql'])
  const second = claim()
  expect(second.id).toBe(code.id)
  expect(acmq(['hydrate', 'alpha', second.id]).out).toContain('create table users (id integer);')
  writeFileSync(missionFile('artifacts/api-auth-endpoints.rs'), 'fn main() {}\n')
  acmq(['complete', 'alpha', second.id, '--as', 'gemini', '--link', 'artifacts/api-auth-endpoints.rs'])
  expect(queue('completed').sort()).toEqual([design.name, code.name].sort())
  expect(acmqJson(['status', 'alpha']).output).toMatchObject({
    counts: { pending: 0, processing: 0, completed: 2, failed: 0 },
    completedLastHour: 2,
  })
})

it('the library has the missions as a property', () => {
  makeMission()
  const { id } = send('From the command line')
  const program = join(tempDir(), 'program.mjs')
  writeFileSync(
    program,
    `import { openWorkspace } from ${JSON.stringify(join(repository, 'dist/index.js'))}
     const workspace = await openWorkspace({ root: ${JSON.stringify(root)}, environment: {} })
     const mission = await workspace.acmq.open('alpha')
     const claimed = await mission.claims.next({ agent: 'gemini' })
     const done = await mission.settling.complete(claimed.message, { agent: 'gemini', attempt: 1 }, { text: 'Done.' })
     await workspace.close()
     console.log(JSON.stringify([claimed.message.id, done.outcome, workspace.acmq === workspace.acmq]))`,
  )
  const { stdout, stderr } = spawnSync(process.execPath, [program], {
    encoding: 'utf8',
    cwd: '/',
    env: plainEnvironment(),
  })
  expect({ stdout, stderr }).toEqual({ stdout: `${JSON.stringify([id, 'completed', true])}\n`, stderr: '' })
})
