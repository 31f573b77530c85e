/**
 * Claiming: messages are put in order, and each file is moved to `taken/` before it is handed out. The reader that moves it has it,
 * even if that reader is killed before it could use it. So the files that are written afterwards are checked first, and a later
 * failure becomes a notice beside the messages.
 * Spec: Message Routing, "Message Ordering Guarantees", "Message Validation" and "At-Most-Once Semantics".
 */
import { call, inputs } from '../../../kernel/call.ts'
import { invalidInput, SignalboxError, unavailable } from '../../../kernel/errors.ts'
import { whyClosed } from '../../../messaging/leaves/readable.ts'
import { spareName } from '../../../messaging/quarantine/quarantine.ts'
import { waitFor } from '../../../messaging/waiting/waiting.ts'
import type { Durability } from '../../../tree/tree.ts'
import { largestRead } from '../format.ts'
import type { Rejection } from '../hooks.ts'
import { sentencesOf } from '../judge.ts'
import { type AgentId, agentId, folderPath, messageId, stemOf } from '../layout.ts'
import { byPriority, byTime } from '../order.ts'
import { type MrMessage, unusualDirection } from '../schema.ts'
import { payloadProblems } from '../validate.ts'
import { settleAwaited } from './awaited-acks.ts'
import type { InboxMessage, Invalid, Scanned } from './inbox.ts'
import { moveMessage, pathsOf } from './moving.ts'
import type { MrReceived, MrView, ReceiveOptions, Rejected, Replied } from './outcomes.ts'
import { expectInOrder, pathIn, type StoreParts } from './parts.ts'
import { pruneNowAndThen } from './pruning.ts'
import { type Closed, unreadableAs } from './reading.ts'
import { noteReceived } from './received-numbers.ts'
import type { Recovering } from './recovering.ts'
import { isSame, Rejecting, rejectedAs } from './rejecting.ts'
import { viewOf } from './view.ts'

/** A folder that changed so recently may change again within the same tick of the clock. */
const tooYoungMs = 50

/** What taking a message writes to besides the inbox. */
const written = ['taken', 'rejected', 'error.log', '.awaiting', '.received.json']

type Wait = Pick<ReceiveOptions, 'waitMs' | 'signal'>

export class Claiming {
  readonly #parts: StoreParts
  readonly #recovering: Recovering
  readonly #rejecting: Rejecting

  constructor(parts: StoreParts, recovering: Recovering) {
    this.#parts = parts
    this.#recovering = recovering
    this.#rejecting = new Rejecting(parts)
  }

  /** Takes the waiting messages, or only looks at them. Each message goes to one reader, once. */
  async receive(name: string, options: ReceiveOptions = {}): Promise<MrReceived> {
    const agent = agentId(name)
    expectLimit(options)
    let last = nothingReceived
    const look = async () => {
      const one = options.peek ? await this.#peek(agent, options) : await this.#take(agent, options)
      // Files that were rejected or evicted while waiting are reported with the final answer.
      last = options.peek ? one : withEarlier(one, last)
      return one.outcome === 'received' ? last : undefined
    }
    const received = await this.#whenever(agent, options, look, ({ messages }) => messages)
    return received ?? (last.outcome === 'nothing' ? last : nothingReceived)
  }

