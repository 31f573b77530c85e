/**
 * Making room in a full inbox: the oldest messages by modification time, then by name, go to `evicted/`. Only in the turn of the
 * inbox.
 * Spec: Message Routing, "Inbox Overflow Protection".
 */
import { whyClosed } from '../../../messaging/leaves/readable.ts'
import { type AgentId, stemOf } from '../layout.ts'
import { logEviction } from './logs.ts'
import { setMessageAside } from './moving.ts'
import { expectInOrder, pathIn, type RoutingParts } from './parts.ts'

export interface Room {
  /** The ids of the evicted messages, oldest first. */
  readonly evicted: readonly string[]
  /** How many messages are left. */
  readonly left: number
}

export class Evictions {
  readonly #parts: RoutingParts
  /** Modification times by inbox and name, asked for once: a message is not written to again. */
  readonly #times = new Map<AgentId, ReadonlyMap<string, number>>()

  constructor(parts: RoutingParts) {
    this.#parts = parts
  }

  /** Evicts until at most `most` of these names are left. */
  async makeRoom(agent: AgentId, names: readonly string[], most: number): Promise<Room> {
    if (names.length <= most) return { evicted: [], left: names.length }
    await expectInOrder(this.#parts, agent, ['evicted', 'evictions.log'])
    const times = await this.#timesOf(agent, names)
    const evicted: string[] = []
    while (times.size > most) {
      const [name, at] = oldestOf(times)
      const now = await this.#modifiedAt(agent, name)
      if (now !== at) {
        // It is gone; or another program wrote to it, and it may not be the oldest any more.
        if (now === undefined) times.delete(name)
        else times.set(name, now)
        continue
      }
      const moved = await setMessageAside(
        this.#parts,
        { agent, name, from: 'inbox', transition: 'evict' },
        // Another program may have put another file under this name in this instant.
        { timed: true, isMeant: (_, { modifiedAt }) => modifiedAt === at, atMost: 1 },
      ).catch((error: unknown) => {
        if (!whyClosed(error)) throw error
        return { outcome: 'closed' } as const
      })
      // Its time has changed, so the loop looks at it again.
      if (moved.outcome === 'kept') continue
      const count = times.size
      times.delete(name)
      // A file that this user may not move does not count: otherwise a hundred of them would evict every message.
      if (moved.outcome !== 'moved') continue
      const msgId = stemOf(name)
      await logEviction(this.#parts, agent, { msgId, count, file: `evicted/${moved.name}` })
      this.#parts.hooks.observe?.('eviction_count', 1, agent)
      evicted.push(msgId)
    }
    return { evicted, left: times.size }
  }

  async #timesOf(agent: AgentId, names: readonly string[]): Promise<Map<string, number>> {
    const known = this.#times.get(agent)
    const times = new Map<string, number>()
    for (const name of names) {
      const at = known?.get(name) ?? (await this.#modifiedAt(agent, name))
      if (at !== undefined) times.set(name, at)
    }
    this.#times.set(agent, times)
    return times
  }

  async #modifiedAt(agent: AgentId, name: string): Promise<number | undefined> {
    return (await this.#parts.tree.look(pathIn(this.#parts, agent, 'inbox', name)))?.modifiedAt
  }
}

function oldestOf(times: ReadonlyMap<string, number>): readonly [name: string, at: number] {
  let oldest: readonly [name: string, at: number] = ['', Number.POSITIVE_INFINITY]
  for (const one of times) if (one[1] < oldest[1] || (one[1] === oldest[1] && one[0] < oldest[0])) oldest = one
  return oldest
}
