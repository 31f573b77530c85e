/** Opens a tree kept by an etcd cluster: the same promises, for agents on many machines. */
import type { Clock } from '../../kernel/clock.ts'
import type { Tree } from '../../tree/tree.ts'
import { type ClusterOptions, joinCluster } from './cluster.ts'
import { EtcdTree } from './etcd-tree.ts'

export interface EtcdTreeOptions extends ClusterOptions {
  readonly clock?: Clock | undefined
}

/** Nothing is asked of the cluster before it is needed. */
export async function openEtcdTree({ clock, ...options }: EtcdTreeOptions): Promise<Tree> {
  const { cluster, leave } = joinCluster(options)
  return new EtcdTree(cluster, clock, leave)
}
