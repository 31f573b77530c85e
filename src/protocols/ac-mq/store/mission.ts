/**
 * One mission: its queue and everything that can be asked of it. What sending and claiming do not need is loaded when
 * it is asked for: a cold command pays for every line it loads.
 */
import type { Clock } from '../../../kernel/clock.ts'
import { conflict, notFound, SignalboxError, unavailable } from '../../../kernel/errors.ts'
import { parentOf, type TreePath } from '../../../kernel/tree-path.ts'
import { changeLeaf } from '../../../tree/change.ts'
import type { Finding, Tree } from '../../../tree/tree.ts'
import { type News, waitFor } from '../../../tree/wait.ts'
import type { Draft } from '../draft.ts'
import { messageOf } from '../format.ts'
import type { GraphFormat, GraphNode } from '../graph.ts'
import type { Hydration } from '../hydrate/hydrate.ts'
import {
  agentId,
  fallbackManifestPath,
  type MissionAddress,
  manifestPath,
  missionAddress,
  missionPath,
} from '../layout.ts'
import type { Manifest } from '../manifest/manifest.ts'
import { type QueueName, queueNames } from '../schema.ts'
import type { AcmqSettings } from '../settings.ts'
import { noticeAbout, seenIn } from './agents.ts'
import { ClaimedHere } from './claimed-here.ts'
import { Claims } from './claims.ts'
import { Finder } from './finder.ts'
import type { IsSeen } from './inspect.ts'
import type { Claimed, Holding, MessageRef, Settled } from './outcomes.ts'
import type { Listed, Overview, QueueStatus, Unreadable } from './overview.ts'
import { MissionFiles } from './parts.ts'
import { Policy } from './policy.ts'
import type { Reconciliation, Repair } from './reconcile.ts'
import { type SendInput, Sending, type Sent } from './send.ts'
import { Settling } from './settling.ts'
import type { Stalled, Supervision, Swept } from './supervise.ts'
import { Taking } from './taking.ts'
import { type AcmqView, type AcmqViewWithBody, type ArchivedView, archivedView } from './view.ts'
import { Waiting } from './waiting/waiting.ts'

export interface MissionParts {
  readonly tree: Tree
  readonly clock: Clock
  readonly settings: AcmqSettings
  readonly root: TreePath
}

export interface ReconciledView {
  readonly outcome: 'reconciled'
  readonly counts: Readonly<Record<QueueName, number>>
  readonly manifest: Manifest | undefined
  /** The agent's own messages in `processing/`, and whether their time has run out. */
  readonly mine: readonly { readonly message: AcmqView; readonly isStalled: boolean }[]
  readonly repairs: readonly Repair[]
}

/** A message that waits for a person, and the pattern of the policy that holds it back. */
export interface HeldMessage {
  readonly message: AcmqViewWithBody
  readonly pattern: string
}

export interface ClaimOptions {
  readonly agent: string
  readonly id?: string
  readonly waitMs?: number
}

export class Mission {
  readonly address: MissionAddress
  readonly #files: MissionFiles
  readonly #finder: Finder
  readonly #waiting: Waiting
  readonly #sending: Sending
  readonly #claims: Claims
  readonly #settling: Settling
  readonly #policy: Policy
  #supervision: Promise<Supervision> | undefined
  #reconciliation: Promise<Reconciliation> | undefined
  #overview: Promise<Overview> | undefined

  /** Where it lies on the tree. */
  get path(): TreePath {
    return this.#files.path
  }

  constructor(parts: MissionParts, address: MissionAddress) {
    const { tree, clock, settings, root } = parts
    const files = new MissionFiles(tree, clock, settings, { root, address })
    const finder = new Finder(files)
    const waiting = new Waiting(files, finder)
    const policy = new Policy(tree, async (path) => {
      const leaf = await tree.read(files.inside(path))
      return leaf ? Buffer.from(leaf.bytes).toString('utf8') : ''
    })
    const claimedHere = new ClaimedHere()
    this.address = address
    this.#files = files
    this.#finder = finder
    this.#waiting = waiting
    this.#policy = policy
    this.#sending = new Sending(files, finder, waiting)
    this.#claims = new Claims({ files, finder, waiting, policy, taking: new Taking(files, waiting, claimedHere) })
    this.#settling = new Settling(files, finder, waiting, claimedHere)
  }

