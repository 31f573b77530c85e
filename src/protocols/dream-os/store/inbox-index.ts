/**
 * The order in which the files of an inbox are taken. For a large inbox it is remembered, so that taking a file reads only the
 * files that are new; the next process finds it in `.signalbox/cache/dream/`. Derived and disposable.
 *
 * The names come from a listing each time. The content of files is remembered for a limited time, because an edit in place shows
 * in no listing, and is checked again in the step that takes a file.
 */
import { SignalboxError } from '../../../kernel/errors.ts'
import { inOrder } from '../../../kernel/order.ts'
import { childOf } from '../../../kernel/tree-path.ts'
import { cacheOf } from '../../../tree/home.ts'
import { statedFieldsOf } from '../format.ts'
import type { AgentId } from '../names.ts'
import { readNote, writeNote } from './notes.ts'
import type { DreamView, Unreadable } from './outcomes.ts'
import { type DreamParts, messageNames, pathIn } from './parts.ts'

/** An inbox is remembered from this many files on, and written down again after this many new ones. */
const rememberFrom = 500
const enoughNews = 100
/** A larger inbox is not written down. */
const mostRemembered = 30_000
/** How long what is remembered counts: a fixed time, and more for each file. */
const trustedMs = 5000
const trustedMsPerFile = 5

/** The priority of a message that states none. */
export const usualPriority = 3

/** Where a file stands among the others: the most urgent first, then the oldest. */
export interface Turn {
  readonly priority: number
  readonly time: number
  readonly id: string
}

export const turnOf = ({ message, createdAt, id }: Pick<DreamView, 'message' | 'createdAt' | 'id'>): Turn => ({
  priority: statedFieldsOf(message).priority ?? usualPriority,
  time: Date.parse(createdAt),
  id,
})

export interface WaitingFile extends Turn, Pick<DreamView, 'file' | 'path' | 'state'> {}

interface Remembered {
  readonly readAt: number
  readonly turns: Map<string, Turn>
}

type Read = (agent: AgentId, name: string) => Promise<DreamView | { readonly unreadable: Unreadable } | undefined>

export class InboxIndex {
  readonly #parts: DreamParts
  readonly #read: Read
  readonly #remembered = new Map<AgentId, Remembered>()

  constructor(parts: DreamParts, read: Read) {
    this.#parts = parts
    this.#read = read
  }

  /** Files that are no messages are read each time: another program may still be writing them. */
  async waitingFor(
    agent: AgentId,
  ): Promise<{ readonly waiting: readonly WaitingFile[]; readonly unreadable: readonly Unreadable[] }> {
    const { tree } = this.#parts
    const names = await messageNames(this.#parts, agent, 'inbox')
    const isLarge = names.length >= rememberFrom
    const now = await tree.now()
    const known = isLarge ? await this.#known(agent, now, names.length) : undefined
    const turns = new Map<string, Turn>()
    const unreadable: Unreadable[] = []
    let news = 0
    for (const name of names) {
      const before = known?.turns.get(name)
      if (before) {
        turns.set(name, before)
        continue
      }
      const found = await this.#read(agent, name)
      if (found && 'unreadable' in found) unreadable.push(found.unreadable)
      else if (found) {
        turns.set(name, turnOf(found))
        news++
      }
    }
    if (isLarge) {
      const remembered = { readAt: known?.readAt ?? now, turns }
      this.#remembered.set(agent, remembered)
      if (news >= enoughNews) await this.#write(agent, remembered)
    }
    const waiting = [...turns].map(([file, turn]): WaitingFile => {
      return { ...turn, file, path: pathIn(this.#parts, agent, 'inbox', file), state: 'inbox' }
    })
    return { waiting: waiting.sort(inOrder), unreadable }
  }

  /** Called when a file has changed since it was remembered: next time all files are read. */
  async forget(agent: AgentId): Promise<void> {
    this.#remembered.delete(agent)
    await this.#parts.tree.remove(this.#path(agent))
  }

  async #known(agent: AgentId, now: number, count: number): Promise<Remembered | undefined> {
    const known = this.#remembered.get(agent) ?? rememberedIn(await readNote(this.#parts.tree, this.#path(agent)))
    const age = known ? now - known.readAt : Number.POSITIVE_INFINITY
    return age >= 0 && age < trustedMs + trustedMsPerFile * count ? known : undefined
  }

  async #write(agent: AgentId, { readAt, turns }: Remembered): Promise<void> {
    if (turns.size > mostRemembered) return
    try {
      const files = [...turns].map(([file, { priority, time, id }]) => [file, priority, time, id])
      await writeNote(this.#parts.tree, this.#path(agent), { readAt, files })
    } catch (error) {
      // A full disk, or a cache of another user: taking works without it.
      if (!(error instanceof SignalboxError)) throw error
    }
  }

  #path = (agent: AgentId) => childOf(cacheOf('dream'), `inbox-${agent}${this.#parts.compat ? '.compat' : ''}.json`)
}

/** Checks a note, which another program may have written; `undefined` if it is none of ours. */
function rememberedIn(note: Readonly<Record<string, unknown>> | undefined): Remembered | undefined {
  if (typeof note?.readAt !== 'number' || !Array.isArray(note.files)) return undefined
  const turns = new Map<string, Turn>()
  for (const one of note.files) {
    const [file, priority, time, id]: readonly unknown[] = Array.isArray(one) ? one : []
    const isOurs =
      typeof file === 'string' && typeof priority === 'number' && typeof time === 'number' && typeof id === 'string'
    if (!isOurs) return undefined
    turns.set(file, { priority, time, id })
  }
  return { readAt: note.readAt, turns }
}
