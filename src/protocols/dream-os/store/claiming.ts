/**
 * Taking files from inboxes, or straight from the outbox of their sender. The agent holds the file under a lease; a file that is
 * neither finished nor renewed in time goes back.
 */
import { findInexact } from '../../../formats/json.ts'
import { call } from '../../../kernel/call.ts'
import type { HeldBy } from '../../../kernel/envelope.ts'
import type { TreePath } from '../../../kernel/tree-path.ts'
import { lostClaim } from '../../../messaging/claims/claim.ts'
import { spareName } from '../../../messaging/quarantine/quarantine.ts'
import { waitFor } from '../../../messaging/waiting/waiting.ts'
import type { Durability, Lease, Moved } from '../../../tree/tree.ts'
import { type PlainMessage, parseMessage, statedFieldsOf } from '../format.ts'
import { attemptsPath, type Folder, folderPath, routedName } from '../layout.ts'
import { type AgentId, agentId } from '../names.ts'
import { inexactNote } from '../problem.ts'
import { fileSubject } from '../steps.ts'
import { isoOf } from '../times.ts'
import type { Dream } from './dream.ts'
import { InboxIndex, turnOf, type WaitingFile } from './inbox-index.ts'
import { theOneOf } from './inboxes.ts'
import { moveFile, targetOf } from './moving.ts'
import { attemptIn, noteIn, readNote, writeNote } from './notes.ts'
import type { DreamView, TaskTaken, Unreadable } from './outcomes.ts'
import { messageNames, Part, pathIn } from './parts.ts'
import { viewOf } from './view.ts'

interface TakeTaskOptions {
  readonly waitMs?: number | undefined
  /** Only this one, by its id or by the name of its file. */
  readonly id?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** A file that may be taken: from an inbox as the index has it, from an outbox as it was read. */
type Takable = WaitingFile | DreamView

/** How often a file of an inbox was taken, and by whom last. */
interface Hold {
  readonly attempt: number
  readonly holder: string
}

export const holdNote = (agent: string, file: string): TreePath => noteIn(attemptsPath, agent, file)
/** How long a process that is killed while it puts a file back keeps others from taking it. */
const puttingBackMs = 5000

/** The lease on a file of an inbox. */
const leaseOf = (agent: string, file: string): string => `dream ${agent}/${file}`

export class Claiming extends Part {
  readonly #index: InboxIndex

  constructor(dream: Dream) {
    super(dream)
    this.#index = new InboxIndex(dream.parts, (agent, name) => dream.inboxes.read(agent, 'inbox', name))
  }

  /** The next file for an agent: from its inbox, or straight from the outbox of an agent that sent it one. */
  async take(name: string, { waitMs = 0, id, signal }: TakeTaskOptions = {}): Promise<TaskTaken> {
    const agent = await this.dream.agents.expectName(name)
    await this.dream.recovery.finishAll()
    await this.dream.sending.publishAll()
    let unreadable: readonly Unreadable[] = []
    const attempt = async () => {
      await this.putBackEnded(agent)
      // The last try takes a file that another program keeps changing as it is.
      for (let tries = 3; ; tries--) {
        const found = await this.#index.waitingFor(agent)
        unreadable = found.unreadable
        const taken = await this.#takeNext(agent, id, found.waiting, tries === 0)
        if (taken !== 'outdated') return taken
        await this.#index.forget(agent)
      }
    }
    const others = (await this.dream.agents.withFolders()).filter((one) => one !== agent)
    const folders = [
      folderPath(this.parts.places, agent, 'inbox'),
      ...others.map((other) => folderPath(this.parts.places, other, 'outbox')),
    ]
    const taken = await waitFor(this.parts.tree, waitMs > 0 ? folders : [], attempt, {
      waitMs,
      signal,
      giveBack: ({ message, attempt }) => this.giveBack(agent, message.file, attempt),
    })
    await this.dream.agents.note(agent)
    return taken ? { ...taken, unreadable } : { outcome: 'nothing', unreadable }
  }

