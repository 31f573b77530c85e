/**
 * Durable sends, in a process of its own because the size of its thread pool is decided when it starts.
 *
 *   durable FULL BATCH BARE ROUNDS ONE_BY_ONE IN_BATCHES
 *
 * prints the microseconds a message took in every round, as JSON.
 */
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { interleave } from '../measure.ts'
import { microsecondsEach } from '../steps/contender.ts'
import { message, nameOfMessage, queueOf } from '../steps/message.ts'
import { makeOnly, sendBareBatch, sendBareFull } from './bare.ts'
import { inFlight } from './in-flight.ts'

const [fullRoot = '', batchRoot = '', bare = '', rounds = '3', oneByOne = '100', inBatches = '640'] =
  process.argv.slice(2)
const full = await openFileTree({ root: fullRoot, durability: 'full' })
const batch = await openFileTree({ root: batchRoot, durability: 'batch' })

const send = async (tree: Tree, round: number, i: number) => {
  const sent = await tree.create(treePath(`${queueOf(round)}/pending/${nameOfMessage(i)}`), message)
  if (sent.outcome !== 'created') throw new Error(`send: ${sent.outcome}`)
}

async function sendFull(round: number): Promise<number> {
  const count = Number(oneByOne)
  const since = performance.now()
  for (let i = 0; i < count; i++) await send(full, round, i)
  return microsecondsEach(since, count)
}

async function sendBatch(round: number): Promise<number> {
  const count = Number(inBatches)
  const since = performance.now()
  let next = 0
  const sender = async () => {
    while (next < count) await send(batch, round, next++)
  }
  await Promise.all(Array.from({ length: inFlight }, sender))
  return microsecondsEach(since, count)
}

console.log(
  JSON.stringify(
    await interleave(Number(rounds), {
      full: sendFull,
      batch: sendBatch,
      bareFull: (round) => sendBareFull(bare, round, Number(oneByOne)),
      bareBatch: (round) => sendBareBatch(bare, round, Number(inBatches)),
      making: (round) => makeOnly(bare, round, Number(oneByOne)),
    }),
  ),
)
