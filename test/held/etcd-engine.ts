/** A cluster for the explorer: each actor has connections of its own, and every request is a step. */
import { openEtcdTree } from '../../src/engines/etcd/index.ts'
import { Transport } from '../../src/engines/etcd/transport.ts'
import { treeRoot } from '../../src/kernel/tree-path.ts'
import type { EtcdCluster } from '../support/etcd.ts'
import { OutsideEtcd, TenantKeys } from './outside-etcd.ts'
import type { Who } from './story.ts'
import type { BeforeStep, EmptyPlace, Engine } from './tree-stage.ts'

type Send = typeof Transport.prototype.request

/** Milliseconds. Nobody waits that long for a turn whose holder is working. */
const turnMs = 60
/** Trees with equal options share connections, so each actor gets slightly different ones. */
const patience: Readonly<Record<Who, number>> = { before: 20_001, first: 20_002, second: 20_003, third: 20_004 }

/** Intercepts all requests from the first place on. `stop` ends that. */
export function etcdEngine(cluster: EtcdCluster): Engine & { stop(): void } {
  let tenants = 0
  let strangers = 0
  const real: Send = Transport.prototype.request
  const owners = new WeakMap<Transport, Who>()
  let opened: Who = 'before'
  let hold: BeforeStep = () => undefined
  Transport.prototype.request = async function (...values) {
    const [, path, body] = values
    // A connection belongs to the actor that opened a tree last before it is first used.
    const owner = owners.get(this) ?? opened
    owners.set(this, owner)
    if (owner === 'first' && !path.startsWith('/v3/maintenance')) await hold(sayRequest(path, body))
    return real.apply(this, values)
  }
  const placeOf = (tenant: string): EmptyPlace => {
    const address = cluster.address(tenant)
    const keys = new TenantKeys(cluster.nodes[0]!.url, tenant)
    const openAs: EmptyPlace['open'] = async (who, clock, beforeStep) => {
      opened = who
      if (who === 'first') hold = beforeStep
      return openEtcdTree({ address, clock, patienceMs: patience[who] })
    }
    return {
      open: openAs,
      outside: new OutsideEtcd(keys, async () => {
        const before = opened
        const tree = await openEtcdTree({ address, patienceMs: patience.third + ++strangers })
        // Send a request at once, so that the connections are known to be this actor's.
        opened = 'third'
        await tree.list(treeRoot)
        opened = before
        return tree
      }),
      copy: async () => {
        const other = `held-${++tenants}`
        await keys.copyTo(other)
        return placeOf(other)
      },
    }
  }
  return {
    name: 'etcd',
    empty: async () => placeOf(`held-${++tenants}`),
    aWhile: () => new Promise((resolve) => setTimeout(resolve, turnMs)),
    stop() {
      Transport.prototype.request = real
    },
  }
}

/** Keys are in base64. Their readable parts are enough to find the place. */
function sayRequest(path: string, body: string): string {
  const keys = [...body.matchAll(/"key":"([^"]+)"/g)].map((found) =>
    Buffer.from(found[1]!, 'base64').toString('latin1'),
  )
  return `${path.replace('/v3/', '')} ${[...new Set(keys)].join(' ').replaceAll(/[^\x20-\x7e]+/g, '·')}`.trim()
}