  /**
   * `outdated`: a file has changed since it was remembered, so another one may come first. `isAnyTaken`: a file is taken even if it
   * has changed.
   */
  async #takeNext(agent: AgentId, id: string | undefined, waiting: readonly WaitingFile[], isAnyTaken: boolean) {
    if (id !== undefined) {
      const sent: DreamView[] = []
      for await (const view of this.#addressedTo(agent)) sent.push(view)
      const meant = theOneOf<Takable>(id, [...waiting, ...sent], agent)
      return meant && this.#takeOne(agent, meant, isAnyTaken)
    }
    for (const file of waiting) {
      const taken = await this.#takeOne(agent, file, isAnyTaken)
      if (taken) return taken
    }
    for await (const view of this.#addressedTo(agent)) {
      const taken = await this.#takeOne(agent, view, isAnyTaken)
      if (taken) return taken
    }
    return undefined
  }

  /** The lease is taken before the file is moved: a file in `working/` without a lease is one whose lease has ended. */
  async #takeOne(agent: AgentId, meant: Takable, isAnyTaken: boolean) {
    const { tree, settings } = this.parts
    const { file, state, path } = meant
    const from = state === 'outbox' ? 'outbox' : 'inbox'
    const owner = from === 'outbox' ? ((meant as DreamView).from as AgentId) : agent
    let isOutdated = false
    const name = await this.#freeName(agent, from === 'outbox' ? routedName(file, owner) : file)
    const holder = `${agent} ${crypto.randomUUID()}`
    const leased = await tree.lease(leaseOf(agent, name), holder, settings.taskLeaseMs)
    if (leased.outcome === 'busy') return undefined
    const note = holdNote(agent, name)
    const attempt = attemptIn(await readNote(tree, note, { fresh: true })) + 1
    await writeNote(tree, note, { attempt, holder })
    const step = { agent: owner, name: file, from, transition: 'take', to: agent, as: name } as const
    let message: PlainMessage | undefined
    let modifiedAt = 0
    const change = (bytes: Uint8Array, times: { readonly modifiedAt: number }) => {
      const parsed = parseMessage(bytes, { compat: this.parts.compat, most: settings.largest })
      message = parsed.outcome === 'message' ? parsed.message : undefined
      modifiedAt = times.modifiedAt
      if ('priority' in meant && !isAnyTaken) {
        const now = message && turnOf(viewOf(message, { agent, state: 'inbox', path: path as TreePath, modifiedAt }))
        isOutdated = now?.id !== meant.id || now.priority !== meant.priority || now.time !== meant.time
      }
      const isMine = message !== undefined && (from === 'inbox' || statedFieldsOf(message).to === agent)
      return isMine && !isOutdated ? bytes : undefined
    }
    const moved = await moveFile(this.parts, step, { change, under: leased.lease })
    if (moved.outcome !== 'moved' || !message) {
      await tree.release(leaseOf(agent, name), holder)
      if (attempt === 1) await tree.remove(note)
      else await writeNote(tree, note, { attempt: attempt - 1, holder })
      return moved.outcome === 'kept' && isOutdated ? 'outdated' : undefined
    }
    const inexact = findInexact(message)
    return {
      outcome: 'taken',
      message: viewOf(message, { agent, state: 'working', path: targetOf(this.parts, step), modifiedAt }),
      attempt,
      redelivered: attempt > 1,
      until: isoOf(leased.lease.until),
      durability: moved.durability,
      ...(inexact === undefined ? {} : { notes: [inexactNote(inexact)] }),
    } as const
  }

