/**
 * Changing a mailbox: turn, lock, read, change, replace if it is unchanged, unlock. A lock of another program is waited for
 * outside of the turn. Every change also restores what another program has overwritten: messages of this process, processed ids.
 * Spec: Dream.OS, Notes (Atomicity).
 */
import { call } from '../../../kernel/call.ts'
import { conflict, notFound, SignalboxError, unavailable } from '../../../kernel/errors.ts'
import type { Malformed } from '../../../kernel/problem.ts'
import type { TreePath } from '../../../kernel/tree-path.ts'
import { whyClosed } from '../../../messaging/leaves/readable.ts'
import { listIfFolder, readIfLeaf } from '../../../messaging/leaves/tolerant.ts'
import type { Durability, Leaf } from '../../../tree/tree.ts'
import { brokenLockPath, lockPath, mailboxFrom, mailboxPath } from '../layout.ts'
import { MailboxEditor } from '../mailbox-edit.ts'
import { parseMailbox, type ReadMailbox } from '../mailbox-format.ts'
import { type DreamStep, mailboxSubject } from '../steps.ts'
import type { Dream } from './dream.ts'
import { freeLock, takeLock, tellBroken } from './mailbox-lock.ts'
import { type Ids, MailboxMemory } from './mailbox-memory.ts'
import { badFile, Part, pause } from './parts.ts'

/** How long another program may take to write a mailbox in place. */
const longestWriteMs = 400

/** The largest mailbox that `compact` and steps of changes read, in bytes. */
export const largestPacked = 128 * 1024 * 1024

/** The hint where compacting would not help. */
export const raiseLimit = 'raise `largestMessage` under `dream:` in signalbox.yaml'

export interface OpenMailbox {
  readonly mailbox: ReadMailbox
  readonly leaf: Leaf
  /** By the tree's time. */
  readonly now: number
  /** The processed ids, of the mailbox and of our own log. */
  readonly processed: Ids
}

/** What to change in a mailbox, decided from its content; decided again if another program changes it meanwhile. */
type MailboxChange<T> = {
  readonly answer: T
} & (
  | {
      /** Left out: the mailbox stays as it is. */
      edit?(editor: MailboxEditor): void
      /** After it was written; `size`: how many bytes it has now. */
      after?(size: number): Promise<void>
    }
  | { readonly steps: readonly DreamStep[] }
)

interface ChangeOptions {
  /** Who does it, for the lock. */
  readonly by: string
  /** How large it may be. */
  readonly most?: number
}

interface LastMailbox {
  readonly number: number
  readonly bytes: Uint8Array
  readonly mailbox: ReadMailbox
  /** This process wrote it, so nothing that it sent is missing. */
  readonly isOwn: boolean
}

export class MailboxFiles extends Part {
  readonly memory: MailboxMemory
  /** What was read or written last: the same bytes need not be parsed again. */
  #last: LastMailbox | undefined
  /** The locks that this process holds. Only within `Tree.exclusively` of the mailbox. */
  readonly #held = new Set<number>()

  constructor(dream: Dream) {
    super(dream)
    this.memory = new MailboxMemory(dream.parts)
    dream.journal.performs({
      resend: ({ mailbox: number, ids }) =>
        this.edit(number, async (editor, { mailbox, processed }) => {
          for (const message of await this.memory.allLostFrom(number, mailbox, processed))
            if (ids.includes(message.message_id)) editor.add(message)
        }),
    })
  }

  /** The numbers of the mailboxes. `odd`: also of links and folders that are named like one. */
  async numbers({ odd = false } = {}): Promise<number[]> {
    const { tree, places } = this.parts
    const entries = await listIfFolder(tree, places.mailboxes)
    const numbers = entries.flatMap(({ name, kind }) => (odd || kind === 'leaf' ? (mailboxFrom(name) ?? []) : []))
    return numbers.sort((a, b) => a - b)
  }

  /** Reads a mailbox without its lock: another program may be about to change it. */
  async open(number: number, most = this.parts.settings.largest): Promise<OpenMailbox> {
    const { leaf, mailbox } = await this.#whole(number, most)
    const remembered = await this.memory.processed(number)
    const processed = { has: (id: string) => mailbox.isProcessed(id) || remembered.has(id) }
    return { mailbox, leaf, now: await this.parts.tree.now(), processed }
  }

