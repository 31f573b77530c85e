/**
 * Changing a mailbox: turn, lock, read, change, replace if nobody else has, unlock. Whoever holds a foreign lock is waited for
 * outside of the turn. Every change also puts back what another program has overwritten: messages of ours, and ids that
 * were processed. Spec: Dream.OS, Notes (Atomicity).
 */
import { conflict, notFound, unavailable } from '../../../kernel/errors.ts'
import type { Malformed } from '../../../kernel/problem.ts'
import type { TreePath } from '../../../kernel/tree-path.ts'
import { whyClosed } from '../../../messaging/leaves/readable.ts'
import type { Durability, Leaf } from '../../../tree/tree.ts'
import { brokenLockPath, lockPath, mailboxFrom, mailboxPath } from '../layout.ts'
import { MailboxEditor } from '../mailbox-edit.ts'
import { parseMailbox, type ReadMailbox } from '../mailbox-format.ts'
import type { MailboxMessage } from '../schema.ts'
import type { Logs } from './governance.ts'
import { freeLock, mailboxSubject, takeLock } from './mailbox-lock.ts'
import { type Ids, MailboxMemory } from './mailbox-memory.ts'
import type { Note } from './notes.ts'
import { badFile, type DreamParts, unlessOdd } from './parts.ts'
import type { Tale, Tellings } from './tellings.ts'

/** So long a mailbox that is no JSON may still be being written, in milliseconds. */
const longestWrite = 400

/** `compact` reads what nothing else does. */
export const largestPacked = 128 * 1024 * 1024

/** The way out where packing is none. */
export const raise = 'raise `largestMessage` under `dream:` in signalbox.yaml'

export interface OpenMailbox {
  readonly mailbox: ReadMailbox
  readonly leaf: Leaf
  /** By the tree's time. */
  readonly now: number
  /** The ids that need no more attention, whoever says so. */
  readonly processed: Ids
}

/** What to do with a mailbox, from what it says now. Asked again when another program has changed it meanwhile. */
export interface MailboxChange<T> {
  readonly answer: T
  /** What is written into it. Nothing: it stays as it is. */
  edit?(editor: MailboxEditor): void
  /** Before the mailbox is written. */
  before?(): Promise<void>
  /** After it was; `size`: how many bytes it has now. */
  after?(size: number): Promise<void>
  /** Messages that another program has overwritten, to be put back. */
  readonly again?: readonly MailboxMessage[]
  /** What has to be told of it. */
  readonly tale?: Tale
}

export interface ChangeOptions {
  /** Who does it, for the lock. */
  readonly by: string
  /** How large it may be. */
  readonly most?: number
}

interface Known {
  readonly number: number
  readonly bytes: Uint8Array
  readonly mailbox: ReadMailbox
  /** This process wrote it, with everything that it ever sent. */
  readonly isOwn: boolean
}

export class MailboxFiles {
  readonly memory: MailboxMemory
  readonly #parts: DreamParts
  readonly #logs: Logs
  readonly #tellings: Tellings
  /** What was read or written last: whoever finds the same bytes there need not read them again. */
  #last: Known | undefined

  constructor(parts: DreamParts, logs: Logs, tellings: Tellings) {
    this.#parts = parts
    this.#logs = logs
    this.#tellings = tellings
    this.memory = new MailboxMemory(parts)
  }

  /** The numbers of those that are there. `odd`: also where a link or a folder has the name of one. */
  async numbers({ odd = false } = {}): Promise<number[]> {
    const { tree, places } = this.#parts
    const entries = (await unlessOdd(() => tree.list(places.mailboxes))) ?? []
    const numbers = entries.flatMap(({ name, kind }) => (odd || kind === 'leaf' ? (mailboxFrom(name) ?? []) : []))
    return numbers.sort((a, b) => a - b)
  }

