/**
 * Where an agent reads: one agent, one home. What people say in its file counts first, then where it was seen first; an agent
 * that nobody knows is at home in AC-MQ.
 */
import { type AgentDirectory, type Home, parseHome } from '../messaging/agents/directory.ts'
import type { Listing } from '../messaging/agents/listing.ts'
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
  readonly #known = new Map<string, Promise<KnownAgent>>()
  #others: Promise<ReadonlyMap<string, Listed>> | undefined

  constructor({ directory, names }: Pick<Bus, 'directory' | 'names'>) {
    this.#directory = directory
    this.#protocols = names
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
    const seen = await this.#directory.seen(listed?.name ?? asked)
    const home = (seen?.home === undefined ? undefined : parseHome(seen.home)) ?? { protocol: usualProtocol }
    // Two spellings of a name are one agent.
    const spelt = seen && !seen.anyCase ? seen.name : asked
    return { name: listed?.name ?? spelt, home, ...(listed ? { listing: listed.listing } : {}) }
  }

  /** Under its own name, or under one of the others that people gave it. */
  async #listed(asked: string): Promise<Listed | undefined> {
    const own = await this.#directory.listing(asked, this.#protocols)
    if (own) return { name: asked, listing: own }
    this.#others ??= this.#otherNames()
    return (await this.#others).get(asked)
  }

  async #otherNames(): Promise<ReadonlyMap<string, Listed>> {
    const others = new Map<string, Listed>()
    for await (const listed of this.#directory.renamed())
      for (const other of listed.listing.otherNames) if (!others.has(other)) others.set(other, listed)
    return others
  }
}

interface Listed {
  readonly name: string
  readonly listing: Listing
}
