/**
 * Whatever is done to a mission, in whatever order, by several processes and by strangers, and wherever one of them
 * dies: the library answers what a simple model answers, and the files are what the model says.
 *
 * A failure prints `seed`, `path` and `replayPath`. To see that very run again, give all three:
 * SIGNALBOX_TEST_SEED=… SIGNALBOX_TEST_PATH=… SIGNALBOX_TEST_REPLAY=… npm test -- acmq-model
 */
import fc from 'fast-check'
import { runtime } from '../support/child.ts'
import { withTempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'
import { commands } from './acmq-model/commands.ts'
import { openFileWorld } from './acmq-model/file-world.ts'
import { openMemoryWorld } from './acmq-model/memory-world.ts'
import { Play } from './acmq-model/play.ts'
import type { World } from './acmq-model/world.ts'

const scale = Number(process.env.SIGNALBOX_TEST_SCALE ?? 1)
const seed = Number(process.env.SIGNALBOX_TEST_SEED ?? 20261116)
const { SIGNALBOX_TEST_PATH: path, SIGNALBOX_TEST_REPLAY: replayPath } = process.env

async function playOn(world: World, cmds: Iterable<fc.AsyncCommand<Play, World>>): Promise<void> {
  try {
    await fc.asyncModelRun(() => ({ model: new Play(world.now()), real: world }), cmds)
  } finally {
    await world.close()
  }
}

const run = (numRuns: number, play: (cmds: Iterable<fc.AsyncCommand<Play, World>>) => Promise<void>) =>
  fc.assert(fc.asyncProperty(commands(40, replayPath), play), {
    numRuns: numRuns * scale,
    seed,
    ...(path ? { path } : {}),
  })

const worlds: Readonly<Record<string, (numRuns: number) => Promise<void>>> = {
  'in memory': (numRuns) => run(numRuns, async (cmds) => playOn(await openMemoryWorld(), cmds)),
  'on files': (numRuns) =>
    // Real files take three times as long; the world in memory goes through more lives in the same time.
    run(Math.ceil(numRuns / 3), (cmds) => withTempDir(async (base) => playOn(await openFileWorld(base), cmds))),
}

for (const [place, play] of Object.entries(worlds)) {
  verifies(
    ['AC-4.2a', 'AC-4.2c', 'AC-4.5', 'AC-7.1a', 'AC-7.3', 'AC-8.2b', 'AC-8.2c', 'AC-8.2d', 'AC-8.3', 'X-crash'],
    `a mission ${place} is what the model says, on ${runtime}, seed ${seed}`,
    () => play(150),
    600_000 * scale,
  )
}