  /** Senders reuse names. A name that the agent never had keeps the hold note and the outcome apart from those of other files. */
  async #freeName(agent: AgentId, name: string): Promise<string> {
    for (let n = 1; ; n++) {
      const free = n === 1 ? name : spareName(name, n)
      const isHad = async (folder: Folder) => this.parts.tree.look(pathIn(this.parts, agent, folder, free))
      if (!(await isHad('working')) && !(await isHad('archive/inbox'))) return free
    }
  }

  /** Extends the lease of an agent that still works on a file. */
  async renew(name: string, file: string, attempt: number | undefined): Promise<Lease> {
    const agent = agentId(name)
    const { holder } = await this.expectHeld(agent, file, attempt)
    const { tree, settings } = this.parts
    const leased = await tree.lease(leaseOf(agent, file), holder, settings.taskLeaseMs)
    if (leased.outcome === 'busy') throw lostFile(agent, file, 'another process has it')
    const inHand = await tree.read(pathIn(this.parts, agent, 'working', file), { atMost: 1, fresh: true })
    if (inHand) return leased.lease
    await tree.release(leaseOf(agent, file), holder)
    throw lostFile(agent, file, 'it waits again')
  }

  /** The holder gives a file back unharmed: it waits again. */
  async giveBack(name: string, file: string, attempt: number | undefined): Promise<Durability> {
    const agent = agentId(name)
    const { holder } = await this.expectHeld(agent, file, attempt)
    const moved = await this.#putBack(agent, file, holder)
    if (moved?.outcome === 'moved') return moved.durability
    throw lostFile(agent, file, moved ? 'nobody has it' : 'another process has it')
  }

  /** The lease keeps other processes from taking the file, and the turn from recording an outcome. `undefined`: another process has it. */
  async #putBack(agent: AgentId, name: string, holder: string): Promise<Moved | undefined> {
    const { tree } = this.parts
    const leased = await tree.lease(leaseOf(agent, name), holder, puttingBackMs)
    if (leased.outcome === 'busy') return undefined
    const step = { agent, name, from: 'working', transition: 'putBack' } as const
    const moved = await this.dream.journal.turn(fileSubject(agent, name), () =>
      moveFile(this.parts, step, { under: leased.lease }),
    )
    await tree.release(leaseOf(agent, name), holder)
    return moved
  }

  /** Throws if the file was taken again since. `attempt` 0: it was never taken. */
  async expectHeld(agent: AgentId, file: string, attempt: number | undefined): Promise<Hold> {
    const note = await readNote(this.parts.tree, holdNote(agent, file), { fresh: true })
    if (attempt !== undefined && note && attemptIn(note) !== attempt) throw lostFile(agent, file, 'it was taken again')
    return { attempt: attemptIn(note), holder: typeof note?.holder === 'string' ? note.holder : `${agent} unknown` }
  }

  /** Who holds a file in `working/`, until when. `leases`: all leases of the tree, read once for many files. */
  async claimOf(agent: AgentId, file: string, leases: readonly Lease[]): Promise<HeldBy> {
    const attempt = attemptIn(await readNote(this.parts.tree, holdNote(agent, file)))
    const lease = leases.find(({ resource }) => resource === leaseOf(agent, file))
    return { by: agent, ...(attempt === 0 ? {} : { attempt, until: isoOf(lease?.until ?? 0) }) }
  }

  /** Ends the claim of a file that is finished. */
  async release(agent: AgentId, file: string, { holder }: Hold): Promise<void> {
    await this.parts.tree.release(leaseOf(agent, file), holder)
  }

  /** Puts files back whose lease has ended, and answers their names. */
  async putBackEnded(agent: AgentId): Promise<string[]> {
    const { tree } = this.parts
    const names = await messageNames(this.parts, agent, 'working')
    if (names.length === 0) return []
    const held = new Set((await tree.leases()).map(({ resource }) => resource))
    const back: string[] = []
    for (const name of names) {
      if (held.has(leaseOf(agent, name))) continue
      const moved = await this.#putBack(agent, name, `${agent} ${crypto.randomUUID()}`)
      if (moved?.outcome === 'moved') back.push(name)
    }
    return back
  }

  /** Files in outboxes of other agents that are for this agent. Broadcasts are left to the router. */
  async *#addressedTo(agent: AgentId): AsyncGenerator<DreamView> {
    for await (const view of this.dream.inboxes.everywhere(['outbox']))
      if (view.to === agent && view.from !== agent) yield view
  }
}

export const lostFile = (agent: string, file: string, why: string) =>
  lostClaim(file, why, `Nothing was recorded. Take it again: ${call('dream task take', { as: agent })}`, {
    agent,
    file,
  })
