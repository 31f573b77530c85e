/**
 * Where an agent reads: one agent, one home. What people say in its file counts first, then what they say in files of a protocol,
 * then where it was seen first; an agent that nobody knows is at home in AC-MQ.
 */
import { Lately } from '../kernel/lately.ts'
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
  readonly #protocols: readonly string[]
  readonly #homesGiven: () => Promise<readonly GivenHome[]>
  readonly #lately = new Lately<KnownAgent>()
  readonly #others = new Lately<ReadonlyMap<string, Listed>>()
  readonly #given = new Lately<readonly GivenHome[]>()

  constructor({ directory, names, homes = async () => [] }: Pick<Bus, 'directory' | 'names' | 'homes'>) {
    this.#directory = directory
    this.#protocols = names
    this.#homesGiven = homes
  }

  /** The agents of which people have said something. */
  async listedNames(): Promise<string[]> {
    const given = (await this.#givenNow()).map(({ name }) => name)
    return [...new Set([...(await this.#directory.listedNames()), ...given])]
  }

  /** The homes that people say in files of protocols. */
  async #givenNow(): Promise<readonly GivenHome[]> {
    const known = this.#given.get('all')
    if (known) return known
    const given = await this.#homesGiven()
    this.#given.set('all', given)
    return given
  }

  async of(name: string): Promise<KnownAgent> {
    return this.#lately.get(name) ?? this.#find(name)
  }

  /** What an agent is called in a protocol. */
  async nameIn(protocol: string, agent: string): Promise<string> {
    return nameIn(protocol, this.#lately.get(agent) ?? (await this.#find(agent)))
  }

  async #find(asked: string): Promise<KnownAgent> {
    const listed = await this.#listed(asked)
    const given = listed?.listing.home ? undefined : await this.#givenTo(listed?.name ?? asked)
    if (given) {
      const { name, home, called } = given
      const listing = { otherNames: [], ...listed?.listing, home }
      return { name, home, listing: { ...listing, nameIn: { [home.protocol]: called, ...listed?.listing.nameIn } } }
    }
    const seen = listed?.listing.home ? undefined : await this.#directory.seen(listed?.name ?? asked)
    const home = listed?.listing.home ?? (seen?.home === undefined ? undefined : parseHome(seen.home))
    // Two spellings of a name are one agent.
    const spelt = seen && !seen.anyCase ? seen.name : asked
    const known = {
      name: listed?.name ?? spelt,
      home: home ?? { protocol: usualProtocol },
      ...(listed ? { listing: listed.listing } : {}),
    }
    // Where nothing is known the agent may get its home by what it does next, in this process too.
    if (home) this.#lately.set(asked, known)
    return known
  }

  async #givenTo(agent: string): Promise<GivenHome | undefined> {
    return (await this.#givenNow()).find(({ name }) => name === agent)
  }

  /** Under its own name, or under one of the others that people gave it. */
  async #listed(asked: string): Promise<Listed | undefined> {
    const own = await this.#directory.listing(asked, this.#protocols)
    if (own) return { name: asked, listing: own }
    const others = this.#others.get('all') ?? (await this.#otherNames())
    return others.get(asked)
  }

  async #otherNames(): Promise<ReadonlyMap<string, Listed>> {
    const others = new Map<string, Listed>()
    for await (const listed of this.#directory.renamed())
      for (const other of listed.listing.otherNames) if (!others.has(other)) others.set(other, listed)
    this.#others.set('all', others)
    return others
  }
}

interface Listed {
  readonly name: string
  readonly listing: Listing
}

/** What an agent is called in a protocol. */
export const nameIn = (protocol: string, { name, listing }: KnownAgent): string => listing?.nameIn[protocol] ?? name
