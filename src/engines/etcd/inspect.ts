/** For `doctor`: what is out of order in a cluster. */
import { type Finding, finding } from '../../tree/tree.ts'
import type { ClusterHealth } from './health.ts'

/** The part of the quota from which on we warn. At the quota etcd refuses writes. */
const fullAt = 0.8
/** In revisions. Regular compaction leaves less. */
const longHistory = 1_000_000

export function findingsIn(health: ClusterHealth): Finding[] {
  const { members, place, sizeBytes, quotaBytes, revision, compactedRevision = 0, alarms } = health
  const findings: Finding[] = []
  const find = (...found: Parameters<typeof finding>) => findings.push(finding(...found))

  for (const { address, isReachable } of members) {
    if (isReachable) continue
    find('warning', 'MEMBER_DOWN', address, 'This member does not answer.', 'Start it again, or replace it.')
  }
  if (!health.hasLeader) {
    const hint = 'Name all members in the address, and look at the logs of those that are missing.'
    find('warning', 'NO_LEADER_SEEN', place, 'None of the members that answer is the leader.', hint)
  }
  if (alarms.includes('NOSPACE')) {
    const hint = 'Compact, defragment, raise --quota-backend-bytes, then: etcdctl alarm disarm.'
    find('error', 'CLUSTER_FULL', place, 'The cluster has used up its quota and takes no writes.', hint)
  } else if (quotaBytes !== undefined && sizeBytes > quotaBytes * fullAt) {
    const share = Math.round((sizeBytes / quotaBytes) * 100)
    const hint = 'Archive what is old, compact and defragment, or raise --quota-backend-bytes.'
    find('warning', 'CLUSTER_NEARLY_FULL', place, `The cluster has used ${share} % of its quota.`, hint)
  }
  if (alarms.includes('CORRUPT')) {
    const hint = 'Take the member that etcd names out of the cluster, and restore it from a good one.'
    find('error', 'CLUSTER_CORRUPT', place, 'A member has other data than the rest.', hint)
  }
  if (revision - compactedRevision > longHistory && quotaBytes !== undefined) {
    const hint = 'Start etcd with --auto-compaction-mode periodic --auto-compaction-retention 5m.'
    find('warning', 'NO_COMPACTION', place, `${revision - compactedRevision} revisions of history are kept.`, hint)
  }
  return findings
}
