/**
 * Writing into an inbox: issuing the number, sealing, making room and creating the file are one turn of that inbox, so that
 * Signalbox senders never exceed its limit. Spec: Message Routing, "Unicast", "Delivery Failures" and "Inbox Overflow Protection".
 */
import { stringify } from '../../../formats/json.ts'
import { call } from '../../../kernel/call.ts'
import { conflict, SignalboxError, unavailable } from '../../../kernel/errors.ts'
import { childOf, isSegment, type TreePath } from '../../../kernel/tree-path.ts'
import { unlessFailed } from '../../../messaging/leaves/tolerant.ts'
import {
  isAboutOneMessage,
  keyUsed,
  SendingOnce,
  type UsedBefore,
} from '../../../messaging/sending-once/sending-once.ts'
import { stateOf } from '../../../tree/home.ts'
import type { Created, Durability, Moved } from '../../../tree/tree.ts'
import { example, expectSize, type MrDraft } from '../draft.ts'
import { jsonIn, printMessage } from '../format.ts'
import type { Refusal } from '../hooks.ts'
import {
  type AgentId,
  agentPath,
  type Folder,
  fileNameOf,
  isAgentId,
  isMessageName,
  type MessageId,
  stemOf,
} from '../layout.ts'
import type { MrMessage } from '../schema.ts'
import type { Original } from './answering.ts'
import { noteAwaited } from './awaited-acks.ts'
import { Evictions, type Room } from './evictions.ts'
import { issueNumber } from './issued-numbers.ts'
import { logError } from './logs.ts'
import { enterInbox } from './moving.ts'
import { expectInOrder, messageNames, pathIn, type RoutingParts, turnOf } from './parts.ts'
import { leafAt, messageIn } from './reading.ts'

type RoomMade = Room & { readonly isNewAgent: boolean }
type Way = Pick<MrDraft, 'from' | 'to'>
/** The message of another program that is answered: the answer is written in its form. */
type Form = Original['fields'] | undefined

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

/** A message as a file of the inbox. */
interface MessageFile {
  readonly message: MrMessage
  readonly fileName: string
  readonly bytes: Uint8Array
}

const onceHome = childOf(stateOf('delivery'), 'mr')

export class Delivery {
  readonly evictions: Evictions
  /**
   * Sending under a key that the sender chose. The staged file is the one that will lie in the inbox, with number and signature, so
   * that another process can move it there without the sender's private key.
   *
   *   .signalbox/state/delivery/mr/sent/{sender}.{key}.json
   *   .signalbox/state/delivery/mr/staged/{sender}.{key}~{random}.json
   */
  readonly once: SendingOnce
  readonly #parts: RoutingParts

  constructor(parts: RoutingParts) {
    this.#parts = parts
    this.evictions = new Evictions(parts)
    const [notes, staged] = [childOf(onceHome, 'sent'), childOf(onceHome, 'staged')]
    this.once = new SendingOnce(parts.tree, { notes, staged, ending: '.json' })
  }

