/** Sessions as people and shell scripts meet them: the command line, with its exit statuses and its JSON. */
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { tempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'
import { cli, cliJson, plainEnvironment, programFor, quickCli } from './cli-program.ts'

let root: string
beforeEach(() => {
  root = tempDir()
})

const session = (...words: readonly string[]) => quickCli(['session', ...words], { cwd: root })
const json = (...words: readonly string[]) => {
  const { exit, output } = cliJson(['session', ...words], { cwd: root }, quickCli)
  return { exit, ...output }
}
const say = (line: string, agent = 'Orchestrator') => session('say', '--session', 's', '--as', agent, line)

verifies(['SA-2b', 'SA-7'], 'say prints the answer and nothing else, with its exit status', () => {
  expect(say('#STATE:save:k:v')).toEqual({ exit: 0, out: 'saved:k\n', err: '' })
  expect(say('#STATE:load:none')).toEqual({ exit: 1, out: 'not_found\n', err: '' })
  expect(say('#WAIT:never:0')).toMatchObject({ exit: 1, out: 'timeout\n' })
  expect(say('#LOCK:r', 'Dev')).toMatchObject({ exit: 0, out: 'locked\n' })
  expect(say('#LOCK:r', 'Test')).toMatchObject({ exit: 1, out: 'busy:Dev\n' })
  expect(say('#UNLOCK:r', 'Test')).toMatchObject({ exit: 1, out: 'not_owner\n' })
  expect(json('say', '--session', 's', '--as', 'Dev', '#LOCK:./r')).toMatchObject({
    answer: 'locked',
    lock: { resource: 'r', owner: 'Dev', until: expect.any(String), fence: 1 },
  })
  expect(say('#VERSION ')).toMatchObject({ exit: 0, out: 'v1.1.0\n' })
  expect(say('#NONE')).toEqual({
    exit: 2,
    out: '#ERROR:E001:unknown_command_NONE\n',
    err: 'signalbox: There is no command #NONE.\n',
  })
  expect(say('#ERROR:E002:reported')).toMatchObject({ exit: 0, out: '#ERROR:E002:reported\n' })
  expect(session('say', '--session', 's', '#STATE:load:k')).toMatchObject({ out: 'v\n' })
  // Several words are one line.
  expect(session('say', '--session', 's', '#STATE:save:w:two', 'words')).toMatchObject({ out: 'saved:w\n' })
  expect(json('say', '--session', 's', '#ASK:t:limit=200')).toEqual({
    exit: 2,
    outcome: 'refused',
    session: 's',
    answer: '#ERROR:E004:max_limit_100',
    lines: ['#ERROR:E004:max_limit_100'],
    code: 'E004',
    reason: '100 is the most.',
    at: 7,
  })
})

verifies(['SA-7'], 'bad input is refused, and changes nothing', () => {
  expect(say('#STATE:save:k:v').exit).toBe(0)
  const before = session('log', '--session', 's').out
  for (const [line, answer] of [
    [`#STATE:save:k:${'x'.repeat(100_000)}`, '#ERROR:E004:max_line_16384\n'],
    ['#STATE:save:k', '#ERROR:E002:missing_value\n'],
    ['#STATE:save:a-b:v', '#ERROR:E002:bad_key\n'],
    ['#ASK:t:limit=0', '#ERROR:E002:bad_limit\n'],
    ['#LOCK:x:-1', '#ERROR:E002:bad_timeout\n'],
    ['#STATE:save:k:\u0007', '#ERROR:E002:control_character\n'],
    ['#CONTEXT:export:../x', '#ERROR:E002:bad_path\n'],
  ] as const)
    expect(say(line)).toMatchObject({ exit: 2, out: answer })
  expect(session('say', '--session', '../x', '#VERSION')).toMatchObject({
    exit: 2,
    out: '#ERROR:E002:invalid_session_id\n',
    err: expect.stringContaining('Not a session: "../x"'),
  })
  expect(session('log', '--session', 's').out).toBe(before)
})

verifies(['SA-2b', 'SA-7'], 'a lone dash reads the line from standard input, whatever there is in it', () => {
  const piped = (input: string, verb = 'say') =>
    quickCli(['session', verb, '--session', 's', '-'], { cwd: root, input })
  expect(piped('#STATE:save:k: a \n')).toMatchObject({ exit: 0, out: 'saved:k\n' })
  expect(say('#STATE:load:k').out).toBe(' a\n')
  expect(piped('remember that owner is Ada\n', 'translate').out).toBe('#STATE:save:owner:Ada\n')
  for (const [line, answer] of [
    [`#STATE:save:k:${'x'.repeat(1_000_000)}\n`, '#ERROR:E004:max_line_16384\n'],
    ['#STATE:save:k:a\0b', '#ERROR:E002:control_character\n'],
    ['#STATE:save:k:a\n#STATE:clear\n', '#ERROR:E002:control_character\n'],
  ] as const)
    expect(piped(line)).toMatchObject({ exit: 2, out: answer })
})

verifies(['SA-6b', 'SA-17'], 'the end of a session clears what is temporary, and the log tells who and when', () => {
  expect(json('start', 's')).toMatchObject({ exit: 0, outcome: 'started', session: 's' })
  say('#STATE:save:temp:1')
  say('#STATE:save:keep:2:persistent')
  expect(say('#STATE:save:k:{"a":1}')).toMatchObject({ exit: 2, out: '#ERROR:E002:no_nested_values\n' })
  say('#LOCK:r', 'Dev')
  expect(json('locks', '--session', 's')).toMatchObject({ locks: [{ resource: 'r', owner: 'Dev', fence: 1 }] })
  expect(json('end', 's')).toMatchObject({ exit: 0, outcome: 'ended' })
  expect(json('end', 's')).toMatchObject({ exit: 0, outcome: 'unchanged' })
  expect(json('locks', '--session', 's')).toMatchObject({ locks: [] })
  expect(say('#STATE:list').out).toBe('• keep\n')
  const { changes } = json('log', '--session', 's')
  expect(changes.map(({ by, did }: { by: string; did: string }) => `${by} ${did}`)).toEqual([
    'Orchestrator start',
    'Orchestrator STATE:save',
    'Orchestrator STATE:save',
    'Dev LOCK',
    'Orchestrator end',
    'Orchestrator start',
  ])
  expect(json('list').sessions).toMatchObject([{ session: 's', status: 'running', isCurrent: true }])
})

verifies(['SA-16', 'X-fuzz'], 'a context file of 10 MB is neither read nor taken apart', () => {
  const path = join(root, 'big.ctx')
  const keys = Array.from({ length: 150_000 }, (_, n) => `    key_${n}: "${'v'.repeat(56)}"\n`)
  writeFileSync(path, `version: 1.1.0\nsession_id: x\nstate:\n  persistent:\n${keys.join('')}`)
  // Taken apart it would need ten times as much.
  const runtimeOptions = process.versions.bun === undefined ? ['--max-old-space-size=48'] : []
  const tell = (line: string) => cli(['session', 'say', '--session', 's', line], { cwd: root, runtimeOptions })
  for (const verb of ['validate', 'import'])
    expect(tell(`#CONTEXT:${verb}:big.ctx`)).toMatchObject({ exit: 2, out: '#ERROR:E002:file_too_large\n' })
  expect(tell('#CONTEXT:export:big.ctx')).toMatchObject({ exit: 0, out: expect.stringMatching(/^exported:0 items/) })
})

verifies(['SA-12d'], 'messages wait for their reader, and are read once', () => {
  say('#SUBSCRIBE:news', 'A')
  say('#BROADCAST:news:one', 'B')
  say('#DIRECT:A:two', 'B')
  expect(json('inbox', '--session', 's', '--as', 'A')).toMatchObject({
    exit: 0,
    outcome: 'received',
    messages: [
      { from: 'B', channel: 'news', text: 'one' },
      { from: 'B', kind: 'DIRECT', text: 'two' },
    ],
  })
  expect(session('inbox', '--session', 's', '--as', 'A')).toMatchObject({ exit: 1, out: 'Nothing has come.\n' })
})

verifies(['SA-12d'], 'a text over 20 KB is cut where an agent reads it, and the whole of it is told', () => {
  say('#ESCALATE:which way?', 'Dev')
  const [{ id }] = JSON.parse(quickCli(['human', 'list', '--json'], { cwd: root }).out).waiting
  const long = 'x'.repeat(30 * 1024)
  expect(quickCli(['human', 'answer', id, '--body', long], { cwd: root }).exit).toBe(0)
  const rest =
    '… cut after 20 of 30 KB; the whole text is in .signalbox/state/sessions/s, and signalbox session log --session s --json gives it\n'
  const inbox = ['inbox', '--session', 's', '--as', 'Dev'] as const
  for (const words of [[...inbox, '--peek'], inbox, ['log', '--session', 's']]) {
    const { out } = session(...words)
    expect(out.endsWith(rest), out.slice(-200)).toBe(true)
    expect(out.match(/x{100,}/)![0]).toHaveLength(20 * 1024)
  }
  expect(json('log', '--session', 's').changes.at(-1).text).toBe(long)
})

verifies(
  ['SA-5', 'SA-9', 'SA-4b'],
  'the answer of an added command has its limit, and knows the session’s variables',
  () => {
    mkdirSync(join(root, '.signalbox'))
    const told = 'parameters: [env]\n    says: "{{PROJECT}}: deploying {{ENV}}"\n    limit: status\n    help: Deploys\n'
    writeFileSync(join(root, '.signalbox/session.yaml'), `commands:\n  DEPLOY:\n    ${told}`)
    expect(say('#DEPLOY:prod')).toMatchObject({ exit: 2, out: '#ERROR:E002:undefined_PROJECT\n' })
    say('{{PROJECT}}: "Tea"')
    expect(say('#DEPLOY:prod').out).toBe('Tea: deploying prod\n')
    const places = 'one two three four five six seven eight nine ten eleven twelve'
    expect(say(`#DEPLOY:${places}`).out).toBe('Tea: deploying one two three four five six…\n')
    expect(say(`#DEPLOY:${places}:brief`).out).toBe('Tea: deploying one…\n')
    expect(say(`#DEPLOY:${places}:limit=50`).out).toBe(`Tea: deploying ${places}\n`)
  },
)

verifies(
  ['SA-8', 'X-doctor'],
  'a role of a protocol that nobody knows, and a file that does not count, are told',
  () => {
    mkdirSync(join(root, '.signalbox'))
    const path = join(root, '.signalbox/session.yaml')
    writeFileSync(path, 'roles:\n  Dev:\n    to: x\n    via: mrr\n')
    const codes = () =>
      JSON.parse(quickCli(['doctor', '--json'], { cwd: root }).out).findings.map(({ code }: { code: string }) => code)
    const refused = say('#DELEGATE:Dev:work')
    expect(refused.exit).toBe(2)
    expect(refused.err).toContain('session.yaml:4: `via` is one of acmq, mr, circe, dream; did you mean mr?')
    expect(say('#VERSION')).toMatchObject({ exit: 0, out: 'v1.1.0\n' })
    expect(codes()).toEqual(['BAD_CONFIGURATION'])
    writeFileSync(path, 'roles:\n  Dev:\n    program: [echo, done]\n')
    expect(codes()).toEqual([])
    chmodSync(path, 0o664)
    expect(say('#DELEGATE:Dev:work').out).toBe('ack:task_id_001\nunassigned:Dev\n')
    expect(codes()).toEqual(['UNSEEN_RECIPIENT', 'ROLES_IGNORED'])
  },
)

verifies(['SA-9', 'SA-15b'], 'commands of the workspace’s own, and health with its five lines', () => {
  mkdirSync(join(root, '.signalbox'))
  const path = join(root, '.signalbox/session.yaml')
  writeFileSync(
    path,
    'commands:\n  DEPLOY:\n    parameters: [env]\n    says: "deploying:{{ENV}}"\n    limit: fixed\n    help: Deploys\n',
  )
  expect(say('#DEPLOY:prod').out).toBe('deploying:prod\n')
  for (let n = 0; n < 3; n++) say('#NONE')
  expect(say('#HEALTH:session').out.split('\n').slice(1)).toEqual([
    '• State: 0/20 keys (0%)',
    '• Errors: 3 in last 10 commands',
    '• Uptime: 0m',
    '• Status: start new session (errors)',
    '',
  ])
  writeFileSync(path, 'commands:\n  LOCK:\n    says: x\n    limit: fixed\n    help: y\n')
  expect(say('#LOCK:r:60').out).toBe('locked\n')
  writeFileSync(path, 'commands:\n  DEPLOY:\n    says: x\n    help: y\n')
  expect(say('#DEPLOY')).toMatchObject({ exit: 2, out: expect.stringMatching(/^#ERROR:E002:/) })
  expect(say('#DEPLOY').err).toContain('session.yaml:2: DEPLOY needs `limit`')
})

verifies(['SA-2b', 'SA-12d'], 'serve-stdio answers line by line, and tells what arrives', () => {
  const input = '#VERSION\n#DIRECT:Dev:hello\n\n#WAIT:x:1\n#NONE\n'
  const { out, exit } = cli(['session', 'serve-stdio', '--session', 's', '--as', 'Dev'], { cwd: root, input })
  expect(exit).toBe(0)
  const lines = out.split('\n')
  expect(lines.filter((line) => line !== '* Dev: hello').join('\n')).toBe(
    'v1.1.0\n\nsent:Dev\n\ntimeout\n\n#ERROR:E001:unknown_command_NONE\n\n',
  )
  expect(lines.filter((line) => line === '* Dev: hello')).toHaveLength(1)
  const documents = cli(['session', 'serve-stdio', '--session', 's', '--json'], { cwd: root, input: '#VERSION\n' }).out
  expect(
    documents
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).outcome),
  ).toEqual(['answered', 'ended'])
  const long = cli(['session', 'serve-stdio', '--session', 's'], {
    cwd: root,
    input: `${'x'.repeat(2_000_000)}\n#VERSION\n`,
  })
  expect(long.out).toBe('#ERROR:E004:max_line_16384\n\nv1.1.0\n\n')
})

verifies(
  ['SA-7', 'SA-13a'],
  'what needs git and finds none is an error of the protocol, with what to do beside it',
  () => {
    const words = ['session', 'serve-stdio', '--session', 's']
    const input = '#CHECKPOINT:list\n#VERSION\n'
    const reason = `${root} is in no git repository, and checkpoints are kept in git.`
    // It ends no conversation.
    expect(cli(words, { cwd: root, input })).toEqual({
      exit: 0,
      err: `note: ${reason} Make one there: git init\n`,
      out: '#ERROR:E002:no_repository\n\nv1.1.0\n\n',
    })
    const documents = cli([...words, '--json'], { cwd: root, input })
      .out.trimEnd()
      .split('\n')
    expect(documents.map((line) => JSON.parse(line).error?.code)).toEqual(['NO_REPOSITORY', undefined, undefined])
    expect(say('#CHECKPOINT:list')).toEqual({
      exit: 2,
      out: '#ERROR:E002:no_repository\n',
      err: `signalbox: ${reason}\nhint: Make one there: git init\n`,
    })
    expect(json('say', '--session', 's', '#CHECKPOINT:list')).toEqual({
      exit: 2,
      outcome: 'refused',
      answer: '#ERROR:E002:no_repository',
      lines: ['#ERROR:E002:no_repository'],
      code: 'E002',
      reason,
      error: { code: 'NO_REPOSITORY', message: reason, hint: 'Make one there: git init' },
    })
    const missing = quickCli(['session', 'say', '#CHECKPOINT:list'], { cwd: root, env: { PATH: '/nonexistent' } })
    expect(missing).toMatchObject({ exit: 2, out: '#ERROR:E002:git_missing\n' })
    expect(missing.err).toMatch(/git is not installed.*\nhint: Install git 2\.30 or later/)
    const nowhere = quickCli(['session', 'say', '--root', join(root, 'none'), '#VERSION'], { cwd: root })
    expect(nowhere).toMatchObject({ exit: 2, out: expect.stringMatching(/^#ERROR:E002:/) })
  },
)

verifies(['SA-2.5c', 'SA-2.5a'], 'people speak in words unless they ask otherwise, and agents in commands', () => {
  const sentence = 'remember that owner is Ada'
  expect(say(sentence, 'User')).toMatchObject({ exit: 0, out: 'I saved "Ada" as owner.\n' })
  for (const agent of ['DevAgent', 'Ada'])
    expect(say(sentence, agent)).toEqual({
      exit: 2,
      out: '#ERROR:E001:not_a_command\n',
      err: 'signalbox: A command begins with `#` and a word in capitals.\n',
    })
  writeFileSync(join(root, 'signalbox.yaml'), 'session:\n  people: [Ada]\n')
  for (const person of ['Ada', 'User', 'Orchestrator'])
    expect(say(sentence, person)).toMatchObject({ exit: 0, out: 'I saved "Ada" as owner.\n' })
  expect(say(sentence, 'DevAgent').exit).toBe(2)
  say('use protocol mode', 'User')
  expect(say(sentence, 'User')).toMatchObject({ exit: 2, out: '#ERROR:E001:not_a_command\n' })
  expect(say('#STATE:load:owner', 'User').out).toBe('Ada\n')
})

verifies(['X-doctor'], 'doctor tells of a checkpoint that was cut off, and of a model that is set up in part', () => {
  const quiet = { cwd: root, env: { PATH: process.env.PATH, HOME: '/nonexistent' } }
  const git = (...words: readonly string[]) => spawnSync('git', words, quiet)
  git('init', '--quiet')
  writeFileSync(join(root, 'file.txt'), 'one\n')
  expect(say('#CHECKPOINT:create:manual:one')).toMatchObject({ exit: 0, out: 'checkpoint_id:cp_001\n' })
  // As a process leaves it that is killed before it has made the commit.
  const [home = ''] = readdirSync(join(root, '.git/signalbox'))
  const worktree = readFileSync(join(root, '.git/signalbox', home, 'id'), 'utf8')
  const note = join(root, `.signalbox/state/sessions/.unfinished/${worktree}.json`)
  writeFileSync(note, JSON.stringify({ steps: [{ do: 'save', session: 's', id: 'cp_002', name: 'two' }] }))
  const findings = (env: Record<string, string>, ...words: readonly string[]) =>
    JSON.parse(quickCli(['doctor', '--json', ...words], { cwd: root, env }).out).findings.map(
      ({ code, repaired }: { code: string; repaired: boolean }) => [code, repaired],
    )
  expect(findings({})).toEqual([['UNFINISHED_CHANGE', false]])
  expect(findings({}, '--fix')).toEqual([['UNFINISHED_CHANGE', true]])
  expect(existsSync(note)).toBe(false)
  expect(findings({})).toEqual([])
  const key = join(root, 'key')
  writeFileSync(key, 'secret\n', { mode: 0o644 })
  expect(findings({ SIGNALBOX_MODELS_URL: 'https://x.example/v1', SIGNALBOX_MODELS_KEY_FILE: key })).toEqual([
    ['MODEL_NOT_WHOLE', false],
    ['KEY_NOT_PRIVATE', false],
  ])
})

const noScript = spawnSync('script', ['--version']).status === 0 ? undefined : 'there is no script of util-linux'

/** Types at a terminal, and waits for what is shown there. */
async function atTerminal(
  work: (type: (keys: string) => void, until: (isShown: (text: string) => boolean) => Promise<void>) => Promise<void>,
): Promise<{ readonly code: number | null; readonly shown: string }> {
  const words = ['session', 'chat', '--session', 's', '--as', 'Dev']
  const command = [process.execPath, programFor(words), ...words].map((word) => `'${word}'`).join(' ')
  const log = join(root, 'typed')
  const child = spawn('script', ['-qfec', command, log], {
    cwd: root,
    env: plainEnvironment(),
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const shown = () => (existsSync(log) ? readFileSync(log, 'utf8') : '')
  const until = async (isShown: (text: string) => boolean) => {
    const end = Date.now() + 30_000
    while (!isShown(shown())) {
      if (Date.now() > end) throw new Error(`not shown: ${JSON.stringify(shown())}`)
      await new Promise((done) => setTimeout(done, 10))
    }
  }
  const exited = new Promise<number | null>((done) => child.on('exit', done))
  try {
    await until((text) => text.includes('s'))
    await work((keys) => child.stdin.write(keys), until)
    return { code: await exited, shown: shown() }
  } finally {
    child.kill('SIGKILL')
  }
}

const [ctrlC, ctrlD] = ['\u0003', '\u0004']
const isWaiting = () => existsSync(join(root, '.signalbox/state/sessions/s/1/signals/never/line'))

verifies.unless(
  noScript,
  ['SA-2b'],
  'chat is a prompt with completion, history and an end',
  async () => {
    const { code } = await atTerminal(async (type, until) => {
      type('#SUPP\t')
      await until((text) => text.includes('#SUPPORTS:'))
      type('state\r')
      await until((text) => text.includes('true'))
      type('#DIRECT:Dev:knock\r')
      await until((text) => text.includes('* Dev: knock'))
      type('\u001b[A')
      await until((text) => text.split('#DIRECT:Dev:knock').length > 2)
      type('\u0015#NONE\r')
      await until((text) => text.includes('\u001b[31m#ERROR:E001:unknown_command_NONE'))
      type(ctrlD)
    })
    expect(code).toBe(0)
  },
  60_000,
)

verifies.unless(
  noScript,
  ['SA-2b', 'SA-12b'],
  'Ctrl-C ends a wait, then clears a half-typed line, then ends the conversation',
  async () => {
    const { code, shown } = await atTerminal(async (type, until) => {
      type('#WAIT:never:600\r')
      await until(isWaiting)
      type(ctrlC)
      await until((text) => text.includes('timeout'))
      type('#STATE:save:k:half')
      await until((text) => text.includes('half'))
      type(`${ctrlC}#VERSION\r`)
      await until((text) => text.includes('v1.1.0'))
      type(ctrlC)
    })
    expect(code).toBe(0)
    expect(shown).not.toContain('saved:k')
  },
  60_000,
)

verifies.unless(
  noScript,
  ['SA-2b', 'SA-12b'],
  'Ctrl-D ends a wait, and with it the conversation',
  async () => {
    const { code, shown } = await atTerminal(async (type, until) => {
      type('#WAIT:never:600\r')
      await until(isWaiting)
      type(ctrlD)
    })
    expect(code).toBe(0)
    expect(shown).toContain('timeout')
  },
  60_000,
)

verifies(['SA-2.5a', 'SA-2b'], 'a person at the prompt can ask for help in words, and leave by saying so', () => {
  const chat = (...lines: readonly string[]) =>
    cli(['session', 'chat', '--session', 's', '--as', 'User'], { cwd: root, input: `${lines.join('\n')}\n` })
  const { exit, out } = chat('help', 'what can you do?', 'Quit.', '#STATE:save:behind:1')
  expect(exit).toBe(0)
  expect(out.match(/Say it in your own words, such as:/g)).toHaveLength(2)
  expect(out).not.toContain('saved:behind')
  for (const farewell of ['stop', 'exit', 'bye']) expect(chat(farewell, '#VERSION')).toMatchObject({ exit: 0, out: '' })
})

it('each command answers what it declares, and one that only looks makes no session', () => {
  expect(json('locks')).toEqual({ exit: 0, outcome: 'listed', locks: [] })
  expect(json('log')).toEqual({ exit: 0, outcome: 'nothing', changes: [], leftOut: 0 })
  expect(json('list')).toEqual({ exit: 0, outcome: 'listed', sessions: [] })
  for (const [words, outcome] of [
    [['start', 's'], 'started'],
    [['start', 's'], 'unchanged'],
    [['say', '#LOCK:src/a.js:600', '--as', 'Dev'], 'answered'],
    [['say', '#LOCK:src/a.js:600', '--as', 'Test'], 'nothing'],
    [['say', '#LOCK:src/a.js:-1'], 'refused'],
    [['say', '#CHECKPOINT:list'], 'refused'],
    [['translate', 'lock src/a.js'], 'command'],
    [['translate', 'lock src/a.js and unlock src/b.js'], 'commands'],
    [['translate', 'who holds the lock'], 'asked'],
    [['say', '#DIRECT:Dev:hello'], 'answered'],
    [['inbox', '--as', 'Dev'], 'received'],
    [['inbox', '--as', 'Dev'], 'nothing'],
    [['work', '--once'], 'nothing'],
    [['locks'], 'listed'],
    [['log'], 'told'],
    [['list'], 'listed'],
    [['end', 's'], 'ended'],
    [['end', 's'], 'unchanged'],
  ] as const)
    expect([words, json(...words)]).toMatchObject([words, { outcome }])
})

it('a question that names a command of this program spells it', () => {
  const { out } = session('say', 'who holds the lock on src/a.js?')
  expect(out).toContain('signalbox session locks tells who holds what')
  const chatted = cli(['session', 'serve-stdio', '--session', 's'], { cwd: root, input: 'any new messages?\n' }).out
  expect(chatted).toContain('signalbox session inbox shows what has come')
})
