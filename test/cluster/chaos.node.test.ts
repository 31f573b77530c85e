/**
 * Eight processes work through a queue on three nodes while whoever is the leader is killed, again and again, and nodes
 * are paused. `npm run chaos:etcd` is the long version; on Node alone, since the servers are what is tested here.
 */
import { afterAll, beforeAll, expect } from 'vitest'
import { openEtcdTree } from '../../src/engines/etcd/index.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import { Bell } from '../support/bell.ts'
import { type EtcdCluster, type EtcdNode, startEtcd, withoutEtcd } from '../support/etcd.ts'
import { verifies } from '../support/verifies.ts'
import { drain } from './drain.ts'

const reason = withoutEtcd()
const isLong = process.env.SIGNALBOX_CHAOS === 'long'
const kills = isLong ? 20 : 2
const pauses = isLong ? 5 : 1
// Twice the time in which others notice.
const pauseMs = isLong ? 2000 : 1000

let cluster: EtcdCluster
beforeAll(async () => {
  if (reason === undefined) cluster = await startEtcd(3)
}, 60_000)
afterAll(() => cluster?.stop())

verifies.unless(
  reason,
  'X-cluster',
  `${kills} leaders killed and ${pauses} nodes paused under load: nothing twice, nothing lost`,
  async () => {
    const probe = await startProbe(cluster.address('probe'))
    const back: Record<'killed' | 'paused', number[]> = { killed: [], paused: [] }
    const bare: number[] = []
    const writesBack = async (times: number[]) => {
      const [ours, theirs] = await Promise.all([probe.nextWrite(), barePut(cluster)])
      times.push(ours)
      bare.push(theirs)
    }
    const { sent, queues, claims, completions } = await drain({
      address: cluster.address('chaos'),
      messages: 100,
      inFlight: 8,
      async meanwhile(progress) {
        for (let i = 0; i < kills + pauses; i++) {
          const isPause = i % 4 === 3 || i >= kills + Math.floor(pauses / 2)
          const isKill = !isPause || back.paused.length === pauses
          const leader = await cluster.leader()
          const before = progress.completed
          if (isKill) {
            await leader.kill()
            await writesBack(back.killed)
            leader.restart()
          } else {
            leader.pause()
            await writesBack(back.paused)
            // Paused long enough for others to lead, and for its clients to have gone elsewhere.
            await probe.writesFor(pauseMs)
            leader.resume()
          }
          await follows(leader)
          const ms = Math.round((isKill ? back.killed : back.paused).at(-1)!)
          const bareMs = Math.round(bare.at(-1)!)
          const what = isKill ? 'killed' : 'paused'
          console.log(`${leader.name} ${what} as leader: writes back after ${ms} ms, a bare put after ${bareMs} ms`)
          // The load itself must have gone on before the next blow.
          while (progress.completed <= before) await probe.nextWrite()
        }
      },
    })
    await probe.stop()
    for (const [what, times] of Object.entries(back)) console.log(`leader ${what}: writes back after ${spread(times)}`)
    console.log(`of a bare put that is repeated every 400 ms: ${spread(bare)}`)
    expect(back.killed.length + back.paused.length).toBe(kills + pauses)
    // In the short run, among all other tests, an election may take its time.
    if (isLong) expect(Math.max(...back.killed, ...back.paused)).toBeLessThan(2000)
    expect([queues.pending, queues.processing, queues.failed]).toEqual([[], [], []])
    expect([...queues.completed].sort(), 'none lost, none twice on the tree').toEqual([...sent].sort())
    expect([...claims].sort(), 'each was given out once').toEqual([...sent].sort())
    expect([...completions].sort(), 'each was completed once').toEqual([...sent].sort())
    expect(new Set(sent).size).toBe(sent.length)
  },
  isLong ? 3_600_000 : 300_000,
)

/** Writes one leaf after another in four lanes, so that it is known when writes are possible again. */
async function startProbe(address: string) {
  const tree = await openEtcdTree({ address })
  const wrote = new Bell()
  let isStopping = false
  let count = 0
  let lastBegunAt = 0
  const lane = async () => {
    while (!isStopping) {
      const begunAt = performance.now()
      await tree.create(treePath(`probe/${++count}`), Buffer.from('x'))
      lastBegunAt = Math.max(lastBegunAt, begunAt)
      wrote.ring()
    }
  }
  const lanes = Promise.all(Array.from({ length: 4 }, lane))
  return {
    /** Milliseconds until a write is acknowledged that was begun after this call. */
    async nextWrite(): Promise<number> {
      const askedAt = performance.now()
      while (lastBegunAt <= askedAt) await wrote.heard()
      return performance.now() - askedAt
    },
    async writesFor(ms: number): Promise<void> {
      for (const until = performance.now() + ms; performance.now() < until; ) await this.nextWrite()
    },
    async stop() {
      isStopping = true
      await lanes
      await tree.close()
    },
  }
}

/** How long the cluster itself needs: puts to one node after another, until one is acknowledged. */
async function barePut({ nodes }: EtcdCluster): Promise<number> {
  const startedAt = performance.now()
  for (let i = 0; ; i++) {
    try {
      const { ok } = await fetch(`${nodes[i % nodes.length]!.url}/v3/kv/put`, {
        method: 'POST',
        body: JSON.stringify({ key: 'YmFyZQ==', value: '' }),
        signal: AbortSignal.timeout(400),
      })
      if (ok) return performance.now() - startedAt
    } catch {
      // Refused, reset or too late: the next one.
    }
  }
}

async function follows(node: EtcdNode): Promise<void> {
  while (!(await node.status())?.hasLeader) await new Promise((resolve) => setTimeout(resolve, 50))
}

function spread(times: readonly number[]): string {
  const sorted = [...times].sort((a, b) => a - b)
  const at = (part: number) =>
    `${Math.round(sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0)}`
  const all = sorted.map((ms) => Math.round(ms)).join(' ')
  return `${at(0.5)} ms (median), ${at(0.9)} ms (p90), ${at(1)} ms (longest) of ${times.length}: ${all}`
}
