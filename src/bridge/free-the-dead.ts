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
import { unlessFailed } from '../messaging/leaves/tolerant.ts'
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

/** A dead agent with all its names, in lower case. */
interface Dead extends DeadAgent {
  readonly names: ReadonlySet<string>
  nameIn(protocol: string): string
}

/** Something that a dead agent holds. */
interface Held {
  readonly what: string
  readonly by: Dead
  free(): Promise<boolean>
}

export async function freeTheDead(bus: Bus): Promise<Freed[]> {
  const dead = await deadAgents(bus)
  if (dead.length === 0) return []
  // Listed before their end is written down: what an agent takes after it has come back is not in the list.
  const { found, failures } = await allHeldBy(bus, dead)
  const freed: Freed[] = []
  for (const agent of dead) {
    const presence = await bus.directory.noteGone(agent)
    if (!presence) continue
    const gone = { ...agent, presence }
    for (const held of found.filter(({ by }) => by === agent)) {
      await unlessOutOfOrder(failures, async () => {
        if (await freeOne(bus, gone, held.what, held.free)) freed.push(told(held))
      })
    }
    if (failures.length === 0) await bus.directory.noteGone(gone, { freed: true })
  }
  return freed
}

/** What dead agents hold now. Nothing is changed. */
export async function heldByTheDead(bus: Bus): Promise<Freed[]> {
  const dead = await deadAgents(bus)
  return dead.length === 0 ? [] : (await allHeldBy(bus, dead)).found.map(told)
}

const told = ({ by, what }: Held): Freed => ({ agent: by.name, why: by.why, what })

async function allHeldBy(bus: Bus, dead: readonly Dead[]) {
  const found: Held[] = []
  const failures: SignalboxError[] = []
  const list = (all: AsyncIterable<Held>) =>
    unlessOutOfOrder(failures, async () => {
      for await (const held of all) found.push(held)
    })
  for await (const member of bus.used()) {
    await list(messagesOf(member, dead))
    await list(holdingsOf(member, dead))
  }
  await list(locksOf(bus, dead))
  return { found, failures }
}

/** What is out of order in one protocol keeps nobody from freeing the rest; the next pass tries again. */
async function unlessOutOfOrder(failures: SignalboxError[], work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error
    failures.push(error)
  }
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

async function deadAgents(bus: Bus): Promise<Dead[]> {
  const homes = new Homes(bus)
  const dead: Dead[] = []
  for await (const agent of bus.directory.dead()) {
    // A mistake in its file leaves it its own name.
    const listing = (await unlessFailed(homes.of(agent.name)))?.listing
    dead.push({
      ...agent,
      names: new Set([agent.name, ...(listing?.otherNames ?? [])].map((name) => name.toLowerCase())),
      nameIn: (protocol) => (listing?.nameIn[protocol] ?? agent.name).toLowerCase(),
    })
  }
  return dead
}

async function* messagesOf({ name, neutral }: Member, dead: readonly Dead[]): AsyncGenerator<Held> {
  const holders = holdersIn(name, dead)
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

async function* holdingsOf({ name, neutral }: Member, dead: readonly Dead[]): AsyncGenerator<Held> {
  const holders = holdersIn(name, dead)
  for await (const holding of neutral.holdings?.() ?? []) {
    const by = holders.get(holding.by.toLowerCase())
    if (by) yield { what: holding.name, by, free: async () => (await holding.free()) === 'released' }
  }
}

async function* locksOf({ tree }: Bus, dead: readonly Dead[]): AsyncGenerator<Held> {
  const locks = new GlobLocks(tree)
  for (const lock of await locks.list()) {
    const by = dead.find(({ names }) => names.has(lock.owner.toLowerCase()))
    if (by) yield { what: `lock ${lock.glob}`, by, free: async () => (await locks.free(lock)) === 'released' }
  }
}

const holdersIn = (protocol: string, dead: readonly Dead[]): ReadonlyMap<string, Dead> =>
  new Map(dead.map((agent) => [agent.nameIn(protocol), agent]))

/** Told before it is done, so that nothing is freed that was not told. */
async function freeOne(bus: Bus, gone: DeadAgent, held: string, free: Held['free']): Promise<boolean> {
  if (!(await bus.directory.isStill(gone))) return false
  await tell(bus, { at: isoTime(gone.presence.since), agent: gone.name, why: gone.why, held })
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
