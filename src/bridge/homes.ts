/**
 * Where an agent reads: one agent, one home. What people say in its file counts first, then what they say in files of a protocol,
 * then where it was seen first; an agent that nobody knows is at home in AC-MQ.
 */
import { once } from '../kernel/once.ts'
import { type AgentDirectory, type Home, parseHome } from '../messaging/agents/directory.ts'
import type { Listing } from '../messaging/agents/listing.ts'
import type { GivenHome } from '../protocols/contract.ts'
import type { Bus } from './bus.ts'

/** The home of an agent of which nothing is known. */
export const usualProtocol = 'acmq'

export interface KnownAgent {
  /** As its file or its first act spells it. */
  readonly name: string
  readonly home: Home
  readonly listing?: Listing
}

export class Homes {
  readonly #directory: AgentDirectory
  readonly #known = new Map<string, Promise<KnownAgent>>()
  readonly #given: () => Promise<readonly GivenHome[]>

  constructor({ directory, homes = async () => [] }: Pick<Bus, 'directory' | 'homes'>) {
    this.#directory = directory
    this.#given = once(homes)
  }

  /** The agents of which people have said something. */
  async listedNames(): Promise<string[]> {
    const given = (await this.#given()).map(({ name }) => name)
    return [...new Set([...(await this.#directory.listedNames()), ...given])]
  }

  /** Asked once for each name: a caller that stays opens a new one for each request. */
  of(name: string): Promise<KnownAgent> {
    const known = this.#known.get(name) ?? this.#find(name)
    this.#known.set(name, known)
    return known
  }

  /** What an agent is called in a protocol. */
  async nameIn(protocol: string, agent: string): Promise<string> {
    const { name, listing } = await this.of(agent)
    return listing?.nameIn[protocol] ?? name
  }

  async #find(asked: string): Promise<KnownAgent> {
    const listed = await this.#listed(asked)
    if (listed?.listing.home) return { ...listed, home: listed.listing.home }
    const given = (await this.#given()).find(({ name }) => name === (listed?.name ?? asked))
    if (given) {
      const { name, home, called } = given
      const listing = { otherNames: [], ...listed?.listing, home }
      return { name, home, listing: { ...listing, nameIn: { [home.protocol]: called, ...listed?.listing.nameIn } } }
    }
    const seen = await this.#directory.seen(listed?.name ?? asked)
    const home = (seen?.home === undefined ? undefined : parseHome(seen.home)) ?? { protocol: usualProtocol }
    // Two spellings of a name are one agent.
    const spelt = seen && !seen.anyCase ? seen.name : asked
    return { name: listed?.name ?? spelt, home, ...(listed ? { listing: listed.listing } : {}) }
  }

  /** Under its own name, or under one of the others that people gave it. */
  async #listed(asked: string): Promise<{ readonly name: string; readonly listing: Listing } | undefined> {
    const own = await this.#directory.listing(asked)
    if (own) return { name: asked, listing: own }
    for (const name of await this.#directory.listedNames()) {
      const listing = await this.#directory.listing(name).catch(() => undefined)
      if (listing?.otherNames.includes(asked)) return { name, listing }
    }
    return undefined
  }
}
