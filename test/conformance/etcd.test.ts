import { afterAll, beforeAll, describe, it } from 'vitest'
import { openEtcdTree } from '../../src/engines/etcd/index.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import { runtime } from '../support/child.ts'
import { type EtcdCluster, startEtcd, withoutEtcd } from '../support/etcd.ts'
import { transacted } from '../support/transacted-tree.ts'
import { describeTree } from './tree.ts'

const reason = withoutEtcd()
// Three nodes are another server, not another client: what Bun makes of it shows on one, and in AC-MQ's suite on three.
const sizes = runtime === 'node' ? [1, 3] : [1]

for (const nodes of sizes) {
  const title = `etcd with ${nodes === 1 ? 'one node' : `${nodes} nodes`}`
  if (reason !== undefined) it.skip(`${title} (skipped: ${reason})`, () => {})
  else
    describe(title, () => {
      let cluster: EtcdCluster
      let tenants = 0
      beforeAll(async () => {
        cluster = await startEtcd(nodes)
      }, 60_000)
      afterAll(() => cluster.stop())

      const prepare = async () => {
        const address = cluster.address(`t${++tenants}`)
        return {
          open: (options?: { clock?: Clock }) => openEtcdTree({ address, ...options }),
          dispose: async () => undefined,
        }
      }
      describeTree(title, prepare)
      describeTree(`${title}, each verb a transaction`, async () => {
        const place = await prepare()
        return { ...place, open: async (options) => transacted(await place.open(options)) }
      })
    })
}