  /** Sends one message under a new id. */
  deliver(draft: MrDraft, form: Form): Promise<Delivered> {
    const first = newId()
    return this.inTurn(draft, first, () => this.#write(draft, first, newId, form))
  }

  /** The same under a key: 'known' when the key was used before. A message that is still staged under the key is moved then. */
  async deliverOnce(draft: MrDraft, senderKey: string, form: Form): Promise<Delivered | UsedBefore> {
    const key = `${draft.from}.${senderKey}`
    // The digest is of what the sender gave, without id, number and time.
    const content = printMessage(draft.stamped(example))
    const digest = process.getBuiltinModule('node:crypto').hash('sha256', content, 'base64url')
    const first = newId()
    const delivered = await this.inTurn(draft, first, async () => {
      const begun = (await this.once.find(key)) ?? (await this.#begin(draft, first, { key, digest }, form))
      const published = begun.staged && (await this.#publish(begun.staged))
      // Nothing published: another process has just moved the staged file.
      return begun.outcome === 'begun' ? (published ?? (await this.once.find(key))!) : begun
    })
    if (delivered.outcome === 'known' && delivered.digest !== digest) throw keyUsed(senderKey, delivered)
    return delivered
  }

  /** Stages the message under an id that is free in the inbox. */
  async #begin(draft: MrDraft, firstId: MessageId, { key, digest }: { key: string; digest: string }, form: Form) {
    const sequence = await this.#nextNumber(draft)
    for (let id = firstId; ; id = newId()) {
      const file = await this.#compose(draft, id, sequence, form)
      const isFree = async (folder: Folder) =>
        (await this.#parts.tree.look(pathIn(this.#parts, draft.to, folder, file.fileName))) === undefined
      if ((await isFree('inbox')) && (await isFree('taken')))
        return this.once.begin(key, file.bytes, digest, file.message.msg_id)
    }
  }

  /** Moves the messages that killed senders had staged under a key. Answers how many. */
  async publishAll(): Promise<number> {
    let count = 0
    for await (const staged of this.once.unmoved()) {
      try {
        if (await this.publish(staged)) count++
      } catch (error) {
        if (!isAboutOneMessage(error)) throw error
      }
    }
    return count
  }

  /** Moves one of them, in the turn of its recipient's inbox. */
  async publish(staged: TreePath): Promise<Delivered | undefined> {
    const file = await this.#fileAt(staged)
    if (!file) return undefined
    const work = () => this.#publish(staged)
    return this.#parts.tree.exclusively(turnOf(this.#parts, file.to), work, { mayRepeat: true })
  }

  /** Only in the turn of the recipient's inbox. `undefined` when another process has moved it, or it is no message. */
  async #publish(staged: TreePath): Promise<Delivered | undefined> {
    const file = await this.#fileAt(staged)
    if (!file) return undefined
    await expectInOrder(this.#parts, file.to, ['inbox'])
    const room = await this.#makeRoom(file.to)
    const delivered = await this.#place(file.from, file, room, (path) => enterInbox(this.#parts, staged, path))
    if (delivered !== 'taken') return delivered
    throw conflict('ID_TAKEN', `Another message of ${file.to} has the id ${file.message.msg_id}.`, {
      hint: `Receive that one first: ${call('mr receive', { as: file.to })}. Then send this one again under its key.`,
    })
  }

  /** A staged file with its sender and recipient. Another program may have put it there; its reader judges it. */
  async #fileAt(staged: TreePath): Promise<(MessageFile & Way) | undefined> {
    const leaf = await leafAt(this.#parts, staged)
    const written = leaf && (jsonIn(leaf.bytes) as { readonly msg_id?: unknown } | undefined)
    const fileName = fileNameOf(String(written?.msg_id))
    const message = leaf && (await messageIn(this.#parts, leaf.bytes, { fileName }))
    if (!message || !isAgentId(message.from) || !isAgentId(message.to)) return undefined
    if (!isMessageName(fileName) || !isSegment(fileName)) return undefined
    return { message, fileName, bytes: leaf!.bytes, from: message.from, to: message.to }
  }

  /**
   * Runs `work` in the turn of the recipient's inbox, perhaps more than once (`mayRepeat`). A disk error is written to the sender's
   * `error.log`, if that can be written, and the delivery is not tried again.
   */
  async inTurn<T>(way: Way, id: MessageId, work: () => Promise<T>): Promise<T> {
    try {
      return await this.#parts.tree.exclusively(turnOf(this.#parts, way.to), work, { mayRepeat: true })
    } catch (error) {
      if (!(error instanceof SignalboxError) || error instanceof Refused) throw error
      // The sender's counter or request is wrong: no delivery was tried.
      if (error.code === 'BAD_SEQUENCE' || error.code === 'MESSAGE_TOO_LARGE') throw error
      const logged = {
        code: 'DELIVERY_FAILED',
        msgId: id,
        issues: [`Could not write to the inbox of ${way.to}: ${error.message}`],
        action: 'Message discarded, not tried again',
      }
      // A full disk takes no log either; the sender still gets the error itself.
      const isLogged = (await unlessFailed(logError(this.#parts, way.from, logged).then(() => true))) ?? false
      throw deliveryFailed(way.to, id, error, isLogged)
    }
  }

  /** Only in the turn of the recipient's inbox. Under exactly this id; throws when another message has it. */
  write(draft: MrDraft, id: MessageId, form: Form): Promise<Delivered> {
    const taken = () => {
      throw conflict('ID_TAKEN', `Another message of ${draft.to} has the id ${id}.`, { hint: 'Look at that message.' })
    }
    // A name in another program's form holds only three digits of the id, so any other id will do.
    return this.#write(draft, id, form ? newId : taken, form)
  }

  async #write(draft: MrDraft, firstId: MessageId, nextId: () => MessageId, form: Form): Promise<Delivered> {
    const sequence = await this.#nextNumber(draft)
    let room: RoomMade | undefined
    for (let id = firstId; ; id = nextId()) {
      const file = await this.#compose(draft, id, sequence, form)
      room ??= await this.#makeRoom(draft.to)
      // Ids are short and may come twice: a message with the id of a taken one would be rejected as a copy.
      if (await this.#parts.tree.look(pathIn(this.#parts, draft.to, 'taken', file.fileName))) continue
      const create = (path: TreePath) => this.#parts.tree.create(path, file.bytes)
      const delivered = await this.#place(draft.from, file, room, create)
      // Otherwise another message has this id, and a new one is tried.
      if (delivered !== undefined && delivered !== 'taken') return delivered
    }
  }

  /** Checks the folders of both agents first, before a number is used up and before a message is evicted. */
  async #nextNumber({ from, to }: MrDraft): Promise<number> {
    await expectInOrder(this.#parts, to, ['inbox', 'taken'])
    await expectInOrder(this.#parts, from, ['.sequences', '.awaiting'])
    return issueNumber(this.#parts, from, to)
  }

  /** An answer in another program's form is not sealed: that program does not know our signatures and encryption. */
  async #compose(draft: MrDraft, id: MessageId, sequence: number, form: Form): Promise<MessageFile> {
    const timestamp = new Date(this.#parts.clock.now()).toISOString()
    const message = draft.stamped({ msg_id: id, sequence, timestamp })
    const file = form ? await this.#inForm(message, form) : await this.#sealed(message)
    expectSize(file.bytes.length)
    return file
  }

  async #inForm(message: MrMessage, form: Original['fields']): Promise<MessageFile> {
    const { idOfStem, lowerAnswer } = await this.#parts.foreign.load()
    const { fileName, message: lowered } = lowerAnswer(message, form)
    const known = { ...message, msg_id: idOfStem(stemOf(fileName)) }
    return { message: known, fileName, bytes: Buffer.from(stringify(lowered, 2)) }
  }

  async #sealed(unsealed: MrMessage): Promise<MessageFile> {
    const sealed = await this.#parts.hooks.seal?.(unsealed)
    if (sealed?.outcome === 'refused') throw refused(sealed)
    const message = sealed?.message ?? unsealed
    return { message, fileName: fileNameOf(message.msg_id), bytes: Buffer.from(printMessage(message)) }
  }

  /** `put` creates the file or moves it there. 'taken': another file has its name. `undefined`: there is nothing to move. */
  async #place(
    from: AgentId,
    { message, fileName }: MessageFile,
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

  /**
   * Notes that an acknowledgement is awaited before the message is put, so that none comes before its note. Only a crash leaves a
   * note without a message, which then shows as not acknowledged.
   */
  async #awaiting<T extends Created | Moved>(from: AgentId, message: MrMessage, put: () => Promise<T>): Promise<T> {
    if (!message.requires_ack) return put()
    const note = await noteAwaited(this.#parts, from, message)
    let placed: T | undefined
    try {
      placed = await put()
      return placed
    } finally {
      // 'gone': another process has moved the message there, so the note stays.
      if (!placed || (placed.outcome !== 'gone' && !('durability' in placed))) await this.#parts.tree.remove(note)
    }
  }
}

/** A hook refused the message. */
class Refused extends SignalboxError {}

export function refused({ code, reason, hint, retryAfterMs }: Refusal): SignalboxError {
  const [kind, details] =
    retryAfterMs === undefined ? (['Denied', {}] as const) : (['Unavailable', { retryAfterMs }] as const)
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
