/** The proof that agents on many machines share one queue: every message once, none lost. */
import { afterAll, beforeAll, expect } from 'vitest'
import { runtime } from '../support/child.ts'
import { type EtcdCluster, startEtcd, withoutEtcd } from '../support/etcd.ts'
import { verifies } from '../support/verifies.ts'
import { drain } from './drain.ts'

const reason = withoutEtcd()
const scale = Number(process.env.SIGNALBOX_TEST_SCALE ?? 1)
// The full proof, 20,000 messages, is SIGNALBOX_TEST_SCALE=100.
const total = 200 * scale

let cluster: EtcdCluster
beforeAll(async () => {
  if (reason === undefined) cluster = await startEtcd(3)
}, 60_000)
afterAll(() => cluster?.stop())

verifies.unless(
  reason,
  'X-cluster',
  `8 processes on ${runtime} drain ${total} messages on three nodes: each once, none lost`,
  async () => {
    const { sent, queues, claims, completions, seconds } = await drain({
      address: cluster.address('drain'),
      messages: total,
    })
    console.log(`sent ${total} in ${seconds.sending.toFixed(1)} s, drained them in ${seconds.draining.toFixed(1)} s`)
    expect(new Set(sent).size).toBe(total)
    expect([queues.pending, queues.processing, queues.failed]).toEqual([[], [], []])
    expect([...queues.completed].sort(), 'none lost, none twice on the tree').toEqual([...sent].sort())
    expect([...claims].sort(), 'each was given out once').toEqual([...sent].sort())
    expect([...completions].sort(), 'each was completed once').toEqual([...sent].sort())
  },
  1_800_000,
)
