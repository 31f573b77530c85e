/**
 * Makes and renews the bus documents of a mission. AC-MQ §13.
 *
 * First it is worked out which messages belong together; documents that were made of exactly these are left alone. The others
 * are written in one turn that no other process has at the same time, in which each plan is matched with the documents that
 * are there. So two supervisors make each document once. A document that a person changed is left as it is, and another one is
 * written beside it.
 */
import type { Embedder } from '../../../../kernel/embedder.ts'
import { inlineCode } from '../../../../kernel/quotation.ts'
import { childOf, type TreePath } from '../../../../kernel/tree-path.ts'
import { groupName } from '../../../../text/group-names.ts'
import { sampleOf } from '../../../../text/sample.ts'
import type { Manifest } from '../../manifest/manifest.ts'
import { blockedForGood, whyBlocked } from '../../memory/blocked.ts'
import type { Book, BookDocument, BookUsage } from '../../memory/book.ts'
import { type BusContent, printedQuery, type Trigger } from '../../memory/bus-document.ts'
import { linksOf } from '../../memory/chains.ts'
import { milestoneQuery } from '../../memory/contributions.ts'
import { busTime } from '../../memory/generated.ts'
import { digestOf, type Noted } from '../../memory/noted.ts'
import { extractiveSummary } from '../../memory/summary.ts'
import { type Written, writtenBy } from '../../memory/written.ts'
import type { AcmqPorts, Writer } from '../../ports.ts'
import { readManifest } from '../documents.ts'
import type { MissionFiles } from '../parts.ts'
import { keepBook, type OpenBook, openBook, textIn } from './book.ts'
import {
  busPath,
  type Chosen,
  changeSummary,
  doublesIn,
  type Existing,
  freeName,
  match,
  readExisting,
  readHead,
  removeDoubles,
  removeOrphans,
  write,
} from './bus-files.ts'
import { embedTexts } from './embedding.ts'
import { listQueues, type QueueListing } from './listing.ts'
import { automaticPlans, type Plan } from './plans.ts'
import { isEndpointFailure, isProviderFailure, newestFirst, rankMessages, textFor, unembedded } from './search.ts'
import { answeredSummary, isSummaryTask, type SummaryDesk, summaryOf, summaryTaskId } from './summary-task.ts'
import { type MessageText, textOf } from './texts.ts'
import { othersThan, usageIn } from './usual.ts'
import type { VectorIndex } from './vector-index.ts'

export interface BusOptions {
  /** Only a document of what this query finds. */
  readonly query?: string
  /** An agent that shall write the summaries. */
  readonly by?: string
}

interface PassOptions {
  readonly listing?: QueueListing
  /** How long the model may take for all summaries together. What is left then is for the next pass. */
  readonly patienceMs?: number
}

export interface BusDocument {
  readonly outcome: 'made' | 'renewed' | 'unchanged'
  readonly path: string
  readonly trigger: Trigger
  readonly query: string
  /** The ids; of a document that only got another summary the first ones. */
  readonly messages: readonly string[]
  readonly provider: string
  readonly summaryBy: string
  /** The message that asks an agent for a summary, if one does. */
  readonly asked?: string
}

export interface BusMade {
  readonly outcome: 'made' | 'unchanged' | 'asked' | 'nothing'
  readonly documents: readonly BusDocument[]
  /** Why vectors or summaries are not those of the configured endpoint, or which vectors are still missing. */
  readonly instead?: string
  /** How many messages have no vector yet, so that there is more to do. */
  readonly missing?: number
}

/** What a query is answered with: so many messages at most, those that fit at least half as well as the best. */
const mostByQuery = 50
const leastOfBest = 0.5
/** How long vectors are made in one go, in milliseconds: by a command, and by supervision, which settles stalls in between. */
const embeddingMs = { asked: 10_000, supervised: 3000 }
/** So many texts without a vector yet, of all, change little in the groups; with more of them groups wait. */
const mostWithout = 0.05