  /** What a file says that somebody wants to send: a body alone, or a message with front matter. */
  async readDraft(text: string): Promise<Draft> {
    return (await import('../draft.ts')).readDraft(text, this.address)
  }

  /** Puts a message into the queue. AC-MQ §4.1. */
  async send(input: SendInput): Promise<Sent> {
    const sent = await this.#sending.send(input)
    if (this.#policy.isAbsent) return sent
    const notice = await this.#noticeOfPolicy(sent, input.body)
    return notice === undefined ? sent : { ...sent, notices: [...sent.notices, notice] }
  }

  /** The message is sent, whatever is wrong with the policy: an error here would make its sender send it again. */
  async #noticeOfPolicy({ message }: Sent, body: SendInput['body']): Promise<string | undefined> {
    try {
      const pattern = await this.#policy.matching(message, () =>
        typeof body === 'string' ? body : Buffer.from(body).toString('utf8'),
      )
      if (pattern === undefined) return undefined
      return `It matches ${JSON.stringify(pattern)}: a person must approve it first (signalbox human approve ${message.id}).`
    } catch (error) {
      if (!(error instanceof SignalboxError)) throw error
      return `It waits until the policy can be read. ${error.message}`
    }
  }

  /** Takes the best waiting message for the agent, or the one with this id; waits for one as long as it is told to. */
  async claim(options: ClaimOptions): Promise<Claimed> {
    const { agent, id, waitMs } = options
    const take = () => (id === undefined ? this.#claims.claim(agent) : this.#claims.claimById(id, agent))
    const first = await take()
    if (first.outcome === 'claimed') return first
    const second = await this.#tryHarder(take, agent, first)
    return second.outcome === 'claimed' || !waitMs ? second : this.#waitFor(take, options, second)
  }

  renew(ref: MessageRef, holding: Holding): Promise<Settled<'renewed'> & { readonly until: number }> {
    return this.#settling.renew(ref, checked(holding))
  }

  /** Marks a claimed message as done, with its result and links to what was made. AC-MQ §4.3. */
  complete(
    ref: MessageRef,
    holding: Holding,
    result?: { readonly text?: string; readonly links?: readonly string[] },
  ): Promise<Settled<'completed'>> {
    return this.#settling.complete(ref, checked(holding), result)
  }

  /** Gives up a claimed message with a report that stays in it. AC-MQ §4.4, §8.1. */
  fail(
    ref: MessageRef,
    holding: Holding,
    failure: { readonly reason: string; readonly detail?: string },
  ): Promise<Settled<'failed'>> {
    return this.#settling.fail(ref, checked(holding), failure)
  }

  /** Whether the files that a result is to point to lie inside the mission and are there. */
  async checkLinks(given: readonly string[]) {
    return given.length === 0 ? noLinks : (await import('./links.ts')).checkLinks(this.#files, given)
  }

  /** A sentence for whoever writes to somebody nobody has seen here; `undefined` when all is well. */
  async noticeAbout(recipient: string, elsewhere: AsyncIterable<string>): Promise<string | undefined> {
    return noticeAbout(this.#files, recipient, elsewhere)
  }

  /** Everybody who has been seen here, each once. */
  async *seen(): AsyncGenerator<string> {
    yield* seenIn(this.#files)
  }

  retry(id: string): Promise<Settled<'retried'>> {
    return this.#settling.retry(id)
  }

  async list(queue: QueueName): Promise<Listed> {
    return (await this.#overviewed()).list(queue)
  }

  /** What is pending, as it will be claimed, and why some of it cannot be yet. */
  async waiting(): Promise<{
    messages: readonly (AcmqView & { readonly blocked?: string })[]
    unreadable: readonly Unreadable[]
  }> {
    return (await this.#overviewed()).waiting()
  }

  /** What rests in the archive, the first finished first. */
  async listArchived(): Promise<ArchivedView[]> {
    const { listArchived } = await import('../archive/archive.ts')
    const entries = await listArchived(this.#files.tree, this.#archiveFolder)
    return entries.map((entry) => archivedView(entry, this.address))
  }

  /** The messages of a queue as they stream by, and what is named like one and cannot be read. */
  async *each(queue: QueueName): AsyncGenerator<AcmqView | Unreadable> {
    yield* (await this.#overviewed()).each(queue)
  }

  /** The waiting messages that this agent could claim, as it would claim them. */
  async *readyFor(agent: string): AsyncGenerator<AcmqView> {
    yield* (await this.#overviewed()).readyFor(agent)
  }

  /** Every message that an id means, in the archive too. */
  async *meant(id: string): AsyncGenerator<AcmqView | ArchivedView> {
    yield* (await this.#overviewed()).meant(id)
  }

  /** What rests in the archive, as its indexes tell it: no pack is opened for this. */
  async *archived(): AsyncGenerator<ArchivedView> {
    const { eachArchived } = await import('../archive/archive.ts')
    for await (const entry of eachArchived(this.#files.tree, this.#archiveFolder)) {
      yield archivedView(entry, this.address)
    }
  }

  async show(id: string): Promise<AcmqViewWithBody> {
    return (await this.#overviewed()).show(id)
  }

  async blocked(agent?: string): Promise<{ message: AcmqView; reason: string }[]> {
    return (await this.#overviewed()).blocked(agent)
  }

  async counts(): Promise<Record<QueueName, number>> {
    return (await this.#overviewed()).counts()
  }

  async status(): Promise<QueueStatus & { readonly archived: number }> {
    const { listArchived } = await import('../archive/archive.ts')
    const archived = await listArchived(this.#files.tree, this.#archiveFolder)
    return { ...(await (await this.#overviewed()).status()), archived: archived.length }
  }

  async findStalled(): Promise<Stalled[]> {
    return (await this.#supervised()).findStalled()
  }

  /** One pass over the claims: what ran out of time fails and is asked about; malformed files are set aside. */
  async supervise(by?: string): Promise<Swept & { readonly repairs: readonly Repair[] }> {
    const repairs = await (await this.#reconciled()).run()
    await this.#sending.finishAll()
    return { ...(await (await this.#supervised()).sweep(by)), repairs }
  }

  /** When the first of the claims in force runs out, by the tree's time. */
  async nextStallAt(): Promise<number | undefined> {
    return (await this.#supervised()).nextStallAt()
  }

  /** The queues in which supervision may find something to do when something happens there. */
  get supervised(): readonly TreePath[] {
    const { pending, processing, completed } = this.#files.queues
    return [pending, processing, completed]
  }

  /** Brings folders and headers into agreement and tells an agent where it stands. AC-MQ §9.1. */
  async reconcile(agent?: string): Promise<ReconciledView> {
    const repairs = await (await this.#reconciled()).run({ everything: true })
    await this.#finishOthers()
    const stalled = new Set((await this.findStalled()).map(({ message }) => message.id))
    const processing =
      agent === undefined ? [] : (await this.list('processing')).messages.filter(({ to }) => to === agent)
    return {
      outcome: 'reconciled',
      counts: await this.counts(),
      manifest: await this.manifest(),
      mine: processing.map((message) => ({ message, isStalled: stalled.has(message.id) })),
      repairs,
    }
  }

  /** What processes that are no more, or are held up, have decided and not done. */
  async #finishOthers(): Promise<void> {
    await this.#sending.finishAll()
    await (await this.#supervised()).askWhatIsOwed()
  }

  /** Packs messages that were completed longer ago than this. AC-MQ §9.2. */
  async archive(
    options: {
      readonly olderThanMs?: number
      readonly by?: string
      readonly onProgress?: (done: number, total: number) => void
    } = {},
  ): Promise<{ readonly outcome: 'archived' | 'nothing'; readonly archived: number }> {
    const { tree, settings } = this.#files
    const limit = (await tree.now()) - (options.olderThanMs ?? settings.archiveAfterMs)
    // File times are finer than the clock's milliseconds: without rounding, what was done just now would lie in the future.
    const old = (await tree.list(this.#files.queues.completed, { times: true })).filter(
      ({ changedAt }) => Math.floor(changedAt) <= limit,
    )
    if (old.length === 0) return { outcome: 'nothing', archived: 0 }
    const times = new Map(old.map(({ name, changedAt }) => [name, changedAt]))
    const { messages } = await this.list('completed')
    const chosen = messages.flatMap((view) => {
      const finishedAt = times.get(view.name)
      if (finishedAt === undefined) return []
      const { id, name, from, to, summary, createdAt } = view
      const path = this.#files.at('completed', name)
      const packed = { id, name, status: 'completed' as const, from, to, summary, timestamp: createdAt, finishedAt }
      return [{ ...packed, path, changedAt: finishedAt }]
    })
    const { archiveMessages } = await import('../archive/archive.ts')
    const { archived, busy } = await archiveMessages(tree, this.#archiveFolder, chosen, {
      owner: options.by ?? `archiver-${process.pid}`,
      ...(options.onProgress ? { onProgress: options.onProgress } : {}),
    })
    if (busy) {
      throw unavailable('ARCHIVE_BUSY', `Another process is archiving mission ${this.address}.`, {
        hint: 'Try again in a moment; after a crash its turn ends by itself within 15 seconds.',
        details: { owner: busy.owner, until: busy.until },
      })
    }
    return { outcome: archived > 0 ? 'archived' : 'nothing', archived }
  }

  /** Everything an agent needs to know for the mission, or for one message of it. AC-MQ §5. */
  async hydrate(options: { readonly id?: string; readonly budgetTokens?: number } = {}): Promise<Hydration> {
    const { tree, place } = this.#files
    const parts = this.address.split('/')
    const ancestors = parts
      .slice(0, -1)
      .map((_, i) => missionPath({ root: place.root, address: missionAddress(parts.slice(0, i + 1).join('/')) }))
    const found = options.id === undefined ? undefined : await this.#finder.findOne(options.id)
    const header = found && (await this.#files.readHeader(found.queue, found.name))
    const record = header && messageOf(header).message.record
    const { hydrate } = await import('../hydrate/hydrate.ts')
    return hydrate(tree, {
      missionPath: this.#files.path,
      base: parentOf(parentOf(place.root)),
      ancestors,
      ...(found && record ? { message: { path: found.path, dependencies: record.dependencies } } : {}),
      ...(options.budgetTokens === undefined ? {} : { budgetTokens: options.budgetTokens }),
    })
  }

  /** The dependencies of all messages, drawn. */
  async graph(format: GraphFormat): Promise<string> {
    const blocked = new Map((await this.blocked()).map(({ message, reason }) => [message.id, reason]))
    const nodes: GraphNode[] = []
    for (const queue of queueNames) {
      for (const { id, summary, to, dependencies } of (await this.list(queue)).messages) {
        const reason = blocked.get(id)
        nodes.push({
          id,
          summary,
          to,
          state: queue,
          dependencies,
          ...(reason === undefined ? {} : { blocked: reason }),
        })
      }
    }
    const { drawGraph } = await import('../graph.ts')
    return drawGraph(nodes, format)
  }

  async manifest(): Promise<Manifest | undefined> {
    const found = await this.#manifestLeaf()
    if (!found) return undefined
    const { parseManifest } = await import('../manifest/manifest.ts')
    const folder = found.path === manifestPath(this.#files.place) ? '_meta' : ''
    return parseManifest(Buffer.from(found.leaf.bytes).toString('utf8'), { folder })
  }

  /** Ticks a milestone off, or on again. AC-MQ §5. */
  async milestone(
    title: string,
    done: boolean,
  ): Promise<{ readonly outcome: 'ticked' | 'unchanged'; readonly manifest: Manifest }> {
    const { parseManifest, tickMilestone } = await import('../manifest/manifest.ts')
    const path = (await this.#manifestLeaf())?.path ?? manifestPath(this.#files.place)
    let text = ''
    const { outcome } = await changeLeaf(this.#files.tree, path, (before) => {
      if (!before) throw noManifest(this.address, path)
      const ticked = tickMilestone(Buffer.from(before.bytes).toString('utf8'), title, done)
      if (ticked.outcome === 'unknown') throw noMilestone(title, ticked.nearest)
      text = ticked.text
      return ticked.outcome === 'already' ? undefined : Buffer.from(text)
    })
    return { outcome: outcome === 'unchanged' ? 'unchanged' : 'ticked', manifest: parseManifest(text) }
  }

  /** Messages that wait for a person, with the pattern that holds each. */
  async held(): Promise<HeldMessage[]> {
    const held: HeldMessage[] = []
    for await (const one of this.eachHeld()) held.push(one)
    return held
  }

  /** The same as they stream by. */
  async *eachHeld(): AsyncGenerator<HeldMessage> {
    if (!(await this.#policy.isThere())) return
    for await (const one of this.each('pending')) {
      if ('reason' in one) continue
      const message = await this.show(one.id)
      const pattern = await this.#policy.matching(message, () => message.body)
      if (pattern === undefined || (await this.#policy.isApproved(message, message.body))) continue
      yield { message, pattern }
    }
  }

  async approve(id: string, by: string, at: string): Promise<AcmqView> {
    const message = await this.show(id)
    if (message.state !== 'pending') throw notWaiting(message)
    await this.#policy.approve(message, message.body, by, at)
    return message
  }

  /** A person says no: the message fails with that reason. */
  async deny(id: string, by: string, reason: string): Promise<Settled<'failed'>> {
    const message = await this.show(id)
    if (message.state !== 'pending') throw notWaiting(message)
    return this.#settling.refuse(message, message.body, by, reason)
  }

  /** What `doctor` should know of this mission; nothing is changed. */
  async inspect(options?: { readonly isSeen?: IsSeen }): Promise<Finding[]> {
    const { Inspection } = await import('./inspect.ts')
    return new Inspection(this.#files, this.#waiting, await this.#supervised()).run(options)
  }

  #supervised(): Promise<Supervision> {
    this.#supervision ??= import('./supervise.ts').then(
      ({ Supervision }) => new Supervision(this.#files, this.#finder, this.#waiting),
    )
    return this.#supervision
  }

  #reconciled(): Promise<Reconciliation> {
    this.#reconciliation ??= import('./reconcile.ts').then(
      ({ Reconciliation }) => new Reconciliation(this.#files, this.#waiting),
    )
    return this.#reconciliation
  }

  #overviewed(): Promise<Overview> {
    this.#overview ??= Promise.all([import('./overview.ts'), this.#supervised()]).then(
      ([{ Overview }, supervision]) => new Overview(this.#files, this.#finder, this.#waiting, supervision),
    )
    return this.#overview
  }

  async #manifestLeaf() {
    for (const path of [manifestPath(this.#files.place), fallbackManifestPath(this.#files.place)]) {
      const leaf = await this.#files.tree.read(path)
      if (leaf) return { path, leaf }
    }
    return undefined
  }

  get #archiveFolder(): TreePath {
    return `${this.#files.path}/archive` as TreePath
  }

  /** Before anyone is told that nothing is there. */
  async #tryHarder(take: () => Promise<Claimed>, agent: string, nothing: Claimed): Promise<Claimed> {
    // Finding out why messages are held back can show that one is not: what it waited for was completed and archived
    // since we last looked.
    const taken = (await this.#waiting.hasReady(agent)) ? await take() : nothing
    if (taken.outcome === 'claimed') return taken
    // Malformed files that nobody is writing any more go out of the way.
    if (this.#waiting.malformed.length === 0) return taken
    const reconciliation = await this.#reconciled()
    for (const { name, problem } of this.#waiting.malformed) await reconciliation.setAside('pending', name, problem)
    return taken
  }

  /** Woken by what happens in the folders; looks by itself only now and then. */
  async #waitFor(take: () => Promise<Claimed>, options: ClaimOptions, first: Claimed): Promise<Claimed> {
    const { agent, id, waitMs = 0 } = options
    let last = first
    const folders = [this.#files.queues.pending, this.#files.queues.completed]
    const look = async (news: News | undefined) => {
      const isArrival = id === undefined && news?.folder === this.#files.queues.pending
      last = (isArrival ? await this.#claims.claimArrived(news.name, agent) : undefined) ?? (await take())
      if (last.outcome !== 'claimed') last = await this.#tryHarder(take, agent, last)
      return last.outcome === 'claimed' ? last : undefined
    }
    const watching = this.#policy.watch()
    try {
      return (await waitFor(this.#files.tree, folders, look, { waitMs })) ?? last
    } finally {
      // Later, so that the caller gets the message first.
      setImmediate(() => watching.close())
    }
  }
}

const noLinks = { links: [], notices: [] }

const checked = (holding: Holding): Holding => ({ ...holding, agent: agentId(holding.agent) })

const notWaiting = (message: AcmqView) =>
  conflict('WRONG_STATE', `Message ${message.id} is in ${message.state}; it does not wait for an approval.`, {
    hint: 'See what waits: signalbox human list',
    details: { id: message.id },
  })

const noManifest = (mission: string, path: TreePath) =>
  notFound('NO_MANIFEST', `Mission ${mission} has no manifest.`, { hint: `Write ${path}.` })

const noMilestone = (title: string, nearest: string | undefined) =>
  notFound('NO_SUCH_MILESTONE', `The manifest has no milestone ${JSON.stringify(title)}.`, {
    hint: nearest
      ? `Did you mean ${JSON.stringify(nearest)}?`
      : 'Milestones are list items such as `- [ ] First draft`.',
  })
