/** A workspace that is strict about recipients: nobody writes to somebody who was never there. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect } from 'vitest'
import { quickTempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'
import { cliJson, quickCli } from './cli-program.ts'

let root: string
beforeEach(() => {
  root = quickTempDir()
  writeFileSync(join(root, 'signalbox.yaml'), 'strict: true\n')
})

const run = (...words: string[]) => cliJson(words, { cwd: root }, quickCli)

const whole = (to: string) =>
  `# MESSAGE\nfrom: lead\nto: ${to}\nintent: inform\nstatus: new\ncreated_at: 2026-01-01T00:00:00Z\n\n## Summary\nx\n`

const sendings: readonly [protocol: string, words: (to: string) => string[], leftBehind: string][] = [
  [
    'acmq',
    (to) => ['acmq', 'send', 'shop', '--from', 'lead', '--to', to, '--body', 'x'],
    'llm/missions/shop/queue/pending',
  ],
  [
    'mr',
    (to) => ['mr', 'send', '--from', 'lead', '--to', to, '--type', 'task-delegation', '--payload', '{"task":"x"}'],
    'state/agents/engineeer',
  ],
  [
    'circe',
    (to) => ['circe', 'send', '--from', 'lead', '--to', to, '--intent', 'inform', '--summary', 'x'],
    'AI_MANAGER/NEW_MESSAGES',
  ],
  ['circe', (to) => ['circe', 'send', '--file', `to-${to}.md`], 'AI_MANAGER/NEW_MESSAGES'],
  ['dream', (to) => ['dream', 'task', 'send', '--as', 'lead', '--to', to, '--file', 'task.json'], 'runtime/engineeer'],
  ['dream', (to) => ['dream', 'plan', '--as', 'lead', '--to', to, '--goal', 'x'], 'runtime/engineeer'],
]

verifies('X-recipient', 'strict: what is asked of somebody besides goes through the same check', () => {
  run('acmq', 'create-mission', 'shop')
  expect(run('circe', 'init', 'engineer').exit).toBe(0)
  expect(run('mr', 'init', 'writer').exit).toBe(0)
  const send = (id: string) =>
    run('acmq', 'send', 'shop', '--from', 'lead', '--to', 'engineer', '--id', id, '--body', id)
  expect(send('one').exit).toBe(0)
  expect(run('acmq', 'claim', 'shop', '--as', 'engineer', '--id', 'one').exit).toBe(0)
  expect(run('acmq', 'fail', 'shop', 'one', '--as', 'engineer', '--reason', 'No').exit).toBe(0)
  for (const words of [
    (agent: string) => ['acmq', 'bus', 'shop', '--query', 'one', '--by', agent],
    (agent: string) => ['acmq', 'report', 'shop', '--mode', 'top-down', '--by', agent],
    (agent: string) => ['acmq', 'retry', 'shop', 'one', '--to', agent],
  ]) {
    const pending = () => readdirSync(join(root, 'llm/missions/shop/queue/pending'))
    const before = pending()
    const refused = run(...words('writeer'), '--as', 'lead')
    expect([words('x'), refused.exit, refused.output.error]).toEqual([
      words('x'),
      3,
      expect.objectContaining({ code: 'UNSEEN_AGENT', hint: 'Did you mean writer?' }),
    ])
    expect(pending()).toEqual(before)
    // A query that finds nothing asks nobody.
    expect(run(...words('writer'), '--as', 'lead').exit).toBeLessThan(2)
  }

  // A task that a session hands to another protocol.
  mkdirSync(join(root, '.signalbox'), { recursive: true })
  writeFileSync(
    join(root, '.signalbox/session.yaml'),
    'roles:\n  Ghost: { via: mr, to: writeer }\n  Writer: { via: mr, to: writer }\n',
  )
  run('session', 'say', '--as', 'Orchestrator', '#DELEGATE:Ghost:write it:P2')
  expect(existsSync(join(root, 'state/agents/writeer'))).toBe(false)
  run('session', 'say', '--as', 'Orchestrator', '#DELEGATE:Writer:write it:P2')
  expect(readdirSync(join(root, 'state/agents/writer/inbox')).filter((name) => name.endsWith('.json'))).toHaveLength(1)
})

verifies(
  'X-recipient',
  'strict: sending to somebody nobody has seen is refused with the nearest name, and leaves nothing',
  () => {
    run('acmq', 'create-mission', 'shop')
    // Seen in one protocol, an agent is known to all.
    expect(run('circe', 'init', 'engineer').exit).toBe(0)
    for (const to of ['engineer', 'engineeer']) writeFileSync(join(root, `to-${to}.md`), whole(to))
    writeFileSync(join(root, 'task.json'), JSON.stringify({ task_id: 't', action: 'A', params: {} }))
    const filesIn = (path: string) => (existsSync(join(root, path)) ? readdirSync(join(root, path)) : [])
    for (const [protocol, words, place] of sendings) {
      const before = filesIn(place)
      const refused = run(...words('engineeer'))
      expect([protocol, refused.exit, refused.output.error]).toEqual([
        protocol,
        3,
        expect.objectContaining({ code: 'UNSEEN_AGENT', hint: 'Did you mean engineer?' }),
      ])
      expect(filesIn(place)).toEqual(before)
      expect([protocol, run(...words('engineer')).exit]).toEqual([protocol, 0])
    }
    for (const everybody of [sendings[0]![1]('all'), sendings[2]![1]('all'), sendings[2]![1]('ROOSTER')])
      expect(run(...everybody).exit).toBe(0)
  },
)
