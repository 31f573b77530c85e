import { afterAll, beforeAll, describe, it } from 'vitest'
import { openEtcdTree } from '../../src/engines/etcd/index.ts'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { openMemoryTree } from '../../src/engines/memory/index.ts'
import { type EtcdCluster, startEtcd, withoutEtcd } from '../support/etcd.ts'
import { tempDir } from '../support/temp.ts'
import { describeAcmq } from './acmq.ts'

describeAcmq('files', async () => {
  const root = tempDir()
  return (clock) => openFileTree({ root, clock })
})

describeAcmq('memory', async () => {
  let shared: ReturnType<typeof openMemoryTree> | undefined
  return async (clock) => (shared ??= openMemoryTree({ clock }))
})

const reason = withoutEtcd()
for (const nodes of [1, 3]) {
  const title = `etcd with ${nodes === 1 ? 'one node' : `${nodes} nodes`}`
  if (reason !== undefined) it.skip(`AC-MQ on ${title} (skipped: ${reason})`, () => {})
  else
    describe(`with a cluster of ${nodes}`, () => {
      let cluster: EtcdCluster
      let tenants = 0
      beforeAll(async () => {
        cluster = await startEtcd(nodes)
      }, 60_000)
      afterAll(() => cluster.stop())

      describeAcmq(title, async () => {
        const address = cluster.address(`m${++tenants}`)
        return (clock) => openEtcdTree({ address, clock })
      })
    })
}
