/**
 * Dream.OS in neutral words: the inboxes of agents. What lies in shared mailboxes belongs to whoever has claimed the mailbox, not
 * to an agent by name, and is told by `dream mailbox`.
 */
import type { Envelope } from '../../../kernel/envelope.ts'

import { isMeant } from '../../../kernel/short-id.ts'
import type { TreePath } from '../../../kernel/tree-path.ts'
import type { Finding } from '../../../tree/tree.ts'
import {
  type Answer,
  type Answered,
  type Correspondence,
  type Draft,
  type Duty,
  expectNoOwnId,
  expectNoPlace,
  type Filter,
  type InspectionOptions,
  type Message,
  type MessageOutcome,
  type Neutral,
  type Quarantined,
  type Question,
  type Receipt,
  type Sent,
  type Settled,
  type Taken,
  type TakeOptions,
} from '../../contract.ts'
import { isEvent, subjectOf } from '../event-format.ts'
import { folderPath, folders } from '../layout.ts'
import { agentId } from '../names.ts'
import { eventTypes, isObject } from '../schema.ts'
import { isoOf } from '../times.ts'
import type { Dream } from './dream.ts'
import type { DreamView, OutcomeInput } from './outcomes.ts'
import { messageNames } from './parts.ts'

const priorities = { high: 1, normal: 3, low: 5 } as const

const named = { title: 'Dream.OS' }

const settledAfterMs = 5000

export class DreamNeutral implements Neutral {
  readonly #dream: Dream

  constructor(dream: Dream) {
    this.#dream = dream
  }

  async *seen({ place }: { readonly place?: string } = {}): AsyncGenerator<string> {
    if (place === undefined) yield* this.#dream.agents.seen()
  }

  async *waitingFor(
    agent: string,
    { limit = Number.POSITIVE_INFINITY }: { readonly limit?: number } = {},
  ): AsyncGenerator<Message> {
    const { waiting } = await this.#dream.inboxes.list(agent)
    for (const view of waiting.slice(0, Math.max(0, limit))) yield this.#message(view)
  }

  async *find(id: string): AsyncGenerator<Message> {
    for await (const view of this.#views(folders)) if (isMeant(id, view.id)) yield this.#message(view)
  }

  async *messages({ place, from, to, states, limit = Number.POSITIVE_INFINITY }: Filter = {}): AsyncGenerator<Message> {
    if (place !== undefined || limit < 1) return
    let count = 0
    for await (const view of this.#views(folders.filter((folder) => states?.includes(folder) ?? true))) {
      if ((from !== undefined && view.from !== from) || (to !== undefined && view.to !== to)) continue
      yield this.#message(view)
      if (++count >= limit) return
    }
  }

  inspect(options: InspectionOptions): Promise<readonly Finding[]> {
    return this.#dream.inspect(options)
  }

  /** A task without a place in the list: its action says that it is a message. */
  async send({ from, to, text, summary, place, id, replyTo, urgency = 'normal' }: Draft): Promise<Sent> {
    expectNoOwnId(named, id)
    expectNoPlace(named, place)
    const message = {
      task_id: crypto.randomUUID(),
      action: 'MESSAGE',
      params: {
        ...(summary === undefined ? {} : { summary }),
        text,
        ...(replyTo === undefined ? {} : { reply_to: replyTo }),
      },
      source_id: from,
      target_agent: to,
      status: 'PENDING',
      priority: priorities[urgency],
      depends_on: [],
      timestamp: isoOf(this.#dream.parts.clock.now()),
    }
    await this.#dream.agents.expectName(from)
    const sent = await this.#dream.sending.send(to, message, { from })
    return {
      outcome: sent.outcome,
      message: envelopeOf(sent.message),
      durability: sent.durability,
      notices: sent.notices,
    }
  }

  async take(agent: string, { place, id, waitMs }: TakeOptions = {}): Promise<Taken> {
    expectNoPlace(named, place)
    const taken = await this.#dream.claiming.take(agent, {
      ...(id === undefined ? {} : { id }),
      ...(waitMs === undefined ? {} : { waitMs }),
    })
    if (taken.outcome === 'nothing') return taken
    const { message, attempt, until, durability } = taken
    const receipt: FileReceipt = { id: message.id, agent, attempt, until: Date.parse(until), file: message.file }
    return { outcome: 'taken', message: this.#message(message), receipt, durability }
  }

  async renew(receipt: FileReceipt): Promise<Settled> {
    const view = await this.#viewOf(receipt)
    await this.#dream.claiming.renew(receipt.agent, view.file, receipt.attempt)
    return { outcome: 'settled', message: envelopeOf(view), durability: 'process' }
  }

  done(receipt: FileReceipt, { text }: { readonly text?: string } = {}): Promise<Settled> {
    return this.#settle(receipt, { output: text === undefined ? null : { text } })
  }

  failed(receipt: FileReceipt, { reason }: { readonly reason: string }): Promise<Settled> {
    return this.#settle(receipt, { error: { message: reason } })
  }

  /** An event that tells how the task ended, or a message that answers it; also one that somebody has read already. */
  async outcomeOf(id: string, { from, to }: Correspondence): Promise<MessageOutcome | undefined> {
    const { parts, inboxes } = this.#dream
    for (const folder of ['inbox', 'working', 'archive/inbox'] as const) {
      for (const name of await messageNames(parts, agentId(from), folder)) {
        const view = await inboxes.read(agentId(from), folder, name)
        if (!view || 'unreadable' in view || view.from !== to) continue
        const told = outcomeToldBy(view, id)
        if (told) return folder === 'archive/inbox' ? told : { ...told, answer: view.id }
      }
    }
    return undefined
  }

  questions(): AsyncIterable<Question> {
    return this.#dream.escalations.questions()
  }

  answer(question: Pick<Question, 'id' | 'place'>, answer: Answer): Promise<Answered> {
    return this.#dream.escalations.answer(question, answer)
  }

  /** What cannot be read stays where it lies, and is passed over. Once it is corrected there, it is a message like any other. */
  async *quarantined(): AsyncGenerator<Quarantined> {
    const { parts, agents, inboxes } = this.#dream
    const { quarantinedAt } = await import('../../../messaging/quarantine/quarantine.ts')
    const now = await parts.tree.now()
    const next = 'Correct it where it lies, or move it away.'
    for (const place of await agents.withFolders()) {
      for (const folder of ['inbox', 'outbox'] as const) {
        for (const name of await messageNames(parts, place, folder)) {
          const read = await inboxes.read(place, folder, name)
          if (!read || !('unreadable' in read)) continue
          const { path, reason } = read.unreadable
          const found = await quarantinedAt(parts.tree, path as TreePath, { place, reason, next })
          // Its writer may not be done yet.
          if (found && now - Date.parse(found.since) >= settledAfterMs) yield found
        }
      }
    }
  }

  async *duties(): AsyncGenerator<Duty> {
    const { parts, agents: directory } = this.#dream
    const agents = await directory.withFolders()
    yield {
      name: 'Dream.OS outboxes',
      watches: [...agents.map((agent) => folderPath(parts.places, agent, 'outbox')), parts.places.mailboxes],
      run: async ({ by = 'Supervisor' } = {}) => {
        const { moved, copied, resent, plans } = await this.#dream.router.route(by)
        return { did: moved.length + copied.length + resent.length + plans.length }
      },
    }
  }

  async #settle(receipt: FileReceipt, outcome: OutcomeInput): Promise<Settled> {
    const { agent, attempt } = receipt
    const given = attempt === undefined ? outcome : { ...outcome, attempt }
    const message = await this.#viewOf(receipt)
    const { outcome: did, durability } = await this.#dream.settling.done(agent, message.path, given)
    return { outcome: did === 'recorded' ? 'settled' : 'unchanged', message: envelopeOf(message), durability }
  }