export async function makeBusDocuments(
  files: MissionFiles,
  ports: AcmqPorts,
  desk: SummaryDesk,
  { query, by, listing, patienceMs }: BusOptions & PassOptions = {},
): Promise<BusMade> {
  const milestones = query === undefined ? await milestonesOf(files) : []
  const titles = milestones.map(({ title }) => title)
  const book = await openBook(files, titles, listing ?? (await listQueues(files)))
  const planned = await (query === undefined
    ? plansOf(files, ports, book, milestones, patienceMs === undefined ? embeddingMs.asked : embeddingMs.supervised)
    : planFor(files, ports, book, query))
  const { documents, failure, ...made } = await renew(files, desk, book, planned, await ports.writer(), patienceMs)
  const { before, entries, read } = book
  const known = { ...before, ...planned.known, titles: book.titles, entries, ...made.known }
  await keepBook(files, known, read + made.wrote)
  const told: BusDocument[] = []
  for (const document of documents) {
    const asked = by === undefined ? undefined : await desk.ask(document.path, by, document.summaryBy)
    told.push({ ...document, ...(asked === undefined ? {} : { asked }) })
  }
  const outcome = told.length > 0 ? outcomeOf(told) : query === undefined ? 'unchanged' : 'nothing'
  const instead = [planned.instead, failure].filter((why) => why !== undefined).join(' ')
  const missing = planned.missing ? { missing: planned.missing } : {}
  return { outcome, documents: told, ...(instead === '' ? {} : { instead }), ...missing }
}

function outcomeOf(documents: readonly BusDocument[]): BusMade['outcome'] {
  if (documents.some(({ asked }) => asked !== undefined)) return 'asked'
  return documents.every(({ outcome }) => outcome === 'unchanged') ? 'unchanged' : 'made'
}

/** So much of a title tells it from another. */
const longestTitle = 900

/** Those that are not ticked yet count, too: what was done for them was not done for another. */
async function milestonesOf(files: MissionFiles): Promise<Manifest['milestones']> {
  const milestones = (await readManifest(files))?.milestones ?? []
  // Two of the same name are one.
  return [...new Map(milestones.map((one) => [one.title.slice(0, longestTitle), one])).values()]
}

interface Planned {
  /** Only of this; otherwise of everything. */
  readonly query?: string
  readonly plans: readonly Plan[]
  readonly usage: BookUsage
  /** For the book. */
  readonly known: Partial<Book>
  /** By which documents get their names. */
  readonly meaning?: GroupMeaning
  readonly instead?: string
  readonly missing?: number
}

/** By time. Tasks to write a summary are our own, and not about the mission. */
const byTime = ({ messages }: OpenBook): Noted[] =>
  [...messages.values()]
    .filter(({ id }) => !isSummaryTask(id))
    .sort((a, b) => (a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : a.id < b.id ? -1 : 1))

async function plansOf(
  files: MissionFiles,
  ports: AcmqPorts,
  book: OpenBook,
  ticked: Manifest['milestones'],
  mostMs: number,
): Promise<Planned> {
  const messages = byTime(book)
  const existing = await readExisting(files, book.before.documents)
  const madeAt = new Map([...existing.values()].map(({ query, name }) => [query, busTime(name)]))
  const milestones = ticked.map(({ title, done: isTicked }) => {
    const reachedBy = madeAt.get(printedQuery(milestoneQuery(title)))
    return { title, isTicked, ...(reachedBy === undefined ? {} : { reachedBy }) }
  })
  const { instead, key, provider, meaning, missing = 0 } = await groupingMeaning(files, ports, book, messages, mostMs)
  const before = book.before.provider === key ? book.before.neighbours : undefined
  const { clusterSize } = files.settings
  const vectors = new Map(messages.flatMap(({ id, digest }) => pairOf(id, meaning?.index.vectorOf(digest))))
  const isEarly = missing > messages.length * mostWithout
  const { plans, neighbours, sample } = automaticPlans({
    messages,
    milestones,
    clusterSize,
    before,
    vectors,
    provider,
    isEarly,
  })
  const usage = await usageIn(files, book, sample)
  return {
    plans,
    usage,
    known: { provider: key, ...(neighbours ? { neighbours } : {}), usage },
    missing,
    ...(meaning ? { meaning } : {}),
    ...(instead === undefined ? {} : { instead }),
  }
}

