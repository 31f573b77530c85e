/** The command line from words to exit status, in this process, with a table of its own. */
import { describe, expect, it } from 'vitest'
import { tempDir } from '../../../test/support/temp.ts'
import * as outside from '../../engines/file-system/outside.ts'
import { openMemoryTree } from '../../engines/memory/index.ts'
import { heldClock } from '../../kernel/clock.ts'
import { conflict } from '../../kernel/errors.ts'
import { choice, integer, list, text } from '../../kernel/field.ts'
import { defineOperation, whoActs } from '../../operations/define.ts'
import { commandFace, type Group } from './command.ts'
import { summaries } from './command-summaries.generated.ts'
import { commandTable } from './command-table.generated.ts'
import { type Host, runCommandLine } from './run.ts'

const send = defineOperation({
  name: 'send',
  summary: 'Send a message.',
  input: {
    mission: text('The mission.', { positional: true, required: true }),
    body: text('The text.', { fileFlag: 'file', required: true }),
    priority: integer('How urgent.', { least: 1, most: 5, default: 3 }),
    depends: list('What must come first.', text('A reference.')),
    andThen: choice('What happens then.', ['nothing', 'conflict', 'defect', 'who'], { default: 'nothing' }),
  },
  outcomes: { sent: 'done', nothing: 'nothing' },
  output: { sent: {}, nothing: {} },
  effects: 'reads',
  examples: [{ command: 'acmq send alpha --body hello', does: 'sends hello' }],
  async run(context, { andThen, ...input }) {
    if (andThen === 'conflict')
      throw conflict('WRONG_STATE', 'It was \u001b[31mtaken\u001b[0m.\nBy ada.', { hint: 'Look\u0007 again.' })
    if (andThen === 'defect') throw new TypeError('x is not a function')
    if (andThen === 'who') return { outcome: 'sent', by: await whoActs(context), ...input }
    context.report.tell({ as: 'text', text: 'working' })
    return input.body === 'empty' ? { outcome: 'nothing' } : { outcome: 'sent', ...input }
  },
})

const table: Group = {
  ...commandTable,
  members: [
    ...commandTable.members.filter(({ name }) => name !== 'acmq'),
    {
      name: 'acmq',
      members: [
        {
          name: 'send',
          load: async () => commandFace(send, (output, { paint }) => `${paint('green', output.outcome)}\n`),
        },
      ],
    },
  ],
}

async function run(line: string | string[], environment: Record<string, string> = {}, startedAs?: string) {
  const printed = { out: '', err: '' }
  const host: Host = {
    about: { version: '1.2.3', runtime: 'test 0' },
    startedAs,
    terminal: {
      out: (text) => void (printed.out += text),
      err: (text) => void (printed.err += text),
      streams: () => ({ out: { isTerminal: false, columns: 80 }, err: { isTerminal: false, columns: 80 } }),
    },
    environment,
    clock: heldClock(),
    outside: { ...outside, readStandardInput: () => 'from stdin', currentFolder: () => folder },
    engines: {
      files: async () => openMemoryTree(),
      etcd: async () => openMemoryTree(),
      etcdHealth: async () => ({ place: '', members: [], sizeBytes: 0, revision: 0 }),
    },
    benchmark: () => undefined,
    stopSignal: () => new AbortController().signal,
  }
  const exit = await runCommandLine(typeof line === 'string' ? line.split(' ').filter(Boolean) : line, host, table)
  return { exit, ...printed }
}

const folder = tempDir()

