/** One wrong clock among many: whoever is days off does no harm to the others, and is told. Real processes, real files. */
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect } from 'vitest'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { childProgram, spawnProgram } from '../support/child.ts'
import { tempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'
import { day, offBy } from '../support/wrong-clock.ts'
import { cli, cliJson, quickCli } from './cli-program.ts'

let root: string
beforeEach(() => {
  root = tempDir()
})

const right = (...words: string[]) => cliJson(words, { cwd: root }, quickCli)
const wrong = (by: number, ...words: string[]) => cliJson(words, { cwd: root, ...offBy(by) })
const queue = (name: string) => readdirSync(join(root, 'llm/missions/alpha/queue', name))
const isNear = (time: number, expected: number) => expect(Math.abs(time - expected)).toBeLessThan(60_000)

function makeMission(): void {
  right('acmq', 'create-mission', 'alpha')
}

function sendAndClaim(): string {
  right('acmq', 'send', 'alpha', '--to', 'gemini', '--as', 'claude', '--body', 'Do it', '--timeout', '600')
  const { output } = right('acmq', 'claim', 'alpha', '--as', 'gemini')
  expect(output.outcome).toBe('claimed')
  return output.message.id
}

for (const [title, by] of [
  ['two days ahead', 2 * day],
  ['two days behind', -2 * day],
] as const) {
  describe(`a clock that is ${title}`, () => {
    verifies(['X-clock', 'AC-8.2a'], 'fails no claim that is a second old, and archives nothing just completed', () => {
      makeMission()
      const id = sendAndClaim()
      const nothing = { exit: 0, output: { outcome: 'nothing', stalled: [], archived: 0 } }
      expect(wrong(by, 'acmq', 'supervise', 'alpha', '--once')).toMatchObject(nothing)
      expect(wrong(by, 'acmq', 'find-stalled', 'alpha').output.stalled).toEqual([])
      expect(queue('processing')).toHaveLength(1)
      right('acmq', 'complete', 'alpha', id, '--as', 'gemini')
      expect(wrong(by, 'acmq', 'supervise', 'alpha', '--once')).toMatchObject(nothing)
      expect(wrong(by, 'acmq', 'archive', 'alpha', '--older-than', '1d').output.archived).toBe(0)
      expect(queue('completed')).toHaveLength(1)
      // What is asked for is done all the same: this is of no age at all.
      expect(wrong(by, 'acmq', 'archive', 'alpha', '--older-than', '0s').output.archived).toBe(1)
    })

    verifies(
      ['X-clock', 'AC-8.2c'],
      'says rightly until when its own claim lasts, and its renewal counts from now',
      () => {
        makeMission()
        right('acmq', 'send', 'alpha', '--to', 'gemini', '--as', 'claude', '--body', 'Do it', '--timeout', '600')
        const { output } = wrong(by, 'acmq', 'claim', 'alpha', '--as', 'gemini')
        isNear(Date.parse(output.until), Date.now() + 600_000)
        const renewed = wrong(by, 'acmq', 'renew', 'alpha', output.message.id, '--as', 'gemini')
        isNear(Date.parse(renewed.output.until), Date.now() + 600_000)
        expect(right('acmq', 'supervise', 'alpha', '--once').output.stalled).toEqual([])
      },
    )

    verifies('X-clock', 'sets no file aside that somebody is still writing', () => {
      makeMission()
      sendAndClaim()
      writeFileSync(
        join(root, 'llm/missions/alpha/queue/pending/20260101000000_half_claude_to_gemini.md'),
        '---\nid: h',
      )
      expect(wrong(by, 'acmq', 'supervise', 'alpha', '--once').output.repairs).toMatchObject([{ what: 'waiting' }])
      expect(queue('pending')).toHaveLength(1)
    })

    verifies('X-clock', 'takes turns that end when they should, and gives leaves the time of the tree', async () => {
      const { env, runtimeOptions } = offBy(by)
      const child = spawnProgram([process.execPath, ...runtimeOptions, childProgram('timekeeper'), root], { env })
      const told = JSON.parse((await child.nextLine())!)
      await child.exited
      isNear(told.own, Date.now() + by)
      for (const time of [told.now, told.made, told.touched]) isNear(time, Date.now())
      // Its turn ended with nobody to end it: others wait no longer than they must.
      expect(told.outcome).toBe('held')
      isNear(told.until, Date.now() + 15_000)
      const tree = await openFileTree({ root })
      expect(await tree.lease('turn', 'another', 1000)).toMatchObject({ outcome: 'busy', lease: { until: told.until } })
      await tree.close()
    })

    verifies('X-clock', 'is told beside what was asked for, and by doctor', () => {
      makeMission()
      const { exit, out, err } = cli(['acmq', 'supervise', 'alpha', '--once'], { cwd: root, ...offBy(by) })
      expect({ exit, out }).toMatchObject({ exit: 0, out: expect.not.stringContaining('clock') })
      const words = new RegExp(`^note: The clock of this machine is (2 days|1 day and 23 hours) ${title.split(' ')[2]}`)
      expect(err).toMatch(words)
      expect(err.trimEnd().split('\n')).toHaveLength(1)
      expect(cli(['acmq', 'supervise', 'alpha', '--once', '--quiet'], { cwd: root, ...offBy(by) }).err).toBe('')
      const { exit: toBeSet, output } = wrong(by, 'doctor')
      expect(toBeSet).toBe(1)
      expect(output.findings).toMatchObject([
        { code: 'CLOCK_DISAGREES', severity: 'warning', repaired: false, path: root },
      ])
      expect(right('doctor').output.findings).toEqual([])
      expect(quickCli(['acmq', 'supervise', 'alpha', '--once'], { cwd: root }).err).toBe('')
    })
  })
}

describe('signed messages', () => {
  beforeEach(() => {
    writeFileSync(join(root, 'signalbox.yaml'), 'mr:\n  signing: require\n')
    for (const agent of ['lead', 'coder-1']) right('mr', 'init', agent)
    for (const agent of ['lead', 'coder-1']) right('mr', 'keys', agent, '--generate')
  })
  const send = () =>
    right(
      'mr',
      'send',
      '--from',
      'lead',
      '--to',
      'coder-1',
      '--type',
      'heartbeat',
      '--payload',
      '{"health": "healthy"}',
    )
  const received = ({ output }: { output: { outcome: string; rejected: readonly { code: string }[] } }) => [
    output.outcome,
    output.rejected.map(({ code }) => code),
  ]

  for (const days of [9, -9]) {
    verifies(['X-clock', 'MR-12'], `today's are taken after a reader was ${days} days off`, () => {
      expect(send().exit).toBe(0)
      expect(received(right('mr', 'receive', 'coder-1'))).toEqual(['received', []])
      send()
      const late = wrong(days * day, 'mr', 'receive', 'coder-1')
      expect(received(late)).toEqual(['received', []])
      expect(late.err).toContain(`The clock of this machine is ${days > 0 ? '9 days ahead of' : '9 days behind'}`)
      send()
      expect(received(right('mr', 'receive', 'coder-1'))).toEqual(['received', []])
    })
  }
})
