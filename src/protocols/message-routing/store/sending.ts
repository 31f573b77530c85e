/** Sending to one agent and to all. */
import { SignalboxError } from '../../../kernel/errors.ts'
import { keyUsed, type UsedBefore } from '../../../messaging/sending-once/sending-once.ts'
import { unusualDirection } from '../directions.ts'
import { type Draft, draftOf, example, payloadFrom } from '../draft.ts'
import { type AgentId, agentId, folders } from '../layout.ts'
import type { Agents } from './agents.ts'
import { type Original, originalOf } from './answering.ts'
import { type Delivered, type Delivery, refused } from './delivery.ts'
import { digestOf, keyOf } from './once.ts'
import type { MrBroadcast, MrSendInput, MrSendOptions, MrSent } from './outcomes.ts'
import { messageNames, pathIn, type RoutingParts } from './parts.ts'
import { pruneNowAndThen } from './pruning.ts'
import { viewOfId } from './reading.ts'
import { expectCommonVersion } from './stated-versions.ts'
import type { NoticeKind } from './told-notices.ts'
import { viewOf } from './view.ts'

export class Sending {
  readonly #parts: RoutingParts
  readonly #agents: Agents
  readonly #delivery: Delivery

  constructor(parts: RoutingParts, agents: Agents, delivery: Delivery) {
    this.#parts = parts
    this.#agents = agents
    this.#delivery = delivery
  }

  /** The payload that somebody typed; throws BAD_PAYLOAD for what is no JSON object. */
  readonly payloadFrom = payloadFrom

  /** Puts a message into the recipient's inbox, and the oldest out of it where it is full. */
  async send(input: MrSendInput, { key }: MrSendOptions = {}): Promise<MrSent> {
    const { tree, settings, hooks } = this.#parts
    const startedAt = performance.now()
    const { compat, replyTo } = input
    const original =
      compat && replyTo !== undefined ? await originalOf(this.#parts, agentId(input.from), replyTo) : undefined
    // Nothing shows in which form to write, so it is that of the programs that are known to deviate.
    const form = compat && replyTo === undefined ? (await this.#parts.foreign.load()).theirForm : original?.fields
    const draft = draftOf({ ...input, ...(original ? { replyTo: original.id } : {}) }, settings.largestMessage)
    await expectCommonVersion(this.#parts, draft.to)
    const refusal = hooks.admit && (await hooks.admit(draft.from, draft.to, await tree.now()))
    if (refusal) throw refused(refusal)
    const delivered =
      key === undefined ? await this.#delivery.deliver(draft, form) : await this.#deliverOnce(draft, key, form)
    await this.#agents.acted(draft.from)
    if (delivered.outcome === 'known') return this.#sentBefore(draft, delivered)
    await pruneNowAndThen(this.#parts, draft.to, 'evicted', delivered.evicted)
    hooks.observe?.('message_write_latency_ms', performance.now() - startedAt, draft.to)
    hooks.observe?.('inbox_depth', delivered.depth, draft.to)
    return this.#sent(draft.to, delivered, form !== undefined)
  }

  async #deliverOnce(draft: Draft, key: string, form: Original['fields'] | undefined) {
    const digest = digestOf(draft)
    const delivered = await this.#delivery.deliverOnce(draft, { key: keyOf(draft, key), digest }, form)
    if (delivered.outcome === 'known' && delivered.digest !== digest) throw keyUsed(key, delivered)
    return delivered
  }

  /** The message wherever it is by now. What is not kept any more was taken. */
  async #sentBefore(draft: Draft, { id = '' }: UsedBefore): Promise<MrSent> {
    const found = await viewOfId(this.#parts, draft.to, folders, id)
    const forgotten = draft.stamped({ ...example, msg_id: id })
    const message = found ?? viewOf(forgotten, 'taken', pathIn(this.#parts, draft.to, 'taken', `${id}.json`))
    const depth = (await messageNames(this.#parts, draft.to, 'inbox')).length
    return { outcome: 'unchanged', message, durability: 'process', evicted: [], depth, notices: [], toldBefore: [] }
  }

  /** One message to every known agent but the sender, each with its own number and id (MR-11). One that cannot be reached keeps nobody else from theirs. */
  async broadcast(input: Omit<MrSendInput, 'to'>): Promise<MrBroadcast> {
    const sent: MrSent[] = []
    const failed: { to: string; code: string; reason: string }[] = []
    // Checked once for all, so that a mistake is the caller's error and not that of every recipient.
    draftOf({ ...input, to: input.from }, this.#parts.settings.largestMessage)
    const { names, notices } = await this.#agents.known()
    for (const to of names) {
      if (to === input.from) continue
      try {
        sent.push(await this.send({ ...input, to }))
      } catch (error) {
        if (!(error instanceof SignalboxError)) throw error
        failed.push({ to, code: error.code, reason: error.message })
      }
    }
    return { outcome: sent.length > 0 ? 'sent' : 'nobody', sent, failed, notices }
  }

  async #sent(to: AgentId, delivered: Delivered, isInTheirForm: boolean): Promise<MrSent> {
    const { message, path, evicted, depth, durability, isNewAgent } = delivered
    const direction = unusualDirection(message)
    const standing: [NoticeKind, string][] = [
      ...(direction === undefined ? [] : [['direction', direction] as [NoticeKind, string]]),
      ...(isInTheirForm ? [['form', inTheirForm] as [NoticeKind, string]] : []),
    ]
    const toldBefore: string[] = []
    for (const [kind, sentence] of standing) {
      const about = [message.from, `${to}.${message.type}`] as const
      if (!(await this.#parts.notices.isNews(kind, about))) toldBefore.push(sentence)
    }
    const notices = [
      ...standing.map(([, sentence]) => sentence),
      ...(isNewAgent ? [`${to} was not known here; its inbox was made.`, ...(await this.#agents.known()).notices] : []),
    ]
    return { outcome: 'sent', message: viewOf(message, 'inbox', path), durability, evicted, depth, notices, toldBefore }
  }
}

const inTheirForm = 'It is written as other programs write it: neither signed nor encrypted, with an id of their kind.'