describe('a command line', () => {
  it('runs an operation and shows its result', async () => {
    expect(await run('acmq send alpha --body hello')).toEqual({ exit: 0, out: 'working\nsent\n', err: '' })
  })

  it('prints exactly one JSON document with --json, wherever it stands', async () => {
    const expected = { outcome: 'sent', mission: 'alpha', body: 'hello', priority: 1, depends: ['a', 'b'] }
    for (const line of [
      '--json acmq send alpha --body hello --priority 1 --depends a --depends b',
      'acmq --json send --priority=1 --depends=a alpha --depends b --body hello',
      'acmq send alpha --body hello --priority 1 --depends a --depends b --json',
    ]) {
      const { exit, out, err } = await run(line)
      expect({ exit, output: JSON.parse(out), err }).toEqual({ exit: 0, output: expected, err: '' })
    }
  })

  it('--quiet leaves the narration out', async () => {
    expect(await run('acmq send alpha --body hello -q')).toEqual({ exit: 0, out: 'sent\n', err: '' })
  })

  it('reads long texts from standard input', async () => {
    expect(JSON.parse((await run('acmq send alpha --file - --json')).out)).toMatchObject({ body: 'from stdin' })
  })

  it('exits with 1 when there is nothing', async () => {
    expect(await run('acmq send alpha --body empty --quiet')).toEqual({ exit: 1, out: 'nothing\n', err: '' })
  })

  it('colours when it is told to', async () => {
    expect((await run('acmq send alpha --body x -q --color')).out).toBe('\u001b[32msent\u001b[39m\n')
    expect((await run('acmq send alpha --body x -q', { FORCE_COLOR: '1' })).out).toBe('\u001b[32msent\u001b[39m\n')
    expect((await run('acmq send alpha --body x -q --no-color', { FORCE_COLOR: '1' })).out).toBe('sent\n')
  })

  it('says who acts: flag, environment, or nobody', async () => {
    const line = 'acmq send alpha --body x --and-then who --json'
    expect(JSON.parse((await run(`${line} --as ada`, { SIGNALBOX_AGENT: 'eve' })).out)).toMatchObject({ by: 'ada' })
    expect(JSON.parse((await run(line, { SIGNALBOX_AGENT: 'eve' })).out)).toMatchObject({ by: 'eve' })
    expect(JSON.parse((await run(line)).out)).toMatchObject({ error: { code: 'NO_AGENT' } })
  })
})

describe('what goes wrong', () => {
  it('is one line and a hint on standard error, with control characters made visible', async () => {
    expect(await run('acmq send alpha --body x --and-then conflict')).toEqual({
      exit: 4,
      out: '',
      err: 'signalbox: It was \\x1b[31mtaken\\x1b[0m.\\nBy ada.\nhint: Look\\x07 again.\n',
    })
  })

  it('is one JSON document on standard output with --json', async () => {
    const { exit, out, err } = await run('acmq send alpha --body x --and-then conflict --json')
    expect({ exit, err }).toEqual({ exit: 4, err: '' })
    expect(JSON.parse(out)).toEqual({
      error: { code: 'WRONG_STATE', message: 'It was \u001b[31mtaken\u001b[0m.\nBy ada.', hint: 'Look\u0007 again.' },
    })
    expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/)
  })

  it('is JSON also when the mistake stands before --json', async () => {
    for (const line of ['frobnicate --json', '--rot x --json', 'acmq send --bdoy x --json', '--root --json']) {
      const { exit, out, err } = await run(line)
      expect({ exit, err, keys: Object.keys(JSON.parse(out)) }).toEqual({ exit: 2, err: '', keys: ['error'] })
    }
  })

  it('a defect asks to be reported, shows no stack and exits with 70', async () => {
    const { exit, out, err } = await run('acmq send alpha --body x --and-then defect')
    expect({ exit, out }).toEqual({ exit: 70, out: '' })
    expect(err).toBe(
      'signalbox: This is a defect in Signalbox, not in your request: TypeError: x is not a function\n' +
        'hint: Please report it, with what the same command prints under SIGNALBOX_DEBUG=1.\n',
    )
  })

  it('shows stack and times under SIGNALBOX_DEBUG=1', async () => {
    const { err } = await run('acmq send alpha --body x --and-then defect', { SIGNALBOX_DEBUG: '1' })
    expect(err).toMatch(/debug: send ended with INTERNAL after 0 ms\n/)
    expect(err).toMatch(/TypeError: x is not a function\n\s+at /)
  })

  const refused: readonly [string, RegExp, RegExp][] = [
    ['dcotor', /no command "dcotor" in signalbox/, /^hint: Did you mean `signalbox doctor`\?$/m],
    ['acmq sned', /no command "sned" in signalbox acmq/, /Did you mean `signalbox acmq send`\?/],
    ['xyzzy', /no command "xyzzy"/, /`signalbox --help` lists them all/],
    ['doctor --fxi', /no option --fxi/, /Did you mean --fix\?/],
    ['--rot x doctor', /no option --rot/, /Did you mean --root\?/],
    ['acmq send --body x', /MISSION is missing: the mission\./, /Give MISSION/],
    ['acmq send alpha', /--body is missing/, /Give --body/],
    ['acmq send alpha --body x --priority 9', /--priority must be a whole number from 1 to 5; found 9/, /./],
    ['init --engine redis://x', /Not an engine: "redis:\/\/x"/, /`files`/],
    ['init --durability slow', /--durability must be one of process, batch, full; found "slow"/, /./],
    ['init --as a/b', /--as must be a name/, /./],
  ]
  it.each(refused)('%s', async (line, what, hint) => {
    const { exit, out, err } = await run(line)
    expect({ exit, out, lines: err.split('\n').length }).toEqual({ exit: 2, out: '', lines: 3 })
    expect(err).toMatch(what)
    expect(err).toMatch(hint)
  })
})

