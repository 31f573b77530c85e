/**
 * Who leads now. When a leader dies, requests at the others are lost until they notice, and only their time-outs tell.
 * What a member says of itself it says at once, with or without a majority: so while requests wait in vain, all are
 * asked for the one that leads, and then the waiting is over.
 */
import type { Host } from './address.ts'
import { pause } from './pause.ts'

interface Status {
  readonly header?: { readonly member_id?: string }
  readonly leader?: string
  readonly raftTerm?: string
}

export interface Search {
  readonly hosts: readonly Host[]
  readonly ask: (host: Host) => Promise<Status>
  /** False when nobody needs to know any more. */
  readonly isWanted: () => boolean
}

const betweenMs = 40

export async function findLeader({ hosts, ask, isWanted }: Search): Promise<Host | undefined> {
  while (isWanted()) {
    // Whoever does not answer does not lead.
    const statuses = await Promise.all(hosts.map((host) => ask(host).catch(() => undefined)))
    let found: { host: Host; term: number } | undefined
    hosts.forEach((host, i) => {
      const { header, leader, raftTerm } = statuses[i] ?? {}
      const term = Number(raftTerm ?? 0)
      // One that was cut off still says that it leads, in an older term.
      if (leader !== undefined && leader === header?.member_id && term > (found?.term ?? 0)) found = { host, term }
    })
    if (found) return found.host
    await pause(betweenMs)
  }
  return undefined
}
