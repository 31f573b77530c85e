/**
 * One mission: its queue and everything that can be asked of it. What sending and claiming do not need is loaded when
 * it is asked for: a cold command pays for every line it loads.
 */
import type { Clock } from '../../../kernel/clock.ts'
import { withoutUndefined } from '../../../kernel/field.ts'
import { once } from '../../../kernel/once.ts'
import type { TreePath } from '../../../kernel/tree-path.ts'
import type { Finding, Tree } from '../../../tree/tree.ts'
import type { Draft } from '../draft.ts'
import type { GraphFormat } from '../graph.ts'
import type { Hydration } from '../hydrate/hydrate.ts'
import { agentId, archivePath, type MissionAddress, subMissionsPath } from '../layout.ts'
import type { Manifest } from '../manifest/manifest.ts'
import type { MergingState } from '../memory/merging.ts'
import type { AcmqPorts } from '../ports.ts'
import type { QueueName } from '../schema.ts'
import type { AcmqSettings } from '../settings.ts'
import { expectOwnCase, noticeAbout, seenIn } from './agents.ts'
import { eachHeld, expectWaiting, type HeldMessage } from './approvals.ts'
import type { ArchivingOptions } from './archiving.ts'
import { ClaimedHere } from './claimed-here.ts'
import { type ClaimingParts, type ClaimOptions, claimOrWait } from './claiming.ts'
import { Claims } from './claims.ts'
import type { HydrateOptions } from './documents.ts'
import { Finder } from './finder.ts'
import type { IsSeen } from './inspect.ts'
import type { BusMade, BusOptions } from './memory/bus.ts'
import type { KeepingOptions, Kept } from './memory/keeping.ts'
import type { Merged, TakenSnapshot } from './memory/merging.ts'
import type { Organized } from './memory/organize.ts'
import type { Reported, ReportOptions } from './memory/report.ts'
import type { Searched, SearchOptions } from './memory/search.ts'
import type { SummaryDesk } from './memory/summary-task.ts'
import type { Claimed, Holding, MessageRef, Settled } from './outcomes.ts'
import type { Listed, QueueStatus, Unreadable } from './overview.ts'
import { MissionFiles } from './parts.ts'
import { Policy } from './policy.ts'
import type { Repair } from './reconcile.ts'
import { type SendInput, Sending, type Sent } from './send.ts'
import { Settling } from './settling.ts'
import type { Stalled, Swept } from './supervise.ts'
import { Taking } from './taking.ts'
import type { AcmqView, AcmqViewWithBody, ArchivedView } from './view.ts'
import type { AwaitOptions, WaitedFor } from './wait.ts'
import { Waiting } from './waiting/waiting.ts'

export interface MissionParts {
  readonly tree: Tree
  readonly clock: Clock
  readonly settings: AcmqSettings
  readonly root: TreePath
  /** What is handed in from outside the tree. */
  readonly ports?: Partial<AcmqPorts>
}

export interface ReconciledView {
  readonly outcome: 'reconciled'
  readonly counts: Readonly<Record<QueueName, number>>
  readonly manifest: Manifest | undefined
  /** The agent's own messages in `processing/`, and whether their time has run out. */
  readonly mine: readonly { readonly message: AcmqView; readonly isStalled: boolean }[]
  readonly repairs: readonly Repair[]
}

