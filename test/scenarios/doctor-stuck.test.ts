/**
 * Every way in which a message can be stuck is a finding of `doctor`, with a hint: one row each, with how it comes about, the
 * code and the severity. What merely waits its turn is none.
 */
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { giveToStranger, strangerCommand } from '../support/stranger.ts'
import { tempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'
import { cliJson, quickCli } from './cli-program.ts'

interface Finding {
  readonly code: string
  readonly severity: string
  readonly path: string
  readonly message: string
  readonly hint: string
}

interface Way {
  readonly way: string
  readonly make: (root: string) => void
  readonly code: string
  readonly severity: 'error' | 'warning' | 'note'
  /** What the message says, where that matters. */
  readonly says?: string
  /** Only somebody who is not root is kept out. */
  readonly asStranger?: true
  /** Takes a moment to come true. */
  readonly later?: true
}

const queue = (root: string, name = 'pending') => join(root, 'llm/missions/alpha/queue', name)
const inbox = (root: string) => join(root, 'state/agents/bob/inbox')
const nameOf = (id: string, to = 'bob') => `20260105103000-${id}-from-ann-to-${to}.md`

interface Written {
  readonly id: string
  readonly depends?: string
  readonly to?: string
  readonly state?: string
  readonly timeout?: number
}

/** A message as another program would write it. */
function write(root: string, { id, depends = '', to = 'bob', state = 'pending', timeout = 3600 }: Written): string {
  const header = [
    `id: ${id}`,
    'mission_id: alpha',
    'timestamp: 2026-01-05T10:30:00Z',
    'from: ann',
    `to: ${to}`,
    `status: ${state}`,
    'priority: 3',
    `timeout_seconds: ${timeout}`,
    `dependencies: [${depends}]`,
    `summary: About ${id}`,
  ]
  const path = join(queue(root, state), nameOf(id, to))
  mkdirSync(queue(root, state), { recursive: true })
  writeFileSync(path, `---\n${header.join('\n')}\n---\nText.\n`)
  return path
}

/** `bob` has done something: he is known. */
const knowBob = (root: string) => write(root, { id: 'done-1', state: 'completed' })

function routing(root: string): void {
  for (const agent of ['ann', 'bob']) quickCli(['mr', 'init', agent, '--root', root])
  const words = ['--from', 'ann', '--to', 'bob', '--type', 'command', '--payload', '{"action":"start"}']
  quickCli(['mr', 'send', ...words, '--root', root])
}

const notUtf8 = (folder: string, start: string, end: string) =>
  writeFileSync(Buffer.concat([Buffer.from(join(folder, start)), Buffer.from([0xff]), Buffer.from(end)]), 'text')

const inAcmq: readonly Way[] = [
  {
    way: 'a claim whose time has run out',
    make: (root) => write(root, { id: 'slow-1', state: 'processing', timeout: 1 }),
    code: 'STALLED_CLAIM',
    severity: 'warning',
    later: true,
  },
  {
    way: 'a dependency that failed',
    make: (root) => {
      write(root, { id: 'broken-1', state: 'failed' })
      for (const id of ['after-1', 'after-2', 'after-3']) write(root, { id, depends: 'msg:broken-1' })
    },
    code: 'FAILED_DEPENDENCY',
    severity: 'warning',
    says: 'after-1 cannot be claimed: broken-1, which it depends on, failed. So do 2 more.',
  },
  {
    way: 'a dependency that nobody knows',
    make: (root) => write(root, { id: 'after-1', depends: 'msg:nowhere-1' }),
    code: 'UNKNOWN_DEPENDENCY',
    severity: 'warning',
  },
  {
    way: 'a dependency that could be two messages',
    make: (root) => {
      for (const id of ['twinnnnn-1', 'twinnnnn-2']) write(root, { id, state: 'completed' })
      write(root, { id: 'after-1', depends: 'msg:twinnnnn' })
    },
    code: 'AMBIGUOUS_DEPENDENCY',
    severity: 'warning',
  },
  {
    way: 'a dependency outside the mission',
    make: (root) => write(root, { id: 'after-1', depends: 'path:../../../secret' }),
    code: 'DEPENDENCY_OUTSIDE',
    severity: 'warning',
  },
  {
    way: 'messages that wait for each other',
    make: (root) => {
      write(root, { id: 'c1', depends: 'msg:c2' })
      write(root, { id: 'c2', depends: 'msg:c1' })
    },
    code: 'DEPENDENCY_CYCLE',
    severity: 'warning',
    says: 'c1 cannot be claimed: it waits for itself: c1 → c2 → c1.',
  },
  {
    way: 'a policy that cannot be read',
    make: (root) => {
      write(root, { id: 'ready-1' })
      mkdirSync(join(root, '.signalbox'), { recursive: true })
      writeFileSync(join(root, '.signalbox/policy.yaml'), 'hold: {')
    },
    code: 'BAD_POLICY',
    severity: 'error',
  },
  {
    way: 'a queue folder that cannot be written in',
    make: (root) => {
      write(root, { id: 'ready-1' })
      mkdirSync(queue(root, 'processing'))
      chmodSync(queue(root, 'processing'), 0o555)
    },
    code: 'READ_ONLY_FOLDER',
    severity: 'error',
    asStranger: true,
  },
  {
    way: 'a queue folder that cannot be looked into',
    make: (root) => {
      mkdirSync(queue(root, 'failed'))
      chmodSync(queue(root, 'failed'), 0)
    },
    code: 'UNREADABLE_FOLDER',
    severity: 'error',
    asStranger: true,
  },
  {
    way: 'a file of mode 000',
    make: (root) => chmodSync(write(root, { id: 'closed-1' }), 0),
    code: 'CLOSED_MESSAGE',
    severity: 'error',
    asStranger: true,
  },
  {
    way: 'a name that is not UTF-8',
    make: (root) => {
      mkdirSync(queue(root), { recursive: true })
      notUtf8(queue(root), '20260105103000-strange-from-ann-to-b', '.md')
    },
    code: 'UNUSABLE_NAME',
    severity: 'warning',
  },
  {
    way: 'a recipient nobody has ever seen',
    make: (root) => {
      for (const id of ['lost-1', 'lost-2']) write(root, { id, to: 'ghost' })
    },
    code: 'UNSEEN_RECIPIENT',
    severity: 'warning',
    says: '2 messages wait for ghost, whom nobody has ever seen.',
  },
  {
    way: 'a link in place of a message',
    make: (root) => {
      mkdirSync(queue(root), { recursive: true })
      symlinkSync('/etc/hostname', join(queue(root), nameOf('link-1')))
    },
    code: 'NOT_A_LEAF',
    severity: 'warning',
  },
  {
    way: 'a folder in place of a message',
    make: (root) => mkdirSync(join(queue(root), nameOf('folder-1')), { recursive: true }),
    code: 'STRANGE_FILE',
    severity: 'warning',
  },
  {
    way: 'a file that is no message',
    make: (root) => writeFileSync(write(root, { id: 'half-1' }), '---\nid: half'),
    code: 'UNREADABLE_MESSAGE',
    severity: 'warning',
  },
]

const inRouting: readonly Way[] = [
  {
    way: 'an inbox that cannot be written in',
    make: (root) => chmodSync(inbox(root), 0o555),
    code: 'READ_ONLY_FOLDER',
    severity: 'error',
    asStranger: true,
  },
  {
    way: 'an inbox that cannot be looked into',
    make: (root) => chmodSync(inbox(root), 0),
    code: 'UNREADABLE_FOLDER',
    severity: 'error',
    asStranger: true,
  },
  {
    way: 'a file of mode 000',
    make: (root) => chmodSync(join(inbox(root), readdirSync(inbox(root))[0]!), 0),
    code: 'CLOSED_MESSAGE',
    severity: 'error',
    asStranger: true,
  },
  {
    way: 'a name that is not UTF-8',
    make: (root) => notUtf8(inbox(root), 'msg_', '.json'),
    code: 'UNUSABLE_NAME',
    severity: 'warning',
  },
  {
    way: 'a recipient nobody has ever seen',
    make: (root) => {
      const words = ['--from', 'ann', '--to', 'ghost', '--type', 'command', '--payload', '{"action":"start"}']
      quickCli(['mr', 'send', ...words, '--root', root])
    },
    code: 'UNSEEN_RECIPIENT',
    severity: 'warning',
    says: 'A message waits for ghost, whom nobody has ever seen.',
  },
  {
    way: 'a link in place of a message',
    make: (root) => symlinkSync('/etc/hostname', join(inbox(root), 'msg_aaaaaaaa.json')),
    code: 'NOT_A_LEAF',
    severity: 'warning',
  },
  {
    way: 'a file that is no message',
    make: (root) => writeFileSync(join(inbox(root), 'msg_aaaaaaaa.json'), '{"half'),
    code: 'UNREADABLE_MESSAGE',
    severity: 'warning',
  },
]

/** The same in other protocols, and what only they have. */
const elsewhere: readonly (Way & { readonly protocol: string })[] = [
  {
    protocol: 'CIRCE',
    way: 'a recipient nobody has ever seen',
    make: (root) =>
      run(root, 'circe', 'send', '--from', 'a', '--to', 'ghost', '--intent', 'inform', '--summary', 'See this'),
    code: 'UNSEEN_RECIPIENT',
    severity: 'warning',
  },
  {
    protocol: 'CIRCE',
    way: 'a message that was rejected',
    make: (root) => {
      run(root, 'circe', 'init', 'eng')
      const folder = join(root, 'AI_MANAGER/NEW_MESSAGES')
      const path = join(folder, '20260105_103000_a-eng_inform.md')
      writeFileSync(path, '# MESSAGE\nfrom: a\n\nNothing else.\n')
      utimesSync(path, 1_700_000_000, 1_700_000_000)
      quickCli(['circe', 'claim', 'eng', '--root', root])
      expect(readdirSync(folder)).toEqual([])
    },
    code: 'WAITS_FOR_PERSON',
    severity: 'warning',
  },
  {
    protocol: 'Dream.OS',
    way: 'a recipient nobody has ever seen',
    make: (root) => {
      writeFileSync(join(root, 'task.json'), '{"task_id":"t-1","action":"run"}')
      run(root, 'dream', 'task', 'send', '--to', 'Ghost', '--file', join(root, 'task.json'), '--as', 'Lead')
    },
    code: 'UNSEEN_RECIPIENT',
    severity: 'warning',
  },
  {
    protocol: 'Dream.OS',
    way: 'tasks that wait for each other',
    make: (root) => {
      mkdirSync(join(root, 'runtime'))
      const task = (task_id: string, ...depends_on: string[]) => ({
        ...{ task_id, action: 'run', params: {}, target_agent: 'Worker', priority: 1, depends_on, status: 'PENDING' },
      })
      writeFileSync(join(root, 'runtime/task_list.json'), JSON.stringify([task('a', 'b'), task('b', 'a'), task('c')]))
    },
    code: 'DEPENDENCY_CYCLE',
    severity: 'warning',
    says: 'depends_on: these depend on each other in a circle: a, b.',
  },
  {
    protocol: 'sessions',
    way: 'a task for an agent nobody has ever seen',
    make: (root) => run(root, 'session', 'say', '--session', 's', '--as', 'Orchestrator', '#DELEGATE:Ghost:build it'),
    code: 'UNSEEN_RECIPIENT',
    severity: 'warning',
    says: 'A message waits for Ghost, whom nobody has ever seen.',
  },
  {
    protocol: 'sessions',
    way: 'a task whose runner was killed',
    make: (root) => {
      run(root, 'session', 'say', '--session', 's', '--as', 'Ghost', '#STATE:save:branch:main')
      run(root, 'session', 'say', '--session', 's', '--as', 'Orchestrator', '#DELEGATE:Ghost:build it')
      const path = join(root, '.signalbox/state/sessions/s/session.json')
      const session = JSON.parse(readFileSync(path, 'utf8'))
      Object.assign(session.tasks[0], { state: 'in_progress', via: 'program', attempts: 1 })
      writeFileSync(path, JSON.stringify(session))
    },
    code: 'STALLED_CLAIM',
    severity: 'warning',
  },
  {
    protocol: 'sessions',
    way: 'a question for a person',
    make: (root) => run(root, 'session', 'say', '--as', 'DevAgent', '#ESCALATE:which database'),
    code: 'WAITS_FOR_PERSON',
    severity: 'warning',
  },
]

function run(root: string, ...words: string[]): void {
  const { exit, err } = quickCli([...words, '--root', root])
  expect({ exit, err }).toMatchObject({ exit: 0 })
}

/** 0: nobody has to do anything. 1: a person or a command has to. 5: something is broken. */
const exitOf = (findings: readonly Finding[]): number =>
  findings.some(({ severity }) => severity === 'error')
    ? 5
    : findings.some(({ severity }) => severity === 'warning')
      ? 1
      : 0

const stranger = strangerCommand()

/** What `doctor` says, as a stranger if that is needed. */
function examine(root: string, { asStranger }: Pick<Way, 'asStranger'>): { exit: unknown; findings: Finding[] } {
  const words = ['doctor', '--root', root]
  if (asStranger) giveToStranger(root)
  const under = asStranger && typeof stranger !== 'string' && stranger.length > 0 ? { under: stranger } : {}
  const { exit, output } = cliJson(words, under, quickCli)
  if (output.error) throw new Error(output.error.message)
  return { exit, findings: output.findings }
}

function isFound(root: string, row: Way): void {
  const { code, severity, says } = row
  const deadline = performance.now() + (row.later ? 10_000 : 0)
  let { exit, findings } = examine(root, row)
  while (findings.length === 0 && performance.now() < deadline) ({ exit, findings } = examine(root, row))
  const found = findings.filter((finding) => finding.code === code)
  expect(found).toMatchObject([{ severity, hint: expect.stringMatching(/\w/) }])
  if (says !== undefined) expect(found[0]!.message).toBe(says)
  expect(exit).toBe(exitOf(findings))
  // One thing to put right is told once.
  expect(findings.filter(({ path }) => path.endsWith(found[0]!.path) || found[0]!.path.endsWith(`/${path}`))).toEqual(
    found,
  )
}

describe('doctor tells of a message that is stuck', () => {
  for (const row of inAcmq) {
    const reason = row.asStranger && typeof stranger === 'string' ? stranger : undefined
    verifies.unless(reason, 'X-doctor', `in AC-MQ: ${row.way} (${row.code}, ${row.severity})`, () => {
      const root = tempDir()
      knowBob(root)
      row.make(root)
      isFound(root, row)
    })
  }
  for (const row of inRouting) {
    const reason = row.asStranger && typeof stranger === 'string' ? stranger : undefined
    verifies.unless(reason, 'X-doctor', `in Message Routing: ${row.way} (${row.code}, ${row.severity})`, () => {
      const root = tempDir()
      routing(root)
      row.make(root)
      isFound(root, row)
    })
  }
})

describe('doctor tells of what is stuck', () => {
  for (const row of elsewhere) {
    verifies('X-doctor', `in ${row.protocol}: ${row.way} (${row.code}, ${row.severity})`, () => {
      const root = tempDir()
      row.make(root)
      isFound(root, row)
    })
  }
})

verifies('X-tokens', 'doctor sums up findings of one kind after ten, and programs get all', () => {
  const root = tempDir()
  mkdirSync(queue(root), { recursive: true })
  for (let n = 0; n < 60; n++) writeFileSync(join(queue(root), nameOf(`half-${n}`)), '---\nid: half')
  write(root, { id: 'after-1', depends: 'msg:nowhere-1' })
  const { out } = quickCli(['doctor', '--root', root])
  expect(out.match(/\(UNREADABLE_MESSAGE\)/g)).toHaveLength(10)
  expect(out).toContain('… and 50 more of UNREADABLE_MESSAGE (--json has all)\n')
  expect(out).toContain('(UNKNOWN_DEPENDENCY)')
  expect(examine(root, {}).findings.filter(({ code }) => code === 'UNREADABLE_MESSAGE')).toHaveLength(60)
})

verifies.unless(
  typeof stranger === 'string' ? stranger : undefined,
  'X-disk',
  'a claim that cannot be carried out names the folder that is closed, not the message',
  () => {
    const root = tempDir()
    write(root, { id: 'ready-1' })
    mkdirSync(queue(root, 'processing'))
    chmodSync(queue(root, 'processing'), 0o555)
    giveToStranger(root)
    const under = stranger.length > 0 ? { under: stranger as readonly string[] } : {}
    const { exit, output } = cliJson(['acmq', 'claim', 'alpha', '--as', 'bob', '--root', root], under, quickCli)
    expect([exit, output.error.message]).toEqual([6, `No permission for ${queue(root, 'processing')}.`])
    expect(readdirSync(queue(root))).toEqual([nameOf('ready-1')])
  },
)

verifies('X-doctor', 'doctor does not tell of what merely waits its turn', () => {
  const root = tempDir()
  routing(root)
  knowBob(root)
  write(root, { id: 'first-1' })
  write(root, { id: 'second-1', depends: 'msg:first-1' })
  write(root, { id: 'third-1', depends: 'path:context/plan.md', to: 'all' })
  write(root, { id: 'busy-1', state: 'processing' })
  write(root, { id: 'fourth-1', depends: 'msg:busy-1, msg:done-1' })
  write(root, { id: 'broken-1', state: 'failed' })
  expect(examine(root, {})).toEqual({ exit: 0, findings: [] })
})

verifies('AC-7.1b', 'a cycle among files from elsewhere is named by every command that says why', () => {
  const root = tempDir()
  write(root, { id: 'c1', depends: 'msg:c2' })
  write(root, { id: 'c2', depends: 'c1' })
  write(root, { id: 'c3', depends: 'msg:c1' })
  const cycle = 'it waits for itself: c1 → c2 → c1'
  const said = (...words: string[]) => quickCli(['acmq', ...words, '--root', root]).out
  for (const words of [
    ['status', 'alpha'],
    ['list', 'alpha', '--blocked'],
    ['claim', 'alpha', '--as', 'bob'],
    ['claim', 'alpha', '--as', 'bob', '--id', 'c2'],
    ['graph', 'alpha', '--format', 'json'],
    ['graph', 'alpha', '--format', 'dot'],
  ]) {
    expect(said(...words)).toContain(cycle)
    expect(said(...words)).not.toContain('waits for c2 (pending)')
  }
  expect(said('graph', 'alpha')).toContain('it waits for itself#58; c1 → c2 → c1')
  expect(said('status', 'alpha')).toContain('waits for c1 (pending) · About c3')
})
