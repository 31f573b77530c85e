/**
 * The inboxes of agents: written, listed, taken, finished. Who takes a file has it for a while; what was neither finished nor
 * renewed by then goes back. A file that is no message stays where it is and stops no other. Spec: Dream.OS, Agent Runtime
 * Communication.
 */
import { findInexact } from '../../../formats/json.ts'
import { conflict, corrupt, invalidInput, notFound } from '../../../kernel/errors.ts'
import { inOrder } from '../../../kernel/order.ts'
import { thoseMeant } from '../../../kernel/short-id.ts'
import { isSegment, type TreePath } from '../../../kernel/tree-path.ts'
import { isUnread, readOrSayWhy } from '../../../messaging/leaves/readable.ts'
import { spareName } from '../../../messaging/quarantine/set-aside.ts'
import { waitFor } from '../../../messaging/waiting/wait.ts'
import type { Lease } from '../../../tree/tree.ts'
import { isEvent } from '../event-format.ts'
import { type PlainMessage, parseMessage, printMessage, saidBy } from '../format.ts'
import { inexactNumber } from '../given.ts'
import { type Folder, folderPath, isMessageName, routedName, taskFileName } from '../layout.ts'
import { type AgentId, agentId, isTaskId, taskId } from '../names.ts'
import { inexactNote, told } from '../problem.ts'
import { eventTypes } from '../schema.ts'
import { readTask } from '../tasks.ts'
import { isoOf } from '../times.ts'
import { attemptsNote, type Deliveries, deliveredTo, leaseOf } from './deliveries.ts'
import type { Finishing } from './finishing.ts'
import { InboxIndex, turnOf, usualPriority, type WaitingFile } from './inbox-index.ts'
import { moveFile, targetOf } from './moving.ts'
import { attemptIn, readNote, writeNote } from './notes.ts'
import type {
  DreamView,
  InboxListed,
  OutcomeInput,
  OutcomeRecorded,
  TaskSent,
  TaskTaken,
  Unreadable,
} from './outcomes.ts'
import { type DreamParts, messageNames, pathIn, unlessOdd } from './parts.ts'
import { viewOf } from './view.ts'

export interface TakeTaskOptions {
  readonly waitMs?: number
  /** Only this one, by its id or by the name of its file. */
  readonly id?: string
  readonly signal?: AbortSignal
}

type Found = DreamView | { readonly unreadable: Unreadable }

/** A file that may be taken: of an inbox as it is remembered, of an outbox as it is. */
type Takable = WaitingFile | DreamView

interface HowTaken {
  /** Whatever the file says now. */
  readonly believing: boolean
}

export class Inboxes {
  readonly #parts: DreamParts
  readonly #deliveries: Deliveries
  readonly #finishing: Finishing
  readonly #index: InboxIndex

  constructor(parts: DreamParts, deliveries: Deliveries, finishing: Finishing) {
    this.#parts = parts
    this.#index = new InboxIndex(parts, (agent, name) => this.read(agent, 'inbox', name))
    this.#deliveries = deliveries
    this.#finishing = finishing
  }