  /** What is in it. Looks only, so another program may be about to change it. */
  async open(number: number, most = this.#parts.settings.largest): Promise<OpenMailbox> {
    const { leaf, mailbox } = await this.#whole(number, most)
    const remembered = await this.memory.processed(number)
    const processed = { has: (id: string) => mailbox.isProcessed(id) || remembered.has(id) }
    return { mailbox, leaf, now: await this.#parts.tree.now(), processed }
  }

  /** Most programs write in place, so a mailbox that was changed just now may be half-written: it is looked at again. */
  async #whole(number: number, most: number): Promise<{ readonly leaf: Leaf; readonly mailbox: ReadMailbox }> {
    const { tree, places, settings } = this.#parts
    const path = mailboxPath(places, number)
    const deadline = performance.now() + longestWrite
    for (let pauseMs = 5; ; pauseMs *= 2) {
      const leaf = await this.#read(path, most)
      if (!leaf) throw this.#noMailbox(number)
      if (leaf.size > most) throw this.#tooLarge(number, leaf.size, most)
      const mailbox = this.#parsed(number, leaf.bytes, most)
      if (mailbox.outcome === 'mailbox') return { leaf, mailbox }
      const isYoung = mailbox.isUnfinished === true && (await tree.now()) - leaf.changedAt < settings.settleMs
      if (!isYoung || performance.now() + pauseMs > deadline)
        throw badFile(this.#parts, path, 'BAD_MAILBOX', mailbox.problems)
      await pause(pauseMs)
    }
  }

  #parsed(number: number, bytes: Uint8Array, most: number): ReadMailbox | Malformed {
    const last = this.#last
    if (last?.number === number && Buffer.compare(last.bytes, bytes) === 0) return last.mailbox
    const mailbox = parseMailbox(bytes, { compat: this.#parts.compat, most })
    if (mailbox.outcome === 'mailbox') this.#last = { number, bytes, mailbox, isOwn: false }
    return mailbox
  }

  /** At once and not in two steps: a mailbox is usually larger than what is read first of other files. */
  async #read(path: TreePath, most: number): Promise<Leaf | undefined> {
    try {
      return await this.#parts.tree.read(path, { atMost: most + 1 })
    } catch (error) {
      const closed = whyClosed(error)
      throw closed ? badFile(this.#parts, path, closed.code, [closed]) : error
    }
  }

  /** Runs `work` on a mailbox that nobody else changes, as far as they keep to the lock. */
  async change<T>(
    number: number,
    { by, most }: ChangeOptions,
    work: (opened: OpenMailbox) => Promise<MailboxChange<T>>,
  ): Promise<T & { readonly durability: Durability }> {
    const { settings } = this.#parts
    const giveUpAt = performance.now() + settings.lockWaitMs
    for (;;) {
      const done = await this.#exclusively(number, () => this.#inTurn(number, by, most, work))
      if (done.outcome === 'done') return done.answer
      const left = giveUpAt - performance.now()
      if (left <= 0) throw this.#locked(number, done.holder)
      await pause(Math.min(left, 50 + Math.random() * 100))
    }
  }

  /** Removes a lock whose holder is gone, so that programs which only know the lock can go on. Whose it was, if there was one. */
  async clearLock(number: number, by: string): Promise<string | undefined> {
    const { tree, places } = this.#parts
    const path = lockPath(places, number)
    if (!(await unlessOdd(() => tree.read(path, { atMost: 1 })))) return undefined
    return this.#exclusively(number, async () => {
      const lock = await this.#takeLock(number, by)
      if (lock.outcome !== 'locked') return undefined
      await freeLock(this.#parts, number, lock.content)
      return lock.broken
    })
  }

  /** What is in an agent's own mailbox. On a cluster a look may be a moment old; in the turn it is not. */
  async openOwn(number: number, agent: string): Promise<OpenMailbox> {
    const opened = await this.open(number)
    if (opened.mailbox.isBare || opened.mailbox.agent === agent) return opened
    const fresh = await this.#exclusively(number, () => this.open(number))
    await this.expectOwn(number, fresh.mailbox, agent)
    return fresh
  }

  /** Throws unless the mailbox is this agent's, and tells that somebody was denied. */
  async expectOwn(number: number, { agent: owner, isBare }: ReadMailbox, agent: string): Promise<void> {
    if (isBare || owner === agent) return
    const whose = owner === undefined ? 'nobody has claimed it' : `it is ${owner.slice(0, 80)}'s`
    await this.#logs.tellDenied(`mailbox ${number}`, agent, whose)
    throw conflict('NOT_YOUR_MAILBOX', `Mailbox ${number} is not ${agent}'s: ${whose}.`, {
      hint: `Claim one first: signalbox dream mailbox claim --agent ${agent}`,
      details: { mailbox: number, agent, owner: owner ?? null },
    })
  }

  /** Tells what somebody was killed over. */
  recoverTold(number: number): Promise<void> {
    return this.#exclusively(number, async () => {})
  }

  /** In the turn of a mailbox, after what was left there has been told. */
  #exclusively<T>(number: number, work: () => Promise<T>): Promise<T> {
    const { tree, places } = this.#parts
    return tree.exclusively(`dream ${mailboxPath(places, number)}`, async () => {
      await this.#tellings.recover(mailboxSubject(number), (when) => this.#isMade(number, when))
      return work()
    })
  }

  async #isMade(number: number, { isLockBroken, agent, messages }: Note): Promise<boolean> {
    if (isLockBroken === true) return (await this.#parts.tree.look(brokenLockPath(number))) !== undefined
    const { mailbox } = await this.open(number, largestPacked)
    if (typeof agent === 'string') return mailbox.agent === agent
    return Array.isArray(messages) && messages.every((id) => mailbox.ids.has(String(id)))
  }

  #takeLock(number: number, by: string) {
    return takeLock(this.#parts, { logs: this.#logs, tellings: this.#tellings }, number, by)
  }

