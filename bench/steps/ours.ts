/** The engine as a protocol uses it: one awaited verb after the other. */
import { type Disk, realDisk } from '../../src/engines/file-system/disk.ts'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import type { Created, Moved, Tree } from '../../src/tree/tree.ts'
import { breathe } from '../measure.ts'
import { type Calls, type Contender, processorTime, processorTimeEach, type Round } from './contender.ts'
import { callsOfEach, countingDisk, isWarm } from './counting.ts'
import { completed, message, nameOfMessage, processing, queueOf, statusAt } from './message.ts'

export async function openOurs(root: string, countIn: string): Promise<Contender> {
  const tree = await warmTree(root, realDisk())
  return { name: 'ours', countCalls: () => countCalls(countIn), prepare: (round, count) => prepare(tree, round, count) }
}

function prepare(tree: Tree, round: number, count: number): Round {
  const names = Array.from({ length: count * 2 }, (_, i) => nameOfMessage(i))
  const pathsIn = (state: string) => names.map((name) => treePath(`${queueOf(round)}/${state}/${name}`))
  const [pending, taken, done] = [pathsIn('pending'), pathsIn('processing'), pathsIn('completed')]

  // Call the verbs directly: a function around each would add a promise that is not the engine's.
  return {
    send: async () => {
      const since = processorTime()
      for (let i = 0; i < count; i++) expectOutcome('created', await tree.create(pending[i]!, message))
      return processorTimeEach(since, count)
    },
    claim: async () => {
      const since = processorTime()
      for (let i = 0; i < count; i++) expectOutcome('moved', await tree.move(pending[i]!, taken[i]!, claiming))
      return processorTimeEach(since, count)
    },
    lifecycle: async () => {
      const since = processorTime()
      for (let i = count; i < count * 2; i++) {
        expectOutcome('created', await tree.create(pending[i]!, message))
        expectOutcome('moved', await tree.move(pending[i]!, taken[i]!, claiming))
        expectOutcome('moved', await tree.move(taken[i]!, done[i]!, completing))
      }
      return processorTimeEach(since, count)
    },
  }
}

/** Changes the status as a protocol does. */
const changing = (status: Buffer) => ({
  change: (before: Uint8Array) => ({ at: statusAt(Buffer.from(before)), bytes: status, restates: true as const }),
})
const claiming = changing(processing)
const completing = changing(completed)

function expectOutcome(expected: string, { outcome }: Created | Moved): void {
  if (outcome !== expected) throw new Error(`${outcome} instead of ${expected}`)
}

/** A tree that has loaded its native calls, which it does after some writes. */
async function warmTree(root: string, disk: Disk): Promise<Tree> {
  const tree = await openFileTree({ root, disk })
  for (let i = 0; i < 50; i++) await tree.create(treePath(`warm/${i}`), message)
  while (!isWarm(disk)) await breathe()
  return tree
}

async function countCalls(root: string): Promise<Calls> {
  const counting = countingDisk()
  const { disk } = counting
  const tree = await warmTree(root, disk)
  const count = 500
  const round = prepare(tree, 0, count)
  const perMessage = await callsOfEach(round, count, counting)
  await tree.close()
  return perMessage
}
