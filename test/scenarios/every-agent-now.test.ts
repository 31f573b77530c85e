/** `signalbox` alone: what matters now, in twelve lines at most; elsewhere how to begin. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { openWorkspace } from '../../src/index.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import { quickTempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'
import { quickCli } from './cli-program.ts'

const linesOf = (text: string) => text.split('\n').filter((line) => line !== '')

describe('signalbox alone', () => {
  verifies('X-first', 'says elsewhere what this is and how to begin', () => {
    const cwd = quickTempDir()
    const { exit, out, err } = quickCli([], { cwd })
    expect({ exit, err }).toEqual({ exit: 0, err: '' })
    expect(out).toContain('Signalbox is a message bus for coding agents')
    expect(out).toContain('signalbox init')
    expect(linesOf(out).length).toBeLessThanOrEqual(12)
  })

  verifies(
    'X-presence',
    'tells what waits, what is stuck and since when, who is there and doing what, and what waits for a person',
    async () => {
      const root = quickTempDir()
      quickCli(['init'], { cwd: root })
      expect(quickCli([], { cwd: root }).out).toBe(
        'Say who you are to see what waits for you: signalbox now --as NAME\nNobody is there: signalbox agents\nSend something: signalbox send --to AGENT --body TEXT\n',
      )
      const box = await openWorkspace({ root, environment: {} })
      await box.send({ from: 'lead', to: 'coder', text: 'First' })
      await box.send({ from: 'lead', to: 'coder', text: 'Second' })
      await box.take('coder')
      await box.notePresence('coder', { state: 'gone', session: 's' })
      await box.notePresence('lead', { state: 'busy', doing: 'reviews the login' })
      await box.notePresence('gemini', { state: 'stuck', doing: 'waits for a permission' })
      await box.dream.mailboxes.init(1)
      await box.close()
      const { out } = quickCli(['--as', 'coder'], { cwd: root })
      const lines = linesOf(out)
      expect(lines[0]).toBe('1 waits for coder: signalbox take --as coder')
      expect(lines[1]).toContain('Second')
      expect(lines[2]).toMatch(/^Stuck since \S+: acmq:main:\w{8}, coder has it: signalbox why acmq:main:\w{8}$/)
      expect(lines[3]).toBe(
        'There: gemini (stuck: waits for a permission), lead (busy: reviews the login): signalbox agents',
      )
      expect(quickCli(['agents'], { cwd: root }).out).toMatch(/coder +acmq +gone +seen .* has acmq:main:\w{8}/)
    },
  )

  verifies(
    'X-presence',
    'has twelve lines at most, with hundreds of everything',
    async () => {
      const root = quickTempDir()
      quickCli(['init'], { cwd: root })
      mkdirSync(join(root, '.signalbox/agents'), { recursive: true })
      const clock = { now: () => Date.now() }
      writeFileSync(join(root, '.signalbox/policy.yaml'), 'hold: ["DROP TABLE"]\n')
      for (let n = 0; n < 30; n++) writeFileSync(join(root, `.signalbox/agents/bad-${n}.yaml`), 'hoem: mr\n')
      const box = await openWorkspace({ root, environment: {}, clock })
      for (let n = 0; n < 200; n++) {
        await box.tree.create(treePath(`.signalbox/agents/agent-${n}.yaml`), `home: ${n % 2 ? 'acmq' : 'mr'}\n`)
        await box.notePresence(`agent-${n}`, {
          state: n % 3 ? 'busy' : 'stuck',
          doing: `work ${'long '.repeat(30)}${n}`,
        })
      }
      for (let n = 0; n < 200; n++) await box.send({ from: 'lead', to: 'coder', text: `Task ${n}\n${'x'.repeat(300)}` })
      for (let n = 0; n < 50; n++) {
        await box.send({ from: 'lead', to: 'agent-0', text: `Stuck ${n}` })
        await box.take('agent-0')
        await box.send({ from: 'lead', to: 'other', text: `DROP TABLE ${n}` })
      }
      await box.notePresence('agent-0', { state: 'gone' })
      await box.close()
      const { exit, out, err } = quickCli(['--as', 'coder'], { cwd: root })
      expect(exit).toBe(0)
      const lines = linesOf(`${out}${err}`)
      expect(lines.length, lines.join('\n')).toBeLessThanOrEqual(12)
      expect(out).toContain('100 or more wait for coder: signalbox take --as coder')
      expect(out).toContain('97 or more more: signalbox inbox --as coder')
      expect(out).toMatch(/… and 48 more stuck: signalbox doctor/)
      expect(out).toMatch(/^There: .* and \d+ more: signalbox agents$/m)
      expect(out).toMatch(/^For a person: .* \(and 49 more\): signalbox human list$/m)
      expect(err).toMatch(/29 more are out of order: signalbox doctor/)
    },
    60_000,
  )

  verifies('X-human', 'does not count as having shown the text of a question', async () => {
    const root = quickTempDir()
    mkdirSync(join(root, '.signalbox'), { recursive: true })
    writeFileSync(join(root, '.signalbox/policy.yaml'), 'hold: ["DROP TABLE"]\n')
    const box = await openWorkspace({ root, environment: {} })
    await box.send({ from: 'lead', to: 'coder', text: 'DROP TABLE users' })
    expect(quickCli([], { cwd: root }).out).toContain('For a person: DROP TABLE users: signalbox human list')
    expect(await box.tree.list(treePath('.signalbox/state/approvals/shown'))).toEqual([])
    await box.close()
  })
})
