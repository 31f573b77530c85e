/**
 * How many system calls a second a process makes that waits for a signal, by strace. Only calls on files and for events
 * count: what the threads of a runtime tell each other, and when it collects garbage, is not ours.
 */
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { inRepository } from '../repository.ts'
import type { Figure } from '../section.ts'

/** Bun looks at its memory every second for half a minute after the last work. In milliseconds. */
const settlesIn = 35_000
const counted = '%file,%desc'

/** `undefined` where there is no strace, or it may not look at other processes. */
export async function idleCalls(root: string, seconds: number, environment: Readonly<Record<string, string>>) {
  const words = ['session', 'say', '--root', root, '--session', 'bench', '#WAIT:never:600']
  const waiter = spawn(inRepository('bin', 'signalbox'), words, {
    stdio: 'ignore',
    env: { ...process.env, ...environment },
  })
  const end = () => waiter.kill('SIGKILL')
  process.once('exit', end)
  const report = join(root, 'calls')
  try {
    await pause(settlesIn)
    const how = ['-f', '-c', '-e', `trace=${counted}`, '-o', report, '-p', `${waiter.pid}`]
    spawnSync('timeout', ['-s', 'INT', `${seconds}`, 'strace', ...how], { stdio: 'ignore' })
    const calls = totalIn(readFileSync(report, 'utf8'))
    return calls === undefined ? undefined : figure(calls / seconds)
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return undefined
    throw error
  } finally {
    rmSync(report, { force: true })
    process.off('exit', end)
    end()
  }
}

/** The last line of what `strace -c` tells: `100.00    0.000123    4    37    2 total`. */
function totalIn(text: string): number | undefined {
  const [, calls] = /^\s*100\.00\s+\S+\s+(?:\d+\s+)?(\d+)(?:\s+\d+)?\s+total\s*$/m.exec(text) ?? []
  return calls === undefined ? undefined : Number(calls)
}

const figure = (calls: number): Figure => ({
  name: 'an idle wait',
  against: 'a second',
  ratio: calls,
  unit: 'calls',
  spread: [calls, calls],
  rounds: 1,
  goal: { atMost: 2 },
  amounts: { ours: calls, theirs: 1, unit: '' },
})