const pairOf = <T>(id: string, vector: T | undefined): [string, T][] => (vector === undefined ? [] : [[id, vector]])

interface Grouping {
  readonly provider: string
  /** Names whose vectors are compared. */
  readonly key: string
  readonly meaning?: GroupMeaning
  readonly missing?: number
  readonly instead?: string
}

const byWords: Grouping = { provider: 'words', key: 'words' }

interface GroupMeaning {
  readonly embedder: Embedder
  readonly index: VectorIndex
}

async function groupingMeaning(
  files: MissionFiles,
  ports: AcmqPorts,
  book: OpenBook,
  messages: readonly Noted[],
  mostMs: number,
): Promise<Grouping> {
  const by = async (which: 'configured' | 'offline'): Promise<Grouping> => {
    const { embedder } = await ports.meaning(which)
    if (!embedder) return byWords
    const { id, version, dim } = embedder
    const texts = messages
      .toSorted(newestFirst)
      .map((one) => ({ digest: one.digest, text: () => textFor(files, book, one.id) }))
    const patience = { atFirst: mostMs, later: mostMs }
    const { index, missing } = await embedTexts(files, embedder, texts, patience)
    const told = missing > 0 ? { instead: unembedded(missing, messages.length) } : {}
    return { provider: id, key: JSON.stringify([id, version, dim]), meaning: { embedder, index }, missing, ...told }
  }
  try {
    return await by('configured')
  } catch (error) {
    if (!isProviderFailure(error)) throw error
    // Documents say by what they were made; `search` tells what is wrong with the installation.
    if (!isEndpointFailure(error)) return byWords
    const local = await by('offline').catch((thrown: unknown) => {
      if (!isProviderFailure(thrown)) throw thrown
      return byWords
    })
    return { ...local, provider: fallenBack(local.provider), instead: error.message }
  }
}

const fallenBack = (provider: string): string => `${provider}, since the configured endpoint failed`

/** `undefined` for what has gone since. */
async function textsOf(files: MissionFiles, book: OpenBook, messages: Iterable<{ readonly id: string }>) {
  const texts: (MessageText | undefined)[] = []
  for (const { id } of messages) texts.push(await textIn(files, book, id))
  return texts
}

async function planFor(files: MissionFiles, ports: AcmqPorts, book: OpenBook, query: string): Promise<Planned> {
  const messages = byTime(book)
  const newest = messages.toSorted(newestFirst)
  const { ranked, provider, instead, isFallback } = await rankMessages(files, ports, book, newest, query)
  const least = (ranked[0]?.score ?? 0) * leastOfBest
  const chosen = ranked.slice(0, mostByQuery).filter(({ score }) => score >= least)
  const reasons = new Map(chosen.map(({ place, by }) => [newest[place]!.id, `found by ${by.join(' and ')}`]))
  const members = new Map(messages.flatMap(({ id }) => (reasons.has(id) ? [[id, reasons.get(id)] as const] : [])))
  const title = query.trim().slice(0, 80)
  const by = isFallback ? fallenBack(provider) : provider
  const plan: Plan = { trigger: 'query', title, query, members, provider: by }
  const sample = sampleOf(messages)
  const usage = await usageIn(files, book, sample)
  return {
    query,
    plans: members.size === 0 ? [] : [plan],
    usage,
    known: {},
    ...(instead === undefined ? {} : { instead }),
  }
}

