/** Opens a tree on an etcd cluster: the same promises, for agents on many machines. */
import type { Clock } from '../../kernel/clock.ts'
import type { Tree } from '../../tree/tree.ts'
import { type ClusterOptions, joinCluster } from './cluster.ts'
import { EtcdTree } from './etcd-tree.ts'
import { type ClusterHealth, healthOf } from './health.ts'

export interface EtcdTreeOptions extends ClusterOptions {
  /** Used instead of the cluster's own time to measure ages and ends. For tests. */
  readonly clock?: Clock | undefined
}

/** Sends nothing to the cluster yet. */
export async function openEtcdTree({ clock, ...options }: EtcdTreeOptions): Promise<Tree> {
  const { cluster, leave } = joinCluster(options)
  return new EtcdTree(cluster, clock, leave)
}

/** How the cluster is, for `doctor`. */
export async function etcdHealth({ clock: _, ...options }: EtcdTreeOptions): Promise<ClusterHealth> {
  const { cluster, leave } = joinCluster(options)
  try {
    return await healthOf(cluster)
  } finally {
    leave()
  }
}
