/** The agents of all protocols in one list: home, when last seen, and what each has claimed. */
import { isoTime } from '../kernel/clock.ts'
import { SignalboxError } from '../kernel/errors.ts'
import { printHome } from '../messaging/agents/directory.ts'
import type { Bus } from './bus.ts'
import { Homes } from './homes.ts'

/** `busy` has something in hand; `online` acted a moment ago; `gone` has not for a day. `unseen` was only listed. */
export type Presence = 'online' | 'idle' | 'busy' | 'gone' | 'unseen'

export interface AgentLine {
  readonly name: string
  readonly home: string
  readonly client?: string
  readonly about?: string
  readonly presence: Presence
  /** ISO 8601. */
  readonly lastSeen?: string
  /** The handles of what it has taken and not ended. */
  readonly inHand: readonly string[]
  /** How it can be told that something waits; none can be yet. */
  readonly wake: 'no'
}

export interface AgentList {
  readonly agents: readonly AgentLine[]
  /** Files of agents that have a mistake. */
  readonly notices: readonly string[]
}

const onlineMs = 5 * 60_000
const goneMs = 24 * 3600_000

export async function listAgents(bus: Bus): Promise<AgentList> {
  const notices: string[] = []
  const seenAt = new Map<string, number | undefined>()
  const homes = new Homes(bus)
  for (const name of await homes.listedNames()) seenAt.set(name, undefined)
  const told = async (name: string) => {
    try {
      return await homes.of(name)
    } catch (error) {
      if (!(error instanceof SignalboxError)) throw error
      notices.push(`${error.message}${error.hint === undefined ? '' : ` ${error.hint}`}`)
      return undefined
    }
  }
  for await (const { name, lastSeenAt } of bus.directory.all()) {
    const known = await told(name)
    if (lastSeenAt !== undefined) seenAt.set(known?.name ?? name, lastSeenAt)
  }
  const held = await inHand(bus)
  const now = await bus.tree.now()
  const agents: AgentLine[] = []
  for (const [name, at] of [...seenAt].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const known = await told(name)
    const has = [...(held.get(name.toLowerCase()) ?? [])]
    for (const other of known?.listing?.otherNames ?? []) has.push(...(held.get(other.toLowerCase()) ?? []))
    const { client, about } = known?.listing ?? {}
    agents.push({
      name,
      home: known ? printHome(known.home) : 'unknown',
      ...(client === undefined ? {} : { client }),
      ...(about === undefined ? {} : { about }),
      presence: presenceOf(at, now, has.length),
      ...(at === undefined ? {} : { lastSeen: isoTime(at) }),
      inHand: has,
      wake: 'no',
    })
  }
  return { agents, notices: [...new Set(notices)] }
}

function presenceOf(at: number | undefined, now: number, inHand: number): Presence {
  if (at === undefined) return 'unseen'
  if (now - at > goneMs) return 'gone'
  if (inHand > 0) return 'busy'
  return now - at <= onlineMs ? 'online' : 'idle'
}

/** The messages that are claimed and not finished, by the name of the holder. */
async function inHand(bus: Bus): Promise<Map<string, string[]>> {
  const held = new Map<string, string[]>()
  for await (const { neutral } of bus.used()) {
    for await (const { envelope } of neutral.messages({ stages: ['claimed'] })) {
      const holder = (envelope.claim?.by ?? envelope.to).toLowerCase()
      held.set(holder, [...(held.get(holder) ?? []), envelope.handle])
    }
  }
  return held
}
