/** What agents, people and supervisors do by the verbs for every agent, and how things must stand in the end, wherever they die. */
import { addAgent, removeAgent } from '../../src/bridge/agent-files.ts'
import { Box } from '../../src/bridge/box.ts'
import type { Bus } from '../../src/bridge/bus.ts'
import { freeTheDead } from '../../src/bridge/free-the-dead.ts'
import { GlobLocks } from '../../src/bridge/locks.ts'

export interface Verb {
  /** What is done before, unharmed. */
  prepare(bus: Bus, home: string): Promise<unknown>
  act(bus: Bus): Promise<unknown>
  /** What may be left by a process that was killed; `isTold`: by one that was not. Then it is done again, and `ends` holds. */
  may?(seen: Seen, isTold: boolean): boolean
  ends(seen: Seen, home: string): boolean
}

/** How things stand. */
export interface Seen {
  /** The stages of what was sent to the agent: of each message the furthest, since a change that is half done shows two. */
  readonly stages: readonly string[]
  readonly waiting: number
  /** What came of the first message. */
  readonly result: string | undefined
  readonly locks: readonly string[]
  readonly presence: string | undefined
  readonly doing: string | undefined
  readonly home: string
  readonly isListed: boolean
  readonly told: readonly string[]
}

const draft = { from: 'lead', to: 'coder', text: 'Work' }
const listed = (bus: Bus, home: string) => addAgent(bus, 'coder', { home })
const sent = async (bus: Bus, home: string) => {
  await listed(bus, home)
  await new Box(bus).send(draft)
}
const take = async (bus: Bus) => {
  const taken = await new Box(bus).take('coder')
  if (taken) await new Box(bus).shown(taken, 'coder', 'test')
  return taken
}
const taken = async (bus: Bus, home: string) => {
  await sent(bus, home)
  await take(bus)
}
const gone = async (bus: Bus, home: string) => {
  await taken(bus, home)
  await new GlobLocks(bus.tree).take({ glob: 'src/**', owner: 'coder', ttlMs: 3600_000 })
  await bus.directory.note('coder', { state: 'gone' })
}
/** The receipt of what the agent has or had first: as it copied it from `take`. */
const receipt = async (bus: Bus) => {
  for await (const { neutral } of bus.used())
    for await (const { envelope } of neutral.messages({ to: 'coder', archived: true })) return `${envelope.handle}@1`
  throw new Error('there is no message')
}
/** Repeating it after it was given back is refused: it is not the agent's any more. */
const unlessLost = async (work: Promise<unknown>) => {
  try {
    return await work
  } catch (error) {
    if ((error as { code?: string }).code === 'LOST_CLAIM') return undefined
    throw error
  }
}
const is = (seen: Seen, ...stages: readonly string[]) => JSON.stringify(seen.stages) === JSON.stringify(stages)

export const verbs: Readonly<Record<string, Verb>> = {
  'send under a key': {
    prepare: listed,
    act: (bus) => new Box(bus).send(draft, { key: 'k' }),
    may: (seen, isTold) => is(seen, 'written') || (!isTold && is(seen)),
    ends: (seen) => is(seen, 'written') && seen.waiting === 1,
  },
  take: {
    prepare: sent,
    act: take,
    may: (seen, isTold) => is(seen, 'claimed') || (!isTold && is(seen, 'written')),
    // In Dream.OS a lease comes first, and a file that a killed process has leased waits until that ends.
    ends: (seen, home) => is(seen, 'claimed') || (home === 'dream' && is(seen, 'written')),
  },
  done: {
    prepare: taken,
    act: async (bus) => new Box(bus).done(await receipt(bus), { text: 'Did it' }, 'coder'),
    may: (seen, isTold) => is(seen, 'finished') || (!isTold && is(seen, 'claimed')),
    ends: (seen) => is(seen, 'finished') && seen.result === 'Did it',
  },
  release: {
    prepare: taken,
    act: async (bus) => unlessLost(new Box(bus).release(await receipt(bus), 'coder')),
    may: (seen, isTold) => is(seen, 'written') || (!isTold && is(seen, 'claimed')),
    ends: (seen) => is(seen, 'written') && seen.waiting === 1,
  },
  'note a presence': {
    prepare: listed,
    act: (bus) => bus.directory.note('coder', { state: 'busy', doing: 'the login', session: 's' }),
    may: (seen, isTold) => seen.presence === 'busy' || (!isTold && seen.presence === undefined),
    ends: (seen) => seen.presence === 'busy' && seen.doing === 'the login',
  },
  'come back': {
    prepare: gone,
    act: (bus) => bus.directory.acted('coder'),
    may: (seen, isTold) => seen.presence === undefined || (!isTold && seen.presence === 'gone'),
    ends: (seen) => seen.presence === undefined && is(seen, 'claimed') && seen.told.length === 0,
  },
  'free what the dead hold': {
    prepare: gone,
    act: freeTheDead,
    may: (seen, isTold) => !isTold || (is(seen, 'written') && seen.locks.length === 0),
    ends: (seen) =>
      is(seen, 'written') &&
      seen.locks.length === 0 &&
      seen.presence === 'gone' &&
      new Set(seen.told).size === 2 &&
      seen.told.length === 2,
  },
  'add an agent': {
    prepare: async () => {},
    act: (bus) => addAgent(bus, 'coder', { home: 'acmq:shop', about: 'writes: code' }),
    may: (seen, isTold) => seen.home === 'acmq:shop' || (!isTold && !seen.isListed),
    ends: (seen) => seen.isListed && seen.home === 'acmq:shop',
  },
  'change an agent': {
    prepare: (bus) => addAgent(bus, 'coder', { home: 'acmq:shop' }),
    act: (bus) => addAgent(bus, 'coder', { home: 'mr', client: 'codex' }),
    may: (seen, isTold) => seen.home === 'mr' || (!isTold && seen.home === 'acmq:shop'),
    ends: (seen) => seen.home === 'mr',
  },
  'remove an agent': {
    prepare: (bus) => addAgent(bus, 'coder', { home: 'acmq:shop' }),
    act: (bus) => removeAgent(bus, 'coder'),
    may: (seen, isTold) => !seen.isListed || !isTold,
    ends: (seen) => !seen.isListed,
  },
}

/** Verbs that are about files of agents: the same wherever the agent is at home. */
export const ofNoHome: readonly string[] = ['note a presence', 'add an agent', 'change an agent', 'remove an agent']
