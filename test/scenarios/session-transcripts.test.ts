/**
 * Every transcript of the Shared Agent Protocol that needs no git, line by line. Where the document writes two things, or
 * more than an answer, `docs/shared-agent-transcripts.md` says which of them it is.
 */
import { beforeEach, describe, expect, it } from 'vitest'
import { openMemoryTree } from '../../src/engines/memory/index.ts'
import { heldClock } from '../../src/kernel/clock.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import type { Sessions } from '../../src/protocols/shared-agent/store/sessions.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { realTokenizer, sessionsOn, speaker } from '../support/session.ts'
import { verifies } from '../support/verifies.ts'

const start = Date.parse('2024-01-15T14:30:00Z')

let tree: Tree
let clock: ReturnType<typeof heldClock>
let sessions: Sessions
let say: (agent: string, line: string) => Promise<string>
beforeEach(() => {
  clock = heldClock(start)
  tree = openMemoryTree({ clock })
  sessions = sessionsOn(tree, { clock })
  say = speaker(sessions)
})

/** Lines of a conversation, each with its answer. */
async function plays(lines: readonly (readonly [agent: string, line: string, answer: string])[]) {
  for (const [agent, line, answer] of lines) expect([line, await say(agent, line)]).toEqual([line, answer])
}

describe('§5 Response Constraints', () => {
  const topic =
    'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen'
  const { count: counted } = realTokenizer()
  const count = async (text: string) => counted(text)

  verifies(['SA-5', 'SA-2b'], 'limits of an item follow the modifier', async () => {
    await say('O', `#DEFINE:topic:${topic} ${topic} ${topic}`)
    for (const [line, most] of [
      ['#ASK:topic', 8],
      ['#ASK:topic:brief', 4],
      ['#ASK:topic:detailed', 16],
      ['#ASK:topic:limit=25', 25],
    ] as const) {
      const answer = await say('O', line)
      expect(answer).toMatch(/^• topic: one.*…$/)
      expect(await count(answer.slice(2))).toBeLessThanOrEqual(most)
      expect(await count(answer.slice(2))).toBeGreaterThan(most / 2)
    }
    const error = await say('O', `#ERROR:E002:${topic}:detailed`)
    expect(await count(error.replace('#ERROR:E002:', ''))).toBeLessThanOrEqual(20)
    expect(error.length).toBeGreaterThan((await say('O', `#ERROR:E002:${topic}`)).length)
  })

  verifies(
    ['SA-5', 'SA-2b'],
    'a limit is for all that is printed: bullets, names, line ends and what was left out',
    async () => {
      for (let n = 1; n <= 6; n++) {
        await say('O', `#DELEGATE:Dev:task_${n}`)
        await say('Dev', `#DONE:task_${n}:tests pass with ${90 + n}% coverage, and the build is green`)
      }
      for (const limit of [1, 2, 5, 10, 15, 25, 40, 60, 100]) {
        const answer = await say('O', `#REPORT:Dev:results:limit=${limit}`)
        expect(await count(answer), answer).toBeLessThanOrEqual(limit)
        if (limit > 10) expect(await count(answer), answer).toBeGreaterThan(limit * 0.7)
      }
      expect(await say('O', '#REPORT:Dev:results:limit=25')).toBe(
        '• task_1: tests pass with 91% coverage, and the build is green\n+5 more',
      )
      expect(await say('O', '#REPORT:Dev:results:limit=1')).toBe('…')
      await say('O', `#DELEGATE:Dev:${topic}`)
      for (const limit of [12, 25])
        expect(await count(await say('O', `#NEXT:limit=${limit}`))).toBeLessThanOrEqual(limit)
      await say('O', '#STATE:save:a_key_of_some_length:1')
      await say('O', '#STATE:save:another_key_of_some_length:1')
      expect(await count(await say('O', '#STATE:list:limit=10'))).toBeLessThanOrEqual(10)
    },
  )

  verifies(['SA-7'], 'an error is cut behind a word, with a mark', async () => {
    const put = (text: string) => tree.create(treePath('odd.ctx'), text)
    await put('version: 1.1.0\nstate:\n  persistent: [a, list, and, no, entries]\n')
    await plays([
      ['O', '#CONTEXT:validate:odd.ctx', '#ERROR:E002:line_3_persistent_is_not_a_list_of_key…'],
      ['O', `#${'A'.repeat(40)}`, `#ERROR:E001:unknown_command_${'A'.repeat(32)}…`],
      ['O', '#HELP:one_word_and_another_word_and_more', '#ERROR:E002:unknown_category_one_word_and_another_word_and…'],
    ])
  })
})

