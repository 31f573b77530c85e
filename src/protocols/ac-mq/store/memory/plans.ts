/** Which bus documents a mission should have, from the messages it has now. Touches no file. AC-MQ §13.2. */
import { type Grouped, groupKnown } from '../../../../text/grouping.ts'
import type { Neighbours } from '../../../../text/neighbours.ts'
import { type Sample, sampleOf } from '../../../../text/sample.ts'
import type { Trigger } from '../../memory/bus-document.ts'
import { completedChains, linksOf } from '../../memory/chains.ts'
import { contributionsTo, type Milestone, milestoneQuery } from '../../memory/contributions.ts'
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
  readonly milestones: readonly (Milestone & { readonly isTicked: boolean })[]
  readonly clusterSize: number
  /** What messages mean, by id. */
  readonly vectors: ReadonlyMap<string, Float32Array>
  readonly provider: string
  /** What was found out the last time. */
  readonly before?: Neighbours | undefined
  /** Too many vectors are missing: groups would mix topics, so they wait. */
  readonly isEarly?: boolean
}

export interface Plans {
  readonly plans: readonly Plan[]
  readonly sample: Sample
  readonly neighbours?: Grouped['neighbours']
}

export function automaticPlans(options: PlanOptions): Plans {
  const { messages, milestones: all, clusterSize, vectors, provider, before, isEarly = false } = options
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
  const done = messages.filter(({ status }) => status === 'completed')
  const helped = contributionsTo(all, done, ({ reasons }, title) => reasons[title])
  const milestones = all.flatMap(({ title, isTicked }): Plan[] => {
    const reasons = helped.get(title)!
    const members = membersOf(reasons.keys(), reasons)
    if (!isTicked || members.size === 0) return []
    return [{ trigger: 'milestone', title, query: milestoneQuery(title), members, provider: 'words' }]
  })
  const others = [...chains, ...milestones]
  if (isEarly) return { plans: others, sample: sampleOf(messages) }
  const { groups, ...known } = groupKnown(messages, { least: 2, vectors }, before)
  // A group whose messages are all in one finished chain has its document already.
  const chainOf = new Map(chains.flatMap(({ members }, i) => [...members.keys()].map((id) => [id, i] as const)))
  const isChain = (ids: readonly string[]) =>
    chainOf.has(ids[0]!) && ids.every((id) => chainOf.get(id) === chainOf.get(ids[0]!))
  const similar = groups
    .filter((ids) => ids.length >= clusterSize && !isChain(ids))
    .map((ids): Plan => ({ trigger: 'similarity', members: membersOf(ids), provider }))
  return { plans: [...others, ...similar], ...known }
}
