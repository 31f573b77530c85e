/** The block of the README that teaches an agent: its commands, to the letter, one after the other. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { isGroup } from '../../src/surfaces/cli/command.ts'
import { commandTable } from '../../src/surfaces/cli/command-table.generated.ts'
import { repository, runtime } from '../support/child.ts'
import { tempDir } from '../support/temp.ts'
import { plainEnvironment } from './cli-program.ts'

const block = /^```markdown\n(## Work from the queue\n[\s\S]*?)^```$/m.exec(
  readFileSync(join(repository, 'README.md'), 'utf8'),
)![1]!
const commands = [...block.matchAll(/`(acmq [^`]+)`/g)].map(([, command]) => command!)
const acmq = commandTable.members.find(({ name }) => name === 'acmq')!
const verbs = isGroup(acmq) ? acmq.members.map(({ name }) => name) : []

const folder = tempDir()

/** Runs a command of the block with the placeholders filled in, in a shell as an agent would. */
function follow(verb: string, values: Readonly<Record<string, string>>) {
  const written = commands.find((command) => command.startsWith(`acmq ${verb} `))!
  const words = { MISSION: 'shop', NAME: 'coder', ...values }
  const command = written.replace(/\b[A-Z]+\b/g, (word) => (words as Record<string, string>)[word] ?? word)
  const env = plainEnvironment({ SIGNALBOX_RUNTIME: runtime, PATH: `${repository}/bin:${process.env.PATH}` })
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8', env })
  return { exit: status, out: stdout, err: stderr }
}

it('is short: under 300 tokens, and every command is one', () => {
  // A token is about four characters of English; commands take more of them, so three and a half are counted.
  expect(block.length / 3.5).toBeLessThan(300)
  expect(commands.map((command) => command.split(' ')[1])).toEqual([
    'claim',
    'renew',
    'complete',
    'fail',
    'send',
    'wait',
  ])
})

it('leads an agent that follows it from an empty queue to a result', () => {
  const acmqBin = join(repository, 'bin/acmq')
  const env = plainEnvironment({ SIGNALBOX_RUNTIME: runtime })
  expect(spawnSync(acmqBin, ['create-mission', 'shop'], { cwd: folder, env }).status).toBe(0)
  const idIn = (text: string) => /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(text)![0]

  const first = idIn(follow('send', { NAME: 'lead', AGENT: 'coder' }).out)
  const second = idIn(follow('send', { NAME: 'lead', AGENT: 'coder' }).out)
  for (const [verb, id] of [
    ['complete', first],
    ['fail', second],
  ] as const) {
    const claimed = follow('claim', {})
    expect(claimed.exit).toBe(0)
    expect(claimed.out).toContain('what to do')
    expect(idIn(claimed.out)).toBe(id)
    const N = /--attempt (\d+)/.exec(claimed.out)![1]!
    expect(follow('renew', { ID: id })).toMatchObject({ exit: 0 })
    expect(follow(verb, { ID: id, N })).toMatchObject({ exit: 0 })
    expect(follow('renew', { ID: id }).exit).toBe(4)
  }
})

const noWait = verbs.includes('wait') ? undefined : 'there is no `acmq wait` yet'
it.skipIf(noWait !== undefined)(`and whoever sent it gets the result${noWait ? ` (skipped: ${noWait})` : ''}`, () => {
  const sent = follow('send', { NAME: 'lead', AGENT: 'coder' }).out
  const ID = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(sent)![0]
  const N = /--attempt (\d+)/.exec(follow('claim', {}).out)![1]!
  expect(follow('complete', { ID, N }).exit).toBe(0)
  expect(follow('wait', { ID })).toMatchObject({ exit: 0, out: expect.stringContaining('what came out') })
})