verifies(['SA-6', 'SA-3b', 'SA-2b'], '§6 marks of what persists', async () => {
  await plays([
    ['O', '#STATE:save:key:value:persistent', 'saved:key'],
    ['O', '#STATE:save:temp:value', 'saved:temp'],
    ['O', '#STATE:load:key', 'value'],
    ['O', '#STATE:load:temp', 'value'],
    ['O', '#STATE:load:Temp', 'not_found'],
  ])
})

verifies(['SA-10', 'SA-3d', 'SA-2b'], '§10 version negotiation and feature detection', async () => {
  await plays([
    ['Agent', '#VERSION', 'v1.1.0'],
    ['Agent', '#VERSION:check:1.0.0', 'compatible'],
    ['Agent', '#VERSION:check:1.1.9', 'compatible'],
    ['Agent', '#VERSION:check:1.2.0', 'incompatible'],
    ['Agent', '#VERSION:check:2.0.0', 'incompatible'],
    ['Agent', '#VERSION:features', '• coordination: v1.1+\n• state: v1.0+\n• error_codes: v1.0+'],
    ['Agent', '#SUPPORTS:coordination', 'true'],
    ['Agent', '#SUPPORTS:quantum_computing', 'false'],
  ])
})

verifies(['SA-11', 'SA-3a', 'SA-2b'], '§11 help', async () => {
  await plays([
    [
      'User',
      '#HELP',
      [
        '• #ASK:<topic> - load context',
        '• #STATE:save:<k>:<v> - persist',
        '• #HELP:<category> - category help',
        '• #VERSION - check version',
        '[Use #HELP:all for complete list]',
      ].join('\n'),
    ],
    [
      'User',
      '#HELP:#STATE:save',
      'Usage: #STATE:save:<key>:<value>\nSaves value (≤30 tokens) to session\nEx: #STATE:save:user:alice',
    ],
    [
      'User',
      '#HELP:state',
      '• save:<k>:<v> - store value\n• load:<k> - retrieve value\n• list - show all keys\n• clear - reset state',
    ],
    ['User', '#STATE:save:context:auth_service', 'saved:context'],
  ])
})

verifies(['SA-8', 'SA-2b'], '§11 orchestrator-mediated communication', async () => {
  for (const agent of ['DevAgent', 'TestAgent', 'Docs']) await say(agent, '#SUBSCRIBE:file_changes')
  await plays([
    ['Orchestrator', '#LOCK:src/auth.js:600', 'locked'],
    ['Orchestrator', '#DELEGATE:DevAgent:implement_auth:P1', 'ack:task_id_001\nunassigned:DevAgent'],
    ['Orchestrator', '#STATE:save:auth_complete:true', 'saved:auth_complete'],
    ['Orchestrator', '#BROADCAST:file_changes:auth_complete', 'sent:3'],
    ['Orchestrator', '#DELEGATE:TestAgent:test_auth:P1', 'ack:task_id_002\nunassigned:TestAgent'],
    ['Orchestrator', '#UNLOCK:src/auth.js', 'unlocked'],
  ])
})

verifies(['SA-12a', 'SA-3e', 'SA-2b'], '§12 locks', async () => {
  await plays([
    ['DevAgent', '#LOCK:src/auth.js:600', 'locked'],
    ['TestAgent', '#LOCK:src/auth.js:60', 'busy:DevAgent'],
    ['TestAgent', '#UNLOCK:src/auth.js', 'not_owner'],
    ['DevAgent', '#UNLOCK:src/auth.js', 'unlocked'],
  ])
})

verifies(['SA-12b', 'SA-3f', 'SA-2b'], '§12 waiting for a signal', async () => {
  const waiting = say('TestAgent', '#WAIT:dev_complete:300')
  const line = treePath('.signalbox/state/sessions/ctx_789/1/signals/dev_complete/line')
  while ((await tree.list(line)).length === 0) await new Promise(setImmediate)
  await plays([['DevAgent', '#SIGNAL:dev_complete:true', 'signaled:1']])
  expect(await waiting).toBe('ready')
})

