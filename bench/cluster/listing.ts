/** Listing a folder of 2,000 leaves: from the copy that a process keeps of it, against asking the cluster for the names. */
import { openEtcdTree } from '../../src/engines/etcd/index.ts'
import { childOf, treePath } from '../../src/kernel/tree-path.ts'
import { startEtcd } from '../../test/support/etcd-servers.ts'
import { compare, interleave, median } from '../measure.ts'
import type { Figure } from '../section.ts'
import { BareLoop } from './bare.ts'

const size = 2000
const repeats = 50
const folder = treePath('pending')

export async function measureListing(rounds: number): Promise<Figure[]> {
  const servers = await startEtcd(1)
  const { port } = servers.nodes[0]!
  const tree = await openEtcdTree({ address: `etcd://127.0.0.1:${port}/listing` })
  const bare = new BareLoop(port, 'listing')
  let made = 0
  const makeOne = () => tree.create(childOf(folder, `message-${++made}`), Buffer.from('x'))
  await makeOne()
  while (made < size) await Promise.all(Array.from({ length: Math.min(100, size - made) }, makeOne))
  const list = async () => {
    const { length } = await tree.list(folder)
    if (length < size) throw new Error(`the listing has ${length} of ${size} names`)
  }
  for (let i = 0; i < 5; i++) await list()

  const samples = await interleave(rounds, {
    ours: () => each(repeats, list),
    changed: () => each(5, list, makeOne),
    theirs: () => each(5, () => bare.names(folder)),
  })
  bare.close()
  await tree.close()
  await servers.stop()
  const asking = { against: 'asking for the names', theirs: samples.theirs, unit: 'ms', ratio: 'speed' } as const
  return [
    compare({ name: `listing ${size} leaves from the copy`, ours: samples.ours, ...asking, goal: { atLeast: 1 } }),
    compare({ name: 'the same after every change', ours: samples.changed, ...asking, goal: { atLeast: 1 } }),
    inMilliseconds(`listing ${size} leaves from the copy`, samples.ours, samples.theirs),
    inMilliseconds('the same after every change', samples.changed, samples.theirs),
  ]
}

const inMilliseconds = (name: string, ours: readonly number[], theirs: readonly number[]): Figure => ({
  name,
  against: 'one millisecond',
  ratio: median(ours),
  unit: 'ms',
  spread: [Math.min(...ours), Math.max(...ours)],
  rounds: ours.length,
  goal: { atMost: 1 },
  amounts: { ours: median(ours), theirs: median(theirs), unit: 'ms' },
})

/** Milliseconds for each call of `work`. `before` is called before each and not counted. */
async function each(count: number, work: () => Promise<unknown>, before?: () => Promise<unknown>): Promise<number> {
  let spent = 0
  for (let i = 0; i < count; i++) {
    await before?.()
    const since = performance.now()
    await work()
    spent += performance.now() - since
  }
  return spent / count
}
