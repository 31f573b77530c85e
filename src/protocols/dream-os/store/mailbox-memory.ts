/**
 * What we remember of a mailbox beside it, because other programs may write an old copy of it back: who has which message in
 * hand, what was processed, and what was sent lately. In `.signalbox/state/delivery/dream/`; changed only in the turn of the
 * mailbox, except for what is only added to.
 */
import { printJsonLine, readJsonLines } from '../../../formats/json-lines.ts'
import type { TreePath } from '../../../kernel/tree-path.ts'
import { changeLeaf } from '../../../messaging/leaves/change.ts'
import { isUnread, readOrSayWhy } from '../../../messaging/leaves/readable.ts'
import { listIfFolder } from '../../../messaging/leaves/tolerant.ts'
import { mailboxStatePath, processedPath, sentHourFrom, sentPath, statePath } from '../layout.ts'
import { type ReadMailbox, readMessage } from '../mailbox-format.ts'
import { isObject, type MailboxMessage } from '../schema.ts'
import { type IdIn, IdLog, largestLog } from './id-log.ts'
import { readNote, writeNote } from './notes.ts'
import { bytesOf, type DreamParts } from './parts.ts'

/** A set of ids, wherever it is kept. */
export interface Ids {
  has(id: string): boolean
}

/** A message in an agent's hands. */
export interface HandedMessage {
  readonly agent: string
  /** Counts from 1; higher ones are redeliveries. */
  readonly attempt: number
  /** By the tree's time. */
  readonly until: number
  /** It was read with known deviations. */
  readonly compat?: true
}

const hourMs = 3_600_000
/** How many logs stay in memory. */
const mostLogs = 16

export class MailboxMemory {
  readonly #parts: DreamParts
  /** What this process has sent, by mailbox and id. */
  readonly #own = new Map<number, Map<string, { readonly message: MailboxMessage; readonly at: number }>>()
  readonly #logs = new Map<TreePath, IdLog>()

  constructor(parts: DreamParts) {
    this.#parts = parts
  }