  async #inTurn<T>(
    number: number,
    by: string,
    most: number | undefined,
    work: (opened: OpenMailbox) => Promise<MailboxChange<T>>,
  ) {
    const { tree, places } = this.#parts
    // No lock is left beside a mailbox that is not there.
    if (!(await tree.look(mailboxPath(places, number)))) throw this.#noMailbox(number)
    const lock = await this.#takeLock(number, by)
    if (lock.outcome === 'busy') return lock
    try {
      return { outcome: 'done', answer: await this.#write(number, by, most, work) } as const
    } finally {
      await freeLock(this.#parts, number, lock.content)
    }
  }

  async #write<T>(
    number: number,
    by: string,
    most: number | undefined,
    work: (opened: OpenMailbox) => Promise<MailboxChange<T>>,
  ): Promise<T & { readonly durability: Durability }> {
    const path = mailboxPath(this.#parts.places, number)
    for (;;) {
      const opened = await this.open(number, most)
      const change = await work(opened)
      await change.before?.()
      const isOwn = this.#last?.isOwn === true && this.#last.mailbox === opened.mailbox
      const own = isOwn ? [] : this.memory.lostFrom(number, opened.mailbox, opened.processed)
      const lost = [...new Map([...own, ...(change.again ?? [])].map((one) => [one.message_id, one])).values()]
      const unmarked = isOwn ? [] : await this.unmarkedIn(number, opened)
      const isChanged = change.edit || lost.length > 0 || unmarked.length > 0
      const edited = isChanged ? this.#edited(opened, { lost, unmarked }, change) : undefined
      const bytes = edited?.bytes
      if (bytes && bytes.length > (most ?? this.#parts.settings.largest))
        throw this.#tooLarge(number, bytes.length, most ?? this.#parts.settings.largest)
      const tale = this.#taleOf(number, by, lost, change.tale)
      if (tale) await this.#tellings.begin(mailboxSubject(number), tale)
      const written = bytes && (await this.#parts.tree.replace(path, bytes, opened.leaf.revision))
      if (written && written.outcome !== 'replaced') {
        // A program without the lock was first.
        if (tale) await this.#tellings.drop(mailboxSubject(number))
        continue
      }
      if (bytes && edited?.mailbox) this.#last = { number, bytes, mailbox: edited.mailbox, isOwn: true }
      await change.after?.(bytes?.length ?? opened.leaf.size)
      if (tale) await this.#tellings.end(mailboxSubject(number), tale)
      return { ...change.answer, durability: written?.durability ?? 'process' }
    }
  }

  #taleOf(number: number, by: string, lost: readonly MailboxMessage[], tale?: Tale): Tale | undefined {
    if (lost.length === 0) return tale
    const ids = lost.map(({ message_id }) => message_id)
    const lines = ids.map((message_id) => this.#logs.line('MESSAGE_RESENT', by, { mailbox: number, message_id }))
    return { when: { messages: ids }, ...tale, lines: [...(tale?.lines ?? []), ...lines] }
  }

  /** Messages that were processed and are not marked so: another program has written an old copy back. */
  async unmarkedIn(number: number, { mailbox }: Pick<OpenMailbox, 'mailbox'>): Promise<string[]> {
    const isWritable = !mailbox.isBare && !mailbox.problems.some(({ field }) => field === 'processed_message_ids')
    if (!isWritable) return []
    const remembered = await this.memory.processed(number)
    return [...remembered.keys()].filter((id) => mailbox.ids.has(id) && !mailbox.isProcessed(id))
  }

  /** Also puts back what another program has overwritten: what was sent lately, and what was processed. */
  #edited(
    { mailbox, leaf }: OpenMailbox,
    { lost, unmarked }: { readonly lost: readonly MailboxMessage[]; readonly unmarked: readonly string[] },
    change: Pick<MailboxChange<unknown>, 'edit'>,
  ) {
    const editor = new MailboxEditor(mailbox)
    for (const message of lost) editor.add(message)
    change.edit?.(editor)
    for (const id of unmarked) editor.markProcessed(id)
    return editor.resultOver(leaf.bytes)
  }

  #noMailbox(number: number) {
    const path = mailboxPath(this.#parts.places, number)
    return notFound('NO_SUCH_MAILBOX', `There is no mailbox ${number}: ${this.#parts.tree.place}/${path}.`, {
      hint: `Make it: signalbox dream mailbox init ${number}`,
      details: { mailbox: number, path },
    })
  }

  #tooLarge(number: number, size: number, most: number) {
    const path = mailboxPath(this.#parts.places, number)
    const problem = { code: 'MAILBOX_TOO_LARGE', field: '', message: `It has ${size} bytes; ${most} is the most.` }
    const hint =
      most < largestPacked
        ? `Pack what is processed: signalbox dream mailbox compact --mailbox ${number}. If that does not help, ${raise}.`
        : 'It is too large to be packed as well: split it, or move it away.'
    return badFile(this.#parts, path, 'MAILBOX_TOO_LARGE', [problem], hint)
  }

  #locked(number: number, holder: string) {
    const lock = lockPath(this.#parts.places, number)
    const seconds = Math.round(this.#parts.settings.lockWaitMs / 1000)
    return unavailable('MAILBOX_LOCKED', `Mailbox ${number} is locked by ${holder}, for ${seconds} s and longer.`, {
      hint: `Try again when that program is done. If it is dead, remove ${lock}.`,
      details: { mailbox: number, lock, holder },
    })
  }
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
