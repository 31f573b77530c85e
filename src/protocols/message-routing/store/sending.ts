/** Sending to one agent and to all. */
import { SignalboxError } from '../../../kernel/errors.ts'
import type { UsedBefore } from '../../../messaging/sending-once/sending-once.ts'
import { draftOf, example, type MrDraft, payloadFrom } from '../draft.ts'
import { type AgentId, agentId, fileNameOf, folders } from '../layout.ts'
import { unusualDirection } from '../schema.ts'
import { originalOf } from './answering.ts'
import { type Delivered, refused } from './delivery.ts'
import type { MrBroadcast, MrSendInput, MrSendOptions, MrSent } from './outcomes.ts'
import { messageNames, pathIn, type StoreParts } from './parts.ts'
import { pruneNowAndThen } from './pruning.ts'
import { viewOfId } from './reading.ts'
import { expectCommonVersion } from './stated-versions.ts'
import type { NoticeKind } from './told-notices.ts'
import { viewOf } from './view.ts'

export class Sending {
  readonly #parts: StoreParts

  constructor(parts: StoreParts) {
    this.#parts = parts
  }

  /** Throws `BAD_PAYLOAD` for anything but a JSON object. */
  readonly payloadFrom = payloadFrom

  /** Puts a message into the recipient's inbox. A full inbox evicts its oldest. */
  async send(input: MrSendInput, { key }: MrSendOptions = {}): Promise<MrSent> {
    const { tree, hooks, delivery, agents } = this.#parts
    const startedAt = performance.now()
    const { form, replyTo } = await this.#formOf(input)
    const draft = draftOf({ ...input, replyTo })
    await expectCommonVersion(this.#parts, draft.to)
    const refusal = hooks.admit && (await hooks.admit(draft.from, draft.to, await tree.now()))
    if (refusal) throw refused(refusal)
    const delivered =
      key === undefined ? await delivery.deliver(draft, form) : await delivery.deliverOnce(draft, key, form)
    await agents.acted(draft.from)
    if (delivered.outcome === 'known') return this.#sentBefore(draft, delivered)
    await pruneNowAndThen(this.#parts, draft.to, 'evicted', delivered.evicted)
    hooks.observe?.('message_write_latency_ms', performance.now() - startedAt, draft.to)
    hooks.observe?.('inbox_depth', delivered.depth, draft.to)
    return this.#sent(draft.to, delivered, form !== undefined)
  }

  /** With `compat`: the form of the message that is answered, or without one the usual form of other programs. */
  async #formOf({ from, compat, replyTo }: MrSendInput) {
    if (!compat) return { form: undefined, replyTo }
    if (replyTo === undefined) return { form: (await this.#parts.foreign.load()).theirForm, replyTo }
    const original = await originalOf(this.#parts, agentId(from), replyTo)
    return { form: original?.fields, replyTo: original?.id ?? replyTo }
  }

  /** The message wherever it is now. One that is not kept any more was taken. */
  async #sentBefore(draft: MrDraft, { id = '' }: UsedBefore): Promise<MrSent> {
    const found = await viewOfId(this.#parts, draft.to, folders, id)
    const forgotten = draft.stamped({ ...example, msg_id: id })
    const message = found ?? viewOf(forgotten, 'taken', pathIn(this.#parts, draft.to, 'taken', fileNameOf(id)))
    const depth = (await messageNames(this.#parts, draft.to, 'inbox')).length
    return { outcome: 'unchanged', message, durability: 'process', evicted: [], depth, notices: [], toldBefore: [] }
  }

  /** To every known agent but the sender, each with its own number and id (MR-11). A recipient that fails does not stop the rest. */
  async broadcast(input: Omit<MrSendInput, 'to'>): Promise<MrBroadcast> {
    const sent: MrSent[] = []
    const failed: { to: string; code: string; reason: string }[] = []
    // Checked first, so that a mistake in the input is thrown, and not reported for every recipient.
    draftOf({ ...input, to: input.from })
    const { names, notices } = await this.#parts.agents.known()
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
    const standing: [NoticeKind, string][] = []
    if (direction !== undefined) standing.push(['direction', direction])
    if (isInTheirForm) standing.push(['form', inTheirForm])
    const toldBefore: string[] = []
    for (const [kind, sentence] of standing) {
      const about = [message.from, `${to}.${message.type}`] as const
      if (!(await this.#parts.notices.isNews(kind, about))) toldBefore.push(sentence)
    }
    const notices = [
      ...standing.map(([, sentence]) => sentence),
      ...(isNewAgent
        ? [`${to} was not known here; its inbox was made.`, ...(await this.#parts.agents.known()).notices]
        : []),
    ]
    return { outcome: 'sent', message: viewOf(message, 'inbox', path), durability, evicted, depth, notices, toldBefore }
  }
}

const inTheirForm = 'It is written as other programs write it: neither signed nor encrypted, with an id of their kind.'
