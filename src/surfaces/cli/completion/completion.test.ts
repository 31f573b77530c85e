/** Completion scripts, run by the shells themselves where they are installed. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDir } from '../../../../test/support/temp.ts'
import { choice, flag, text } from '../../../kernel/field.ts'
import { defineOperation } from '../../../operations/define.ts'
import { commandFace, type Group } from '../command.ts'
import { summaries } from '../command-summaries.generated.ts'
import { commandTable } from '../command-table.generated.ts'
import { bashScript } from './bash.ts'
import { describeCommands } from './describe.ts'
import { fishScript } from './fish.ts'
import { zshScript } from './zsh.ts'

const send = defineOperation({
  name: 'send',
  summary: "Send someone's message.",
  input: {
    kind: choice('What kind.', ['note', 'task'], { positional: true }),
    to: text('To whom.', { required: true }),
    body: text('The text.', { fileFlag: 'file' }),
    queue: choice('Which queue.', ['pending', 'failed']),
    blocked: flag('Only blocked ones.'),
  },
  outcomes: { sent: 'done' },
  output: { sent: {} },
  effects: 'reads',
  examples: [{ command: 'acmq send', does: 'sends' }],
  run: () => ({ outcome: 'sent' }),
})

/** A table with a small group in the place of a real one. */
const table: Group = {
  ...commandTable,
  members: [
    ...commandTable.members.filter(({ name }) => name !== 'acmq'),
    {
      name: 'acmq',
      members: [{ name: 'send', load: async () => commandFace(send, () => '') }],
    },
  ],
}

const has = (shell: string) => spawnSync(shell, ['-c', 'exit 0']).status === 0

async function bashOffers(line: string, cwd = '/'): Promise<string[]> {
  const script = bashScript(await describeCommands(table, { ...summaries, 'acmq send': send.summary }))
  const words = line.split(' ')
  const program = `${script}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
_signalbox && printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout, stderr, status } = spawnSync('bash', ['--norc', '-eu', '-c', program], { encoding: 'utf8', cwd })
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 })
  return stdout.split('\n').filter(Boolean)
}

describe('bash', () => {
  it.each([
    [
      'signalbox ',
      [
        'init',
        'now',
        'send',
        'inbox',
        'take',
        'done',
        'fail',
        'release',
        'renew',
        'wait',
        'show',
        'thread',
        'why',
        'search',
        'lock',
        'unlock',
        'locks',
        'agents',
        'mr',
        'circe',
        'dream',
        'session',
        'human',
        'bridge',
        'doctor',
        'mirror',
        'import',
        'export',
        'demo',
        'bench',
        'schema',
        'completion',
        'version',
        'acmq',
      ],
    ],
    ['signalbox d', ['done', 'dream', 'doctor', 'demo']],
    ['signalbox completion ', ['bash', 'zsh', 'fish']],
    ['signalbox completion z', ['zsh']],
    ['signalbox doctor --f', ['--fix']],
    ['signalbox --root /x doctor --f', ['--fix']],
    ['signalbox --root = /x doctor --f', ['--fix']],
    ['signalbox doctor --durability ', ['process', 'batch', 'full']],
    ['signalbox doctor --durability = b', ['batch']],
    ['signalbox doctor --durability =', ['process', 'batch', 'full']],
    ['signalbox --no', ['--no-color']],
    ['signalbox acmq ', ['send']],
    ['signalbox acmq send ', ['note', 'task']],
    ['signalbox acmq send --q', ['--queue', '--quiet']],
    ['signalbox acmq send --queue p', ['pending']],
    ['signalbox acmq send --to ', []],
    ['acmq s', ['send']],
    ['/usr/bin/acmq send --queue f', ['failed']],
  ])('%j offers %j', async (line, offers) => {
    expect(await bashOffers(line)).toEqual(offers)
  })

  it('offers files and directories where they belong', async () => {
    const folder = tempDir()
    mkdirSync(join(folder, 'work'))
    writeFileSync(join(folder, 'words.md'), '')
    expect(await bashOffers('signalbox --root wo', folder)).toEqual(['work'])
    expect((await bashOffers('signalbox acmq send --file wo', folder)).sort()).toEqual(['words.md', 'work'])
  })
})

for (const [shell, script] of Object.entries({ zsh: zshScript, fish: fishScript, bash: bashScript })) {
  const title = `${shell} reads its script without complaint`
  if (has(shell)) {
    it(title, async () => {
      const file = join(tempDir(), 'script')
      writeFileSync(file, script(await describeCommands(table, { ...summaries, 'acmq send': send.summary })))
      const { stderr, status } = spawnSync(shell, ['-n', file], { encoding: 'utf8' })
      expect({ stderr, status }).toEqual({ stderr: '', status: 0 })
    })
  } else it.skip(`${title} (skipped: ${shell} is not installed)`, () => {})
}

const fishLine = (line: string, script: string) =>
  spawnSync('fish', ['-c', `source '${script}'; complete -C '${line}'`], {
    encoding: 'utf8',
    env: { ...process.env, HOME: tempDir() },
  })

if (has('fish')) {
  it.each([
    ['signalbox d', ['demo', 'doctor']],
    ['signalbox --root /x doctor --fi', ['--fix']],
    ['signalbox acmq send --queue ', ['failed', 'pending']],
    ['acmq ', ['send']],
  ])('fish: %j offers %j', async (line, offers) => {
    const file = join(tempDir(), 'script.fish')
    writeFileSync(file, fishScript(await describeCommands(table, { ...summaries, 'acmq send': send.summary })))
    const { stdout, stderr } = fishLine(line, file)
    expect({
      offers: stdout
        .split('\n')
        .filter(Boolean)
        .map((offer) => offer.split('\t')[0]),
      stderr,
    }).toEqual({ offers, stderr: '' })
  })
} else it.skip('fish offers what fits (skipped: fish is not installed)', () => {})

it('every script knows every command and flag', async () => {
  const commands = await describeCommands(table, { ...summaries, 'acmq send': send.summary })
  for (const script of [bashScript(commands), zshScript(commands)]) {
    for (const { path, flags } of commands.places) {
      expect(script).toContain(`'${path}'`)
      for (const { word } of flags) expect(script).toContain(word)
    }
  }
  expect(fishScript(commands)).toContain(
    `complete -c acmq -n '__signalbox_at \\'acmq send\\'' -l queue -d 'Which queue.' -x -a 'pending failed'`,
  )
  expect(fishScript(commands)).toContain(`-a 'send' -d 'Send someone\\'s message.'`)
})
