/** What the verbs for every agent say to input that is wrong, in every home. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { quickTempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'
import { type CliOptions, quickCli } from './cli-program.ts'

const homes = ['acmq:shop', 'mr', 'circe', 'dream', 'session']

function workspace(files: Readonly<Record<string, string>> = {}) {
  const cwd = quickTempDir()
  quickCli(['init'], { cwd })
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(cwd, '.signalbox/agents'), { recursive: true })
    writeFileSync(join(cwd, '.signalbox/agents', name), text)
  }
  const run = (words: readonly string[], options: CliOptions = {}) => quickCli(words, { cwd, ...options })
  // biome-ignore lint/suspicious/noExplicitAny: answers of many commands.
  const json = (words: readonly string[], options: CliOptions = {}): Record<string, any> => {
    const { exit, out } = run([...words, '--json'], options)
    return { ...JSON.parse(out), exit }
  }
  const send = (to: string, text = 'Work') => json(['send', '--as', 'lead', '--to', to, '--body', text])
  const take = (agent = 'coder') => String(json(['take', '--as', agent]).receipt)
  return { cwd, run, json, send, take }
}

describe.each(homes)('at home in %s', (home) => {
  const at = () => workspace({ 'coder.yaml': `home: ${home}\n` })

  verifies(
    'X-recipient',
    'a recipient whom nobody has seen is told with the nearest name, and refused with strict',
    () => {
      const { run, json, send } = at()
      expect(send('coder')).toMatchObject({ exit: 0, outcome: 'sent', message: { to: 'coder' } })
      const typo = run(['send', '--as', 'lead', '--to', 'codr', '--body', 'x'])
      expect(typo.exit).toBe(0)
      expect(typo.err).toContain('Nobody has seen codr yet')
      expect(typo.err).toContain('Did you mean coder?')
      const strict = { env: { SIGNALBOX_STRICT: 'true' } }
      expect(json(['send', '--as', 'lead', '--to', 'codre', '--body', 'x'], strict)).toMatchObject({
        exit: 3,
        error: { code: 'UNSEEN_AGENT', hint: 'Did you mean coder?' },
      })
      expect(json(['inbox', '--as', 'codre']).messages).toEqual([])
      expect(json(['send', '--as', 'lead', '--to', 'coder', '--body', 'y'], strict).exit).toBe(0)
    },
  )

  verifies('X-neutral', 'a handle that means several lists them, one that means none says what is near', () => {
    const { json, send } = at()
    const handles = ['One', 'Two'].map((text) => String(send('coder', text).message.handle))
    const common = handles[0]!.slice(
      0,
      [...handles[0]!].findIndex((sign, at) => sign !== handles[1]![at]),
    )
    const near = `${handles[0]!.slice(0, -1)}~`
    expect(json(['show', near])).toMatchObject({
      exit: 3,
      error: { code: 'NO_SUCH_MESSAGE', hint: expect.stringMatching(/^Did you mean /) },
    })
    expect(json(['show', `${handles[0]!.split(':')[0]}:qqqqqqqqqq`])).toMatchObject({ exit: 3 })
    // Ids that are made by chance have nothing in common.
    if (home !== 'circe' && home !== 'session') return
    expect(json(['show', common])).toMatchObject({
      exit: 2,
      error: { code: 'AMBIGUOUS_HANDLE', message: expect.stringContaining(handles[1]!) },
    })
  })

  verifies(
    'X-neutral',
    'a receipt of another agent is refused with who has it; an old one is told who has it now',
    () => {
      const { run, json, send, take } = at()
      const { handle } = send('coder').message
      for (const verb of [['done'], ['fail', '--reason', 'x'], ['release'], ['renew']])
        expect(json([...verb, `${handle}@1`, '--as', 'coder']), verb[0]).toMatchObject({
          exit: 4,
          error: { code: 'LOST_CLAIM', message: expect.stringContaining('nobody has it; it waits for coder') },
        })
      const first = take()
      for (const verb of [['done'], ['fail', '--reason', 'x'], ['release'], ['renew']])
        expect(json([...verb, first, '--as', 'thief']), verb[0]).toMatchObject({
          exit: 6,
          error: { code: 'NOT_YOURS', message: `coder has ${handle}.` },
        })
      expect(run(['release', first, '--as', 'coder']).exit).toBe(0)
      const second = take()
      for (const verb of [['done'], ['fail', '--reason', 'x'], ['release'], ['renew']])
        expect(json([...verb, first]), verb[0]).toMatchObject({
          exit: 4,
          error: { code: 'LOST_CLAIM', message: expect.stringContaining('coder has it now, as attempt 2') },
        })
      expect(run(['done', second, '--result', 'Did it']).exit).toBe(0)
      expect(json(['done', second, '--result', 'Did it'])).toMatchObject({ exit: 0, outcome: 'unchanged' })
      for (const verb of [['fail', '--reason', 'x'], ['release'], ['renew']])
        expect(json([...verb, second]), verb[0]).toMatchObject({
          exit: 4,
          error: { code: 'LOST_CLAIM', message: expect.stringContaining('coder has finished it') },
        })
      expect(json(['done', second, '--as', 'thief'])).toMatchObject({ exit: 6, error: { code: 'NOT_YOURS' } })
      expect(json(['done', handle])).toMatchObject({ exit: 2, error: { code: 'NO_RECEIPT' } })
    },
  )
})

describe('the file of an agent', () => {
  const mistakes = {
    'client: codex\nhoem: mr\n': [2, '`hoem` means nothing here.', 'Did you mean `home`?'],
    'about: x\nhome: mrr\n': [2, 'there is no protocol `mrr`.', 'Did you mean `mr`?'],
    'home: "??"\n': [1, '`??` is no home.', 'Write a protocol, or a protocol and a place: home: acmq:shop'],
    'names: 3\n': [
      1,
      '`names` is neither a list of names nor one name for each protocol.',
      'Write: names: { circe: Gemini_1 }',
    ],
    'home: mr\nhome: acmq\n': [2, '`home` is given twice.', 'Write plain `key: value` lines.'],
    '\u0000\u0001': [1, 'the header is not a list of `key: value` lines.', 'Write plain `key: value` lines.'],
  } as const

  verifies('X-directory', 'with a mistake names file, line and hint, and stops nobody else', () => {
    for (const [text, [line, reason, hint]] of Object.entries(mistakes)) {
      const { run, json, send, take } = workspace({ 'coder.yaml': text })
      const path = '.signalbox/agents/coder.yaml'
      const error = { code: 'BAD_AGENT_FILE', message: `${path}, line ${line}: ${reason}`, hint }
      expect(send('coder'), text).toMatchObject({ exit: 5, error })
      expect(json(['take', '--as', 'coder']), text).toMatchObject({ exit: 5, error })
      expect(json(['inbox', '--as', 'coder']), text).toMatchObject({ exit: 5, error })
      expect(send('other'), text).toMatchObject({ exit: 0, outcome: 'sent' })
      expect(json(['inbox', '--as', 'other']).messages, text).toHaveLength(1)
      const receipt = take('other')
      expect(run(['done', receipt, '--as', 'other']).exit, text).toBe(0)
      const { agents, notices, exit } = json(['agents', 'list'])
      expect(exit).toBe(0)
      expect(agents.map(({ name }: { name: string }) => name)).toEqual(
        expect.arrayContaining(['coder', 'lead', 'other']),
      )
      expect(notices).toEqual([`${error.message} ${hint}`])
      expect(json(['now', '--as', 'other']).exit).toBe(0)
      const { findings, ...doctor } = json(['doctor'])
      expect(doctor.exit, text).toBe(1)
      expect(findings).toMatchObject([
        { code: 'BAD_AGENT_FILE', severity: 'warning', path, message: `line ${line}: ${reason}`, hint },
      ])
    }
  })

  verifies('X-directory', 'that is no file, or has another ending, is told by doctor and stops nobody', () => {
    const { cwd, json, send } = workspace({ 'gemini.yml': 'home: mr\n' })
    mkdirSync(join(cwd, '.signalbox/agents/coder.yaml'))
    chmodSync(join(cwd, '.signalbox/agents/coder.yaml'), 0o700)
    expect(send('coder').exit).toBe(0)
    expect(json(['agents', 'list']).exit).toBe(0)
    const { findings } = json(['doctor'])
    expect(findings.map(({ path }: { path: string }) => path)).toEqual(
      expect.arrayContaining([expect.stringContaining('agents/coder.yaml'), '.signalbox/agents/gemini.yml']),
    )
  })

  verifies('X-directory', 'is not made for what is no name or no home', () => {
    const { json } = workspace()
    expect(json(['agents', 'add', '../x', '--home', 'mr'])).toMatchObject({
      exit: 2,
      error: { code: 'INVALID_AGENT_ID' },
    })
    expect(json(['agents', 'add', 'x', '--home', 'nope'])).toMatchObject({ exit: 2 })
    expect(json(['agents', 'add', 'x', '--home', '??'])).toMatchObject({ exit: 2, error: { code: 'BAD_HOME' } })
    expect(json(['agents', 'add', 'gemini', '--home', 'mr'])).toMatchObject({ exit: 0, outcome: 'added' })
    expect(json(['agents', 'show', 'gemni'])).toMatchObject({
      exit: 3,
      error: { code: 'NO_SUCH_AGENT', hint: 'Did you mean gemini?' },
    })
    expect(json(['agents', 'show', 'gemini']).agent).toEqual({
      name: 'gemini',
      home: 'mr',
      presence: 'unseen',
      inHand: [],
      locks: [],
      wake: 'no',
    })
  })
})
