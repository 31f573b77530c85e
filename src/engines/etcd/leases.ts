/**
 * Leases: one record for each resource, which stays when the lease has ended because the fencing number must go on growing,
 * and beside it a key for the newest holder. A write under a lease compares that key in its transaction, so a holder who
 * was replaced cannot write any more, however late it comes.
 *
 * A lease ends by time, not with the process, so these are not etcd's own leases, which live by heartbeats.
 */
import { corrupt } from '../../kernel/errors.ts'
import { expectLease } from '../../tree/for-engines.ts'
import type { Guard, Lease, Leased, Outcome } from '../../tree/tree.ts'
import type { Parts } from './parts.ts'
import {
  type Compare,
  drop,
  foundBy,
  get,
  isAbsent,
  isPresent,
  isUnchanged,
  type KeyValue,
  put,
  type RequestOp,
} from './transaction.ts'

interface LeaseRecord extends Lease {
  readonly by: string
}

/** What a guarded write compares, and what it reads if that fails. */
export interface Fence {
  readonly compare: readonly Compare[]
  readonly otherwise: readonly RequestOp[]
}

export const noFence: Fence = { compare: [], otherwise: [] }

export async function takeLease(
  parts: Parts,
  resource: string,
  owner: string,
  ttl: number,
  now: () => Promise<number>,
): Promise<Leased> {
  expectLease(resource, owner, ttl)
  for (;;) {
    const { record: current, revision } = await readLease(parts, resource)
    const at = await now()
    const stands = current !== undefined && current.until > at
    if (stands && current.owner !== owner) return { outcome: 'busy', lease: leaseOf(current) }
    const before = current?.fence ?? 0
    const lease = { resource, owner, until: at + ttl, fence: before + (stands ? 0 : 1) }
    const handOver = stands
      ? []
      : [
          put(parts.keys.holder(resource, lease.fence), ''),
          ...(before > 0 ? [drop(parts.keys.holder(resource, before))] : []),
        ]
    if (await writeLease(parts, lease, revision, handOver)) return { outcome: 'held', lease }
  }
}

export async function releaseLease(
  parts: Parts,
  resource: string,
  owner: string,
  now: number,
): Promise<Outcome<'released' | 'gone'>> {
  for (;;) {
    const { record: current, revision } = await readLease(parts, resource)
    if (!current || current.owner !== owner || current.until <= now) return { outcome: 'gone' }
    const ended = { ...leaseOf(current), until: 0 }
    const dropHolder = drop(parts.keys.holder(resource, current.fence))
    if (await writeLease(parts, ended, revision, [dropHolder])) return { outcome: 'released' }
  }
}

export async function allLeases({ requests }: Parts, now: number): Promise<Lease[]> {
  return (await requests.leases())
    .map((found) => leaseOf(parseRecord(found)))
    .filter(({ until }) => until > now)
    .sort((a, b) => (a.resource < b.resource ? -1 : 1))
}

/** `fenced` if the lease has run out; otherwise what a write must compare to be sure that no other owner took it. */
export async function fenceOf(parts: Parts, { under }: Guard, now: () => Promise<number>): Promise<Fence | 'fenced'> {
  if (!under) return noFence
  // The caller's copy may be older than its last renewal, so if it has run out, ask. If it has not, it still counts.
  if (under.until <= (await now())) {
    const { record: current } = await readLease(parts, under.resource)
    if (current?.fence !== under.fence || current.until <= (await now())) return 'fenced'
  }
  const holder = parts.keys.holder(under.resource, under.fence)
  return { compare: [isPresent(holder)], otherwise: [get(holder)] }
}

async function readLease(
  { requests, keys }: Parts,
  resource: string,
): Promise<{ record: LeaseRecord | undefined; revision: number }> {
  const [found] = await requests.get([keys.lease(resource)])
  return { record: found && parseRecord(found), revision: Number(found?.mod_revision ?? 0) }
}

/** False if another process changed the record before. */
async function writeLease(
  parts: Parts,
  lease: Lease,
  revision: number,
  handOver: readonly RequestOp[],
): Promise<boolean> {
  const { requests, keys, turn, unanswered } = parts
  const operation = crypto.randomUUID()
  const key = keys.lease(lease.resource)
  const value = Buffer.from(JSON.stringify({ ...lease, by: operation })).toString('base64')
  const fence = turn.fence
  const answer = await requests.write({
    compare: [
      isAbsent(keys.revoked(operation)),
      ...fence.compare,
      revision === 0 ? isAbsent(key) : isUnchanged(key, revision),
    ],
    success: [put(key, value), ...handOver],
    failure: fence.otherwise,
  })
  if (answer?.succeeded) return true
  if (answer) {
    turn.expectHeld(foundBy(answer)[0])
    return false
  }
  // The record names the operation that wrote it last. If that is not ours, the lease is another owner's by now.
  await unanswered.revoke(operation)
  return (await readLease(parts, lease.resource)).record?.by === operation
}

const leaseOf = ({ resource, owner, until, fence }: LeaseRecord): Lease => ({ resource, owner, until, fence })

function parseRecord({ key, value = '' }: KeyValue): LeaseRecord {
  try {
    return JSON.parse(Buffer.from(value, 'base64').toString('utf8')) as LeaseRecord
  } catch (error) {
    throw corrupt('BAD_LEASE_FILE', `A lease in etcd is not readable: ${Buffer.from(key, 'base64')}.`, {
      hint: 'Delete that key with etcdctl once nobody holds that lease.',
      cause: error,
    })
  }
}