export class Mission {
  readonly address: MissionAddress
  /** Where it lies on the tree. */
  readonly path: TreePath
  /** The queues in which supervision may find something to do when something happens there. */
  readonly supervised: readonly TreePath[]
  readonly #files: MissionFiles
  readonly #finder: Finder
  readonly #waiting: Waiting
  readonly #sending: Sending
  readonly #claiming: ClaimingParts
  readonly #settling: Settling
  readonly #policy: Policy
  readonly #ports: Partial<AcmqPorts>
  readonly #supervision = once(async () => {
    const { Supervision } = await import('./supervise.ts')
    return new Supervision(this.#files, this.#finder, this.#waiting)
  })
  readonly #reconciliation = once(async () => {
    const { Reconciliation } = await import('./reconcile.ts')
    return new Reconciliation(this.#files, this.#waiting)
  })
  readonly #overview = once(async () => {
    const [{ Overview }, supervision] = await Promise.all([import('./overview.ts'), this.#supervision()])
    return new Overview(this.#files, this.#finder, this.#waiting, supervision)
  })

  constructor({ tree, clock, settings, root, ports = {} }: MissionParts, address: MissionAddress) {
    const files = new MissionFiles(tree, clock, settings, { root, address })
    const finder = new Finder(files)
    const waiting = new Waiting(files, finder)
    const policy = new Policy(files)
    const claimedHere = new ClaimedHere()
    this.address = address
    this.path = files.path
    this.supervised = [files.queues.pending, files.queues.processing, files.queues.completed]
    this.#files = files
    this.#finder = finder
    this.#waiting = waiting
    this.#policy = policy
    this.#ports = ports
    this.#sending = new Sending(files, finder, waiting)
    const claims = new Claims({ files, finder, waiting, policy, taking: new Taking(files, waiting, claimedHere) })
    this.#claiming = { files, waiting, policy, claims, reconciliation: this.#reconciliation }
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
    const notice = await this.#policy.noticeAbout(sent.message, input.body)
    return notice === undefined ? sent : { ...sent, notices: [...sent.notices, notice] }
  }

  /** Takes the best waiting message for the agent, or the one with this id; waits for one as long as it is told to. */
  claim(options: ClaimOptions): Promise<Claimed> {
    return claimOrWait(this.#claiming, options)
  }

  /** Waits until messages are completed or failed: all of them, or with `any` one. */
  async wait(ids: readonly string[], options?: AwaitOptions): Promise<WaitedFor> {
    const { waitForEnds } = await import('./wait.ts')
    return waitForEnds({ files: this.#files, finder: this.#finder, waiting: this.#waiting }, ids, options)
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
    if (given.length === 0) return { links: [], notices: [] }
    return (await import('./links.ts')).checkLinks(this.#files, given)
  }

  /** What a sender should know of the things a message is to depend on. Refuses an id that means several messages. */
  async checkDependencies(given: readonly string[]): Promise<readonly string[]> {
    return given.length === 0 ? [] : (await import('./depends.ts')).noticesAbout(this.#waiting, given)
  }

  /** A sentence for whoever writes to somebody nobody has seen here; `undefined` when all is well. */
  async noticeAbout(recipient: string, elsewhere: AsyncIterable<string>): Promise<string | undefined> {
    return noticeAbout(this.#files, recipient, elsewhere)
  }

  /** Refuses a name for whoever acts that differs by case alone from that of somebody who has been seen here. */
  async expectOwnCase(agent: string): Promise<void> {
    await expectOwnCase(this.#files, agent)
  }

  /** Everybody who has been seen here, each once. */
  async *seen(): AsyncGenerator<string> {
    yield* seenIn(this.#files)
  }

  /** Lets a failed message wait again, for those it was for, or for somebody else. */
  retry(id: string, options?: { readonly to?: string }): Promise<Settled<'retried'>> {
    return this.#settling.retry(id, options)
  }

  async list(queue: QueueName): Promise<Listed> {
    return (await this.#overview()).list(queue)
  }

  /** What is pending, as it will be claimed, and why some of it cannot be yet. */
  async waiting() {
    return (await this.#overview()).waiting()
  }

  /** What rests in the archive, the first finished first. */
  async listArchived(): Promise<ArchivedView[]> {
    return (await this.#overview()).listArchived()
  }

  /** The messages of a queue as they stream by, and what is named like one and cannot be read. */
  async *each(queue: QueueName): AsyncGenerator<AcmqView | Unreadable> {
    yield* (await this.#overview()).each(queue)
  }

  /** The waiting messages that this agent could claim, as it would claim them. */
  async *readyFor(agent: string): AsyncGenerator<AcmqView> {
    yield* (await this.#overview()).readyFor(agent)
  }

  /** Every message that an id means, in the archive too. */
  async *meant(id: string): AsyncGenerator<AcmqView | ArchivedView> {
    yield* (await this.#overview()).meant(id)
  }

  /** What rests in the archive, as its indexes tell it: no pack is opened for this. */
  async *archived(): AsyncGenerator<ArchivedView> {
    yield* (await this.#overview()).archived()
  }

  async show(id: string): Promise<AcmqViewWithBody> {
    return (await this.#overview()).show(id)
  }

  async blocked(agent?: string): Promise<{ message: AcmqView; reason: string }[]> {
    return (await this.#overview()).blocked(agent)
  }

  async counts(): Promise<Record<QueueName, number>> {
    return (await this.#overview()).counts()
  }

  async status(): Promise<QueueStatus> {
    return (await this.#overview()).status()
  }

  async findStalled(): Promise<Stalled[]> {
    return (await this.#supervision()).findStalled()
  }

  /** One pass over the claims: what ran out of time fails and is asked about; malformed files are set aside. */
  async supervise(by?: string): Promise<Swept & { readonly repairs: readonly Repair[] }> {
    const repairs = await (await this.#reconciliation()).run()
    await this.#sending.finishAll()
    return { ...(await (await this.#supervision()).sweep(by)), repairs }
  }

  /** When the first of the claims in force runs out, by the tree's time. */
  async nextStallAt(): Promise<number | undefined> {
    return (await this.#supervision()).nextStallAt()
  }

  /** The folder in which missions inside this one are made. */
  get inside(): TreePath {
    return subMissionsPath(this.#files.place)
  }

  /** Brings folders and headers into agreement and tells an agent where it stands. AC-MQ §9.1. */
  async reconcile(agent?: string): Promise<ReconciledView> {
    const repairs = await (await this.#reconciliation()).run({ everything: true })
    // What processes that are no more, or are held up, have decided and not done.
    await this.#sending.finishAll()
    await (await this.#supervision()).askWhatIsOwed()
    const { mendIndexes } = await import('../archive/archive.ts')
    await mendIndexes(this.#files.tree, archivePath(this.#files.place), this.#files.settings)
    const stalled = new Set((await this.findStalled()).map(({ message }) => message.id))
    const { messages } = agent === undefined ? { messages: [] } : await this.list('processing')
    const own = messages.filter(({ to }) => to === agent)
    const mine = own.map((message) => ({ message, isStalled: stalled.has(message.id) }))
    return { outcome: 'reconciled', counts: await this.counts(), manifest: await this.manifest(), mine, repairs }
  }

  /** Packs messages that were completed longer ago than this. AC-MQ §9.2. */
  async archive(options: ArchivingOptions = {}) {
    const { archiveOld } = await import('./archiving.ts')
    return archiveOld(this.#files, async () => (await this.list('completed')).messages, options)
  }

  /** Everything an agent needs to know for the mission, or for one message of it. AC-MQ §5. */
  async hydrate(options: HydrateOptions = {}): Promise<Hydration> {
    const { hydrateMission } = await import('./documents.ts')
    return hydrateMission(this.#files, this.#finder, options)
  }

  /** The dependencies of all messages, drawn, or of the first so many, unfinished ones first. */
  async graph(format: GraphFormat, { limit }: { readonly limit?: number } = {}): Promise<string> {
    const { drawMission } = await import('./documents.ts')
    return drawMission(await this.#overview(), format, limit)
  }

  async manifest(): Promise<Manifest | undefined> {
    const { readManifest } = await import('./documents.ts')
    return readManifest(this.#files)
  }

  /** Ticks a milestone off, or on again. AC-MQ §5. */
  async milestone(title: string, done: boolean) {
    const { changeMilestone } = await import('./documents.ts')
    return changeMilestone(this.#files, title, done)
  }

  /** Makes and renews bus documents: of what belongs together, or of what a query finds. AC-MQ §13. */
  async bus(options: BusOptions & { readonly from?: string } = {}): Promise<BusMade> {
    const { from, ...asked } = options
    const { makeBusDocuments } = await import('./memory/bus.ts')
    return makeBusDocuments(this.#files, await this.#allPorts(), await this.#desk(from), asked)
  }

  /** What supervision does by itself for snapshots and bus documents; nothing where nothing has happened. */
  async keepMemory(options: KeepingOptions, inner: readonly Mission[] = []): Promise<Kept> {
    const { keepMemory } = await import('./memory/keeping.ts')
    const all = [this.#files, ...inner.map((mission) => mission.#files)]
    return keepMemory(all, await this.#allPorts(), await this.#desk(options.by), options)
  }

  async #desk(from = busAgent): Promise<SummaryDesk> {
    const { SummaryDesk } = await import('./memory/summary-task.ts')
    const send = (input: SendInput) => this.send(input)
    return new SummaryDesk({ path: this.path, send, find: (id: string) => this.#exactly(id) }, from)
  }

  async #exactly(id: string): Promise<AcmqViewWithBody | undefined> {
    for await (const { id: found } of this.meant(id)) if (found === id) return this.show(id)
    return undefined
  }

  async #allPorts(): Promise<AcmqPorts> {
    return { ...(await import('../ports.ts')).withoutPorts, ...this.#ports }
  }

  /** One of the three reports, with the missions inside it that are given. AC-MQ §16. */
  async report(options: ReportOptions & { readonly from?: string }, inner: readonly Mission[] = []): Promise<Reported> {
    const { from, ...asked } = options
    const { reportOn } = await import('./memory/report.ts')
    const all = [this.#files, ...inner.map((mission) => mission.#files)]
    return reportOn(all, await this.#desk(from), asked, await this.#allPorts())
  }

  /** Moves files of `context/` that belong together into folders of their own; `dryRun` only says which. AC-MQ §15. */
  async organize(options?: { readonly dryRun?: boolean }): Promise<Organized> {
    return (await import('./memory/organize.ts')).organize(this.#files, await this.#allPorts(), options)
  }

  /** Puts back what the last `organize` moved, and says what stays and why. */
  async undoOrganize(): Promise<Organized> {
    return (await import('./memory/organize.ts')).undoOrganize(this.#files)
  }

  /** Finishes an `organize`, or its undoing, that was cut off. False when there is none. */
  async finishOrganizing(): Promise<boolean> {
    return (await import('./memory/organize.ts')).finishOrganizing(this.#files)
  }

  /** Keeps files of `context/` where they are. */
  async pin(paths: readonly string[]): Promise<readonly string[]> {
    return (await import('./memory/pins.ts')).pin(this.#files, paths)
  }

  /** Puts a queue, or all four, down as tables. AC-MQ §14.1. */
  async snapshot(queues?: readonly QueueName[]): Promise<TakenSnapshot[]> {
    return (await import('./memory/merging.ts')).takeSnapshots(this.#files, queues)
  }

  /** Takes the snapshots that are due, and archives the completed messages they cover. AC-MQ §14.2. */
  async merge(options?: { readonly by?: string }): Promise<Merged> {
    return (await import('./memory/merging.ts')).mergeQueues(this.#files, options)
  }

  /** How fast the mission goes, when its queues are put into snapshots, and what was decided last. */
  async merging(): Promise<MergingState> {
    return (await import('./memory/merging.ts')).readMerging(this.#files)
  }

  /** Finds messages by words and by meaning, archived ones too. AC-MQ §13.2. */
  async search(query: string, options?: SearchOptions): Promise<Searched> {
    const { searchMission } = await import('./memory/search.ts')
    return searchMission(this.#files, await this.#allPorts(), query, options)
  }

  /** Messages that wait for a person, with the pattern that holds each. */
  async held(): Promise<HeldMessage[]> {
    const held: HeldMessage[] = []
    for await (const one of this.eachHeld()) held.push(one)
    return held
  }

  /** The same as they stream by. */
  async *eachHeld(): AsyncGenerator<HeldMessage> {
    yield* eachHeld(this.#policy, await this.#overview())
  }

  /** `shown`: the digest of what the person was shown; the message is refused when it says something else by now. */
  async approve(id: string, by: string, at: string, shown?: string): Promise<Omit<Settled<'approved'>, 'durability'>> {
    const message = expectWaiting(await this.show(id))
    const outcome = await this.#policy.approve(message, message.body, withoutUndefined({ by, at, shown }))
    return { outcome, message }
  }

  /** A person says no: the message fails with that reason. */
  async deny(id: string, by: string, reason: string): Promise<Settled<'failed'>> {
    const message = expectWaiting(await this.show(id))
    return this.#settling.refuse(message, message.body, by, reason)
  }

  /** What `doctor` should know of this mission; nothing is changed. */
  async inspect(options?: { readonly isSeen?: IsSeen }): Promise<Finding[]> {
    const { Inspection } = await import('./inspect.ts')
    return new Inspection(this.#files, this.#waiting, await this.#supervision()).run(options)
  }
}

/** Who asks for summaries when nobody is named. */
const busAgent = 'signalbox'

const checked = (holding: Holding): Holding => ({ ...holding, agent: agentId(holding.agent) })
