/** Which bus documents a mission should have, from the messages it has now. Touches no file. AC-MQ §13.2. */
import { type Grouped, groupKnown } from '../../../../text/grouping.ts'
import type { Neighbours } from '../../../../text/neighbours.ts'
import type { Trigger } from '../../memory/bus-document.ts'
import { completedChains, linksOf } from '../../memory/chains.ts'
import { withDependencies } from '../../memory/contributions.ts'
import type { Noted } from '../../memory/noted.ts'

/** Messages that belong in one document. */
export interface Plan {
  readonly trigger: Trigger
  /** What is asked for, where that is known without reading the messages. */
  readonly query?: string
  /** Of the milestone, or the query. */
  readonly title?: string
  /** The ids of the messages by time, and why each is in it where the trigger does not say it. */
  readonly members: ReadonlyMap<string, string | undefined>
  readonly provider: string
}

export interface PlanOptions {
  /** By time. */
  readonly messages: readonly Noted[]
  /** Titles of the milestones that are ticked. */
  readonly titles: readonly string[]
  readonly clusterSize: number
  /** From an endpoint, one for each message. */
  readonly vectors?: readonly Float32Array[]
  readonly provider: string
  /** What was found out the last time. */
  readonly before?: Neighbours | undefined
}

export interface Plans extends Omit<Grouped, 'groups'> {
  readonly plans: readonly Plan[]
}

export function automaticPlans(options: PlanOptions): Plans {
  const { messages, titles, clusterSize, vectors, provider, before } = options
  const order = new Map(messages.map(({ id }, at) => [id, at]))
  const membersOf = (ids: Iterable<string>, reasons?: ReadonlyMap<string, string>) =>
    new Map([...ids].sort((a, b) => order.get(a)! - order.get(b)!).map((id) => [id, reasons?.get(id)] as const))
  const links = linksOf(messages)
  const chains = completedChains(messages, links).map((ids): Plan => {
    const members = membersOf(ids)
    const { name } = messages[order.get(members.keys().next().value!)!]!
    const query = `Dependency graph traversal from message ${name}`
    return { trigger: 'chain', query, members, provider: 'dependencies' }
  })
  const milestones = titles.flatMap((title): Plan[] => {
    const reasons = contributors(title, messages)
    const query = `Messages that contributed to the milestone: ${title}`
    const members = membersOf(reasons.keys(), reasons)
    return reasons.size === 0 ? [] : [{ trigger: 'milestone', title, query, members, provider: 'words' }]
  })
  const meaning = vectors ? { vectors: new Map(messages.map(({ id }, i) => [id, vectors[i]!])) } : {}
  const { groups, ...known } = groupKnown(messages, { least: 2, links, ...meaning }, before)
  // A group whose messages are all in one finished chain has its document already.
  const chainOf = new Map(chains.flatMap(({ members }, i) => [...members.keys()].map((id) => [id, i] as const)))
  const isChain = (ids: readonly string[]) =>
    chainOf.has(ids[0]!) && ids.every((id) => chainOf.get(id) === chainOf.get(ids[0]!))
  const similar = groups
    .filter((ids) => ids.length >= clusterSize && !isChain(ids))
    .map((ids): Plan => ({ trigger: 'similarity', members: membersOf(ids), provider }))
  return { plans: [...chains, ...milestones, ...similar], ...known }
}

/** Those that contributed by themselves, and what they depend on. */
function contributors(title: string, messages: readonly Noted[]): ReadonlyMap<string, string> {
  const found = messages.flatMap(({ id, status, reasons }) => {
    const reason = status === 'completed' ? reasons[title] : undefined
    return reason === undefined ? [] : [[id, reason] as const]
  })
  return withDependencies(messages, found)
}
