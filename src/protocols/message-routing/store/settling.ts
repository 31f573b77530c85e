/**
 * Acknowledging a message exactly once. It is done in the turn of the sender's inbox, and the id of the acknowledgement is computed
 * from that of the message. So an acknowledgement is found again if the process that wrote it was killed before it wrote the
 * marker.
 */
import { sha256 } from '../../../formats/digest.ts'
import { conflict } from '../../../kernel/errors.ts'
import { childOf } from '../../../kernel/tree-path.ts'
import { changeLeaf } from '../../../messaging/leaves/change.ts'
import { draftOf } from '../draft.ts'
import { parseMessage } from '../format.ts'
import type { Rejection } from '../hooks.ts'
import {
  type AgentId,
  ackedPath,
  agentId,
  type Folder,
  fileNameOf,
  folders,
  isAgentId,
  type MessageId,
  messageId,
} from '../layout.ts'
import { momentOf } from '../order.ts'
import type { MrMessage } from '../schema.ts'
import { forgeryUnder, notAnswered, originalOf } from './answering.ts'
import { awaitedBy, forgetAwaited, isAcknowledgement } from './awaited-acks.ts'
import type { Acknowledged, Unacknowledged } from './outcomes.ts'
import { expectInOrder, messageNames, pathIn, type StoreParts } from './parts.ts'
import { isGenuine, leafAt, noSuchMessage, readMessage } from './reading.ts'
import { viewOf } from './view.ts'

interface Given {
  readonly message: MrMessage
  readonly state: Folder
  readonly path: string
}

export class Settling {
  readonly #parts: StoreParts

  constructor(parts: StoreParts) {
    this.#parts = parts
  }