  /** Takes the first message whose `correlation_id` is `asked`, and leaves the rest in the inbox. */
  async awaitReply(name: string, asked: string, options: { readonly compat?: boolean } & Wait = {}): Promise<Replied> {
    const [agent, id] = [agentId(name), messageId(asked)]
    const look = async () => {
      await expectInOrder(this.#parts, agent, written)
      const { waiting } = await this.#parts.inbox.scan(agent, options)
      const replies = waiting.filter(({ message }) => message.correlation_id === id).sort(byTime)
      const { views, durability, notices } = await this.#takeAll(agent, replies, 1, options)
      await this.#settleNumbers(agent, views, waiting, notices)
      return views[0] && { outcome: 'received' as const, message: views[0], durability, notices }
    }
    return (await this.#whenever(agent, options, look, ({ message }) => [message])) ?? { outcome: 'nothing' }
  }

  /** Looks once, and then after each change of the inbox, for `waitMs`. If the caller went away, the messages are put back. */
  async #whenever<T>(
    agent: AgentId,
    { waitMs = 0, signal }: Wait,
    look: () => Promise<T | undefined>,
    messagesOf: (found: T) => readonly MrView[],
  ): Promise<T | undefined> {
    const ending = { signal, giveBack: (found: T) => this.#recovering.putBack(agent, messagesOf(found)) }
    const first = await waitFor(this.#parts.tree, [], look, { ...ending, waitMs: 0 })
    if (first !== undefined || waitMs <= 0) return first
    const inbox = folderPath(this.#parts.root, agent, 'inbox')
    let quietSince: number | undefined
    const lookIfChanged = async () => {
      // One look instead of a listing: an idle reader must cost next to nothing.
      const changedAt = (await this.#parts.tree.look(inbox))?.modifiedAt ?? 0
      if (changedAt === quietSince) return undefined
      const found = await look()
      const now = Math.min(await this.#parts.tree.now(), Date.now())
      quietSince = now - changedAt > tooYoungMs ? changedAt : undefined
      return found
    }
    return waitFor(this.#parts.tree, [inbox], lookIfChanged, { ...ending, waitMs })
  }

  async #take(agent: AgentId, options: ReceiveOptions): Promise<MrReceived> {
    const { hooks, inbox, delivery, settings, notices } = this.#parts
    const startedAt = performance.now()
    await expectInOrder(this.#parts, agent, written)
    let scanned = await inbox.scan(agent, options)
    // Before the answer is that nothing waits: move what killed senders had staged.
    if (scanned.depth === 0 && (await delivery.publishAll()) > 0) scanned = await inbox.scan(agent, options)
    const ordered = inOrder(scanned, options)
    const taken = await this.#takeAll(agent, ordered, options.limit ?? ordered.length, options)
    // After taking: if taking throws, no file has been rejected.
    const rejected = await this.#rejecting.rejectAll(agent, scanned.invalid, taken, options.compat === true)
    const { gaps, restarts } = await this.#settleNumbers(agent, taken.views, scanned.waiting, taken.notices)
    const depth = Math.max(0, scanned.depth - taken.gone - rejected.length)
    // Without the time that was spent waiting for a program that was still writing.
    const readMs = Math.max(0, performance.now() - startedAt - scanned.waitedMs)
    if (taken.views.length > 0) hooks.observe?.('message_read_latency_ms', readMs, agent)
    hooks.observe?.('inbox_depth', depth, agent)
    const { inbox_depth: most } = settings.thresholds
    if (scanned.depth > most && depth <= most) await notices.forget('inbox_depth', ['inbox', agent])
    if (taken.views.length > 0) await this.#parts.agents.acted(agent)
    return {
      outcome: taken.views.length > 0 ? 'received' : 'nothing',
      messages: taken.views,
      rejected: [...rejected, ...taken.rejected],
      unreadable: scanned.closed.map(unreadableAs),
      gaps,
      restarts,
      evicted: scanned.evicted,
      depth,
      durability: taken.durability,
      notices: [...taken.notices, ...compatHint(agent, rejected)],
      toldBefore: await this.#toldBefore(agent, taken.views, scanned.closed),
    }
  }

  async #takeAll(
    agent: AgentId,
    ordered: readonly InboxMessage[],
    limit: number,
    { compat = false, beforeTaking }: Pick<ReceiveOptions, 'compat' | 'beforeTaking'>,
  ) {
    const views: MrView[] = []
    const rejected: Rejected[] = []
    const notices: string[] = []
    let gone = 0
    let durability: Durability = 'process'
    for (const waiting of ordered) {
      if (views.length >= limit) break
      await beforeTaking?.(waiting.message)
      const moved = await this.#takeOne(agent, waiting, compat).catch((error: unknown) => {
        const problem = whyClosed(error)
        // The owner of this file has taken the right to read it since: it stays, and the next one is tried.
        if (problem) notices.push(problem.message)
        if (problem) return 'closed'
        // A reader that has messages already gets those, with a notice about the one that could not be taken.
        if (views.length === 0 || !(error instanceof SignalboxError)) throw error
        notices.push(`The rest is still in the inbox: ${error.message}`)
        return undefined
      })
      if (moved === 'closed') continue
      if (!moved) break
      gone++
      if (moved.outcome === 'gone') rejected.push(...moved.rejected)
      else {
        durability = moved.durability
        views.push(moved.view)
      }
    }
    const ids = views.map(({ id }) => id)
    await unlessFailing(notices, 'What they acknowledge still counts as awaited', async () => {
      for (const { message } of views) await settleAwaited(this.#parts, agent, message)
    })
    await unlessFailing(notices, 'Old messages were not cleared away', () =>
      pruneNowAndThen(this.#parts, agent, 'taken', ids),
    )
    return { views, rejected, gone, durability, notices }
  }

  /** `n` above 1: under a spare name, because another message has its own. */
  async #takeOne(agent: AgentId, waiting: InboxMessage, compat: boolean, n = 1): Promise<TakenOne> {
    const { name } = waiting
    let now = waiting
    let isInvalid = false
    const newName = n === 1 ? name : spareName(name, n)
    const step = { agent, name, from: 'inbox', transition: 'take', as: newName } as const
    const moved = await moveMessage(this.#parts, step, {
      change: (before) => {
        // The bytes that are moved are handed out, so a file that changed since it was read is judged again.
        if (isSame(before, waiting.bytes)) return before
        const judged = this.#parts.inbox.judge(before, { agent, name, size: before.length, compat })
        isInvalid = judged.outcome !== 'message'
        if (judged.outcome !== 'message') return undefined
        const problems = sentencesOf(judged.problems)
        now = { ...waiting, ...judged, problems, bytes: Uint8Array.from(before) }
        return n === 1 ? before : undefined
      },
      atMost: largestRead + 1,
    })
    if (moved.outcome === 'kept' && isInvalid) return gone(await this.#rejecting.rejectChanged(agent, name, compat))
    if (moved.outcome === 'taken') {
      if (n === 1 && (await this.#rejecting.clearForged(agent, name))) return this.#takeOne(agent, waiting, compat)
      // `waiting` may be the message that was handed out before under this name, so the file is read again.
      const found = await this.#parts.inbox.again(agent, name, { compat })
      if (!found) return gone([])
      return (await this.#rejecting.isAnother(agent, found))
        ? this.#takeOne(agent, found, compat, n + 1)
        : gone(await this.#rejecting.rejectCopy(agent, found))
    }
    if (moved.outcome !== 'moved') return gone([])
    const notes = n === 1 ? now.notes : [...now.notes, `Another message with the id ${now.message.msg_id} came before`]
    return this.#open(agent, { ...now, notes }, newName, moved.durability)
  }

  /** After the take, so that no two readers open the same message. One that does not open is moved on to `rejected/`. */
  async #open(agent: AgentId, waiting: InboxMessage, name: string, durability: Durability): Promise<TakenOne> {
    const opened = await this.#opened(agent, waiting, false).catch((error: unknown) =>
      this.#putBack(agent, waiting.name, name, error),
    )
    if (opened.outcome === 'opened') {
      const path = pathIn(this.#parts, agent, 'taken', name)
      return { outcome: 'taken', view: viewOf(opened.message, 'taken', path, opened), durability }
    }
    const invalid = { ...asInvalid(waiting, opened), name }
    return gone(await this.#rejecting.reject(agent, invalid, () => true, 'taken'))
  }

  /** The message could not be judged, because the keys cannot be read for instance: it waits again. */
  async #putBack(agent: AgentId, ownName: string, name: string, cause: unknown): Promise<never> {
    const step = { agent, name, from: 'taken', transition: 'putBack', as: ownName } as const
    // Even if it cannot be put back, the original cause is reported.
    const moved = await moveMessage(this.#parts, step).catch(() => undefined)
    if (moved?.outcome === 'moved' || !(cause instanceof SignalboxError)) throw cause
    const [taken] = pathsOf(this.#parts, step)
    throw unavailable('NOT_PUT_BACK', `${taken} was taken but could not be handed out: ${cause.message}`, {
      hint: `Put the cause right, then let it wait again: ${call('mr recover', { agent, id: stemOf(name) })}`,
      details: { path: taken, reason: cause.code },
      cause,
    })
  }

  async #opened(agent: AgentId, waiting: InboxMessage, isPeek: boolean) {
    const { message, arrivedAt, problems, notes, isConverted } = waiting
    const { hooks, tree } = this.#parts
    const opened = await hooks.open?.({ agent, message, now: await tree.now(), arrivedAt, isPeek })
    if (opened?.outcome === 'rejected') return opened
    const isOther = opened !== undefined && opened.message !== message
    return {
      outcome: 'opened' as const,
      message: opened?.message ?? message,
      // An encrypted payload is judged after it was decrypted.
      problems: isOther ? sentencesOf(payloadProblems(opened.message)) : problems,
      notes: [...notes, ...(opened?.notes ?? [])],
      isConverted,
    }
  }

  /** Reads without taking: nothing is moved, logged or remembered. */
  async #peek(agent: AgentId, options: ReceiveOptions): Promise<MrReceived> {
    const scanned = await this.#parts.inbox.look(agent, options)
    const rejected = scanned.invalid.map((one) => rejectedAs(one, pathIn(this.#parts, agent, 'inbox', one.name)))
    const messages: MrView[] = []
    for (const waiting of inOrder(scanned, options)) {
      if (messages.length >= (options.limit ?? Number.POSITIVE_INFINITY)) break
      const path = pathIn(this.#parts, agent, 'inbox', waiting.name)
      const opened = await this.#opened(agent, waiting, true)
      if (opened.outcome === 'opened') messages.push(viewOf(opened.message, 'inbox', path, opened))
      else rejected.push(rejectedAs(asInvalid(waiting, opened), path))
    }
    const outcome = messages.length > 0 ? 'received' : 'nothing'
    const { closed, depth } = scanned
    return { ...nothingReceived, outcome, messages, rejected, unreadable: closed.map(unreadableAs), depth }
  }

  /** The notices about messages and unreadable files that people have seen before. */
  async #toldBefore(agent: AgentId, views: readonly MrView[], closed: readonly Closed[]): Promise<string[]> {
    const { notices } = this.#parts
    const told = new Set<string>()
    for (const { from, type, message } of views) {
      const direction = unusualDirection(message)
      if (direction === undefined || told.has(direction)) continue
      if (!(await notices.isNews('direction-read', [from, `${agent}.${type}`]))) told.add(direction)
    }
    for (const one of closed) {
      if (!(await notices.isNews('closed', [agent, one.name]))) told.add(unreadableAs(one).reason)
    }
    return [...told]
  }

  async #settleNumbers(agent: AgentId, views: readonly MrView[], waiting: readonly InboxMessage[], notices: string[]) {
    const messagesIn = (some: readonly { readonly message: MrMessage }[]) => some.map(({ message }) => message)
    const noted = await unlessFailing(notices, 'Their numbers were not noted, and may be reported as missing', () =>
      noteReceived(this.#parts, agent, messagesIn(views), messagesIn(waiting)),
    )
    return noted ?? { gaps: [], restarts: [] }
  }
}

function expectLimit({ limit }: ReceiveOptions): void {
  if (limit === undefined || (Number.isInteger(limit) && limit > 0)) return
  throw invalidInput('INVALID_LIMIT', `The limit must be a whole number above 0; it is ${limit}.`, {
    hint: 'Leave it out to receive everything.',
  })
}

type TakenOne =
  | { readonly outcome: 'taken'; readonly view: MrView; readonly durability: Durability }
  /** It was rejected, or another reader took it. */
  | { readonly outcome: 'gone'; readonly rejected: readonly Rejected[] }

/** After a message was taken, it must reach its reader: a failure becomes a notice. */
async function unlessFailing<T>(notices: string[], what: string, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error
    notices.push(`${what}: ${error.message}`)
    return undefined
  }
}

const inOrder = ({ waiting }: Scanned, { order, id }: ReceiveOptions): InboxMessage[] =>
  waiting
    .filter(({ message }) => id === undefined || message.msg_id === id)
    .sort(order === 'priority' ? byPriority : byTime)

const gone = (rejected: readonly Rejected[]): TakenOne => ({ outcome: 'gone', rejected })

const asInvalid = ({ name, message }: InboxMessage, { code, issues }: Rejection): Invalid => ({
  name,
  rejection: { code, issues, msgId: message.msg_id },
})

/** Tells a reader that meets another program for the first time what `compat` is for. */
function compatHint(agent: AgentId, rejected: readonly Rejected[]): string[] {
  const foreign = rejected.filter(({ isForeign }) => isForeign)
  const [first] = foreign
  if (!first) return []
  // From the path, since the file may have got a spare name.
  const stem = stemOf(first.path.slice(first.path.lastIndexOf('/') + 1))
  const how = `${call('mr recover', { agent, id: stem })}, then ${call('mr receive', { as: agent, compat: true })}`
  const reading = `Other programs write such messages (${foreign.length}), and ${inputs({ compat: true })} reads them.`
  return [`${reading} Bring them back: ${how}`]
}

const nothingReceived: MrReceived = {
  outcome: 'nothing',
  messages: [],
  rejected: [],
  unreadable: [],
  gaps: [],
  restarts: [],
  evicted: [],
  depth: 0,
  durability: 'process',
  notices: [],
  toldBefore: [],
}

const withEarlier = (now: MrReceived, earlier: MrReceived): MrReceived => ({
  ...now,
  rejected: [...earlier.rejected, ...now.rejected],
  evicted: [...earlier.evicted, ...now.evicted],
  notices: [...earlier.notices, ...now.notices],
  toldBefore: [...earlier.toldBefore, ...now.toldBefore],
})