  /** Most programs write in place, so a mailbox that was changed just now may be half-written: it is read again. */
  async #whole(number: number, most: number): Promise<{ readonly leaf: Leaf; readonly mailbox: ReadMailbox }> {
    const { tree, places, settings } = this.parts
    const path = mailboxPath(places, number)
    const deadline = performance.now() + longestWriteMs
    for (let pauseMs = 5; ; pauseMs *= 2) {
      const leaf = await this.#read(path, most)
      if (!leaf) throw this.#noMailbox(number)
      if (leaf.size > most) throw this.#tooLarge(number, leaf.size, most)
      const mailbox = this.#parsed(number, leaf.bytes, most)
      if (mailbox.outcome === 'mailbox') return { leaf, mailbox }
      const isYoung = mailbox.isUnfinished === true && (await tree.now()) - leaf.changedAt < settings.settleMs
      if (!isYoung || performance.now() + pauseMs > deadline)
        throw badFile(this.parts, path, 'BAD_MAILBOX', mailbox.problems)
      await pause(pauseMs)
    }
  }

  #parsed(number: number, bytes: Uint8Array, most: number): ReadMailbox | Malformed {
    const last = this.#last
    if (last?.number === number && Buffer.compare(last.bytes, bytes) === 0) return last.mailbox
    const mailbox = parseMailbox(bytes, { compat: this.parts.compat, most })
    if (mailbox.outcome === 'mailbox') this.#last = { number, bytes, mailbox, isOwn: false }
    return mailbox
  }

  /** In one read: a mailbox is usually larger than the first read of `readOrSayWhy`. */
  async #read(path: TreePath, most: number): Promise<Leaf | undefined> {
    try {
      return await this.parts.tree.read(path, { atMost: most + 1 })
    } catch (error) {
      const closed = whyClosed(error)
      throw closed ? badFile(this.parts, path, closed.code, [closed]) : error
    }
  }

  /** Runs `work` under the lock of a mailbox, which keeps other programs from changing it as far as they respect the lock. */
  async change<T>(
    number: number,
    { by, most }: ChangeOptions,
    work: (opened: OpenMailbox) => Promise<MailboxChange<T>>,
  ): Promise<T & { readonly durability: Durability }> {
    const giveUpAt = performance.now() + this.parts.settings.lockWaitMs
    for (;;) {
      try {
        return await this.#inTurn(number, () => this.#locked(number, by, () => this.#write(number, by, most, work)))
      } catch (error) {
        const left = giveUpAt - performance.now()
        if (!(error instanceof SignalboxError) || error.code !== lockedCode || left <= 0) throw error
        await pause(Math.min(left, 50 + Math.random() * 100))
      }
    }
  }

  /** Removes a lock whose holder is gone, so that programs that only know the lock file can go on. Answers whose it was. */
  async clearLock(number: number, by: string): Promise<string | undefined> {
    const { tree, places } = this.parts
    const isThere = async (path: TreePath) => (await readIfLeaf(tree, path, { atMost: 1 })) !== undefined
    if (!(await isThere(lockPath(places, number))) && !(await isThere(brokenLockPath(number)))) return undefined
    return this.#inTurn(number, async () => {
      await tellBroken(this.parts, this.dream.logs, number)
      if (!(await isThere(lockPath(places, number)))) return undefined
      const lock = await takeLock(this.parts, this.dream.logs, number, by)
      if (lock.outcome !== 'locked') return undefined
      await freeLock(this.parts, number, lock.content)
      return lock.broken
    })
  }

  /** Opens a mailbox that must be this agent's. On a cluster a read may be a moment old, except within `Tree.exclusively`. */
  async openOwn(number: number, agent: string): Promise<OpenMailbox> {
    const opened = await this.open(number)
    if (opened.mailbox.isBare || opened.mailbox.agent === agent) return opened
    const fresh = await this.#inTurn(number, () => this.open(number))
    await this.expectOwn(number, fresh.mailbox, agent)
    return fresh
  }

  /** Throws unless the mailbox is this agent's, and logs the refusal. */
  async expectOwn(number: number, { agent: owner, isBare }: ReadMailbox, agent: string): Promise<void> {
    if (isBare || owner === agent) return
    const whose = owner === undefined ? 'nobody has claimed it' : `it is ${owner.slice(0, 80)}'s`
    await this.dream.logs.tellDenied(`mailbox ${number}`, agent, whose)
    throw conflict('NOT_YOUR_MAILBOX', `Mailbox ${number} is not ${agent}'s: ${whose}.`, {
      hint: `Claim one first: ${call('dream mailbox claim', { as: agent })}`,
      details: { mailbox: number, agent, owner: owner ?? null },
    })
  }

  /** The steps that put messages back which another program has overwritten, and log it. */
  resending(number: number, by: string, ids: readonly string[]): DreamStep[] {
    const lines = ids.map((message_id) => this.dream.logs.line('MESSAGE_RESENT', by, { mailbox: number, message_id }))
    return [{ do: 'resend', mailbox: number, ids }, ...lines.map((line): DreamStep => ({ do: 'log', line }))]
  }

  #inTurn<T>(number: number, work: () => Promise<T>): Promise<T> {
    return this.dream.journal.turn(mailboxSubject(number), work)
  }

  /** Only in the turn. A step runs under the lock of its change; one that is repeated later takes the lock itself. */
  async #locked<T>(number: number, by: string, work: () => Promise<T>): Promise<T> {
    if (this.#held.has(number)) return work()
    // No lock is left beside a mailbox that is not there.
    if (!(await this.parts.tree.look(mailboxPath(this.parts.places, number)))) throw this.#noMailbox(number)
    const lock = await takeLock(this.parts, this.dream.logs, number, by)
    if (lock.outcome === 'busy') throw this.#isLocked(number, lock.holder)
    this.#held.add(number)
    try {
      return await work()
    } finally {
      this.#held.delete(number)
      await freeLock(this.parts, number, lock.content)
    }
  }

  /** Only in the turn: one edit, repeated if a program without the lock was first. Nothing is written if `work` answers 'lost'. */
  edit(
    number: number,
    work: (editor: MailboxEditor, opened: OpenMailbox) => Promise<unknown>,
  ): Promise<'lost' | Durability> {
    return this.#locked(number, 'signalbox', async () => {
      for (;;) {
        const opened = await this.open(number, largestPacked)
        const editor = new MailboxEditor(opened.mailbox)
        if ((await work(editor, opened)) === 'lost') return 'lost'
        const written = await this.#replace(number, opened, editor, { most: largestPacked, isOwn: this.#isOwn(opened) })
        if (written) return written.durability
      }
    })
  }

  async #write<T>(
    number: number,
    by: string,
    most = this.parts.settings.largest,
    work: (opened: OpenMailbox) => Promise<MailboxChange<T>>,
  ): Promise<T & { readonly durability: Durability }> {
    for (let isResent = false; ; ) {
      const opened = await this.open(number, most)
      const isOwn = this.#isOwn(opened)
      const lost = isOwn ? [] : this.memory.lostFrom(number, opened.mailbox, opened.processed, opened.now)
      if (lost.length > 0 && !isResent) {
        const ids = lost.map(({ message_id }) => message_id)
        await this.dream.journal.commit(mailboxSubject(number), this.resending(number, by, ids))
        isResent = true
        continue
      }
      const change = await work(opened)
      if ('steps' in change) {
        const committed = await this.dream.journal.commit(mailboxSubject(number), change.steps)
        if (committed.outcome === 'lost') continue
        return { ...change.answer, durability: committed.durability }
      }
      const unmarked = isOwn ? [] : await this.unmarkedIn(number, opened)
      if (!change.edit && unmarked.length === 0) return { ...change.answer, durability: 'process' }
      const editor = new MailboxEditor(opened.mailbox)
      change.edit?.(editor)
      for (const id of unmarked) editor.markProcessed(id)
      const written = await this.#replace(number, opened, editor, { most, isOwn: true })
      if (!written) continue
      await change.after?.(written.size)
      return { ...change.answer, durability: written.durability }
    }
  }

  #isOwn({ mailbox }: OpenMailbox): boolean {
    return this.#last?.isOwn === true && this.#last.mailbox === mailbox
  }

  /** `undefined`: a program without the lock was first. */
  async #replace(
    number: number,
    { leaf }: OpenMailbox,
    editor: MailboxEditor,
    { most, isOwn }: { readonly most: number; readonly isOwn: boolean },
  ): Promise<{ readonly durability: Durability; readonly size: number } | undefined> {
    const { bytes, mailbox } = editor.resultOver(leaf.bytes)
    if (bytes.length > most) throw this.#tooLarge(number, bytes.length, most)
    const path = mailboxPath(this.parts.places, number)
    const written = await this.parts.tree.replace(path, bytes, leaf.revision)
    if (written.outcome !== 'replaced') return undefined
    if (mailbox) this.#last = { number, bytes, mailbox, isOwn }
    return { durability: written.durability, size: bytes.length }
  }

  /** Processed messages that the mailbox does not mark as processed: another program wrote an old copy back. */
  async unmarkedIn(number: number, { mailbox }: Pick<OpenMailbox, 'mailbox'>): Promise<string[]> {
    if (mailbox.isBare || mailbox.problems.some(({ field }) => field === 'processed_message_ids')) return []
    const remembered = await this.memory.processed(number)
    return [...remembered.keys()].filter((id) => mailbox.ids.has(id) && !mailbox.isProcessed(id))
  }

  #noMailbox(number: number) {
    const path = mailboxPath(this.parts.places, number)
    return notFound('NO_SUCH_MAILBOX', `There is no mailbox ${number}: ${this.parts.tree.place}/${path}.`, {
      hint: `Make it: ${call('dream mailbox init', { count: number })}`,
      details: { mailbox: number, path },
    })
  }

  #tooLarge(number: number, size: number, most: number) {
    const path = mailboxPath(this.parts.places, number)
    const problem = { code: 'MAILBOX_TOO_LARGE', field: '', message: `It has ${size} bytes; ${most} is the most.` }
    const hint =
      most < largestPacked
        ? `Pack what is processed: ${call('dream mailbox compact', { mailbox: number })}. If that does not help, ${raiseLimit}.`
        : 'It is too large to be packed as well: split it, or move it away.'
    return badFile(this.parts, path, 'MAILBOX_TOO_LARGE', [problem], hint)
  }

  #isLocked(number: number, holder: string) {
    const lock = lockPath(this.parts.places, number)
    const seconds = Math.round(this.parts.settings.lockWaitMs / 1000)
    return unavailable(lockedCode, `Mailbox ${number} is locked by ${holder}, for ${seconds} s and longer.`, {
      hint: `Try again when that program is done. If it is dead, remove ${lock}.`,
      details: { mailbox: number, lock, holder },
    })
  }
}

const lockedCode = 'MAILBOX_LOCKED'
