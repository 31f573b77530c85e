/**
 * Makes and renews the bus documents of a mission. AC-MQ §13. A document whose messages have not changed is left alone; the others
 * are written under one lock, so that two supervisors make each once. Beside a document that a person changed a new one is written.
 */
import { withoutUndefined } from '../../../../kernel/field.ts'
import { inlineCode } from '../../../../kernel/quotation.ts'
import { childOf, type TreePath } from '../../../../kernel/tree-path.ts'
import { blockedForGood, whyBlocked } from '../../memory/blocked.ts'
import type { BusContent, Trigger } from '../../memory/bus-document.ts'
import type { CachedDocument, MemoryCache, WordUsage } from '../../memory/cache.ts'
import { contentDigest } from '../../memory/generated.ts'
import { writtenBy } from '../../memory/written.ts'
import type { AcmqPorts, Writer } from '../../ports.ts'
import type { MissionFiles } from '../parts.ts'
import { busContentOf, usageIn } from './bus-content.ts'
import {
  busPath,
  type Chosen,
  changeSummary,
  doublesIn,
  type Existing,
  freeName,
  matchDocuments,
  readExisting,
  readHead,
  removeDoubles,
  removeOrphans,
  write,
} from './bus-files.ts'
import { OpenCache } from './cache.ts'
import { messagesByTime, milestonesOf, type Plan, type Planned, planFor, plansOf } from './plans.ts'
import { quotedSummary, type SummaryDesk, summaryTaskId } from './summary-task.ts'
import type { QueueListing } from './texts.ts'

export interface BusOptions {
  readonly query?: string
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
  readonly asked?: string
}

export interface BusMade {
  readonly outcome: 'made' | 'unchanged' | 'asked' | 'nothing'
  readonly documents: readonly BusDocument[]
  /** Why vectors or summaries are not those of the configured endpoint, or which vectors are still missing. */
  readonly instead?: string
  readonly missing?: number
}

/** How long vectors are made in one go, in milliseconds: by a command, and by supervision, which settles stalls in between. */
const embeddingMs = { asked: 10_000, supervised: 3000 }

export async function makeBusDocuments(
  files: MissionFiles,
  ports: AcmqPorts,
  desk: SummaryDesk,
  { query, by, listing, patienceMs }: BusOptions & PassOptions = {},
): Promise<BusMade> {
  const milestones = query === undefined ? await milestonesOf(files) : []
  const titles = milestones.map(({ title }) => title)
  const cache = await OpenCache.open(files, titles, listing)
  const mostMs = patienceMs === undefined ? embeddingMs.asked : embeddingMs.supervised
  const isAll = query === undefined
  const planned = isAll ? await plansOf(cache, ports, milestones, mostMs) : await planFor(cache, ports, query)
  const usage = await usageIn(cache, planned.sample)
  const renewal = new Renewal(cache, desk, { ...planned, usage, isAll, writer: await ports.writer(), patienceMs })
  await renewal.run()
  const { documents, made } = renewal
  await cache.keep({ ...planned.known, ...(isAll ? { usage } : {}), documents }, made)
  const told: BusDocument[] = []
  for (const document of renewal.told) {
    const asked = by === undefined ? undefined : await desk.ask(document.path, by, document.summaryBy)
    told.push(withoutUndefined({ ...document, asked }))
  }
  const instead = [planned.instead, renewal.failure].filter((why) => why !== undefined).join(' ') || undefined
  const outcome = told.length > 0 ? outcomeOf(told) : isAll ? 'unchanged' : 'nothing'
  return withoutUndefined({ outcome, documents: told, instead, missing: planned.missing || undefined })
}

function outcomeOf(documents: readonly BusDocument[]): BusMade['outcome'] {
  if (documents.some(({ asked }) => asked !== undefined)) return 'asked'
  return documents.every(({ outcome }) => outcome === 'unchanged') ? 'unchanged' : 'made'
}

interface Wanted extends Pick<Planned, 'plans' | 'meaning'> {
  readonly usage: WordUsage
  readonly isAll: boolean
  readonly writer: Writer | undefined
  readonly patienceMs: number | undefined
}

/** To be raised when documents are made in another way: then all are made again. */
const version = 2

class Renewal {
  readonly told: (Omit<BusDocument, 'asked' | 'path'> & { readonly path: TreePath })[] = []
  documents: MemoryCache['documents'] = new Map()
  made = 0
  failure: string | undefined
  readonly #cache: OpenCache
  readonly #desk: SummaryDesk
  readonly #wanted: Wanted
  readonly #folder: TreePath
  readonly #blocked: ReadonlyMap<string, string>
  readonly #contents = new Map<Plan, BusContent>()
  /** The next pass asks the model about these: it failed, or the time was up. */
  readonly #unasked = new Set<Plan>()

  constructor(cache: OpenCache, desk: SummaryDesk, wanted: Wanted) {
    this.#cache = cache
    this.#desk = desk
    this.#wanted = wanted
    this.#folder = busPath(cache.files)
    const blocked = blockedForGood(messagesByTime(cache))
    this.#blocked = new Map([...blocked].map(([{ id }, why]) => [id, whyBlocked(why, inlineCode)]))
  }