  async #viewOf({ agent, id, file = id }: FileReceipt): Promise<DreamView> {
    const view = await this.#dream.inboxes.find(agent, file)
    return isMeant(id, view.id) ? view : this.#dream.inboxes.find(agent, id)
  }

  /** One file at a time. What is no message, or stands where none can be, is passed over; `inspect` tells of it. */
  async *#views(states: readonly (typeof folders)[number][]): AsyncGenerator<DreamView> {
    const { parts, agents, inboxes } = this.#dream
    for (const agent of await agents.withFolders()) {
      for (const folder of states) {
        for (const name of await messageNames(parts, agent, folder)) {
          const view = await inboxes.read(agent, folder, name)
          if (view && !('unreadable' in view)) yield view
        }
      }
    }
  }

  #message(view: DreamView): Message {
    const isThere = async () => (await this.#dream.parts.tree.look(view.path as never)) !== undefined
    return { envelope: envelopeOf(view), text: async () => ((await isThere()) ? textOf(view) : undefined) }
  }
}

/** Several files can have one id: the receipt says which it is. */
interface FileReceipt extends Receipt {
  readonly file?: string
}

const envelopeOf = ({ message: _, file: __, ...envelope }: DreamView): Envelope => envelope

/** What a message says about how another ended; `undefined` when it is about something else. */
function outcomeToldBy(view: DreamView, id: string): MessageOutcome | undefined {
  const { message } = view
  if (isEvent(message)) {
    const { data, type } = message
    if (subjectOf(message) !== id) return undefined
    if (type === eventTypes.completed) return { state: 'completed', text: wordsIn(data.results, 'text') ?? 'done' }
    return type === eventTypes.failed
      ? { state: 'failed', text: wordsIn(data.error_details, 'message') ?? 'failed' }
      : undefined
  }
  const params = isObject(message.params) ? message.params : {}
  return params.reply_to === id ? { state: 'completed', text: textOf(view) } : undefined
}

function wordsIn(value: unknown, field: string): string | undefined {
  if (value === null || value === undefined) return undefined
  const words = isObject(value) && typeof value[field] === 'string' ? value[field] : value
  return typeof words === 'string' ? words : JSON.stringify(words, null, 2)
}

/** The words of a message where it has some, else all that it says. */
function textOf({ message }: DreamView): string {
  const params = isObject(message.params) ? message.params : {}
  return typeof params.text === 'string' ? params.text : JSON.stringify(message, null, 2)
}
