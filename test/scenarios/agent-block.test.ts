/** The block of the README that teaches an agent: its commands, to the letter, one after the other. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { repository, runtime } from '../support/child.ts'
import { tempDir } from '../support/temp.ts'
import { plainEnvironment } from './cli-program.ts'

const block = /^```markdown\n(## Work from the queue\n[\s\S]*?)^```$/m.exec(
  readFileSync(join(repository, 'README.md'), 'utf8'),
)![1]!
const commands = [...block.matchAll(/`(signalbox [^`]+)`/g)].map(([, command]) => command!)

const folder = tempDir()

/** Runs a command of the block with the placeholders filled in, in a shell as an agent would. */
function follow(verb: string, values: Readonly<Record<string, string>>) {
  const written = commands.find((command) => command.startsWith(`signalbox ${verb} `))!
  const words: Readonly<Record<string, string>> = { NAME: 'coder', ...values }
  const command = written.replace(/\b[A-Z]+\b/g, (word) => words[word] ?? word)
  const env = plainEnvironment({ SIGNALBOX_RUNTIME: runtime, PATH: `${repository}/bin:${process.env.PATH}` })
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8', env })
  return { exit: status, out: stdout, err: stderr }
}

it('is short: under 250 tokens, and every command is one', () => {
  // A token is about four characters of English; commands take more of them, so three and a half are counted.
  expect(block.length / 3.5).toBeLessThan(250)
  expect(commands.map((command) => command.split(' ')[1])).toEqual(['take', 'renew', 'done', 'fail', 'send', 'wait'])
})

it('leads an agent that follows it from an empty directory to a result, which whoever asked gets', () => {
  const handleIn = (text: string) => /acmq:[\w:]+/.exec(text)![0]
  const first = handleIn(follow('send', { NAME: 'lead', AGENT: 'coder' }).out)
  const second = handleIn(follow('send', { NAME: 'lead', AGENT: 'coder' }).out)
  for (const [verb, handle] of [
    ['done', first],
    ['fail', second],
  ] as const) {
    const taken = follow('take', {})
    expect(taken.exit).toBe(0)
    expect(taken.out).toContain('what to do')
    const RECEIPT = /acmq:\S+@\d+/.exec(taken.out)![0]
    expect(RECEIPT).toBe(`${handle}@1`)
    expect(follow('renew', { RECEIPT })).toMatchObject({ exit: 0 })
    expect(follow(verb, { RECEIPT })).toMatchObject({ exit: 0 })
    expect(follow('renew', { RECEIPT }).exit).toBe(4)
  }
  expect(follow('wait', { HANDLE: first })).toMatchObject({ exit: 0, out: expect.stringContaining('what came out') })
  expect(follow('wait', { HANDLE: second })).toMatchObject({
    exit: 4,
    out: expect.stringContaining('why, in one line'),
  })
})