  /** The messages that agents hold, and those whose lease has ended without an outcome. */
  async given(mailbox: number): Promise<Map<string, HandedMessage>> {
    const note = await readNote(this.#parts.tree, mailboxStatePath(mailbox))
    const found = isObject(note?.given) ? Object.entries(note.given) : []
    // Another program may have written an end that is too far away.
    const latest = (await this.#parts.tree.now()) + this.#parts.settings.leaseMs
    return new Map(
      found.flatMap(([id, value]): [string, HandedMessage][] => {
        if (!isObject(value)) return []
        const { agent, attempt, until, compat } = value
        if (typeof agent !== 'string' || !isCount(attempt) || !isCount(until)) return []
        const how = compat === true ? { compat: true as const } : {}
        return [[id, { agent, attempt, until: Math.min(until, latest), ...how }]]
      }),
    )
  }

  async writeGiven(mailbox: number, given: ReadonlyMap<string, HandedMessage>): Promise<void> {
    await writeNote(this.#parts.tree, mailboxStatePath(mailbox), { given: Object.fromEntries(given) })
  }

  /** Ids, and when each was processed. */
  processed(mailbox: number): Promise<ReadonlyMap<string, number>> {
    return this.#idsIn(processedPath(mailbox), (value) => {
      if (!isObject(value) || typeof value.id !== 'string' || !isCount(value.at)) return undefined
      return [value.id, value.at]
    })
  }

  #idsIn(path: TreePath, idIn: IdIn): Promise<ReadonlyMap<string, number>> {
    const known = this.#logs.get(path) ?? new IdLog(this.#parts.tree, path, idIn)
    // The log that was used last comes last.
    this.#logs.delete(path)
    this.#logs.set(path, known)
    const [oldest] = this.#logs.keys()
    if (this.#logs.size > mostLogs && oldest !== undefined) this.#logs.delete(oldest)
    return known.all()
  }

  async addProcessed(mailbox: number, ids: readonly string[], at: number): Promise<void> {
    for (const id of ids) await this.#parts.tree.append(processedPath(mailbox), printJsonLine({ id, at }).slice(0, -1))
  }

  /** Forgets ids that were processed before a moment. */
  async forgetProcessed(mailbox: number, before: number): Promise<void> {
    const ids = await this.processed(mailbox)
    const kept = [...ids].filter(([, at]) => at >= before)
    if (kept.length === ids.size) return
    const lines = kept.map(([id, at]) => printJsonLine({ id, at })).join('')
    await changeLeaf(this.#parts.tree, processedPath(mailbox), () => bytesOf(lines))
  }

  /** A message that was just written, so that it can be written again. */
  async addSent(mailbox: number, message: MailboxMessage, at: number): Promise<void> {
    const own = this.#own.get(mailbox) ?? new Map()
    own.set(message.message_id, { message, at })
    // The map is in order of time: the oldest come first.
    for (const [id, sent] of own) {
      if (sent.at >= at - this.#parts.settings.resendMs) break
      own.delete(id)
    }
    this.#own.set(mailbox, own)
    const path = sentPath(mailbox, Math.floor(at / hourMs))
    await this.#parts.tree.append(path, printJsonLine({ at, message }).slice(0, -1))
  }

  /** The mailboxes to which this process has sent. */
  ownMailboxes(): number[] {
    return [...this.#own.keys()]
  }

  /** The messages that this process sent lately and that are neither in the mailbox nor processed. */
  lostFrom(mailbox: number, { ids }: Pick<ReadMailbox, 'ids'>, processed: Ids, now: number): MailboxMessage[] {
    const own = this.#own.get(mailbox)
    if (!own || own.size === 0) return []
    const isLate = ({ at }: { readonly at: number }) => at >= now - this.#parts.settings.resendMs
    const late = [...own.values()].filter(isLate).map(({ message }) => message)
    return missingFrom(late, ids, processed)
  }

  /** The same for the messages of all processes, also of those that have ended. */
  async allLostFrom(mailbox: number, { ids }: ReadMailbox, processed: Ids): Promise<MailboxMessage[]> {
    const lost: MailboxMessage[] = []
    const oldest = (await this.#parts.tree.now()) - this.#parts.settings.resendMs
    for (const path of await this.#sentLogs(mailbox, oldest)) {
      const sent = await this.#idsIn(path, sentIn)
      const isLost = (id: string) => (sent.get(id) ?? 0) >= oldest && !ids.has(id) && !processed.has(id)
      if ([...sent.keys()].some(isLost)) lost.push(...(await this.#messagesIn(path, isLost)))
    }
    return missingFrom(lost, ids, processed)
  }

  /** The logs of messages that may have to be sent again; older logs are removed. */
  async #sentLogs(mailbox: number, oldest: number): Promise<TreePath[]> {
    const { tree } = this.#parts
    const entries = await listIfFolder(tree, statePath)
    const hours = entries.flatMap(({ name, kind }) => (kind === 'leaf' ? (sentHourFrom(name, mailbox) ?? []) : []))
    const isOld = (hour: number) => (hour + 1) * hourMs < oldest
    for (const hour of hours.filter(isOld)) await tree.remove(sentPath(mailbox, hour))
    return hours.filter((hour) => !isOld(hour)).map((hour) => sentPath(mailbox, hour))
  }

  async #messagesIn(path: TreePath, isWanted: (id: string) => boolean): Promise<MailboxMessage[]> {
    const read = await readOrSayWhy(this.#parts.tree, path, { most: largestLog })
    if (!read || isUnread(read)) return []
    return [...readJsonLines(read.bytes, { maxBytes: largestLog })].flatMap((line) => {
      const [id] = (line.kind === 'record' && sentIn(line.value)) || []
      if (id === undefined || !isWanted(id)) return []
      return readMessage((line as { value: { message: unknown } }).value.message).message ?? []
    })
  }
}

/** The id in a line about a sent message. The message is checked only when it has to be sent again. */
const sentIn: IdIn = (value) => {
  if (!isObject(value) || !isCount(value.at) || !isObject(value.message)) return undefined
  const { message_id } = value.message
  return typeof message_id === 'string' ? [message_id, value.at] : undefined
}

function missingFrom(sent: readonly MailboxMessage[], there: Ids, processed: Ids): MailboxMessage[] {
  const lost = new Map<string, MailboxMessage>()
  for (const message of sent) {
    const { message_id: id } = message
    if (!there.has(id) && !processed.has(id)) lost.set(id, message)
  }
  return [...lost.values()]
}

const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0
