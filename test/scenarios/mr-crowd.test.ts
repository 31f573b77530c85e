/**
 * Twenty agents in twenty processes, all at once: the benchmark's own work, short enough for every run of the tests. How
 * long it takes is the benchmark's to tell; here it is about whether all of it is done.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { rehearsals } from '../../bench/mr/agent.ts'
import { runCrowd } from '../../bench/mr/crowd.ts'
import { agents, limits, nameOfAgent, p99, stepNames } from '../../bench/mr/workload.ts'
import { runtime, spawnChild } from '../support/child.ts'
import { tempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'

const scale = Number(process.env.SIGNALBOX_TEST_SCALE ?? 1)

async function start(args: readonly string[]): Promise<string> {
  const child = spawnChild('mr-crowd', args)
  const { code } = await child.exited
  expect({ code, err: child.stderr() }).toEqual({ code: 0, err: '' })
  return child.stdout.join('\n')
}

const reason = runtime === 'bun' ? undefined : 'twenty processes take Node too long to start; the benchmark has it'

verifies.unless(
  reason,
  'MR-9',
  'twenty agents at once write, read, scan and validate; every time counts against the limit, and no message is lost',
  async () => {
    const root = tempDir()
    const steps = 5 * scale
    const samples = await runCrowd({ root, bare: tempDir(), steps, pauseMs: 100, start })
    for (const step of stepNames) {
      expect(samples[step].ours.wall, step).toHaveLength(agents * steps)
      expect(samples[step].bare.wall, step).toHaveLength(agents * steps)
    }
    const ids = Array.from({ length: agents }, (_, n) => join(root, 'state/agents', nameOfAgent(n))).flatMap((agent) =>
      ['inbox', 'taken'].flatMap((folder) => readdirSync(join(agent, folder))),
    )
    expect([ids.length, new Set(ids).size]).toEqual(Array(2).fill(agents * (steps + rehearsals)))
  },
  600_000,
)

verifies('MR-9', 'the benchmark holds 99th percentiles against 50, 100, 200 and 10 milliseconds', () => {
  expect(limits).toEqual({ write: 50, read: 100, scan: 200, validation: 10 })
  expect(p99(Array.from({ length: 200 }, (_, i) => 200 - i))).toBe(198)
})
