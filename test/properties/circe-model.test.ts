/**
 * Whatever is done to tasks and messages, in whatever order, by two processes and by strangers: the library answers what a
 * small model answers, and everything lies where the model says.
 *
 * A failure prints `seed` and `path`. To see it again: SIGNALBOX_TEST_SEED=… SIGNALBOX_TEST_PATH=… npm test -- circe-model
 */
import fc from 'fast-check'
import { it } from 'vitest'
import { verifies } from '../support/verifies.ts'
import { Play, ruinable, type Step, sendable, statuses } from './circe-model/play.ts'

const scale = Number(process.env.SIGNALBOX_TEST_SCALE ?? 1)
const seed = Number(process.env.SIGNALBOX_TEST_SEED ?? 20261117)
const { SIGNALBOX_TEST_PATH: path } = process.env

const any = (most: number) => fc.nat({ max: most - 1 })
const [agent, task, file] = [any(3), any(2), any(40)]
const said = { agent, what: any(sendable.length), task, to: any(3) }
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('send' as const), ...said }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('write' as const), ...said }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('claim' as const), agent }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constantFrom('start' as const, 'ack' as const, 'done' as const), agent, file }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('release' as const), agent, task }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('check' as const), agent, task, value: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('status' as const), agent, task, status: any(statuses.length) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('answer' as const), file, words: any(2) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('mv' as const), agent, file }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('own' as const), agent, task }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('forget' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('ruin' as const), task, which: any(ruinable.length) }) },
)

/** Lives that chance seldom finds: a task that is over is opened again, and what is remembered of it is lost. */
const over: Step[] = [
  { do: 'send', agent: 0, what: 0, task: 0, to: 0 },
  { do: 'claim', agent: 1 },
  { do: 'start', agent: 1, file: 0 },
  { do: 'check', agent: 1, task: 0, value: true },
]
const ends: Step[] = [
  { do: 'status', agent: 1, task: 0, status: 3 },
  { do: 'status', agent: 1, task: 0, status: 2 },
]
const losses: Step[] = [{ do: 'forget' }, ...ruinable.map((_, which): Step => ({ do: 'ruin', task: 0, which }))]
const after: Step[] = [
  { do: 'check', agent: 1, task: 0, value: true },
  { do: 'status', agent: 1, task: 0, status: 0 },
  { do: 'release', agent: 1, task: 0 },
  { do: 'claim', agent: 2 },
  { do: 'status', agent: 2, task: 0, status: 1 },
]
const again: Step = { do: 'write', agent: 0, what: 0, task: 0, to: 0 }
const lives = ends.flatMap((end) =>
  losses.flatMap((loss): Step[][] => [
    [...over, end, again, loss, ...after],
    [...over, end, loss, again, ...after, loss],
  ]),
)

it('[CI-5d] a task that is over is opened again as the model says, whatever of it is lost in between', async () => {
  for (const steps of lives) {
    const play = await new Play().begin()
    for (const [n, one] of steps.entries()) {
      await play.step(one).catch((error) => {
        throw new Error(`${JSON.stringify(steps.slice(0, n + 1))}: ${error.message}`, { cause: error })
      })
    }
  }
}, 60_000)

verifies(
  ['CI-4', 'CI-4c', 'CI-5', 'CI-5c', 'CI-5d', 'CI-6', 'CI-8'],
  `tasks and messages are what the model says, seed ${seed}`,
  () =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (steps) => {
        const play = await new Play().begin()
        for (const one of steps) await play.step(one)
      }),
      { numRuns: 25 * scale, seed, ...(path ? { path } : {}) },
    ),
  120_000 * scale,
)
