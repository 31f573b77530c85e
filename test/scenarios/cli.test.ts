/** The command line from outside: real processes on the built program, on the runtime that runs the test. */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { haveStrace, repository, runtime } from '../support/child.ts'
import { strangerCommand } from '../support/stranger.ts'
import { tempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'
import { cli, cliJson, mainProgram, plainEnvironment } from './cli-program.ts'

const version = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')).version as string
const readableBy = (file: string) => statSync(file).mode & 0o777

describe('version', () => {
  const runtimeVersion = process.versions.bun ?? process.versions.node

  verifies('X-library', `the command line runs on ${runtime}`, () => {
    expect(cli(['version'])).toEqual({ exit: 0, out: `signalbox ${version} (${runtime} ${runtimeVersion})\n`, err: '' })
  })

  it('the short way and the long way give one answer', () => {
    const long = cli(['version', '--quiet'])
    for (const words of [['version'], ['--version'], ['-V']]) expect(cli(words)).toEqual(long)
    const longJson = cliJson(['--quiet', 'version'])
    for (const words of [['version'], ['--version']]) expect(cliJson(words)).toEqual(longJson)
    expect(cli(['--json', 'version'])).toEqual(cli(['version', '--json']))
  })

  verifies.unless(haveStrace().reason, 'X-cold', 'asking for the version reads no file of ours but the entry', () => {
    const log = join(tempDir(), 'trace')
    expect(cli(['version'], { under: ['strace', '-f', '-e', 'trace=open,openat,execve', '-o', log] }).exit).toBe(0)
    expect(ownFilesIn(log)).toEqual(['dist/main.js'])
  })

  verifies.unless(haveStrace().reason, 'X-cold', 'a command loads its own part of the program and no package', () => {
    const log = join(tempDir(), 'trace')
    const root = tempDir()
    expect(
      cli(['doctor', '--root', root], { under: ['strace', '-f', '-e', 'trace=open,openat,execve', '-o', log] }).exit,
    ).toBe(0)
    const files = ownFilesIn(log)
    expect(files.filter((file) => file.startsWith('node_modules/yaml'))).toEqual([])
    if (runtime === 'bun') {
      // Compiled ahead, a part is one file and its bytecode; nothing is out of order here, so no protocol is looked into.
      const parts = ['main', 'rest'].flatMap((part) => [`dist/${part}-on-bun.js`, `dist/${part}-on-bun.js.jsc`])
      expect(files.sort()).toEqual(parts)
      return
    }
    expect(files.some((file) => /chunks\/doctor/.test(file))).toBe(true)
    expect(files.filter((file) => /chunks\/(init|demo|bench|help|completion|settings-yaml)/.test(file))).toEqual([])
  })
})

/** Files of the repository that were opened, relative to it and without the runtime's own. */
function ownFilesIn(log: string): string[] {
  const opened = readFileSync(log, 'utf8').matchAll(/(?:open|openat)\([^"]*"([^"]+)"[^=]*= \d/g)
  const own = [...opened]
    .map(([, path]) => path!)
    .filter((path) => path.startsWith(`${repository}/`) && path !== process.execPath && /\.([cm]?js|jsc)$/.test(path))
  return [...new Set(own.map((path) => path.slice(repository.length + 1)))]
}

describe('init', () => {
  it('makes a workspace, and the second time changes nothing', () => {
    const root = join(tempDir(), 'new/place')
    const first = cliJson(['init', '--root', root])
    expect(first).toMatchObject({
      exit: 0,
      err: '',
      output: { outcome: 'created', root, kept: [], durability: 'process' },
    })
    expect(first.output.made).toEqual(['signalbox.yaml', '.signalbox/.gitignore', '.signalbox/README.md'])

    writeFileSync(join(root, 'signalbox.yaml'), 'agent: ada\n')
    const second = cliJson(['init', '--root', root])
    expect(second).toMatchObject({ exit: 0, output: { outcome: 'unchanged', made: [], kept: first.output.made } })
    expect(readFileSync(join(root, 'signalbox.yaml'), 'utf8')).toBe('agent: ada\n')
  })

  it('what it makes is for the owner alone, or for the group when so configured', () => {
    const [own, shared] = [join(tempDir(), 'own'), tempDir()]
    cli(['init', '--root', own])
    expect([own, join(own, '.signalbox'), join(own, 'signalbox.yaml')].map(readableBy)).toEqual([0o700, 0o700, 0o600])
    const forGroups = ['sh', '-c', 'umask 007; exec "$@"', 'sh']
    cli(['init', '--root', shared], { env: { SIGNALBOX_PERMISSIONS: 'group' }, under: forGroups })
    expect([join(shared, '.signalbox'), join(shared, 'signalbox.yaml')].map(readableBy)).toEqual([0o770, 0o660])
  })

  it('works on the workspace above, and tells which one that is', () => {
    const root = tempDir()
    cli(['init', '--root', root])
    mkdirSync(join(root, 'src/deep'), { recursive: true })
    const { exit, out } = cli(['init'], { cwd: join(root, 'src/deep') })
    expect(exit).toBe(0)
    expect(out).toContain(`There is a workspace already in ${root}\n`)
    expect(readdirSync(join(root, 'src/deep'))).toEqual([])
  })

  const noGit = spawnSync('git', ['--version']).status === 0 ? undefined : 'git is not installed'
  const withGit = (title: string, body: () => void) =>
    noGit ? it.skip(`${title} (skipped: ${noGit})`, () => {}) : it(title, body)
  withGit('keeps out of git what should not be there, and nothing else', () => {
    const root = tempDir()
    spawnSync('git', ['init', '-q', root])
    cli(['init', '--root', root])
    for (const path of [
      'cache/x',
      'engine/x',
      'state/presence/x',
      'state/keys/x',
      'state/delivery/x',
      'state/aliases/x',
      'state/sequences/x',
    ]) {
      mkdirSync(dirname(join(root, '.signalbox', path)), { recursive: true })
      writeFileSync(join(root, '.signalbox', path), '')
    }
    const { stdout } = spawnSync('git', ['ls-files', '--others', '--exclude-standard'], {
      cwd: root,
      encoding: 'utf8',
      env: plainEnvironment(),
    })
    expect(stdout.trim().split('\n').sort()).toEqual([
      '.signalbox/.gitignore',
      '.signalbox/README.md',
      '.signalbox/state/aliases/x',
      '.signalbox/state/delivery/x',
      '.signalbox/state/sequences/x',
      'signalbox.yaml',
    ])
  })
})

describe('copies', () => {
  it('of plain files are never made into themselves', () => {
    const root = tempDir()
    expect(cli(['init'], { cwd: root }).exit).toBe(0)
    expect(cli(['acmq', 'create-mission', 'alpha'], { cwd: root }).exit).toBe(0)
    const refused = (...words: string[]) => {
      const { exit, output } = cliJson(words, { cwd: root })
      return `${exit} ${output.error?.code}`
    }
    expect(refused('mirror', 'copy')).toBe('2 FILES_ALREADY')
    expect(refused('mirror', 'copy', '--once')).toBe('2 FILES_ALREADY')
    expect(refused('export', '.')).toBe('2 SAME_PLACE')
    expect(refused('export', 'llm/missions/alpha/copy')).toBe('2 SAME_PLACE')
    expect(readdirSync(root).sort()).toEqual(['.signalbox', 'llm', 'signalbox.yaml'])
    expect(cliJson(['export', 'copy'], { cwd: root })).toMatchObject({ exit: 0, output: { outcome: 'exported' } })
    expect(cliJson(['import', 'copy'], { cwd: root })).toMatchObject({ exit: 0, output: { outcome: 'unchanged' } })
  })
})

describe('doctor', () => {
  it('is content with a new workspace, and writes nothing where there is none', () => {
    const root = tempDir()
    const { exit, output } = cliJson(['doctor'], { cwd: root })
    expect({ exit, outcome: output.outcome }).toEqual({ exit: 0, outcome: 'healthy' })
    expect(output.findings).toMatchObject([{ code: 'NO_WORKSPACE', severity: 'note' }])
    expect(readdirSync(root)).toEqual([])

    cli(['init', '--root', root])
    expect(cliJson(['doctor'], { cwd: root })).toMatchObject({ exit: 0, output: { outcome: 'healthy', findings: [] } })
  })

  it('a root that is open to everybody is reported, and closed with --fix', () => {
    const root = tempDir()
    chmodSync(root, 0o777)
    const found = cliJson(['doctor', '--root', root])
    expect(found).toMatchObject({
      exit: 1,
      output: {
        outcome: 'attention',
        findings: [{ code: 'WORLD_WRITABLE_ROOT', severity: 'warning', repaired: false }],
      },
    })
    expect(cliJson(['doctor', '--root', root, '--fix'])).toMatchObject({
      exit: 0,
      output: { outcome: 'repaired', repaired: 1, remaining: 0 },
    })
    expect(readableBy(root) & 0o002).toBe(0)
    expect(cliJson(['doctor', '--root', root]).output.findings).toEqual([])
  })

  verifies('X-doctor', 'is not green while settings cannot be read, and still looks at the files', () => {
    const root = tempDir()
    writeFileSync(join(root, 'signalbox.yaml'), 'durabilty: full\n')
    mkdirSync(join(root, 'llm/missions'), { recursive: true })
    symlinkSync('/etc/passwd', join(root, 'llm/missions/link'))
    const { exit, output } = cliJson(['doctor', '--root', root, '--fix'])
    expect({ exit, outcome: output.outcome }).toEqual({ exit: 5, outcome: 'unhealthy' })
    expect(output.findings).toMatchObject([
      { code: 'BAD_CONFIGURATION', severity: 'error', path: 'signalbox.yaml', hint: 'Did you mean `durability`?' },
      { code: 'NOT_A_LEAF', severity: 'warning' },
    ])
    const { exit: textExit, out } = cli(['doctor', '--root', root])
    expect(textExit).toBe(5)
    expect(out).toMatch(
      /^error signalbox\.yaml: .*:1: unknown key "durabilty"\. \(BAD_CONFIGURATION\)\n {2}hint: Did you mean `durability`\?\n/,
    )
  })

  it('names of files that strangers left are shown harmless', () => {
    const root = tempDir()
    mkdirSync(join(root, 'state/agents'), { recursive: true })
    writeFileSync(join(root, 'state/agents/evil\u001b[2J\nname'), '')
    const { out } = cli(['doctor', '--root', root])
    expect(out).toContain('evil\\x1b[2J\\nname')
    expect(out).not.toContain('\u001b')
  })

  it('names variables that mean nothing, and a root that moves with the current directory', () => {
    const root = tempDir()
    const env = { SIGNALBOX_DURABILTY: 'full', SIGNALBOX_ROOT: '.' }
    expect(cliJson(['doctor'], { cwd: root, env }).output.findings).toMatchObject([
      { code: 'UNKNOWN_VARIABLE', hint: 'Did you mean SIGNALBOX_DURABILITY?' },
      { code: 'RELATIVE_ROOT', hint: `Set it to a full path: ${root}` },
    ])
  })
})

describe('demo', () => {
  it('plays on real files, says where they are, and keeps them', () => {
    const dir = join(tempDir(), 'tour')
    const { exit, output } = cliJson(['demo', '--dir', dir])
    expect({ exit, outcome: output.outcome, root: output.root }).toEqual({ exit: 0, outcome: 'shown', root: dir })
    expect(output.chapters.map(({ name, facts }: { name: string; facts: unknown }) => [name, facts])).toEqual([
      ['deliver', { first: 'created', second: 'taken' }],
      ['claim', { messages: 40, contenders: 8, won: 40, lost: 280, arrived: 40, winners: 8 }],
      ['replace', { first: 'replaced', second: 'stale' }],
      ['append', { appended: 12, whole: 12 }],
      ['lease', { first: 'held', second: 'busy', third: 'held', grew: true, late: 'fenced' }],
      ['watch', { woken: true, by: expect.stringMatching(/events|polling/), listed: 'news.md' }],
      [
        'mission',
        {
          created: 'created',
          claims: 1,
          completed: 'completed',
          failed: 'failed',
          attempt: 2,
          stalled: 1,
          late: true,
          asked: 'supervisor',
          hydrated: 3,
          found: 1,
          digested: 1,
          inCompleted: 1,
          inFailed: 1,
        },
      ],
      [
        'routing',
        {
          sent: 'sent',
          readers: 1,
          acknowledged: 'acknowledged',
          twice: 'unchanged',
          answered: 'received',
          evicted: 1,
          received: 3,
          order: '4, 3, 2',
          rejected: 1,
          gaps: 1,
          recovered: 'recovered',
          depth: 1,
        },
      ],
      [
        'circe',
        {
          sent: 'sent',
          claimers: 1,
          blocked: 'blocked',
          answered: 'answered',
          tested: true,
          completed: 'completed',
          left: 0,
          events: 'message claimed acknowledged started asked message answered message completed',
        },
      ],
      [
        'dream',
        {
          given: 2,
          takenOver: 'taken-over',
          redelivered: true,
          recorded: 'recorded',
          resent: 1,
          joined: 1,
          dispatched: 1,
          runnable: 1,
          fetched: 1,
        },
      ],
      [
        'sessions',
        {
          saved: 'saved:branch',
          loaded: 'main',
          locked: 'locked',
          busy: 'busy:DevAgent',
          ready: 'ready',
          sent: 'sent:1',
          mail: 'all green',
          report: '• implement_auth: tests pass, 95% coverage',
          exported: 'exported:2 items (0.2k)',
          kept: 'checkpoint_id:cp_001',
          changed: 'Files changed: 1, Lines: +1 -1',
          rolledBack: 'rolled_back:cp_001',
          loadedAgain: 'main',
          ended: 'ended',
        },
      ],
    ])
    for (const file of output.files) expect(existsSync(join(dir, file))).toBe(true)
    expect(readFileSync(join(dir, 'post/board.md'), 'utf8')).toBe('status: reviewed\n')
  })

  it('tells the story on standard output, in a temporary directory unless told otherwise', () => {
    const temporary = tempDir()
    const { exit, out, err } = cli(['demo'], { env: { TMPDIR: temporary } })
    expect({ exit, err }).toEqual({ exit: 0, err: '' })
    const [name = ''] = readdirSync(temporary)
    expect(name).toMatch(/^signalbox-demo-/)
    expect(out).toContain(`Everything below happens in ${join(temporary, name)}\n`)
    expect(out).toContain(`${join(temporary, name)}/post/waiting/hello.md\n`)
    expect(out).not.toContain('\u001b')
  })

  it('never plays where something is', () => {
    const dir = tempDir()
    writeFileSync(join(dir, 'mine'), '')
    expect(cliJson(['demo', '--dir', dir])).toMatchObject({
      exit: 2,
      output: { error: { code: 'NOT_AN_EMPTY_DIRECTORY' } },
    })
    expect(readdirSync(dir)).toEqual(['mine'])
  })
})

describe('the root', () => {
  it('that is not there: exit 3', () => {
    const root = join(tempDir(), 'missing')
    expect(cli(['doctor', '--root', root])).toEqual({
      exit: 3,
      out: '',
      err: `signalbox: There is no directory ${root}.\nhint: Check --root, or make a workspace there: signalbox init --root ${root}\n`,
    })
    expect(existsSync(root)).toBe(false)
    expect(cli(['doctor'], { env: { SIGNALBOX_ROOT: root } }).err).toContain('hint: Check SIGNALBOX_ROOT,')
  })

  it('that is a file: exit 2', () => {
    const file = join(tempDir(), 'file')
    writeFileSync(file, '')
    for (const command of ['doctor', 'init']) {
      const { exit, out, err } = cli([command, '--root', file])
      expect({ exit, out, lines: err.split('\n').length }).toEqual({ exit: 2, out: '', lines: 3 })
      expect(err).toContain(`The root ${file} is a file, not a directory.`)
    }
  })

  it('that nobody may write to, or a read-only disk: exit 6', () => {
    const { exit, out, err } = cli(['init', '--root', '/sys'])
    expect({ exit, out, lines: err.split('\n').length }).toEqual({ exit: 6, out: '', lines: 3 })
  })

  const stranger = strangerCommand()
  const asStranger = (title: string, body: (under: readonly string[]) => void) =>
    typeof stranger === 'string'
      ? it.skip(`${title} (skipped: ${stranger})`, () => {})
      : it(title, () => body(stranger))
  asStranger('that this user may not read: exit 6', (under) => {
    const root = tempDir()
    chmodSync(root, 0o700)
    const closed = join(root, 'closed')
    mkdirSync(closed)
    chmodSync(closed, 0)
    if (under.length > 0) chmodSync(root, 0o755)
    const { exit, out, err } = cli(['doctor', '--root', closed], { under })
    chmodSync(closed, 0o700)
    expect({ exit, out }).toEqual({ exit: 6, out: '' })
    expect(err).toMatch(/^signalbox: No permission to read the root .*\/closed\.\nhint: .*\n$/)
  })

  it('is the nearest directory upwards with a mark, and --root beats SIGNALBOX_ROOT beats that', () => {
    const [marked, named, flagged] = [tempDir(), tempDir(), tempDir()]
    const cwd = join(marked, 'llm/missions/alpha')
    mkdirSync(cwd, { recursive: true })
    const env = { SIGNALBOX_ROOT: named }
    const rootOf = (words: string[], options: object) => cliJson(['doctor', ...words], { cwd, ...options }).output.root
    expect([rootOf([], {}), rootOf([], { env }), rootOf(['--root', flagged], { env })]).toEqual([
      marked,
      named,
      flagged,
    ])
  })
})

describe('configuration', () => {
  it('a wrong key stops a command with file, line and the nearest key', () => {
    const root = tempDir()
    writeFileSync(join(root, 'signalbox.yaml'), '# ours\npermisions: group\n')
    expect(cli(['init', '--root', root])).toEqual({
      exit: 2,
      out: '',
      err: `signalbox: ${root}/signalbox.yaml:2: unknown key "permisions".\nhint: Did you mean \`permissions\`?\n`,
    })
    expect(readdirSync(root)).toEqual(['signalbox.yaml'])
  })

  it('YAML of any style is understood', () => {
    const root = tempDir()
    writeFileSync(join(root, 'signalbox.yaml'), '{ "durability": "full" }\n')
    expect(cliJson(['init', '--root', root])).toMatchObject({ exit: 0, output: { durability: 'full' } })
    expect(cliJson(['init', '--root', root, '--durability', 'batch'])).toMatchObject({
      output: { durability: 'batch' },
    })
    expect(cliJson(['init', '--root', root], { env: { SIGNALBOX_DURABILITY: 'process' } })).toMatchObject({
      output: { durability: 'process' },
    })
  })

  it('a cluster that is not there: exit 8, soon', () => {
    expect(cliJson(['acmq', 'missions', '--engine', 'etcd://127.0.0.1:1/team'], { cwd: tempDir() })).toMatchObject({
      exit: 8,
      output: { error: { code: 'ENGINE_UNREACHABLE' } },
    })
  })
})

describe('as a good neighbour in a shell', () => {
  const shell = (script: string, env?: Record<string, string>) =>
    spawnSync('bash', ['-c', script, 'bash', process.execPath, mainProgram], {
      encoding: 'utf8',
      cwd: '/',
      env: plainEnvironment(env),
    })

  it('ends quietly when its reader has gone', () => {
    const { stdout, stderr } = shell('set -o pipefail; "$1" "$2" completion bash | head -n 1; echo $?')
    expect(stdout).toMatch(/^# signalbox completion for bash.*\n0\n$/)
    expect(stderr).toBe('')
  })

  it('says so when its output could not be written, with --json too', () => {
    for (const json of ['', ' --json']) {
      const { status, stderr } = shell(`"$1" "$2" completion bash${json} > /dev/full`)
      expect(status).toBe(8)
      expect(stderr).toMatch(/^signalbox: The disk is full: could not write standard output\.\n/)
    }
  })

  it('prints all of a long output before it ends', () => {
    const { stdout } = shell('"$1" "$2" completion fish | (read -r first; sleep 0; wc -l)')
    expect(Number(stdout)).toBe(cli(['completion', 'fish']).out.split('\n').length - 2)
  })

  it('keeps its exit status when its streams are closed', () => {
    const root = tempDir()
    expect(shell(`"$1" "$2" doctor --root ${root}/missing >&- 2>&-`).status).toBe(3)
    expect(shell(`"$1" "$2" init --root ${root} --json 2>&-`).status).toBe(0)
  })

  it('colours for a terminal only', () => {
    const onTerminal = (env = {}) =>
      spawnSync('script', ['-qec', `"${process.execPath}" "${mainProgram}" doctor --help`, '/dev/null'], {
        encoding: 'utf8',
        env: plainEnvironment(env),
        input: '',
      })
    if (onTerminal().error) return
    expect(onTerminal().stdout).toContain('\u001b[1mUsage:\u001b[22m')
    expect(onTerminal({ NO_COLOR: '1' }).stdout).not.toContain('\u001b[')
    expect(onTerminal({ TERM: 'dumb' }).stdout).not.toContain('\u001b[')
    expect(cli(['doctor', '--help']).out).not.toContain('\u001b[')
  })

  it('its completion works in bash as installed', () => {
    const { stdout } = shell(`
      source <("$1" "$2" completion bash)
      COMP_WORDS=(signalbox do); COMP_CWORD=1; _signalbox; echo "\${COMPREPLY[@]}"`)
    expect(stdout).toBe('done doctor\n')
  })
})

verifies('X-library', `a workspace opens from the library on ${runtime}`, () => {
  const root = tempDir()
  const program = join(tempDir(), 'program.mjs')
  writeFileSync(
    program,
    `import { openWorkspace, SignalboxError, treePath } from ${JSON.stringify(join(repository, 'dist/index.js'))}
     const workspace = await openWorkspace({ root: ${JSON.stringify(root)}, durability: 'full', environment: {} })
     const { outcome, durability } = await workspace.tree.create(treePath('a/b.md'), new TextEncoder().encode('hello'))
     const leaf = await workspace.tree.read(treePath('a/b.md'))
     await workspace.close()
     const error = await openWorkspace({ root: ${JSON.stringify(join(root, 'missing'))} }).catch((reason) => reason)
     console.log(JSON.stringify({ outcome, durability, text: new TextDecoder().decode(leaf.bytes), level: workspace.configuration.durability,
       error: error instanceof SignalboxError && error.code }))`,
  )
  const { stdout, stderr } = spawnSync(process.execPath, [program], {
    encoding: 'utf8',
    cwd: '/',
    env: plainEnvironment(),
  })
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toEqual({
    outcome: 'created',
    durability: 'full',
    text: 'hello',
    level: 'full',
    error: 'NO_SUCH_ROOT',
  })
})
