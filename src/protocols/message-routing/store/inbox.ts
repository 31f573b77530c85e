/**
 * What is in an inbox: its messages, and the files that are none. A scan only evicts a surplus that other programs left.
 * Spec: Message Routing, "Inbox Overflow Protection".
 */
import type { Rejection } from '../hooks.ts'
import { type Judged, judgeFile, type NoMessage, sentencesOf } from '../judge.ts'
import type { AgentId } from '../layout.ts'
import { momentOf, type Timed } from '../order.ts'
import type { Evictions } from './evictions.ts'
import { messageNames, pause, type RoutingParts, turnOf } from './parts.ts'
import { type Closed, isClosed, openFile } from './reading.ts'

/** A file that is a message for this inbox. */
export interface InboxMessage extends Timed {
  readonly name: string
  readonly bytes: Uint8Array
  readonly arrivedAt: number
  readonly problems: readonly string[]
  readonly notes: readonly string[]
  /** Another program wrote it in its own form. */
  readonly isConverted: boolean
}

/** A file in the inbox that is no message. */
export interface Invalid {
  readonly name: string
  readonly rejection: Omit<Rejection, 'outcome'> & {
    /** As the file gives it, if it does. */
    readonly msgId: string | undefined
  }
  /** Another program wrote it in its own form, which `compat` reads. */
  readonly isForeign?: boolean
}

export const invalidAs = (name: string, { code, msgId, problems }: NoMessage): Invalid => ({
  name,
  rejection: { code, msgId, issues: sentencesOf(problems) },
})

export interface Scanned {
  readonly waiting: readonly InboxMessage[]
  readonly invalid: readonly Invalid[]
  /** Files that this user may not read. They stay where they are. */
  readonly closed: readonly Closed[]
  readonly evicted: readonly string[]
  /** The number of files that are left. */
  readonly depth: number
  /** How long it waited for files that another program was still writing. */
  readonly waitedMs: number
}

interface ScanOptions {
  /** Reads the known deviations of other programs too. */
  readonly compat?: boolean
}

interface File {
  readonly agent: AgentId
  readonly name: string
  readonly size: number
}

export class Inbox {
  readonly #parts: RoutingParts
  readonly #evictions: Evictions
  /** The messages of the last scan, by inbox and `compat`. */
  readonly #known = new Map<string, ReadonlyMap<string, InboxMessage>>()

  constructor(parts: RoutingParts, evictions: Evictions) {
    this.#parts = parts
    this.#evictions = evictions
  }

  /** Files that were read in the last scan are not read again. Claiming compares the bytes, since a file may have changed. */
  async scan(agent: AgentId, options: ScanOptions = {}): Promise<Scanned> {
    const { evicted, names } = await this.#withinLimit(agent, await messageNames(this.#parts, agent, 'inbox'), options)
    return { ...(await this.#readAll(agent, names, options)), evicted, depth: names.length }
  }

  /** The same, but reads every file and evicts nothing. */
  async look(agent: AgentId, options: ScanOptions = {}): Promise<Scanned> {
    const names = await messageNames(this.#parts, agent, 'inbox')
    return { ...(await this.#readAll(agent, names, options, true)), evicted: [], depth: names.length }
  }

  /** Reads one file again, if it is a message. */
  async again(agent: AgentId, name: string, options: ScanOptions): Promise<InboxMessage | undefined> {
    const found = await this.#read(agent, name, options)
    return found && 'message' in found ? found : undefined
  }

  async #readAll(agent: AgentId, names: readonly string[], options: ScanOptions, isFresh = false) {
    if (options.compat) await this.#parts.foreign.load()
    const key = `${agent} ${options.compat === true}`
    const before = isFresh ? undefined : this.#known.get(key)
    const known = new Map<string, InboxMessage>()
    const invalid: Invalid[] = []
    const closed: Closed[] = []
    const unfinished: string[] = []
    const look = async (name: string, isLast: boolean) => {
      const found = before?.get(name) ?? (await this.#read(agent, name, options))
      if (!found) return
      if (isClosed(found)) closed.push(found)
      else if ('message' in found) known.set(name, found)
      else if (found.isYoung && !isLast) unfinished.push(name)
      else invalid.push(found)
    }
    for (const name of names) await look(name, false)
    const waitedMs = unfinished.length > 0 ? this.#parts.settings.settleMs : 0
    if (waitedMs > 0) await pause(waitedMs)
    for (const name of unfinished) await look(name, true)
    this.#known.set(key, known)
    return { waiting: [...known.values()], invalid, closed, waitedMs }
  }

  /** `undefined` when the file is gone or not an ordinary one. */
  async #read(
    agent: AgentId,
    name: string,
    { compat = false }: ScanOptions,
  ): Promise<InboxMessage | (Invalid & { readonly isYoung: boolean }) | Closed | undefined> {
    const { tree, settings } = this.#parts
    const leaf = await openFile(this.#parts, agent, 'inbox', name)
    if (!leaf || isClosed(leaf)) return leaf
    const { bytes, size, modifiedAt } = leaf
    const judged = this.judge(bytes, { agent, name, size, compat })
    if (judged.outcome === 'message') {
      const { message, problems, notes, isConverted } = judged
      const at = momentOf(message)
      return { name, bytes, message, at, arrivedAt: modifiedAt, problems: sentencesOf(problems), notes, isConverted }
    }
    const isYoung = judged.isUnfinished === true && (await tree.now()) - modifiedAt < settings.settleMs
    const isForeign = !compat && !judged.isUnfinished && (await this.#isForeign(bytes, { agent, name, size }))
    return { ...invalidAs(name, judged), isForeign, isYoung }
  }

  async #isForeign(bytes: Uint8Array, file: File): Promise<boolean> {
    await this.#parts.foreign.load()
    return this.judge(bytes, { ...file, compat: true }).outcome === 'message'
  }

  judge(bytes: Uint8Array, { agent, name, size, compat }: File & { readonly compat: boolean }): Judged {
    const convert = compat ? this.#parts.foreign.known?.convert : undefined
    return judgeFile(bytes, { agent, fileName: name, size, convert })
  }

  async #withinLimit(agent: AgentId, names: string[], options: ScanOptions) {
    const { tree, settings } = this.#parts
    const none: readonly string[] = []
    if (names.length <= settings.inboxLimit) return { evicted: none, names }
    return tree.exclusively(turnOf(this.#parts, agent), async () => {
      // Only messages count towards the limit: files that are no messages are rejected later.
      const messages: string[] = []
      for (const name of await messageNames(this.#parts, agent, 'inbox')) {
        const found = await this.#read(agent, name, options)
        if (found && (isClosed(found) || 'message' in found)) messages.push(name)
      }
      const { evicted } = await this.#evictions.makeRoom(agent, messages, settings.inboxLimit)
      return { evicted, names: await messageNames(this.#parts, agent, 'inbox') }
    })
  }
}