type Told = Omit<BusDocument, 'asked' | 'path'> & { readonly path: TreePath }

interface Renewed {
  readonly documents: readonly Told[]
  /** How many documents were made. */
  readonly wrote: number
  /** Why the model did not write a summary that it was asked for. */
  readonly failure?: string
  readonly known: Pick<Book, 'documents'>
}

/** Changes with everything that a document is made of, so that it need not be made again to see that it stays the same. */
const version = 2

async function renew(
  files: MissionFiles,
  desk: SummaryDesk,
  book: OpenBook,
  { query: only, plans, usage, meaning }: Planned,
  writer: Writer | undefined,
  patienceMs = Number.POSITIVE_INFINITY,
): Promise<Renewed> {
  const { before, messages } = book
  const folder = busPath(files)
  const blocked = new Map([...blockedForGood(byTime(book))].map(([{ id }, why]) => [id, whyBlocked(why, inlineCode)]))
  const madeOf = (plan: Plan, { own, changed }: Chosen, writtenWith: Writer | null | undefined = writer): string => {
    const answer = own && messages.get(summaryTaskId(childOf(folder, own.name)))
    let members = ''
    for (const [id, why = ''] of plan.members)
      members += `${messages.get(id)!.content} ${why} ${blocked.get(id) ?? ''}\n`
    const { trigger, query, provider } = plan
    const rest = [usage.sample, files.settings.busDocumentBytes, writtenWith?.id, changed?.name, answer?.content]
    return digestOf(JSON.stringify([version, trigger, query, provider, ...rest, members]))
  }
  const isDue = (plan: Plan, chosen: Chosen): boolean =>
    chosen.own === undefined || chosen.own.madeOf !== madeOf(plan, chosen)
  /** Documents that this pass does not make again, such as those of a query, and whose summary an agent has written since. */
  const answeredAlone = (existing: ReadonlyMap<string, Existing>, chosen: readonly Chosen[]): Existing[] => {
    if (only !== undefined) return []
    const made = new Set(chosen.map(({ own }) => own))
    return [...existing.values()].filter(
      (one) =>
        one.isOurs &&
        !made.has(one) &&
        (one.summaryBy === 'extractive' || one.summaryBy.startsWith('model ')) &&
        messages.get(summaryTaskId(childOf(folder, one.name)))?.status === 'completed',
    )
  }
  const existing = await readExisting(files, before.documents)
  const found = match(plans, existing.values())
  const contents = new Map<Plan, BusContent>()
  const failures = new Map<Plan, string>()
  const late = new Set<Plan>()
  const until = files.clock.now() + patienceMs
  for (const [i, plan] of plans.entries()) {
    if (!isDue(plan, found[i]!)) continue
    const isLate = writer !== undefined && files.clock.now() >= until
    // A document that is there has a summary already, of a little less.
    if (isLate && found[i]!.own) continue
    if (isLate) late.add(plan)
    const content = await contentOf(files, book, plan, usage, { blocked, meaning })
    const path = found[i]!.own && childOf(folder, found[i]!.own.name)
    const written = writer && path ? await readHead(files, path) : undefined
    // The model is asked outside of the turn, and only about what it has not been shown before.
    if (!content) continue
    const made: Written = writer && !isLate ? await writtenBy(writer, content, written) : { content }
    contents.set(plan, made.content)
    if (made.failure !== undefined) failures.set(plan, made.failure)
  }
  const documents = new Map<string, BookDocument>(existing)
  const told: Told[] = []
  const tell = (plan: Plan, path: TreePath, outcome: BusDocument['outcome'], head: BookDocument): void => {
    const { trigger, query = head.query, provider, members } = plan
    const { summaryBy } = head
    told.push({ outcome, path, trigger, query, messages: [...members.keys()], provider, summaryBy })
  }
  const writeDue = async () => {
    const names = new Set((await files.tree.list(folder)).map(({ name }) => name))
    const now = await readExisting(files, documents)
    await removeOrphans(files, names, now)
    const matched = match(plans, now.values())
    for (const [i, chosen] of matched.entries()) {
      const plan = plans[i]!
      const content = contents.get(plan)
      const { own, changed } = chosen
      if (!content) {
        if (own) tell(plan, childOf(folder, own.name), 'unchanged', own)
        continue
      }
      const name = own?.name ?? freeName(content.title, await files.tree.now(), names)
      names.add(name)
      const path = childOf(folder, name)
      const isAnswered = messages.has(summaryTaskId(path))
      const summed = isAnswered ? await answeredSummary(desk, path, content) : content
      const last = changed === undefined ? summed : { ...summed, insteadOf: changed.name }
      const { outcome, head } = await write(files, path, own, last)
      const mark = outcome === 'unchanged' && own ? own.mark : ''
      // A model that failed, or was not asked in time, is asked by the next pass.
      const known = {
        ...head,
        mark,
        madeOf: madeOf(plan, chosen, failures.has(plan) || late.has(plan) ? null : writer),
      }
      documents.set(name, known)
      tell(plan, path, outcome, known)
    }
    for (const { name, query: asked, trigger, anchors, provider } of answeredAlone(now, matched)) {
      const path = childOf(folder, name)
      const answer = await desk.answer(path)
      if (!answer || !(await changeSummary(files, path, summaryOf(answer)))) continue
      documents.delete(name)
      const summaryBy = answer.by
      told.push({
        outcome: 'renewed',
        path,
        trigger: trigger as Trigger,
        query: asked,
        messages: anchors,
        provider,
        summaryBy,
      })
    }
    await removeDoubles(files, doublesIn(now, plans, matched))
    for (const name of documents.keys()) if (!names.has(name)) documents.delete(name)
  }
  const isMore = answeredAlone(existing, found).length > 0 || doublesIn(existing, plans, found).length > 0
  if (contents.size > 0 || isMore) await files.tree.exclusively(`ac-mq bus ${files.path}`, writeDue)
  else for (const [i, { own }] of found.entries()) if (own) tell(plans[i]!, childOf(folder, own.name), 'unchanged', own)
  const [failure] = failures.values()
  return { documents: told, wrote: contents.size, known: { documents }, ...(failure === undefined ? {} : { failure }) }
}

