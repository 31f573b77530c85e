/** What `doctor` finds out of order in a cluster. */
import type { Finding } from '../../tree/tree.ts'
import type { Cluster } from './cluster.ts'

export async function inspectCluster(_cluster: Cluster): Promise<Finding[]> {
  return []
}