describe('help', () => {
  it('of the program prints an overview', async () => {
    const { exit, out } = await run('--help')
    expect(exit).toBe(0)
    for (const { name } of table.members) expect(out).toContain(`  ${name.padEnd(10)}  ${summaries[name]}\n`)
    expect(out).toContain('--root DIR')
  })

  it('explains a command, also beside input that is wrong or missing', async () => {
    const { exit, out } = await run('acmq send --help')
    expect(exit).toBe(0)
    expect(out).toContain(
      'Usage: signalbox acmq send MISSION --body BODY | --file FILE [--priority N] [--depends DEPENDS]… [--and-then AND-THEN]\n',
    )
    expect(out).toContain('  signalbox acmq send alpha --body hello  sends hello\n')
    expect(out).toContain('Exit status: 0 sent, 1 nothing. ')
    for (const line of [
      'help acmq send',
      '--help acmq send',
      'acmq send --nonsense -h',
      'acmq --help send --priority 99',
    ]) {
      expect(await run(line)).toEqual({ exit, out, err: '' })
    }
  })

  it('lists the commands of a group', async () => {
    expect((await run('acmq')).out).toContain(`  send  ${summaries['acmq send']}\n`)
    expect((await run('help acmq')).out).toBe((await run('acmq --help')).out)
  })

  it('is data with --json', async () => {
    expect(JSON.parse((await run('--help --json')).out)).toMatchObject({ outcome: 'explained', command: 'signalbox' })
    expect(JSON.parse((await run('acmq send --help --json')).out)).toMatchObject({
      command: 'signalbox acmq send',
      inputs: [{ name: 'mission', spelled: 'MISSION', required: true }, { spelled: '--body' }, { default: 3 }, {}, {}],
      exits: { sent: 0, nothing: 1 },
    })
  })

  it('words after -- are not flags', async () => {
    expect((await run('acmq send --body x -- --help')).out).toBe('working\nsent\n')
  })
})

describe('version', () => {
  it.each(['version', '--version', '-V', 'acmq --version', 'doctor --version'])('%s', async (line) => {
    expect(await run(line)).toEqual({ exit: 0, out: 'signalbox 1.2.3 (test 0)\n', err: '' })
    expect(JSON.parse((await run(`${line} --json`)).out)).toEqual({
      outcome: 'told',
      version: '1.2.3',
      runtime: 'test 0',
    })
  })
})

describe('bench', () => {
  it('says so where there is no benchmark', async () => {
    const { exit, err } = await run('bench')
    expect(exit).toBe(7)
    expect(err).toBe(
      'signalbox: The benchmark is not part of this installation.\nhint: Run `npm run bench` in a checkout of the repository.\n',
    )
  })
})

describe('started as acmq, it speaks of acmq', () => {
  const asAcmq = (line: string) => run(line, {}, 'acmq')

  it.each(['acmq --help', 'acmq send --help', 'acmq send --help --json', 'acmq --help --json'])('%s', async (line) => {
    const [short, long] = [await asAcmq(line), await run(line)]
    expect(long.out).toContain('signalbox acmq')
    expect(short).toMatchObject({ exit: 0, err: '' })
    expect(short.out).not.toContain('signalbox')
    expect(short.out).toContain('acmq')
  })

  it('in errors and their hints too', async () => {
    expect((await asAcmq('acmq sned')).err).toBe(
      'acmq: There is no command "sned" in acmq.\nhint: Did you mean `acmq send`?\n',
    )
    expect((await run('acmq sned')).err).toMatch(
      /^signalbox: .* in signalbox acmq\.\nhint: Did you mean `signalbox acmq send`/,
    )
  })

  it('but not of a command that is not its own', async () => {
    expect((await asAcmq('doctro')).err).toMatch(/^signalbox: /)
  })
})
