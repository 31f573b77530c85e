/** What a new user does first: nothing but a directory, and five commands. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { countTokens } from 'gpt-tokenizer'
import { describe, expect } from 'vitest'
import { tempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'
import { cliJson, quickCli } from './cli-program.ts'

const run = (cwd: string, ...words: string[]) => quickCli(words, { cwd })

describe('in an empty directory', () => {
  verifies('X-first', 'init, send, take, done and wait carry one message there and back with nothing else said', () => {
    const cwd = tempDir()
    expect(run(cwd, 'init').exit).toBe(0)
    const sent = run(cwd, 'send', '--to', 'gemini', '--body', 'Design the schema')
    expect(sent.exit).toBe(0)
    expect(sent.out).toMatch(/^Sent acmq:main:[0-9a-f]{8} to gemini\.\n$/)
    const handle = /acmq:\S+/.exec(sent.out)![0]
    const taken = run(cwd, 'take', '--as', 'gemini')
    expect(taken.exit).toBe(0)
    const receipt = /signalbox done (\S+) --result/.exec(taken.out)![1]!
    expect(receipt).toBe(`${handle}@1`)
    expect(run(cwd, 'done', receipt, '--result', 'Three tables')).toMatchObject({
      exit: 0,
      out: `Finished ${handle}.\n`,
    })
    expect(run(cwd, 'done', receipt, '--result', 'Three tables').exit).toBe(0)
    const waited = run(cwd, 'wait', handle)
    expect(waited.exit).toBe(0)
    expect(waited.out).toContain('Three tables')
  })

  verifies('X-first', 'signalbox alone says how to begin; in a workspace, what matters now in twelve lines', () => {
    const empty = tempDir()
    expect(run(empty)).toMatchObject({ exit: 0, out: expect.stringContaining('signalbox init') })
    const cwd = tempDir()
    run(cwd, 'init')
    for (let n = 0; n < 20; n++) run(cwd, 'send', '--to', 'gemini', '--body', `Task ${n}`)
    const { out, exit } = run(cwd, '--as', 'gemini')
    expect(exit).toBe(0)
    expect(out).toContain('20 wait for gemini: signalbox take --as gemini')
    expect(out.trimEnd().split('\n').length).toBeLessThanOrEqual(12)
  })

  verifies('X-tokens', 'answers are short', () => {
    const cwd = tempDir()
    run(cwd, 'init')
    const text = 'Design the schema for the shop'
    const sent = run(cwd, 'send', '--to', 'gemini', '--as', 'claude', '--body', text, '--urgency', 'high').out
    expect(countTokens(sent)).toBeLessThanOrEqual(40)
    const handle = /acmq:\S+/.exec(sent)![0]
    expect(countTokens(run(cwd, 'why', handle).out)).toBeLessThanOrEqual(60)
    const inbox = run(cwd, 'inbox', '--as', 'gemini').out
    expect(inbox.trimEnd().split('\n')).toHaveLength(1)
    const taken = run(cwd, 'take', '--as', 'gemini').out
    expect(countTokens(taken) - countTokens(text)).toBeLessThanOrEqual(90)
    expect(countTokens(run(cwd, 'why', handle).out)).toBeLessThanOrEqual(60)
  })
})

describe('bad input', () => {
  const cwd = tempDir()
  run(cwd, 'init')
  run(cwd, 'send', '--to', 'gemini', '--as', 'claude', '--body', 'One')

  verifies('X-neutral', 'is told with what to do', () => {
    expect(run(cwd, 'send', '--body', 'x')).toMatchObject({ exit: 2, err: expect.stringContaining('--to') })
    expect(run(cwd, 'send', '--to', 'gemini')).toMatchObject({ exit: 2, err: expect.stringContaining('--body') })
    expect(run(cwd, 'done', 'nonsense')).toMatchObject({ exit: 2, err: expect.stringContaining('no receipt') })
    expect(run(cwd, 'done', 'acmq:main:ffffffff@1')).toMatchObject({ exit: 3 })
    expect(run(cwd, 'take')).toMatchObject({ exit: 2, err: expect.stringContaining('--as') })
    expect(run(cwd, 'agents', 'add', '../x', '--home', 'mr')).toMatchObject({ exit: 2 })
    expect(run(cwd, 'agents', 'add', 'x', '--home', 'mrr')).toMatchObject({
      exit: 2,
      err: expect.stringContaining('mr'),
    })
    expect(run(cwd, 'lock', '../secrets', '--as', 'a')).toMatchObject({ exit: 2 })
    expect(run(cwd, 'send', '--to', 'gemni', '--as', 'claude', '--body', 'x').err).toContain('Nobody has seen gemni')
    writeFileSync(join(cwd, 'signalbox.yaml'), 'strict: true\n')
    expect(run(cwd, 'send', '--to', 'nobody', '--as', 'claude', '--body', 'x')).toMatchObject({ exit: 3 })
  })
})

describe('who is there', () => {
  verifies('X-directory', 'is listed with home and what each has in hand; a home decides where messages go', () => {
    const cwd = tempDir()
    run(cwd, 'init')
    expect(run(cwd, 'agents', 'add', 'coder-1', '--home', 'mr', '--about', 'writes code')).toMatchObject({ exit: 0 })
    expect(run(cwd, 'send', '--to', 'coder-1', '--as', 'lead', '--body', 'Fix it').out).toMatch(/^Sent mr:msg_/)
    run(cwd, 'take', '--as', 'coder-1')
    const { output } = cliJson(['agents'], { cwd }, quickCli)
    const { agents } = output as { agents: Record<string, unknown>[] }
    expect(agents.find(({ name }) => name === 'coder-1')).toMatchObject({
      home: 'mr',
      presence: 'busy',
      about: 'writes code',
      wake: 'no',
      inHand: [expect.stringMatching(/^mr:msg_/)],
    })
    expect(run(cwd, 'agents', 'remove', 'coder-1').exit).toBe(0)
  })
})

describe('locks', () => {
  verifies('X-neutral', 'keep others out, of sessions too, and say who holds what', () => {
    const cwd = tempDir()
    run(cwd, 'init')
    expect(run(cwd, 'lock', 'src/auth/**', '--as', 'a', '--reason', 'login').exit).toBe(0)
    expect(run(cwd, 'lock', 'src/auth/x.ts', '--as', 'b')).toMatchObject({
      exit: 1,
      out: expect.stringMatching(/^Busy: src\/auth\/\*\* a until \S+: login\n$/),
    })
    expect(run(cwd, 'session', 'say', '--as', 'DevAgent', '#LOCK:src/auth/x.ts')).toMatchObject({
      exit: 1,
      out: 'busy:a\n',
    })
    expect(run(cwd, 'session', 'say', '--as', 'DevAgent', '#LOCK:docs/x.md').exit).toBe(0)
    expect(run(cwd, 'locks').out.trimEnd().split('\n')).toHaveLength(2)
    expect(run(cwd, 'unlock', 'src/auth/**', '--as', 'b').exit).toBe(4)
    expect(run(cwd, 'unlock', 'src/auth/**', '--as', 'a').exit).toBe(0)
    expect(run(cwd, 'lock', 'src/auth/x.ts', '--as', 'b').exit).toBe(0)
  })
})
