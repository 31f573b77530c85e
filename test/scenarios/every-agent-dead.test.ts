/** What a client held that was killed is freed by those who supervise, and told. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect } from 'vitest'
import { openWorkspace } from '../../src/index.ts'
import { quickTempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'
import { quickCli } from './cli-program.ts'

let client: ChildProcess | undefined
let root: string
let receipt: string
beforeEach(async () => {
  root = quickTempDir()
  const box = await openWorkspace({ root, environment: {} })
  await box.acmq.create('alpha')
  await box.dream.mailboxes.init(1)
  await box.send({ from: 'lead', to: 'coder', text: 'Work' })
  client = spawn('sleep', ['600'])
  await box.notePresence('coder', { state: 'busy', pid: client.pid! })
  receipt = (await box.take('coder'))!.receipt
  await box.close()
  expect(run('lock', 'src/**', '--as', 'coder').exit).toBe(0)
})
afterEach(() => client?.kill('SIGKILL'))

const run = (...words: readonly string[]) => quickCli(words, { cwd: root })
const json = (...words: readonly string[]) => JSON.parse(run(...words, '--json').out)
const die = async () => {
  client!.kill('SIGKILL')
  await once(client!, 'exit')
}
const what = () => [receipt, 'lock src/**']

describe('a client that is killed', () => {
  for (const [name, command] of [
    ['acmq supervise', ['acmq', 'supervise', 'alpha', '--once']],
    ['dream route', ['dream', 'route', '--once']],
  ] as const) {
    verifies('X-presence', `leaves nothing held behind where ${name} runs`, async () => {
      expect(json(...command).freed).toEqual([])
      await die()
      const { freed } = json(...command)
      expect(freed).toEqual(what().map((one) => ({ agent: 'coder', why: 'its process has ended', what: one })))
      expect(json(...command).freed).toEqual([])
      expect(json('inbox', '--as', 'coder').messages).toHaveLength(1)
      expect(json('locks').locks).toEqual([])
      // `inbox` takes nothing and is no act; `take` is.
      expect(json('agents', 'show', 'coder').agent).toMatchObject({ presence: 'gone', inHand: [], locks: [] })
      expect(json('take', '--as', 'coder').outcome).toBe('taken')
      expect(json('agents', 'show', 'coder').agent.presence).toBe('busy')
    })
  }

  verifies('X-presence', 'is told as text by a pass', async () => {
    await die()
    expect(run('acmq', 'supervise', 'alpha', '--once').out).toContain(
      `freed ${receipt} of coder: its process has ended\n`,
    )
  })

  verifies('X-presence', 'is found by doctor, which frees with --fix and leaves the living alone', async () => {
    expect(
      json('doctor', '--fix').findings.filter(({ code }: { code: string }) => code === 'HELD_BY_THE_DEAD'),
    ).toEqual([])
    await die()
    const found = (...words: readonly string[]) =>
      json('doctor', ...words)
        .findings.filter(({ code }: { code: string }) => code === 'HELD_BY_THE_DEAD')
        .map(({ message, repaired }: { message: string; repaired: boolean }) => [message, repaired])
    const told = (repaired: boolean) =>
      what().map((one) => [`coder holds ${one}, and is gone: its process has ended.`, repaired])
    expect(found()).toEqual(told(false))
    expect(json('inbox', '--as', 'coder').messages).toEqual([])
    expect(found('--fix')).toEqual(told(true))
    expect(json('inbox', '--as', 'coder').messages).toHaveLength(1)
    expect(found()).toEqual([])
  })
})
