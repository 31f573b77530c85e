/** Twenty agents in twenty processes, all at once: the benchmark's own work, short enough for every run of the tests. */
import { expect } from 'vitest'
import { runCrowd } from '../../bench/mr/crowd.ts'
import { agents, limits, p99, type Step, slowdownOf, stepNames } from '../../bench/mr/workload.ts'
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
  'twenty agents at once write, read, scan and validate within the limits, on a machine with time for them',
  async () => {
    const samples = await runCrowd({ root: tempDir(), bare: tempDir(), steps: 5 * scale, pauseMs: 200, start })
    expect(samples.write.ours.wall).toHaveLength(agents * 5 * scale)
    // Where everything waits for a processor, so do we: the bare calls beside ours say for how long.
    const slowdown = slowdownOf(samples)
    const allowed = (step: Step) => limits[step] * (slowdown < 1.5 ? 1 : 3 * slowdown)
    const late = stepNames
      .map((step) => ({ step, found: p99(samples[step].ours.wall), allowed: allowed(step) }))
      .filter(({ found, allowed }) => found > allowed)
    expect({ late, slowdown }).toEqual({ late: [], slowdown })
    // The work itself is far below the limits, whatever else runs here.
    const mean = (step: Step) => samples[step].ours.cpu / samples[step].ours.wall.length
    expect(stepNames.filter((step) => mean(step) > limits[step] / 2)).toEqual([])
  },
  120_000,
)
