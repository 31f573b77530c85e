/** The engine on etcd against a bare loop of the same transactions, on one node and on three. */
import { openEtcdTree } from '../../src/engines/etcd/index.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { startEtcd, withoutEtcd } from '../../test/support/etcd-servers.ts'
import { compare, interleave } from '../measure.ts'
import type { Figure, Section } from '../section.ts'
import { microsecondsEach } from '../steps/contender.ts'
import { message } from '../steps/message.ts'
import { BareLoop } from './bare.ts'
import { measureListing } from './listing.ts'

const folders = ['pending', 'processing', 'completed']

export const cluster: Section = {
  title: 'Cluster: send, claim and complete on etcd against a bare loop of the same transactions',

  async run(_places, { rounds, isQuick }) {
    const missing = withoutEtcd()
    if (missing !== undefined) return { figures: [], notes: [`Left out: ${missing}.`] }
    const figures: Figure[] = []
    for (const nodes of [1, 3]) figures.push(...(await measure(nodes, rounds, isQuick ? 16 : 64)))
    figures.push(...(await measureListing(rounds)))
    return { figures, notes: ['Servers on this machine, data in memory; ratio of speed.'] }
  },
}

async function measure(nodes: number, rounds: number, count: number): Promise<Figure[]> {
  const servers = await startEtcd(nodes)
  const { port } = servers.nodes[0]!
  // Both speak to the same member.
  const tree = await openEtcdTree({ address: `etcd://127.0.0.1:${port}/bench` })
  for (const folder of folders) {
    await tree.makeFolder(treePath(folder))
    for (let i = 0; i < 3; i++) await tree.list(treePath(folder))
  }
  const bare = new BareLoop(port, 'bench')
  const figures: Figure[] = []
  for (const lanes of [1, 16]) {
    const samples = await interleave(rounds, {
      ours: () => timed(count, lanes, (name) => lifecycle(tree, name)),
      theirs: () => timed(count, lanes, (name) => bare.lifecycle(name, message)),
    })
    const where = nodes === 1 ? 'one node' : `${nodes} nodes`
    const name = `${where}, ${lanes === 1 ? 'one after another' : `${lanes} at a time`}`
    const goal = { atLeast: 0.8 }
    figures.push(compare({ name, against: 'a bare loop', ...samples, unit: 'µs a message', ratio: 'speed', goal }))
  }
  bare.close()
  await tree.close()
  await servers.stop()
  return figures
}

async function lifecycle(tree: Tree, name: string): Promise<void> {
  const [pending, processing, completed] = folders.map((folder) => treePath(`${folder}/${name}`))
  await tree.create(pending!, message)
  await tree.move(pending!, processing!)
  await tree.move(processing!, completed!)
}

let names = 0
async function timed(count: number, lanes: number, work: (name: string) => Promise<void>): Promise<number> {
  const since = performance.now()
  let left = count
  const lane = async () => {
    while (left-- > 0) await work(`m${++names}`)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return microsecondsEach(since, count)
}