verifies(['SA-12c', 'SA-3g', 'SA-2b'], '§12 coordination commands', async () => {
  await plays([
    ['TestAgent', '#DEPENDS:DevAgent:auth_impl', 'depends:DevAgent:auth_impl'],
    ['TestAgent', '#SUBSCRIBE:file_changes', 'subscribed:file_changes'],
    ['TestAgent', '#UNSUBSCRIBE:test_results', 'unsubscribed:test_results'],
    ['DevAgent', '#DIRECT:TestAgent:auth_ready', 'sent:TestAgent'],
  ])
  for (const channel of ['file_changes', 'deploy_status', 'test_results', 'priority_alert'])
    expect(await say('A', `#SUBSCRIBE:${channel}`)).toBe(`subscribed:${channel}`)
})

describe('§14 Dynamic Token Limits', () => {
  verifies(['SA-14', 'SA-2b'], 'a quick check is brief, an audit detailed', async () => {
    await say('Orchestrator', '#DELEGATE:DevAgent:Tests')
    await say('Orchestrator', '#DELEGATE:DevAgent:Auth')
    await say('DevAgent', '#PROGRESS:Tests:pending')
    clock.advance(1000)
    await say('DevAgent', '#PROGRESS:Auth:80%')
    await plays([
      ['User', '#REPORT:DevAgent:progress:brief', '• Auth: 80%\n• Tests: pending'],
      // Routine progress is brief by itself.
      ['User', '#REPORT:DevAgent:progress', '• Auth: 80%\n• Tests: pending'],
    ])
    const audit = [
      'SQL injection: sanitized all inputs',
      'XSS: escaped user content in views',
      'CSRF: tokens on all forms',
      'Auth: JWT with 15min expiry',
      'Audit log: enabled for all endpoints',
    ]
    const neutral = await sessions.neutral()
    const { message } = await neutral.send!({
      from: 'Orchestrator',
      to: 'DevAgent',
      text: 'security review',
      place: 'ctx_789',
    })
    await neutral.done!({ id: message.id, agent: 'DevAgent' }, { text: audit.join('\n') })
    const whole = audit.map((line) => `• ${line}`).join('\n')
    await plays([
      ['User', '#REPORT:DevAgent:security:detailed', whole],
      ['User', '#REPORT:DevAgent:security', whole],
    ])
    expect(await say('User', '#REPORT:DevAgent:security:standard')).toMatch(/^(?:• .*\n){4}\+1 more$/)
  })

  verifies(['SA-14', 'SA-3c'], 'an error beside a P0 task is told in detail', async () => {
    const words = 'the database at the second site refused all of our writes since the upgrade of last night began'
    const before = await say('DevAgent', `#ERROR:E002:${words}`)
    await say('Orchestrator', '#DELEGATE:DevAgent:fix:P0')
    expect((await say('DevAgent', `#ERROR:E002:${words}`)).length).toBeGreaterThan(before.length + 20)
    expect((await say('DevAgent', `#ERROR:E002:${words}:standard`)).length).toBe(before.length)
  })

  verifies(['SA-5', 'SA-2b'], 'a limit is negotiated', async () => {
    await say('User', '#DEFINE:complex_topic:many words')
    await plays([
      ['User', '#ASK:complex_topic:limit=200', '#ERROR:E004:max_limit_100'],
      ['User', '#ASK:complex_topic:limit=100', '• complex_topic: many words'],
    ])
  })
})

verifies(['SA-15', 'SA-2b'], '§15 session health', async () => {
  for (let n = 0; n < 12; n++) await say('O', `#STATE:save:key_${n}:v`)
  for (let n = 0; n < 2; n++) await say('O', '#NOTHING')
  clock.advance((2 * 60 + 15) * 60_000)
  await tree.append(treePath('.signalbox/state/sessions/ctx_789/1/traffic'), '44700 .')
  const lines = (await say('O', '#HEALTH:session')).split('\n')
  expect(lines).toEqual([
    '• Context: 45k/100k tokens (45%)',
    '• State: 12/20 keys (60%)',
    '• Errors: 2 in last 10 commands',
    '• Uptime: 2h 15m',
    '• Status: healthy',
  ])
})

