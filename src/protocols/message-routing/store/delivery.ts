/**
 * Writing into an inbox: number, seal, room and file in one turn of that inbox, so that towards other Signalbox senders
 * it never holds more than it may. Spec: Message Routing, "Unicast", "Delivery Failures" and "Inbox Overflow Protection".
 */
import { stringify } from '../../../formats/json.ts'
import { conflict, denied, SignalboxError, unavailable } from '../../../kernel/errors.ts'
import { isSegment, type TreePath } from '../../../kernel/tree-path.ts'
import {
  type Begun,
  isAboutOneMessage,
  type SendingOnce,
  type UsedBefore,
} from '../../../messaging/sending-once/sending-once.ts'
import type { Created, Durability, Moved } from '../../../tree/tree.ts'
import { type Draft, expectSize } from '../draft.ts'
import { jsonIn, printMessage } from '../format.ts'
import type { Refusal } from '../hooks.ts'
import { type AgentId, agentPath, fileNameOf, isAgentId, isMessageName, type MessageId, stemOf } from '../layout.ts'
import type { MrMessage } from '../schema.ts'
import type { Original } from './answering.ts'
import { noteAwaited } from './awaited-acks.ts'
import { Evictions, type Room } from './evictions.ts'
import { issueNumber } from './issued-numbers.ts'
import { logError } from './logs.ts'
import { enterInbox } from './moving.ts'
import { sendingOnce } from './once.ts'
import { expectInOrder, messageNames, pathIn, type RoutingParts, turnOf } from './parts.ts'
import { leafAt, messageIn } from './reading.ts'

type RoomMade = Room & { readonly isNewAgent: boolean }

export interface Delivered {
  readonly outcome: 'sent'
  readonly message: MrMessage
  readonly path: string
  readonly evicted: readonly string[]
  readonly depth: number
  readonly durability: Durability
  /** The recipient had no folder before. */
  readonly isNewAgent: boolean
}

/** A message that is ready to lie in an inbox. */
interface Letter {
  readonly message: MrMessage
  readonly fileName: string
  readonly bytes: Uint8Array
}

export class Delivery {
  readonly evictions: Evictions
  readonly #parts: RoutingParts
  readonly #once: SendingOnce

  constructor(parts: RoutingParts) {
    this.#parts = parts
    this.evictions = new Evictions(parts)
    this.#once = sendingOnce(parts.tree)
  }