  /** Puts a task or any other object into the inbox of an agent, under the id that it has or a new one. */
  async send(to: string, message: PlainMessage, { from }: { readonly from?: string } = {}): Promise<TaskSent> {
    const target = await this.#deliveries.agents.expectName(to)
    expectTask(message, target, this.#parts.compat)
    const inexact = findInexact(message)
    if (inexact !== undefined) throw inexactNumber(inexact)
    const said = saidBy(message)
    const own = said.id !== undefined && isTaskId(said.id) ? said.id : undefined
    const id = own ?? crypto.randomUUID()
    const notices = await this.#deliveries.agents.noticesAbout(target)
    const text = printMessage(message)
    for (let n = 1; ; n++) {
      const name = taskFileName(id, n)
      const { path, durability, isNew } = await this.#deliveries.deliverOnce({ to: target, name, text })
      const there = isNew ? undefined : await this.#delivered(target, name)
      // Another task has this id.
      if (!isNew && (!there || JSON.stringify(there.message) !== JSON.stringify(message))) continue
      if (from !== undefined) await this.#deliveries.agents.note(from)
      if (there) return { outcome: 'unchanged', message: there, durability, notices }
      const where = { agent: target, state: 'inbox', path, modifiedAt: this.#parts.clock.now() } as const
      return { outcome: 'sent', message: viewOf(message, where), durability, notices }
    }
  }

  /** A file that was delivered, however far it has come since. Looked for twice: it may be put back in between. */
  async #delivered(agent: AgentId, name: string): Promise<DreamView | undefined> {
    for (const folder of [...deliveredTo, ...deliveredTo]) {
      const found = await this.read(agent, folder, name)
      if (found && !('unreadable' in found)) return found
    }
    return undefined
  }

  async list(name: string): Promise<InboxListed> {
    const agent = agentId(name)
    const waiting: DreamView[] = []
    const unreadable: Unreadable[] = []
    for (const found of await this.#all(agent, 'inbox')) {
      if ('unreadable' in found) unreadable.push(found.unreadable)
      else waiting.push(found)
    }
    const inHand = (await this.#all(agent, 'working')).filter((one): one is DreamView => !('unreadable' in one))
    return { waiting: waiting.sort(asTaken), inHand, unreadable }
  }

  /** The next file for an agent: from its inbox, or straight from the outbox of somebody who sent it one. */
  async take(name: string, { waitMs = 0, id, signal }: TakeTaskOptions = {}): Promise<TaskTaken> {
    const agent = await this.#deliveries.agents.expectName(name)
    await this.#finishing.recover()
    let unreadable: readonly Unreadable[] = []
    const attempt = async () => {
      await this.putBackEnded(agent)
      // A file that somebody keeps changing is taken as it is in the end.
      for (let tries = 3; ; tries--) {
        const found = await this.#index.waitingFor(agent)
        unreadable = found.unreadable
        const taken = await this.#takeNext(agent, id, found.waiting, { believing: tries === 0 })
        if (taken !== 'outdated') return taken
        await this.#index.forget(agent)
      }
    }
    const others = (await this.#deliveries.agents.withFolders()).filter((one) => one !== agent)
    const folders = [
      folderPath(this.#parts.places, agent, 'inbox'),
      ...others.map((other) => folderPath(this.#parts.places, other, 'outbox')),
    ]
    const taken = await waitFor(this.#parts.tree, waitMs > 0 ? folders : [], attempt, {
      waitMs,
      ...(signal ? { signal } : {}),
    })
    await this.#deliveries.agents.note(agent)
    return taken ? { ...taken, unreadable } : { outcome: 'nothing', unreadable }
  }

  /** `outdated`: a file says something else than what is remembered of it, so that another one may come first. */
  async #takeNext(agent: AgentId, id: string | undefined, waiting: readonly WaitingFile[], how: HowTaken) {
    if (id !== undefined) {
      const sent: DreamView[] = []
      for await (const { view } of this.#addressedTo(agent)) sent.push(view)
      const meant = theOneOf<Takable>(id, [...waiting, ...sent], agent)
      return meant && this.#takeOne(agent, meant, how)
    }
    for (const file of waiting) {
      const taken = await this.#takeOne(agent, file, how)
      if (taken) return taken
    }
    for await (const { view } of this.#addressedTo(agent)) {
      const taken = await this.#takeOne(agent, view, how)
      if (taken) return taken
    }
    return undefined
  }

  /** The lease comes first: a file in `working/` without one was left by somebody whose time is up. */
  async #takeOne(agent: AgentId, meant: Takable, { believing }: HowTaken) {
    const { tree, settings } = this.#parts
    const { file, state, path } = meant
    const from = state === 'outbox' ? 'outbox' : 'inbox'
    const owner = from === 'outbox' ? ((meant as DreamView).from as AgentId) : agent
    let isOutdated = false
    const name = await this.#freeName(agent, from === 'outbox' ? routedName(file, owner) : file)
    const holder = `${agent} ${crypto.randomUUID()}`
    const leased = await tree.lease(leaseOf(agent, name), holder, settings.taskLeaseMs)
    if (leased.outcome === 'busy') return undefined
    const note = attemptsNote(agent, name)
    const attempt = attemptIn(await readNote(tree, note)) + 1
    await writeNote(tree, note, { attempt, holder })
    const step = { agent: owner, name: file, from, transition: 'take', to: agent, as: name } as const
    let message: PlainMessage | undefined
    let modifiedAt = 0
    const change = (bytes: Uint8Array, times: { readonly modifiedAt: number }) => {
      const parsed = parseMessage(bytes, { compat: this.#parts.compat, most: settings.largest })
      message = parsed.outcome === 'message' ? parsed.message : undefined
      modifiedAt = times.modifiedAt
      if ('priority' in meant && !believing) {
        const now = message && turnOf(viewOf(message, { agent, state: 'inbox', path: path as TreePath, modifiedAt }))
        isOutdated = now?.id !== meant.id || now.priority !== meant.priority || now.time !== meant.time
      }
      const isMine = message !== undefined && (from === 'inbox' || saidBy(message).to === agent)
      return isMine && !isOutdated ? bytes : undefined
    }
    const moved = await moveFile(this.#parts, step, { change, under: leased.lease })
    if (moved.outcome !== 'moved' || !message) {
      await tree.release(leaseOf(agent, name), holder)
      if (attempt === 1) await tree.remove(note)
      else await writeNote(tree, note, { attempt: attempt - 1, holder })
      return moved.outcome === 'kept' && isOutdated ? 'outdated' : undefined
    }
    const view = viewOf(message, { agent, state: 'working', path: targetOf(this.#parts, step), modifiedAt })
    const until = isoOf(leased.lease.until)
    const inexact = findInexact(message)
    return {
      outcome: 'taken',
      message: view,
      attempt,
      redelivered: attempt > 1,
      until,
      durability: moved.durability,
      ...(inexact === undefined ? {} : { notes: [inexactNote(inexact)] }),
    } as const
  }

  /** Senders use names again. Under one that the agent never had, what is said of a file is said of one alone. */
  async #freeName(agent: AgentId, name: string): Promise<string> {
    for (let n = 1; ; n++) {
      const free = n === 1 ? name : spareName(name, n)
      const isHad = async (folder: Folder) => this.#parts.tree.look(pathIn(this.#parts, agent, folder, free))
      if (!(await isHad('working')) && !(await isHad('archive/inbox'))) return free
    }
  }

  /** Says that the agent still works on it. */
  async renew(name: string, file: string, attempt: number | undefined): Promise<Lease> {
    const agent = agentId(name)
    const { holder } = await this.#expectHeld(agent, file, attempt)
    const leased = await this.#parts.tree.lease(leaseOf(agent, file), holder, this.#parts.settings.taskLeaseMs)
    if (leased.outcome === 'held') return leased.lease
    throw lost(agent, file, 'somebody else has it')
  }

  async #expectHeld(agent: AgentId, file: string, attempt: number | undefined): Promise<{ holder: string }> {
    const note = await readNote(this.#parts.tree, attemptsNote(agent, file))
    if (attempt !== undefined && note && attemptIn(note) !== attempt) throw lost(agent, file, 'it was taken again')
    return { holder: typeof note?.holder === 'string' ? note.holder : `${agent} unknown` }
  }

  /** What was taken and not finished in time waits again. */
  async putBackEnded(agent: AgentId): Promise<string[]> {
    const { tree } = this.#parts
    const names = await messageNames(this.#parts, agent, 'working')
    if (names.length === 0) return []
    const held = new Set((await tree.leases()).map(({ resource }) => resource))
    const back: string[] = []
    for (const name of names) {
      if (held.has(leaseOf(agent, name))) continue
      const moved = await moveFile(this.#parts, { agent, name, from: 'working', transition: 'putBack' })
      if (moved.outcome === 'moved') back.push(name)
    }
    return back
  }

  /** Records the outcome of a file, and puts it into the archive. */
  async done(
    name: string,
    given: string,
    outcome: OutcomeInput = {},
  ): Promise<OutcomeRecorded & { readonly file: string }> {
    const agent = agentId(name)
    await this.#finishing.recover()
    await this.#finishing.expectWritable()
    const view = await this.#find(agent, given)
    const { file, state: folder } = view
    if (folder === 'archive/inbox')
      return { ...(await this.#finishing.repeated({ agent, id: view.id, outcome })), file }
    await this.#expectHeld(agent, file, outcome.attempt)
    const wasTaken = (await readNote(this.#parts.tree, attemptsNote(agent, file))) !== undefined
    if (folder === 'inbox' && wasTaken) throw lost(agent, file, 'its time was up, and it waits again')
    const { id, from, message } = view
    const recorded = await this.#finishing.finishFile(
      { agent, file, message, outcome },
      { id, taskId: isNews(message) ? undefined : saidBy(message).taskId, from: from === 'unknown' ? undefined : from },
    )
    await this.#parts.tree.release(leaseOf(agent, file), (await this.#expectHeld(agent, file, undefined)).holder)
    await this.#deliveries.agents.note(agent)
    return { ...recorded, file }
  }

  /** One of an agent's files, wherever it lies. */
  find(agent: string, given: string): Promise<DreamView> {
    return this.#find(agentId(agent), given)
  }

  /** By the name of the file, with or without its ending and folder, or by the id of the message. */
  async #find(agent: AgentId, given: string): Promise<DreamView> {
    const found = (await this.#named(agent, given)) ?? theOneOf(given, await this.#taken(agent), agent)
    if (found) return found
    throw notFound('NO_SUCH_FILE', `${agent} has no file ${given.slice(0, 120)}.`, {
      hint: `See what there is: signalbox dream task inbox ${agent}`,
      details: { agent, file: given.slice(0, 400) },
    })
  }

  async #named(agent: AgentId, given: string): Promise<DreamView | undefined> {
    const name = given.slice(given.lastIndexOf('/') + 1)
    // Without its ending it may be an id as well.
    if (!isMessageName(name) || !isSegment(name)) return undefined
    const found: DreamView[] = []
    let unreadable: Unreadable | undefined
    for (const folder of deliveredTo) {
      const one = await this.read(agent, folder, name, folder !== 'inbox')
      if (one && 'unreadable' in one) unreadable ??= one.unreadable
      else if (one) found.push(one)
    }
    if (found.length === 0 && unreadable) throw unreadableFile(unreadable)
    return theOneOf(given, found, agent)
  }

  async #taken(agent: AgentId): Promise<DreamView[]> {
    const all: Found[] = []
    for (const folder of deliveredTo) all.push(...(await this.#all(agent, folder, folder !== 'inbox')))
    return all.filter((one): one is DreamView => !('unreadable' in one))
  }

  /** What others have sent to this agent and nobody has carried yet. A broadcast is for the router. */
  async *#addressedTo(agent: AgentId): AsyncGenerator<{ sender: AgentId; view: DreamView }> {
    for (const sender of await this.#deliveries.agents.withFolders()) {
      if (sender === agent) continue
      for (const name of await messageNames(this.#parts, sender, 'outbox')) {
        const found = await this.read(sender, 'outbox', name)
        if (found && !('unreadable' in found) && found.to === agent) yield { sender, view: found }
      }
    }
  }

  async #all(agent: AgentId, folder: Folder, lenient = false): Promise<Found[]> {
    const found: Found[] = []
    for (const name of await messageNames(this.#parts, agent, folder)) {
      const one = await this.read(agent, folder, name, lenient)
      if (one) found.push(one)
    }
    return found
  }

  /** One file; `undefined` when it is gone. `lenient`: known deviations are read, as whoever took it may have asked for. */
  async read(agent: AgentId, folder: Folder, name: string, lenient = false): Promise<Found | undefined> {
    const path = pathIn(this.#parts, agent, folder, name)
    const { settings } = this.#parts
    const compat = lenient || this.#parts.compat
    const leaf = await unlessOdd(() => readOrSayWhy(this.#parts.tree, path, { most: settings.largest }))
    if (!leaf) return undefined
    if (isUnread(leaf)) return { unreadable: { path, reason: leaf.problem.message } }
    const parsed = parseMessage(leaf.bytes, { compat, most: settings.largest })
    if (parsed.outcome === 'malformed') return { unreadable: { path, reason: told(parsed.problems) } }
    return viewOf(parsed.message, { agent, state: folder, path, modifiedAt: leaf.modifiedAt })
  }
}

/**
 * The one file that is meant, by its path, its name or its id. Throws where several are: to finish another than the one meant
 * would lose it.
 */
function theOneOf<File extends Pick<DreamView, 'path' | 'file' | 'id'>>(
  given: string,
  all: readonly File[],
  agent: string,
): File | undefined {
  const isPath = ({ path }: File) => path === given || path.endsWith(`/${given}`) || given.endsWith(`/${path}`)
  const name = given.slice(given.lastIndexOf('/') + 1)
  const byPath = all.filter(isPath)
  const byName = all.filter(({ file }) => file === name)
  const byStemOrId = new Set([...all.filter(({ file }) => file === `${name}.json`), ...thoseMeant(given, all)])
  const meant = byPath.length > 0 ? byPath : byName.length > 0 ? byName : [...byStemOrId]
  if (meant.length < 2) return meant[0]
  const candidates = meant.map(({ path }) => path)
  throw conflict(
    'AMBIGUOUS_ID',
    `${given.slice(0, 120)} means several files of ${agent}: ${candidates.slice(0, 10).join(', ')}. Nothing was changed.`,
    { hint: 'Give the path of the one you mean.', details: { id: given.slice(0, 400), candidates } },
  )
}

/** What says that it is a task may leave things out, but what it says must be right. */
function expectTask(message: PlainMessage, target_agent: string, compat: boolean): void {
  // Another id than the one that is meant would be made up, and a repeat of it delivered again.
  if (typeof message.task_id === 'number') taskId(`${message.task_id} (a number)`)
  if (typeof message.task_id === 'string') taskId(message.task_id)
  if (message.task_id === undefined || message.action === undefined || isEvent(message)) return
  const rest = { params: {}, target_agent, status: 'PENDING', priority: usualPriority, depends_on: [] }
  const { problems } = readTask({ ...rest, ...message }, compat)
  if (problems.length === 0) return
  throw invalidInput('BAD_TASK', `Not a task: ${told(problems)}`, {
    hint: 'Correct that field. The guide has an example of a task.',
    details: { problems: problems.map(({ code, field, message }) => ({ code, field, message })) },
  })
}

/** An event that tells how a task ended: to have read it is no outcome of that task, and nobody is told of it again. */
const isNews = (message: PlainMessage): boolean =>
  isEvent(message) && (message.type === eventTypes.completed || message.type === eventTypes.failed)

/** The most urgent first, then the oldest. */
const asTaken = (a: DreamView, b: DreamView): number => inOrder(turnOf(a), turnOf(b))

const lost = (agent: string, file: string, why: string) =>
  conflict('LEASE_LOST', `${agent} does not have ${file} in hand: ${why}. Nothing was recorded.`, {
    hint: `Take it again: signalbox dream task take ${agent}`,
    details: { agent, file },
  })

const unreadableFile = ({ path, reason }: Unreadable) =>
  corrupt('UNREADABLE_MESSAGE', `${path} is no message: ${reason}`, {
    hint: 'Correct the file, or move it away.',
    details: { path },
  })