/** `undefined` when one of its messages has just gone elsewhere: the next pass finds it there. */
async function contentOf(
  files: MissionFiles,
  book: OpenBook,
  { members, trigger, provider, ...plan }: Plan,
  usage: BookUsage,
  { blocked, meaning }: { readonly blocked: ReadonlyMap<string, string>; readonly meaning: GroupMeaning | undefined },
): Promise<BusContent | undefined> {
  const ids = [...members.keys()].map((id) => ({ id }))
  const texts = await textsOf(files, book, ids)
  const inside = texts.filter((text) => text !== undefined)
  if (inside.length < texts.length) return undefined
  const others = othersThan(usage, inside)
  const vectors = ids.flatMap(({ id }) => meaning?.index.vectorOf(book.messages.get(id)?.digest ?? '') ?? [])
  const named =
    plan.title === undefined ? await groupName(inside.map(textOf), others, vectors, meaning?.embedder) : undefined
  const title = plan.title ?? named ?? (trigger === 'chain' ? inside[0]!.message.summary : 'similar messages')
  const bus = inside.map(({ message, status, body }) => {
    const { id, name, createdAt, from, to, summary } = message
    const why = members.get(id)
    return { id, name, createdAt, from, to, summary, status, body, ...(why === undefined ? {} : { why }) }
  })
  const links = linksOf(inside.map(({ message, status }) => ({ ...message, status })))
  const summary = extractiveSummary(bus, { blocked, links })
  const query = plan.query ?? `Messages about similar things: ${title}`
  return { title, trigger, query, provider, messages: bus, summaryBy: 'extractive', summary }
}