  /** One message under a new id; an answer to another program's message in the form of that one. */
  deliver(draft: Draft, original?: Original['fields']): Promise<Delivered> {
    const first = newId()
    return this.inTurn(draft, first, () => this.#write(draft, first, newId, original))
  }

  /** The same under a key: 'known' when it was used before, and then also what its sender did not get round to is done. */
  deliverOnce(
    draft: Draft,
    { key, digest }: { readonly key: string; readonly digest: string },
    original?: Original['fields'],
  ): Promise<Delivered | UsedBefore> {
    const first = newId()
    return this.inTurn(draft, first, async () => {
      const begun = (await this.#once.find(key)) ?? (await this.#begin(draft, first, { key, digest }, original))
      const delivered = begun.staged && (await this.#publish(begun.staged))
      // Without a file there: another process has moved it a moment ago.
      return begun.outcome === 'begun' ? (delivered ?? (await this.#once.find(key))!) : begun
    })
  }

  /** Stages what will lie in the inbox, under an id that is free there. */
  async #begin(
    draft: Draft,
    firstId: MessageId,
    { key, digest }: { readonly key: string; readonly digest: string },
    original: Original['fields'] | undefined,
  ): Promise<Begun | UsedBefore> {
    const sequence = await this.#nextNumber(draft)
    for (let id = firstId; ; id = newId()) {
      const letter = await this.#compose(draft, id, sequence, original)
      if (await this.#isInUse(draft.to, letter.fileName)) continue
      return this.#once.begin(key, letter.bytes, digest, letter.message.msg_id)
    }
  }

  /** Moves what senders under a key staged and did not get round to moving. Answers how many. */
  async publishAll(): Promise<number> {
    let count = 0
    for await (const staged of this.#once.unmoved()) {
      try {
        if (await this.publish(staged)) count++
      } catch (error) {
        if (!isAboutOneMessage(error)) throw error
      }
    }
    return count
  }

  /** One of them, in its recipient's turn. */
  async publish(staged: TreePath): Promise<Delivered | undefined> {
    const letter = await this.#letterAt(staged)
    if (!letter) return undefined
    const work = () => this.#publish(staged)
    return this.#parts.tree.exclusively(turnOf(this.#parts, letter.to), work, { mayRepeat: true })
  }

  /** Only in the recipient's turn. `undefined` when another process has moved it, or it is no message. */
  async #publish(staged: TreePath): Promise<Delivered | undefined> {
    const letter = await this.#letterAt(staged)
    if (!letter) return undefined
    await expectInOrder(this.#parts, letter.to, ['inbox'])
    const room = await this.#makeRoom(letter.to)
    const delivered = await this.#place(letter.from, letter, room, (path) => enterInbox(this.#parts, staged, path))
    if (delivered !== 'taken') return delivered
    throw conflict('ID_TAKEN', `Another message of ${letter.to} has the id ${letter.message.msg_id}.`, {
      hint: `Receive that one first: signalbox mr receive ${letter.to}. Then send this one again under its key.`,
    })
  }

  /** A staged file, and between whom it goes. Anybody may have put it there: it is moved as it is, and judged by its reader. */
  async #letterAt(staged: TreePath): Promise<(Letter & Pick<Draft, 'from' | 'to'>) | undefined> {
    const leaf = await leafAt(this.#parts, staged)
    const written = leaf && (jsonIn(leaf.bytes) as { readonly msg_id?: unknown } | undefined)
    const fileName = `${written?.msg_id}.json`
    const message = leaf && (await messageIn(this.#parts, leaf.bytes, { fileName }))
    if (!message || !isAgentId(message.from) || !isAgentId(message.to)) return undefined
    if (!isMessageName(fileName) || !isSegment(fileName)) return undefined
    return { message, fileName, bytes: leaf!.bytes, from: message.from, to: message.to }
  }

  /**
   * Runs `work` in the turn of the recipient's inbox, perhaps more than once (`mayRepeat`). A failure of the disk is written to
   * the sender's `error.log`, as far as the disk still lets us, and is not tried again.
   */
  async inTurn<T>(way: Pick<Draft, 'from' | 'to'>, id: MessageId, work: () => Promise<T>): Promise<T> {
    try {
      return await this.#parts.tree.exclusively(turnOf(this.#parts, way.to), work, { mayRepeat: true })
    } catch (error) {
      if (!(error instanceof SignalboxError) || error instanceof Refused) throw error
      // The sender's own files are in disorder, or its request is: nothing was tried.
      if (error.code === 'BAD_SEQUENCE' || error.code === 'MESSAGE_TOO_LARGE') throw error
      const isLogged = await this.#logFailure(way, id, error)
      throw deliveryFailed(way.to, id, error, isLogged)
    }
  }

  /** Only in the recipient's turn. Under this very id, which nobody else uses. */
  write(draft: Draft, id: MessageId, original?: Original['fields']): Promise<Delivered> {
    const taken = () => {
      throw conflict('ID_TAKEN', `Another message of ${draft.to} has the id ${id}.`, { hint: 'Look at that message.' })
    }
    // In another program's form a name holds only three digits of the id, and nothing depends on which.
    return this.#write(draft, id, original ? newId : taken, original)
  }

  async #write(
    draft: Draft,
    firstId: MessageId,
    nextId: () => MessageId,
    original?: Original['fields'],
  ): Promise<Delivered> {
    const sequence = await this.#nextNumber(draft)
    let room: RoomMade | undefined
    for (let id = firstId; ; id = nextId()) {
      const letter = await this.#compose(draft, id, sequence, original)
      room ??= await this.#makeRoom(draft.to)
      if (await this.#wasUsed(draft.to, letter.fileName)) continue
      const create = (path: TreePath) => this.#parts.tree.create(path, letter.bytes)
      const delivered = await this.#place(draft.from, letter, room, create)
      // Otherwise somebody else's message has this id: that file stays, and this one gets another.
      if (delivered !== undefined && delivered !== 'taken') return delivered
    }
  }

  /** Before anything has to make room, and before a number is used up, everything must be in order. */
  async #nextNumber({ from, to }: Draft): Promise<number> {
    await expectInOrder(this.#parts, to, ['inbox', 'taken'])
    await expectInOrder(this.#parts, from, ['.sequences', '.awaiting'])
    return issueNumber(this.#parts, from, to)
  }

  async #compose(
    draft: Draft,
    id: MessageId,
    sequence: number,
    original: Original['fields'] | undefined,
  ): Promise<Letter> {
    const timestamp = new Date(this.#parts.clock.now()).toISOString()
    const letter = await this.#written(draft.stamped({ msg_id: id, sequence, timestamp }), original)
    expectSize(letter.bytes.length, this.#parts.settings.largestMessage)
    return letter
  }

  /** `put` makes the file or moves it there. 'taken': another file has its name. `undefined`: there is nothing to move. */
  async #place(
    from: AgentId,
    { message, fileName }: Letter,
    { evicted, left, isNewAgent }: RoomMade,
    put: (path: TreePath) => Promise<Created | Moved>,
  ): Promise<Delivered | 'taken' | undefined> {
    const path = pathIn(this.#parts, message.to as AgentId, 'inbox', fileName)
    const placed = await this.#awaiting(from, message, () => put(path))
    if (placed.outcome === 'taken') return 'taken'
    if (!('durability' in placed)) return undefined
    return { outcome: 'sent', message, path, evicted, depth: left + 1, durability: placed.durability, isNewAgent }
  }

  async #makeRoom(agent: AgentId): Promise<RoomMade> {
    const { tree, root, settings } = this.#parts
    const names = await messageNames(this.#parts, agent, 'inbox')
    const isNewAgent = names.length === 0 && (await tree.look(agentPath(root, agent))) === undefined
    return { ...(await this.evictions.makeRoom(agent, names, settings.inboxLimit - 1)), isNewAgent }
  }

  /** Ids are short and may come twice. A second message of an id that was handed out would be rejected as a copy. */
  async #wasUsed(agent: AgentId, fileName: string): Promise<boolean> {
    return (await this.#parts.tree.look(pathIn(this.#parts, agent, 'taken', fileName))) !== undefined
  }

  async #isInUse(agent: AgentId, fileName: string): Promise<boolean> {
    const waits = await this.#parts.tree.look(pathIn(this.#parts, agent, 'inbox', fileName))
    return waits !== undefined || this.#wasUsed(agent, fileName)
  }

  /** What goes to the disk. Answers in another form are not sealed: their reader knows no seal of ours. */
  async #written(message: MrMessage, original: Original['fields'] | undefined): Promise<Letter> {
    if (original) {
      const { idOfStem, lowerAnswer } = await this.#parts.foreign.load()
      const lowered = lowerAnswer(message, original)
      const known = { ...message, msg_id: idOfStem(stemOf(lowered.fileName)) }
      return { message: known, fileName: lowered.fileName, bytes: Buffer.from(stringify(lowered.message, 2)) }
    }
    const sealed = await this.#sealed(message)
    return {
      message: sealed,
      fileName: fileNameOf(message.msg_id as MessageId),
      bytes: Buffer.from(printMessage(sealed)),
    }
  }

  async #sealed(message: MrMessage): Promise<MrMessage> {
    const sealed = await this.#parts.hooks.seal?.(message)
    if (!sealed) return message
    if (sealed.outcome === 'refused') throw refused(sealed)
    return sealed.message
  }

  /**
   * Notes whose acknowledgement is awaited, before the message is there: none can come before somebody waits for it.
   * Only a crash leaves a note without its message, which then shows as not acknowledged.
   */
  async #awaiting<T extends Created | Moved>(from: AgentId, message: MrMessage, put: () => Promise<T>): Promise<T> {
    if (!message.requires_ack) return put()
    const note = await noteAwaited(this.#parts, from, message)
    let placed: T | undefined
    try {
      placed = await put()
      return placed
    } finally {
      // Gone is what another process has moved there, and is awaited.
      if (!placed || (placed.outcome !== 'gone' && !('durability' in placed))) await this.#parts.tree.remove(note)
    }
  }

  async #logFailure({ from, to }: Pick<Draft, 'from' | 'to'>, msgId: string, error: SignalboxError): Promise<boolean> {
    try {
      const issues = [`Could not write to the inbox of ${to}: ${error.message}`]
      await logError(this.#parts, from, {
        code: 'DELIVERY_FAILED',
        msgId,
        issues,
        action: 'Message discarded, not tried again',
      })
      return true
    } catch (second) {
      // A full disk takes no log either; the sender still gets the error itself.
      if (!(second instanceof SignalboxError)) throw second
      return false
    }
  }
}

/** A hook said no. */
class Refused extends SignalboxError {}

export function refused({ code, reason, hint, retryAfterMs }: Refusal): SignalboxError {
  const details = retryAfterMs === undefined ? {} : { retryAfterMs }
  const { kind } = retryAfterMs === undefined ? denied(code, reason) : unavailable(code, reason)
  return new Refused(kind, code, reason, { hint, details })
}

/** The first eight digits of a random UUID are random. */
const newId = (): MessageId => `msg_${crypto.randomUUID().slice(0, 8)}` as MessageId

const deliveryFailed = (to: AgentId, id: MessageId, cause: SignalboxError, isLogged: boolean) =>
  unavailable('DELIVERY_FAILED', `The message to ${to} was not delivered: ${cause.message}`, {
    hint: `${cause.hint ?? 'Find out what is wrong with the disk.'} Then send it again; it is not tried again by itself.`,
    details: { to, id, reason: cause.code, isLogged },
    cause,
  })