  /**
   * Acknowledges a message, once. `asked`: its id, or the one that another program gave it. `isDone`: the acknowledgement also tells
   * that what was asked for is done, with `text` as the result.
   */
  async ack(
    name: string,
    asked: string,
    { text, isDone = false }: { readonly text?: string | undefined; readonly isDone?: boolean } = {},
  ): Promise<Acknowledged> {
    const agent = agentId(name)
    await expectInOrder(this.#parts, agent, ['.acked'])
    const foreign = await originalOf(this.#parts, agent, asked)
    const id = messageId(foreign?.id ?? asked)
    // Both are verified: an answer to a forged message would put our signature under the forger's words.
    const original = foreign?.message ?? (await this.#original(agent, id))
    const to = original.from
    if (!isAgentId(to)) throw unreachable(id, to)
    const payload = { status: isDone ? 'completed' : 'in_progress', message: text ?? `Received ${id}` }
    const draft = draftOf({ from: agent, to, type: 'status-update', payload, replyTo: id })
    const first = ackId(agent, id, 0)
    return this.#parts.delivery.inTurn(draft, first, async () => {
      const before =
        (await this.#remembered(agent, to, id)) ??
        (foreign && (await this.#givenInTheirForm(agent, to, id))) ??
        (await this.#givenBefore(agent, to, id))
      if ('message' in before) {
        await this.#remember(agent, to, id, before.message)
        const { message, state, path } = before
        return { outcome: 'unchanged', message: viewOf(message, state, path), durability: 'process', notices: [] }
      }
      const { message, path, durability } = await this.#parts.delivery.write(draft, before.freeId, foreign?.fields)
      await this.#remember(agent, to, id, message)
      const notices = original.requires_ack ? [] : [`${id} did not ask for an acknowledgement.`]
      return { outcome: 'acknowledged', message: viewOf(message, 'inbox', path), durability, notices }
    })
  }

  /** The messages whose acknowledgement this agent awaits or owes, oldest first. */
  async unacked(name: string): Promise<Unacknowledged[]> {
    const agent = agentId(name)
    const now = await this.#parts.tree.now()
    const found = [...(await this.#notAcknowledged(agent)), ...(await this.#owed(agent))]
    return found
      .map(({ at, ...one }) => ({ ...one, ageMs: Math.max(0, now - at) }))
      .sort((a, b) => b.ageMs - a.ageMs || (a.id < b.id ? -1 : 1))
  }

  /** Sent by this agent. The note of a message that turns out to be acknowledged is removed. */
  async #notAcknowledged(agent: AgentId) {
    const awaited = await awaitedBy(this.#parts, agent)
    if (awaited.length === 0) return []
    const { waiting } = await this.#parts.inbox.look(agent)
    const missing = []
    for (const { id, to, type, timestamp, since } of awaited) {
      let isAcknowledged = isAgentId(to) && (await this.#isRemembered(to, agent, id))
      for (const { message } of waiting) {
        if (isAcknowledged || message.from !== to || !isAcknowledgement(message, id)) continue
        isAcknowledged = await isGenuine(this.#parts, agent, message)
      }
      if (isAcknowledged) await forgetAwaited(this.#parts, agent, id)
      else missing.push({ direction: 'sent' as const, id, from: agent, to, type, createdAt: timestamp, at: since })
    }
    return missing
  }

  /** Taken by this agent and not acknowledged. */
  async #owed(agent: AgentId) {
    const owed = []
    for (const name of await messageNames(this.#parts, agent, 'taken')) {
      const message = await readMessage(this.#parts, agent, 'taken', name)
      if (!message?.requires_ack || !(await isGenuine(this.#parts, agent, message))) continue
      const { msg_id: id, from, to, type, timestamp } = message
      if (await this.#isRemembered(agent, from, id)) continue
      owed.push({ direction: 'taken' as const, id, from, to, type, createdAt: timestamp, at: momentOf(message) })
    }
    return owed
  }

  /** The message that is acknowledged: in `taken/`, else in the inbox. */
  async #original(agent: AgentId, id: MessageId): Promise<MrMessage> {
    let forgery: Rejection | undefined
    for (const folder of ['taken', 'inbox'] as const) {
      const message = await readMessage(this.#parts, agent, folder, fileNameOf(id))
      if (!message) continue
      const found = await forgeryUnder(this.#parts, agent, id, message)
      if (!found) return message
      forgery = found
    }
    if (forgery) throw notAnswered(id, forgery)
    throw noSuchMessage(agent, id, `${agent} has no message ${id}.`)
  }

  /** An acknowledgement whose process was killed before it wrote the marker, or else a free id for a new one. */
  async #givenBefore(agent: AgentId, to: AgentId, id: MessageId): Promise<Given | { readonly freeId: MessageId }> {
    for (let n = 0; ; n++) {
      const ack = ackId(agent, id, n)
      const found = await this.#find(to, ack)
      if (!found) return { freeId: ack }
      // Ids are short: another message may have this one.
      if (found.message.from !== agent || !isAcknowledgement(found.message, id)) continue
      if (await isGenuine(this.#parts, to, found.message)) return found
    }
  }

  /** The name of an answer in another program's form cannot be computed, so every file is read. */
  async #givenInTheirForm(agent: AgentId, to: AgentId, id: MessageId): Promise<Given | undefined> {
    for (const state of folders) {
      for (const name of await messageNames(this.#parts, to, state)) {
        const message = await readMessage(this.#parts, to, state, name)
        if (message?.from !== agent || !isAcknowledgement(message, id)) continue
        // It is not signed. Where signatures count, a crash before the marker is written costs a second answer.
        if (!(await isGenuine(this.#parts, to, message))) continue
        return { message, state, path: pathIn(this.#parts, to, state, name) }
      }
    }
    return undefined
  }

  /** The inbox first, so that a message that is taken meanwhile is not missed. */
  async #find(agent: AgentId, id: MessageId): Promise<Given | undefined> {
    for (const state of folders) {
      const message = await readMessage(this.#parts, agent, state, fileNameOf(id))
      if (message) return { message, state, path: pathIn(this.#parts, agent, state, fileNameOf(id)) }
    }
    return undefined
  }

  /** Whether `agent` has acknowledged a message of `to`. Where messages are signed, the marker must be genuine too. */
  async #isRemembered(agent: AgentId, to: string, id: string): Promise<boolean> {
    if (this.#parts.hooks.verify) return isAgentId(to) && (await this.#remembered(agent, to, id)) !== undefined
    return (await this.#parts.tree.look(this.#marker(agent, id))) !== undefined
  }

  async #remembered(agent: AgentId, to: AgentId, id: string): Promise<Given | undefined> {
    const path = this.#marker(agent, id)
    const leaf = await leafAt(this.#parts, path)
    const parsed = leaf && parseMessage(leaf.bytes)
    if (parsed?.outcome !== 'message') return undefined
    const { message } = parsed
    const isBelieved =
      !this.#parts.hooks.verify ||
      (message.from === agent && isAcknowledgement(message, id) && (await isGenuine(this.#parts, to, message)))
    return isBelieved ? { message, state: 'inbox', path } : undefined
  }

  /** Writes the marker, after the acknowledgement: the other way round, a crash in between would lose the acknowledgement. */
  async #remember(agent: AgentId, to: AgentId, id: string, message: MrMessage): Promise<void> {
    const { tree, hooks } = this.#parts
    const path = this.#marker(agent, id)
    const isProof = await isGenuine(this.#parts, to, message)
    // An answer in another program's form is sent unsigned. The marker is signed, so that it counts later.
    const proof = isProof ? message : ((await hooks.vouch?.(message)) ?? message)
    await changeLeaf(tree, path, async (before) => {
      // A genuine marker stays as it is; a forged one is replaced.
      const isKnown = before && (!hooks.verify || (await this.#remembered(agent, to, id)))
      return isKnown ? undefined : Buffer.from(JSON.stringify(proof))
    })
  }

  #marker = (agent: AgentId, id: string) => childOf(ackedPath(this.#parts.root, agent), id)
}

/** `n`: counts up from 0 while other messages have the id. */
function ackId(agent: AgentId, id: MessageId, n: number): MessageId {
  const digest = sha256(JSON.stringify(['ack', agent, id, n]))
  return `msg_${digest.slice(0, 8)}` as MessageId
}

const unreachable = (id: string, from: string) =>
  conflict('UNREACHABLE_SENDER', `Message ${id} cannot be acknowledged: its sender's name is too long for a folder.`, {
    hint: 'Tell its sender to use a name of at most 64 characters.',
    details: { id, from: from.slice(0, 400) },
  })
