/**
 * Writing into an inbox: number, seal, room and file in one turn of that inbox, so that towards other Signalbox senders
 * it never holds more than it may. Spec: Message Routing, "Unicast", "Delivery Failures" and "Inbox Overflow Protection".
 */
import { stringify } from '../../../formats/json.ts'
import { conflict, denied, SignalboxError, unavailable } from '../../../kernel/errors.ts'
import type { Created, Durability } from '../../../tree/tree.ts'
import { type Draft, expectSize } from '../draft.ts'
import { printMessage } from '../format.ts'
import type { Refusal } from '../hooks.ts'
import { type AgentId, agentPath, fileNameOf, type MessageId, stemOf } from '../layout.ts'
import type { MrMessage } from '../schema.ts'
import type { Original } from './answering.ts'
import { noteAwaited } from './awaited.ts'
import { Evictions, type Room } from './evictions.ts'
import { logError } from './logs.ts'
import { issueNumber } from './numbers.ts'
import { expectInOrder, messageNames, pathIn, type RoutingParts, turnOf } from './parts.ts'

export interface Delivered {
  readonly message: MrMessage
  readonly path: string
  readonly evicted: readonly string[]
  readonly depth: number
  readonly durability: Durability
  /** The recipient had no folder before. */
  readonly isNewAgent: boolean
}

export class Delivery {
  readonly evictions: Evictions
  readonly #parts: RoutingParts

  constructor(parts: RoutingParts) {
    this.#parts = parts
    this.evictions = new Evictions(parts)
  }

  /** One message under a new id; an answer to another program's message in the form of that one. */
  deliver(draft: Draft, original?: Original['fields']): Promise<Delivered> {
    const first = newId()
    return this.inTurn(draft, first, () => this.#write(draft, first, newId, original))
  }

  /**
   * Runs `work` in the turn of the recipient's inbox. A failure of the disk is written to the sender's `error.log`, as
   * far as the disk still lets us, and is not tried again.
   */
  async inTurn<T>(way: Pick<Draft, 'from' | 'to'>, id: MessageId, work: () => Promise<T>): Promise<T> {
    try {
      return await this.#parts.tree.exclusively(turnOf(this.#parts, way.to), work)
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
    const { tree, clock, settings } = this.#parts
    // Before anything has to make room, and before a number is used up.
    await expectInOrder(this.#parts, draft.to, ['inbox', 'taken'])
    await expectInOrder(this.#parts, draft.from, ['.sequences', '.awaiting'])
    const sequence = await issueNumber(this.#parts, draft.from, draft.to)
    let room: (Room & { readonly isNewAgent: boolean }) | undefined
    for (let id = firstId; ; id = nextId()) {
      const timestamp = new Date(clock.now()).toISOString()
      const { message, fileName, bytes } = await this.#written(
        draft.stamped({ msg_id: id, sequence, timestamp }),
        original,
      )
      expectSize(bytes.length, settings.largestMessage)
      room ??= await this.#makeRoom(draft.to)
      if (await this.#wasUsed(draft.to, fileName)) continue
      const path = pathIn(this.#parts, draft.to, 'inbox', fileName)
      const created = await this.#awaiting(draft.from, message, () => tree.create(path, bytes))
      // Otherwise somebody else's message has this id: that file stays, and this one gets another.
      if (created.outcome === 'created') {
        const { evicted, left, isNewAgent } = room
        return { message, path, evicted, depth: left + 1, durability: created.durability, isNewAgent }
      }
    }
  }

  async #makeRoom(agent: AgentId): Promise<Room & { readonly isNewAgent: boolean }> {
    const { tree, root, settings } = this.#parts
    const names = await messageNames(this.#parts, agent, 'inbox')
    const isNewAgent = names.length === 0 && (await tree.look(agentPath(root, agent))) === undefined
    return { ...(await this.evictions.makeRoom(agent, names, settings.inboxLimit - 1)), isNewAgent }
  }

  /** Ids are short and may come twice. A second message of an id that was handed out would be rejected as a copy. */
  async #wasUsed(agent: AgentId, fileName: string): Promise<boolean> {
    return (await this.#parts.tree.look(pathIn(this.#parts, agent, 'taken', fileName))) !== undefined
  }

  /** What goes to the disk. Answers in another form are not sealed: their reader knows no seal of ours. */
  async #written(
    message: MrMessage,
    original: Original['fields'] | undefined,
  ): Promise<{ message: MrMessage; fileName: string; bytes: Buffer }> {
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
  async #awaiting(from: AgentId, message: MrMessage, create: () => Promise<Created>): Promise<Created> {
    if (!message.requires_ack) return create()
    const note = await noteAwaited(this.#parts, from, message)
    let outcome: Created | undefined
    try {
      outcome = await create()
      return outcome
    } finally {
      if (outcome?.outcome !== 'created') await this.#parts.tree.remove(note)
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
