/** The health of a cluster: members, leader, how full it is, how far back its history goes, how fast it answers. */
import { type Host, printHost } from './address.ts'
import type { Cluster } from './cluster.ts'
import type { Gateway } from './gateway.ts'
import { wire } from './keys.ts'
import type { Header } from './transaction.ts'

interface MemberHealth {
  readonly address: string
  readonly isReachable: boolean
  readonly isLeader: boolean
  readonly version?: string
  readonly sizeBytes?: number
  readonly inUseBytes?: number
}

export interface ClusterHealth {
  readonly place: string
  readonly members: readonly MemberHealth[]
  readonly hasLeader: boolean
  /** Of the member with the largest file. */
  readonly sizeBytes: number
  /** Missing if the members do not show their metrics. */
  readonly quotaBytes?: number
  readonly revision: number
  /** The history up to this revision is not kept any more. */
  readonly compactedRevision?: number
  readonly alarms: readonly string[]
  /** The median of some reads that a majority must confirm. */
  readonly readMs?: number
}

interface StatusAnswer {
  readonly header: Header & { readonly member_id?: string }
  readonly version?: string
  readonly leader?: string
  readonly dbSize?: string
  readonly dbSizeInUse?: string
}

const patienceMs = 1500
const reads = 5

export async function healthOf({ gateway, keys, place }: Cluster): Promise<ClusterHealth> {
  const readMs = await timeReads(gateway, wire(keys.prefix))
  const members = await Promise.all(gateway.hosts.map((host) => memberAt(gateway, host)))
  const metrics = (await Promise.all(gateway.hosts.map((host) => gateway.metricsOf(host, patienceMs)))).join('\n')
  const quotaBytes = valueIn(metrics, 'etcd_server_quota_backend_bytes')
  const compactedRevision = valueIn(metrics, 'etcd_debugging_mvcc_compact_revision')
  return {
    place,
    members,
    hasLeader: members.some(({ isLeader }) => isLeader),
    sizeBytes: Math.max(0, ...members.map(({ sizeBytes = 0 }) => sizeBytes)),
    ...(quotaBytes ? { quotaBytes } : {}),
    revision: gateway.revision,
    ...(compactedRevision === undefined ? {} : { compactedRevision }),
    alarms: await alarmsOf(gateway),
    readMs,
  }
}

async function memberAt(gateway: Gateway, host: Host): Promise<MemberHealth> {
  const address = printHost(host)
  try {
    const status = await gateway.askMember<StatusAnswer>(host, '/v3/maintenance/status', patienceMs)
    return {
      address,
      isReachable: true,
      isLeader: status.leader !== undefined && status.leader === status.header.member_id,
      ...(status.version === undefined ? {} : { version: status.version }),
      sizeBytes: Number(status.dbSize ?? 0),
      inUseBytes: Number(status.dbSizeInUse ?? 0),
    }
  } catch {
    // Whatever the error is, we cannot use this member.
    return { address, isReachable: false, isLeader: false }
  }
}

async function timeReads(gateway: Gateway, key: string): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < reads; i++) {
    const startedAt = performance.now()
    await gateway.read('/v3/kv/range', { key, count_only: true })
    times.push(performance.now() - startedAt)
  }
  return times.sort((a, b) => a - b)[Math.floor(reads / 2)]!
}

/** Empty if we may not ask: on a cluster with users only its operator may. */
async function alarmsOf(gateway: Gateway): Promise<string[]> {
  try {
    const { alarms = [] } = await gateway.read<{ alarms?: { alarm?: string }[] }>('/v3/maintenance/alarm', {})
    return [...new Set(alarms.map(({ alarm = 'NONE' }) => alarm))]
  } catch (error) {
    if ((error as { code?: string }).code === 'PERMISSION_DENIED') return []
    throw error
  }
}

/** The largest value of a metric in Prometheus' text format. */
function valueIn(metrics: string, name: string): number | undefined {
  const found = [...metrics.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))].map(([, value]) =>
    Number(value),
  )
  return found.length === 0 ? undefined : Math.max(...found)
}
