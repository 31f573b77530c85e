/**
 * Finds the leader. When a leader dies, requests to the other members get no answer until an election is over, and we would
 * wait for our time-outs. But a member answers at once, even without a majority, whether it leads. So while requests wait,
 * all members are asked, and the waiting ends when one leads.
 */
import { pause } from '../../kernel/clock.ts'
import type { Host } from './address.ts'

interface Status {
  readonly header?: { readonly member_id?: string }
  readonly leader?: string
  readonly raftTerm?: string
}

export interface Search {
  readonly hosts: readonly Host[]
  readonly ask: (host: Host) => Promise<Status>
  readonly isWanted: () => boolean
}

const betweenMs = 40

export async function findLeader({ hosts, ask, isWanted }: Search): Promise<Host | undefined> {
  while (isWanted()) {
    // A member that does not answer is not the leader.
    const statuses = await Promise.all(hosts.map((host) => ask(host).catch(() => undefined)))
    let found: { host: Host; term: number } | undefined
    hosts.forEach((host, i) => {
      const { header, leader, raftTerm } = statuses[i] ?? {}
      const term = Number(raftTerm ?? 0)
      // A member that was cut off still says that it leads, but with an older term.
      if (leader !== undefined && leader === header?.member_id && term > (found?.term ?? 0)) found = { host, term }
    })
    if (found) return found.host
    await pause(betweenMs)
  }
  return undefined
}
