/** Which bus documents a mission should have, from the messages it has now. AC-MQ §13.2. */
import type { Embedder } from '../../../../kernel/embedder.ts'
import { withoutUndefined } from '../../../../kernel/field.ts'
import { isEndpointFailure, withMeaning } from '../../../../messaging/search/embedding.ts'
import type { VectorIndex } from '../../../../messaging/search/vector-index.ts'
import { type Grouped, groupKnown } from '../../../../text/grouping.ts'
import type { Neighbours } from '../../../../text/neighbours.ts'
import { type Sample, sampleOf } from '../../../../text/sample.ts'
import type { Manifest } from '../../manifest/manifest.ts'
import { printedQuery, type Trigger } from '../../memory/bus-document.ts'
import type { CachedMessage, MemoryCache } from '../../memory/cache.ts'
import { completedChains, linksOf } from '../../memory/chains.ts'
import { contributionsTo, type Milestone, milestoneQuery } from '../../memory/contributions.ts'
import { busTime } from '../../memory/generated.ts'
import type { AcmqPorts } from '../../ports.ts'
import { readManifest } from '../documents.ts'
import type { MissionFiles } from '../parts.ts'
import { readExisting } from './bus-files.ts'
import type { OpenCache } from './cache.ts'
import { embedMessages, newestFirst, rankMessages } from './search.ts'
import { isSummaryTask } from './summary-task.ts'
import { byTime } from './texts.ts'

export interface Plan {
  readonly trigger: Trigger
  /** What is asked for, where that is known without reading the messages. */
  readonly query?: string
  readonly title?: string
  /** The ids of the messages by time, and why each is in it where the trigger does not say it. */
  readonly members: ReadonlyMap<string, string | undefined>
  readonly provider: string
}

export interface Planned {
  readonly plans: readonly Plan[]
  readonly sample: Sample
  readonly known: Partial<MemoryCache>
  readonly meaning?: GroupMeaning | undefined
  readonly instead?: string | undefined
  readonly missing?: number
}

export interface GroupMeaning {
  readonly embedder: Embedder
  readonly index: VectorIndex
}

/** What a query is answered with: so many messages at most, those that fit at least half as well as the best. */
const mostByQuery = 50
const leastOfBest = 0.5
/** With a larger share of texts that have no vector yet, groups are not made. */
const mostWithout = 0.05
/** So much of a title tells it from another. */
const longestTitle = 900

/** Milestones that are not ticked count as well: messages that contributed to them belong to no other milestone. */
export async function milestonesOf(files: MissionFiles): Promise<Manifest['milestones']> {
  const milestones = (await readManifest(files))?.milestones ?? []
  // Two of the same name are one.
  return [...new Map(milestones.map((one) => [one.title.slice(0, longestTitle), one])).values()]
}

/** By time. Tasks to write a summary are our own, and not about the mission. */
export const messagesByTime = ({ messages }: OpenCache): CachedMessage[] =>
  [...messages.values()].filter(({ id }) => !isSummaryTask(id)).sort(byTime)

/** `mostMs`: how long vectors are made. */
export async function plansOf(
  cache: OpenCache,
  ports: AcmqPorts,
  ticked: Manifest['milestones'],
  mostMs: number,
): Promise<Planned> {
  const { files, before } = cache
  const messages = messagesByTime(cache)
  const existing = await readExisting(files, before.documents)
  const madeAt = new Map([...existing.values()].map(({ query, name }) => [query, busTime(name)]))
  const milestones = ticked.map(({ title, done: isTicked }) =>
    withoutUndefined({ title, isTicked, reachedBy: madeAt.get(printedQuery(milestoneQuery(title))) }),
  )
  const { instead, key, provider, meaning, missing = 0 } = await groupingOf(cache, ports, messages, mostMs)
  const { plans, neighbours, sample } = automaticPlans({
    messages,
    milestones,
    clusterSize: files.settings.clusterSize,
    before: before.provider === key ? before.neighbours : undefined,
    vectors: new Map(
      messages.flatMap(({ id, digest }) => {
        const vector = meaning?.index.vectorOf(digest)
        return vector ? [[id, vector]] : []
      }),
    ),
    provider,
    isEarly: missing > messages.length * mostWithout,
  })
  const known = { provider: key, ...(neighbours ? { neighbours } : {}) }
  return { plans, sample, known, missing, meaning, instead }
}

interface Grouping extends Pick<Planned, 'meaning' | 'missing' | 'instead'> {
  readonly provider: string
  readonly key: string
}

async function groupingOf(
  cache: OpenCache,
  ports: AcmqPorts,
  messages: readonly CachedMessage[],
  mostMs: number,
): Promise<Grouping> {
  const byWords = (): Grouping => ({ provider: 'words', key: 'words' })
  const byMeaning = async (embedder: Embedder): Promise<Grouping> => {
    const { id, version, dim } = embedder
    const newest = messages.toSorted(newestFirst)
    const { index, ...rest } = await embedMessages(cache, embedder, newest, { atFirst: mostMs, later: mostMs })
    return { provider: id, key: JSON.stringify([id, version, dim]), meaning: { embedder, index }, ...rest }
  }
  const { found, failure } = await withMeaning(ports, byMeaning, byWords)
  // Documents say by what they were made; `search` tells what is wrong with the installation.
  if (!failure || !isEndpointFailure(failure)) return found
  return { ...found, provider: fallenBack(found.provider), instead: failure.message }
}

const fallenBack = (provider: string): string => `${provider}, since the configured endpoint failed`

export async function planFor(cache: OpenCache, ports: AcmqPorts, query: string): Promise<Planned> {
  const messages = messagesByTime(cache)
  const newest = messages.toSorted(newestFirst)
  const { ranked, provider, instead, isFallback } = await rankMessages(cache, ports, newest, query)
  const least = (ranked[0]?.score ?? 0) * leastOfBest
  const chosen = ranked.slice(0, mostByQuery).filter(({ score }) => score >= least)
  const reasons = new Map(chosen.map(({ place, by }) => [newest[place]!.id, `found by ${by.join(' and ')}`]))
  const members = new Map(messages.flatMap(({ id }) => (reasons.has(id) ? [[id, reasons.get(id)] as const] : [])))
  const by = isFallback ? fallenBack(provider) : provider
  const plan: Plan = { trigger: 'query', title: query.trim().slice(0, 80), query, members, provider: by }
  return { plans: members.size === 0 ? [] : [plan], sample: sampleOf(messages), known: {}, instead }
}

interface PlanOptions {
  readonly messages: readonly CachedMessage[]
  readonly milestones: readonly (Milestone & { readonly isTicked: boolean })[]
  readonly clusterSize: number
  readonly vectors: ReadonlyMap<string, Float32Array>
  readonly provider: string
  readonly before?: Neighbours | undefined
  /** Too many vectors are missing: groups would mix topics, so none are made. */
  readonly isEarly?: boolean
}

interface AutomaticPlans extends Pick<Planned, 'plans' | 'sample'> {
  readonly neighbours?: Grouped['neighbours']
}

export function automaticPlans(options: PlanOptions): AutomaticPlans {
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
