/**
 * Frees what dead agents hold: messages of all protocols, locks, mailboxes. An agent is dead where that is known: the process that
 * a surface noted for it has ended, or it was noted as gone; never because it has been silent for long. Told in a log:
 *
 *   .signalbox/state/presence/freed.jsonl   {"at", "agent", "why", "held": "acmq:shop:a1b2c3d4@1"}: what it held when it was dead
 *
 * An agent that acts is alive again from then on. What it held when it was noted as gone may be lost to it by then, and its
 * receipts are told so. See docs/decisions/0048-when-an-agent-is-dead.md.
 */
import { jsonLines } from '../formats/json-lines.ts'
import { isoTime } from '../kernel/clock.ts'
import { SignalboxError } from '../kernel/errors.ts'
import { childOf } from '../kernel/tree-path.ts'
import { type DeadAgent, presenceFolder } from '../messaging/agents/directory.ts'
import { EventLog } from '../messaging/events/events.ts'
import type { Duty } from '../protocols/contract.ts'
import type { Bus, Member } from './bus.ts'
import { printReceipt } from './handle.ts'
import { Homes } from './homes.ts'
import { GlobLocks } from './locks.ts'

export const freedLog = childOf(presenceFolder, 'freed.jsonl')
/** No event tells that a process has ended. */
const againMs = 30_000

export interface Freed {
  readonly agent: string
  readonly why: DeadAgent['why']
  /** A receipt, `lock src/**` or `mailbox 3`. */
  readonly what: string
}

/** Something that a dead agent holds. */
interface Held {
  readonly what: string
  readonly by: Marked
  free(): Promise<boolean>
}

/** A dead agent whose end is written down, with all its names. */
interface Marked extends DeadAgent {
  nameIn(protocol: string): Promise<string>
  readonly names: ReadonlySet<string>
}

export async function freeTheDead(bus: Bus): Promise<Freed[]> {
  const dead = await markedDead(bus)
  if (dead.length === 0) return []
  const freed: Freed[] = []
  let isWhole = true
  const attempt = async (work: () => Promise<void>) => {
    try {
      await work()
    } catch (error) {
      // What is out of order in one protocol keeps nobody from freeing the rest; the next pass tries again.
      if (!(error instanceof SignalboxError)) throw error
      isWhole = false
    }
  }
  const freeAll = async (all: AsyncIterable<Held>) => {
    const found: Held[] = []
    await attempt(async () => {
      for await (const held of all) found.push(held)
    })
    for (const held of found) {
      const { by, what } = held
      await attempt(async () => {
        if (await freeOne(bus, held)) freed.push({ agent: by.name, why: by.why, what })
      })
    }
  }
  for await (const member of bus.used()) {
    await freeAll(messagesOf(member, dead))
    await freeAll(holdingsOf(member, dead))
  }
  await freeAll(locksOf(bus, dead))
  if (isWhole) for (const agent of dead) await bus.directory.noteGone(agent, { freed: true })
  return freed
}

/** The same as work that recurs. */
export const freeingTheDead = (bus: Bus): Duty => ({
  name: 'what dead agents hold',
  watches: [presenceFolder],
  async run() {
    const did = (await freeTheDead(bus)).length
    return { did, nextAt: (await bus.tree.now()) + againMs }
  },
})

async function markedDead({ directory }: Bus): Promise<Marked[]> {
  const homes = new Homes(directory)
  const marked: Marked[] = []
  for await (const agent of directory.dead()) {
    // From here on the agent counts as dead, unless it acts.
    const presence = await directory.noteGone(agent)
    if (!presence) continue
    // A mistake in its file leaves it its own name.
    const listing = await homes.of(agent.name).then(
      (known) => known.listing,
      () => undefined,
    )
    marked.push({
      ...agent,
      presence,
      names: new Set([agent.name, ...(listing?.otherNames ?? [])].map((name) => name.toLowerCase())),
      nameIn: async (protocol) => (listing?.nameIn[protocol] ?? agent.name).toLowerCase(),
    })
  }
  return marked
}

async function* messagesOf({ name, neutral }: Member, dead: readonly Marked[]): AsyncGenerator<Held> {
  const holders = await holdersIn(name, dead)
  for await (const { envelope } of neutral.messages({ stages: ['claimed'] })) {
    const { claim, id, place, handle } = envelope
    const by = claim && holders.get(claim.by.toLowerCase())
    if (!by || !neutral.release) continue
    const { by: agent, attempt } = claim
    const receipt = {
      id,
      agent,
      ...(place === undefined ? {} : { place }),
      ...(attempt === undefined ? {} : { attempt }),
    }
    const free = async () => (await neutral.release!(receipt)).outcome === 'settled'
    yield { what: printReceipt(handle, claim), by, free }
  }
}

async function* holdingsOf({ name, neutral }: Member, dead: readonly Marked[]): AsyncGenerator<Held> {
  const holders = await holdersIn(name, dead)
  for await (const holding of neutral.holdings?.() ?? []) {
    const by = holders.get(holding.by.toLowerCase())
    if (by) yield { what: holding.name, by, free: async () => (await holding.free()) === 'released' }
  }
}

async function* locksOf({ tree }: Bus, dead: readonly Marked[]): AsyncGenerator<Held> {
  const locks = new GlobLocks(tree)
  for (const lock of await locks.list()) {
    const by = dead.find(({ names }) => names.has(lock.owner.toLowerCase()))
    if (by) yield { what: `lock ${lock.glob}`, by, free: async () => (await locks.free(lock)) === 'released' }
  }
}

async function holdersIn(protocol: string, dead: readonly Marked[]): Promise<ReadonlyMap<string, Marked>> {
  const holders = new Map<string, Marked>()
  for (const agent of dead) holders.set(await agent.nameIn(protocol), agent)
  return holders
}

/** Told before it is done, so that nothing is freed that was not told. */
async function freeOne(bus: Bus, { by, what, free }: Held): Promise<boolean> {
  if (!(await bus.directory.isStill(by))) return false
  await tell(bus, { at: isoTime(by.presence.since), agent: by.name, why: by.why, held: what })
  try {
    return await free()
  } catch (error) {
    // It is not the dead agent's any more: another process was first, or the agent came back.
    if (error instanceof SignalboxError && ['Conflict', 'NotFound'].includes(error.kind)) return false
    throw error
  }
}

/** In a turn of its own: two processes that free the same tell it once. */
const tell = ({ tree }: Bus, event: Readonly<Record<string, string>>): Promise<unknown> =>
  tree.exclusively('freed log', () => new EventLog(tree, freedLog, jsonLines).appendOnce(event))