  async run(): Promise<void> {
    const { files, before } = this.#cache
    const { plans } = this.#wanted
    const existing = await readExisting(files, before.documents)
    const chosen = matchDocuments(plans, existing.values())
    await this.#makeContents(chosen)
    this.made = this.#contents.size
    this.documents = existing
    const isMore = this.#answered(existing, chosen).length > 0 || doublesIn(existing, plans, chosen).length > 0
    if (this.made > 0 || isMore) await files.tree.exclusively(`ac-mq bus ${files.path}`, () => this.#writeDue(existing))
    else for (const [i, { own }] of chosen.entries()) if (own) this.#tell(plans[i]!, own.name, 'unchanged', own)
  }

  /** Of documents that are due. The model is asked before the lock is taken, and only about messages that it has not summarised. */
  async #makeContents(chosen: readonly Chosen[]): Promise<void> {
    const { files } = this.#cache
    const { plans, writer, patienceMs = Number.POSITIVE_INFINITY } = this.#wanted
    const until = files.clock.now() + patienceMs
    for (const [i, plan] of plans.entries()) {
      const { own } = chosen[i]!
      if (own?.madeOf === this.#madeOf(plan, chosen[i]!, writer)) continue
      const isLate = writer !== undefined && files.clock.now() >= until
      // It can wait: the document has a summary of the earlier messages.
      if (isLate && own) continue
      if (isLate) this.#unasked.add(plan)
      const content = await busContentOf(this.#cache, plan, { ...this.#wanted, blocked: this.#blocked })
      if (!content) continue
      const before = writer && own ? await readHead(files, childOf(this.#folder, own.name)) : undefined
      const written = writer && !isLate ? await writtenBy(writer, content, before) : { content }
      this.#contents.set(plan, written.content)
      if (!('failure' in written)) continue
      this.#unasked.add(plan)
      this.failure ??= written.failure
    }
  }

  #madeOf(plan: Plan, { own, changed }: Chosen, writer: Writer | undefined): string {
    const { messages, files } = this.#cache
    const answer = own && messages.get(this.#taskOf(own))
    let members = ''
    for (const [id, why = ''] of plan.members)
      members += `${messages.get(id)!.content} ${why} ${this.#blocked.get(id) ?? ''}\n`
    const { trigger, query, provider } = plan
    const { usage } = this.#wanted
    const rest = [usage.sample, files.settings.busDocumentBytes, writer?.id, changed?.name, answer?.content]
    return contentDigest(JSON.stringify([version, trigger, query, provider, ...rest, members]))
  }

  #taskOf({ name }: Existing): string {
    return summaryTaskId(childOf(this.#folder, name))
  }

  /** Documents that no plan of this pass renews, such as those of a query, and whose summary an agent has written since. */
  #answered(existing: ReadonlyMap<string, Existing>, chosen: readonly Chosen[]): Existing[] {
    if (!this.#wanted.isAll) return []
    const made = new Set(chosen.map(({ own }) => own))
    const isDue = (one: Existing) => one.summaryBy === 'extractive' || one.summaryBy.startsWith('model ')
    const isWritten = (one: Existing) => this.#cache.messages.get(this.#taskOf(one))?.status === 'completed'
    return [...existing.values()].filter((one) => one.isOurs && !made.has(one) && isDue(one) && isWritten(one))
  }

  async #writeDue(known: MemoryCache['documents']): Promise<void> {
    const { files } = this.#cache
    const { plans } = this.#wanted
    const documents = new Map<string, CachedDocument>(known)
    this.documents = documents
    const names = new Set((await files.tree.list(this.#folder)).map(({ name }) => name))
    const existing = await readExisting(files, known)
    await removeOrphans(files, names, existing)
    const chosen = matchDocuments(plans, existing.values())
    for (const [i, plan] of plans.entries()) {
      const { own } = chosen[i]!
      const content = this.#contents.get(plan)
      if (content) {
        const name = own?.name ?? freeName(content.title, await files.tree.now(), names)
        names.add(name)
        documents.set(name, await this.#write(plan, name, chosen[i]!, content))
      } else if (own) this.#tell(plan, own.name, 'unchanged', own)
    }
    for (const document of this.#answered(existing, chosen))
      if (await this.#takeAnswer(document)) documents.delete(document.name)
    await removeDoubles(files, doublesIn(existing, plans, chosen))
    for (const name of documents.keys()) if (!names.has(name)) documents.delete(name)
  }

  async #write(plan: Plan, name: string, chosen: Chosen, content: BusContent): Promise<CachedDocument> {
    const { files, messages } = this.#cache
    const { own, changed } = chosen
    const path = childOf(this.#folder, name)
    const answer = messages.has(summaryTaskId(path)) ? await this.#desk.answer(path) : undefined
    const last = withoutUndefined({ ...content, ...(answer ? quotedSummary(answer) : {}), insteadOf: changed?.name })
    const { outcome, head } = await write(files, path, own, last)
    const mark = outcome === 'unchanged' && own ? own.mark : ''
    const writer = this.#unasked.has(plan) ? undefined : this.#wanted.writer
    const document = { ...head, mark, madeOf: this.#madeOf(plan, chosen, writer) }
    this.#tell(plan, name, outcome, document)
    return document
  }

  /** The summary that an agent wrote, in a document that is not made again. */
  async #takeAnswer({ name, query, trigger, anchors, provider }: Existing): Promise<boolean> {
    const path = childOf(this.#folder, name)
    const answer = await this.#desk.answer(path)
    if (!answer || !(await changeSummary(this.#cache.files, path, quotedSummary(answer)))) return false
    const about = { query, trigger: trigger as Trigger, messages: anchors, provider }
    this.told.push({ outcome: 'renewed', path, ...about, summaryBy: answer.by })
    return true
  }

  #tell(plan: Plan, name: string, outcome: BusDocument['outcome'], { query, summaryBy }: CachedDocument): void {
    const { trigger, provider, members } = plan
    const about = { trigger, query: plan.query ?? query, messages: [...members.keys()], provider, summaryBy }
    this.told.push({ outcome, path: childOf(this.#folder, name), ...about })
  }
}
