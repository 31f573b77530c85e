import { afterAll, beforeAll, describe, it } from 'vitest'
import { openEtcdTree } from '../../src/engines/etcd/index.ts'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { openMemoryTree } from '../../src/engines/memory/index.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { type EtcdCluster, startEtcd, withoutEtcd } from '../support/etcd.ts'
import { tempDir } from '../support/temp.ts'
import { describeMr } from './mr.ts'

describeMr('files', async () => {
  const root = tempDir()
  return { engine: 'files', open: (clock) => openFileTree({ root, clock }) }
})

describeMr('memory', async () => {
  // In memory there is one tree, whose clock is that of whoever opened it last.
  let now: Clock
  let shared: Tree | undefined
  return {
    engine: 'files',
    async open(clock) {
      now = clock
      shared ??= openMemoryTree({ clock: { now: () => now.now() } })
      return shared
    },
  }
})

const reason = withoutEtcd()
for (const nodes of [1, 3]) {
  const title = `etcd with ${nodes === 1 ? 'one node' : `${nodes} nodes`}`
  if (reason !== undefined) it.skip(`Message Routing on ${title} (skipped: ${reason})`, () => {})
  else
    describe(`with a cluster of ${nodes}`, () => {
      let cluster: EtcdCluster
      let tenants = 0
      let processes = 0
      beforeAll(async () => {
        cluster = await startEtcd(nodes)
      }, 60_000)
      afterAll(() => cluster.stop())

      describeMr(title, async () => {
        const address = cluster.address(`m${++tenants}`)
        // Trees that are opened in different ways share nothing in this process.
        return {
          engine: address,
          open: (clock) => openEtcdTree({ address, clock, patienceMs: 20_000 + ++processes }),
        }
      })
    })
}