describe('§16 Context Export/Import', () => {
  const fill = async () => {
    await say('O', '#STATE:save:key:value:persistent')
    await say('O', '#STATE:save:temp:value')
    await say('O', '{{PROJECT_NAME}}: "MyProject"')
    await say('O', '{{TECH_STACK}}: "Node,React"')
    for (const task of ['task1', 'task2', 'task3', 'task4', 'task5']) await say('O', `#DELEGATE:Dev:${task}`)
    for (const task of ['task1', 'task2']) await say('Dev', `#DONE:${task}`)
    await say('Dev', '#PROGRESS:task3:80%')
  }

  verifies(['SA-16', 'SA-3j', 'SA-2b', 'SA-4b'], 'the file has the form of the specification', async () => {
    await fill()
    await plays([
      [
        'O',
        '#CONTEXT:export:./context/session_final.ctx:all',
        'exported:9 items (0.3k)\ngit_ref:none\nfile:./context/session_final.ctx',
      ],
    ])
    const leaf = await tree.read(treePath('context/session_final.ctx'))
    expect(Buffer.from(leaf!.bytes).toString()).toBe(
      [
        'version: 1.1.0',
        'exported: 2024-01-15T14:30:00Z',
        'session_id: ctx_789',
        '',
        'state:',
        '  persistent:',
        '    key: value',
        '  temporary:',
        '    temp: value',
        '',
        'tasks:',
        '  completed: ["Dev:task1", "Dev:task2"]',
        '  in_progress:',
        '    "Dev:task3": "80%"',
        '  pending: ["Dev:task4", "Dev:task5"]',
        '',
        'configuration:',
        '  PROJECT_NAME: MyProject',
        '  TECH_STACK: "Node,React"',
        '',
      ].join('\n'),
    )
  })

  verifies(['SA-16', 'SA-16b', 'SA-3j', 'SA-2b'], 'import, merge, list and validate', async () => {
    await fill()
    await say('O', '#CONTEXT:export:./context/session_final.ctx')
    clock.advance(90 * 60_000)
    await say('O', '#STATE:save:key:other:persistent')
    await say('O', '#CONTEXT:export:./context/security_audit.ctx:critical')
    clock.advance(30 * 60_000)
    say = speaker(sessions, 'ctx_790')
    await plays([
      [
        'O',
        '#CONTEXT:import:./context/session_final.ctx',
        'git_ref:unknown\nimported:8 items\ntasks:1 active, 2 pending\nready to resume',
      ],
      ['O', '#STATE:load:key', 'value'],
      ['O', '#STATE:load:temp', 'not_found'],
      ['O', '#CONTEXT:import:./context/security_audit.ctx:merge', 'merged:0 new items\nupdated:1 existing items'],
      ['O', '#STATE:load:key', 'other'],
      ['O', '#CONTEXT:list:./context/', '• security_audit.ctx (30m ago, 0.2k)\n• session_final.ctx (2h ago, 0.3k)'],
      [
        'O',
        '#CONTEXT:validate:./context/session_final.ctx',
        'valid:protocol v1.1\ngit_checkpoint:unknown\nitems:8 compatible',
      ],
      ['O', '#CONTEXT:validate:./context/nothing.ctx', 'not_found'],
    ])
  })

  verifies(['SA-16'], 'the example of the specification is taken as it stands', async () => {
    const example = `version: 1.1.0
exported: 2024-01-15T14:30:00Z
session_id: ctx_789
git_checkpoint: abc123

state:
  persistent:
    key: value
  temporary:
    key: value

tasks:
  completed: [task1, task2]
  in_progress:
    task3: 80%
  pending: [task4, task5]

configuration:
  PROJECT_NAME: MyProject
  TECH_STACK: Node,React
`
    await tree.create(treePath('example.ctx'), example)
    await tree.create(treePath('two.ctx'), example.replace('    key: value', '    key: other'))
    await plays([
      ['O', '#CONTEXT:validate:example.ctx', 'valid:protocol v1.1\ngit_checkpoint:unknown\nitems:8 compatible'],
      [
        'O',
        '#CONTEXT:import:example.ctx',
        'git_ref:unknown\nimported:8 items\ntasks:1 active, 2 pending\nready to resume',
      ],
      ['O', '#STATE:list', '• key'],
      // One key with two values cannot be taken.
      ['O', '#CONTEXT:import:two.ctx', '#ERROR:E002:key_twice_key'],
    ])
    await sessions.end('ctx_789')
    expect(await say('O', '#STATE:load:key')).toBe('value')
  })

  verifies(['SA-16'], 'a mistyped filter or mode is no part of a path, and a file is no directory', async () => {
    await fill()
    await plays([
      ['O', '#CONTEXT:export:a.ctx:critcal', '#ERROR:E002:unknown_filter_critcal'],
      ['O', '#CONTEXT:export:a.ctx:critcal:all', '#ERROR:E002:unknown_filter_critcal'],
      ['O', '#CONTEXT:export:a.ctx', 'exported:8 items (0.3k)\ngit_ref:none\nfile:a.ctx'],
      ['O', '#CONTEXT:import:a.ctx:mrege', '#ERROR:E002:unknown_mode_mrege'],
      ['O', '#CONTEXT:validate:a.ctx:b', '#ERROR:E002:bad_path'],
      ['O', '#CONTEXT:list:a.ctx', '#ERROR:E002:not_a_directory'],
      ['O', '#CONTEXT:export:a\\:b.ctx', 'exported:8 items (0.3k)\ngit_ref:none\nfile:a:b.ctx'],
    ])
    expect((await tree.list(treePath(''))).map(({ name }) => name)).toEqual(['.signalbox', 'a.ctx', 'a:b.ctx'])
  })

  verifies(['SA-16'], 'what is exported as changed is what no export of its kind has had yet', async () => {
    const textOf = async (path: string) => Buffer.from((await tree.read(treePath(path)))!.bytes).toString()
    await fill()
    const [state, tasks, critical, rest] = ['1 state', '2 tasks', '3 critical', '4 rest'].map((name) => `${name}.ctx`)
    expect(await say('O', `#CONTEXT:export:${state}:state`)).toContain('exported:2 items')
    // No export has had tasks or variables.
    expect(await say('O', `#CONTEXT:export:${rest}:incremental`)).toContain('exported:7 items')
    expect(await textOf(rest!)).not.toContain('state:')
    expect(await say('O', `#CONTEXT:export:${rest}:incremental`)).toContain('exported:0 items')
    await say('O', '#STATE:save:temp:changed')
    await say('O', '#STATE:save:key:changed:persistent')
    await say('O', '{{TECH_STACK}}: "Bun"')
    await say('Dev', '#PROGRESS:task3:90%')
    expect(await say('O', `#CONTEXT:export:${tasks}:tasks`)).toContain('exported:5 items')
    expect(await say('O', `#CONTEXT:export:${critical}:critical`)).toContain('exported:3 critical items')
    expect(await say('O', `#CONTEXT:export:${rest}:incremental`)).toContain('exported:1 items')
    expect(await textOf(rest!)).toContain('  temporary:\n    temp: changed\n')
    // An import names none of what it brings.
    await say('O', `#CONTEXT:import:${critical}:merge`)
    expect(await say('O', `#CONTEXT:export:${rest}:incremental`)).toContain('exported:9 items')
  })

  verifies(['SA-15', 'SA-16b', 'SA-2b'], 'context pressure exports by itself', async () => {
    await fill()
    const traffic = treePath('.signalbox/state/sessions/ctx_789/1/traffic')
    await tree.append(traffic, '84700 .')
    expect((await say('O', '#HEALTH:context')).split('\n')).toEqual([
      '85k/100k tokens',
      'advice: export context, then start new session',
    ])
    await tree.append(traffic, '7000 .')
    expect((await say('O', '#HEALTH:context')).split('\n')).toEqual([
      '92k/100k tokens',
      'auto-exporting...',
      '#CONTEXT:export:./context/auto_20240115_1430.ctx:critical',
      'exported:3 critical items',
    ])
  })
})

it('arrows and labels of the document belong to the document', async () => {
  // Whoever speaks in commands; to the orchestrator it is a sentence.
  expect(await say('DevAgent', '→ locked')).toBe('#ERROR:E001:not_a_command')
})
