/** The agents of all protocols in one list: home, presence, when last seen, what each has claimed and locked. */
import { isoTime } from '../kernel/clock.ts'
import { SignalboxError } from '../kernel/errors.ts'
import { printHome, type SeenAgent } from '../messaging/agents/directory.ts'
import type { Presence } from '../messaging/agents/presence.ts'
import type { Message } from '../protocols/contract.ts'
import type { Bus } from './bus.ts'
import { CarryNotes } from './carry-notes.ts'
import { Homes } from './homes.ts'
import { GlobLocks } from './locks.ts'

/**
 * What its client noted, if it did: `busy`, `idle`, `stuck`, `gone`. Else `busy` with something in hand, `online` when it acted a
 * moment ago, `idle` after that: being silent is not being gone. `unseen` was only listed.
 */
export type AgentPresence = Presence['state'] | 'unseen'

export interface AgentLine {
  readonly name: string
  readonly home: string
  /** The program that it runs in. */
  readonly client?: string
  readonly about?: string
  readonly presence: AgentPresence
  /** ISO 8601: since when its client says so. */
  readonly since?: string
  readonly doing?: string
  /** The session of its client. */
  readonly session?: string
  /** ISO 8601. */
  readonly lastSeen?: string
  /** The handles of what it has taken and not ended. */
  readonly inHand: readonly string[]
  /** The patterns that it has locked. */
  readonly locks: readonly string[]
  /** How it can be told that something waits; none can be yet. */
  readonly wake: 'no'
}

export interface AgentList {
  readonly agents: readonly AgentLine[]
  /** Files of agents that have a mistake. */
  readonly notices: readonly string[]
}

const onlineMs = 5 * 60_000

export async function listAgents(bus: Bus): Promise<AgentList> {
  const notices: string[] = []
  const seen = new Map<string, Partial<SeenAgent>>()
  const homes = new Homes(bus)
  for (const name of await homes.listedNames()) seen.set(name, {})
  const told = async (name: string) => {
    try {
      return await homes.of(name)
    } catch (error) {
      if (!(error instanceof SignalboxError)) throw error
      notices.push(`${error.message}${error.hint === undefined ? '' : ` ${error.hint}`}`)
      return undefined
    }
  }
  for await (const one of bus.directory.all()) {
    const name = (await told(one.name))?.name ?? one.name
    const { lastSeenAt = Number.NEGATIVE_INFINITY } = seen.get(name) ?? {}
    // An agent that has several names was last seen when the last of them was.
    if (one.lastSeenAt !== undefined && one.lastSeenAt > lastSeenAt) seen.set(name, one)
  }
  const held = await inHand(bus, notices)
  const locked = await locksOf(bus)
  const now = await bus.tree.now()
  const agents: AgentLine[] = []
  for (const [name, { lastSeenAt: at, presence: noted }] of [...seen].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const known = await told(name)
    const names = [...new Set([name, ...(known?.listing?.otherNames ?? [])].map((one) => one.toLowerCase()))]
    const has = names.flatMap((one) => held.get(one) ?? [])
    const { client, about } = known?.listing ?? {}
    const hasEnded = noted !== undefined && noted.state !== 'gone' && (await bus.directory.hasEnded(noted))
    const isNoted = noted !== undefined && noted.state !== 'online' && !hasEnded
    agents.push({
      name,
      home: known ? printHome(known.home) : 'unknown',
      ...(client === undefined ? {} : { client }),
      ...(about === undefined ? {} : { about }),
      presence: hasEnded ? 'gone' : isNoted ? noted.state : presenceOf(at, now, has.length),
      ...(isNoted ? { since: isoTime(noted.since) } : {}),
      ...(isNoted && noted.doing !== undefined ? { doing: noted.doing } : {}),
      ...(noted?.session === undefined ? {} : { session: noted.session }),
      ...(at === undefined ? {} : { lastSeen: isoTime(at) }),
      inHand: has,
      locks: names.flatMap((one) => locked.get(one) ?? []),
      wake: 'no',
    })
  }
  return { agents, notices: [...new Set(notices)] }
}

function presenceOf(at: number | undefined, now: number, inHand: number): AgentPresence {
  if (at === undefined) return 'unseen'
  if (inHand > 0) return 'busy'
  return now - at <= onlineMs ? 'online' : 'idle'
}

/** The patterns of all locks, by the name of the owner. */
async function locksOf({ tree }: Bus): Promise<Map<string, string[]>> {
  const locked = new Map<string, string[]>()
  for (const { owner, glob } of await new GlobLocks(tree).list())
    locked.set(owner.toLowerCase(), [...(locked.get(owner.toLowerCase()) ?? []), glob])
  return locked
}

/** The messages that are claimed and not finished, by the name of the holder. */
async function inHand(bus: Bus, notices: string[]): Promise<Map<string, string[]>> {
  const held = new Map<string, string[]>()
  // The bridge holds these for their recipients, who have the copies.
  const away = new Set<string>()
  for await (const { original } of new CarryNotes(bus.tree).open()) away.add(original)
  for await (const { envelope } of claimedIn(bus, notices)) {
    if (away.has(envelope.handle)) continue
    const holder = (envelope.claim?.by ?? envelope.to).toLowerCase()
    held.set(holder, [...(held.get(holder) ?? []), envelope.handle])
  }
  return held
}

/** All messages that agents have in hand. A protocol whose files are out of order is told, and hides no other's. */
export async function* claimedIn(bus: Bus, notices: string[]): AsyncGenerator<Message> {
  for await (const { neutral, title } of bus.used()) {
    try {
      yield* neutral.messages({ stages: ['claimed'] })
    } catch (error) {
      if (!(error instanceof SignalboxError)) throw error
      notices.push(`What agents have in hand in ${title} cannot be listed: ${error.message}`)
    }
  }
}
