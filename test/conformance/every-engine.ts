/** Where the suite of a protocol runs: on files, in memory, and on etcd with one node and with three. */
import { afterAll, beforeAll, describe, it } from 'vitest'
import { openEtcdTree } from '../../src/engines/etcd/index.ts'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { openMemoryTree } from '../../src/engines/memory/index.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import type { Tree } from '../../src/tree/tree.ts'
import { isShort } from '../support/child.ts'
import { type EtcdCluster, startEtcd, withoutEtcd } from '../support/etcd.ts'
import { tempDir } from '../support/temp.ts'

export interface EnginePlace {
  /** As the setting `engine` has it. */
  readonly engine: string
  /** Copies of folders may lag a little behind what other processes did. */
  readonly lags: boolean
  /** Opens the tree as another process would. */
  open(clock: Clock): Promise<Tree>
}

/** `prepare` gives a new and empty place. `nodes`: of the cluster; 0 where there is none. */
export type DescribeOn = (title: string, prepare: () => Promise<EnginePlace>, nodes: number) => void

export interface EveryEngineOptions {
  /** On a cluster each who opens the tree has copies of its own, which may lag, as those of other processes do. */
  readonly apart?: boolean
}

export function onEveryEngine(
  protocol: string,
  describeOn: DescribeOn,
  { apart = true }: EveryEngineOptions = {},
): void {
  describeOn(
    'files',
    async () => {
      const root = tempDir()
      return { engine: 'files', lags: false, open: (clock) => openFileTree({ root, clock }) }
    },
    0,
  )
  describeOn('memory', async () => ({ engine: 'files', lags: false, open: memoryPlace() }), 0)
  for (const nodes of isShort ? [1] : [1, 3]) onEtcd(protocol, describeOn, { nodes, apart })
}

/** In memory there is one tree, whose clock is that of whoever opened it last. */
function memoryPlace(): EnginePlace['open'] {
  let now: Clock
  let shared: Tree | undefined
  return async (clock) => {
    now = clock
    shared ??= openMemoryTree({ clock: { now: () => now.now() } })
    return shared
  }
}

interface EtcdOptions {
  readonly nodes: number
  readonly apart: boolean
}

function onEtcd(protocol: string, describeOn: DescribeOn, { nodes, apart }: EtcdOptions): void {
  const title = `etcd with ${nodes === 1 ? 'one node' : `${nodes} nodes`}`
  const reason = withoutEtcd()
  if (reason !== undefined) {
    it.skip(`${protocol} on ${title} (skipped: ${reason})`, () => {})
    return
  }
  describe(`with a cluster of ${nodes}`, () => {
    let cluster: EtcdCluster
    let tenants = 0
    let processes = 0
    beforeAll(async () => {
      cluster = await startEtcd(nodes)
    }, 60_000)
    afterAll(() => cluster.stop())

    const prepare = async (): Promise<EnginePlace> => {
      const engine = cluster.address(`t${++tenants}`)
      const largeBodies = tempDir()
      // Trees that are opened in different ways share nothing in this process.
      const patience = () => 20_000 + (apart ? ++processes : 0)
      const open = (clock: Clock) => openEtcdTree({ address: engine, clock, patienceMs: patience(), largeBodies })
      return { engine, lags: apart, open }
    }
    describeOn(title, prepare, nodes)
  })
}
