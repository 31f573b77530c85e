/**
 * The verbs for every agent, whatever protocol it reads: to send, look, take, end and wait. A message goes straight to the home of
 * its recipient, in the format of that protocol; what waits for an agent is looked for in all protocols that are used here.
 */
import { call } from '../kernel/call.ts'
import type { Draft, Envelope, Urgency } from '../kernel/envelope.ts'
import { denied, SignalboxError, unsupported } from '../kernel/errors.ts'
import { treeRoot } from '../kernel/tree-path.ts'
import { waitFor } from '../messaging/waiting/waiting.ts'
import { type Message, type MessageOutcome, type Receipt, type Taken, verbOf } from '../protocols/contract.ts'
import type { Durability } from '../tree/tree.ts'
import { type Bus, type FoundMessage, findAll, findOne, type Member } from './bus.ts'
import { parseReceipt, printReceipt } from './handle.ts'
import { Homes, usualProtocol } from './homes.ts'
import { beginHanding, endHanding, neverShown, noteShown } from './shown.ts'

export interface BoxDraft extends Omit<Draft, 'from' | 'to' | 'place' | 'dependsOn' | 'origin'> {
  readonly from: string
  /** One agent, or `all`. */
  readonly to: string
  /** The handles of messages that must be finished before this one is handed out. */
  readonly after?: readonly string[]
}

export interface BoxSent {
  readonly outcome: 'sent' | 'unchanged'
  readonly message: Envelope
  readonly durability: Durability
  readonly notices: readonly string[]
}

export interface TakenMessage {
  readonly receipt: string
  readonly message: Envelope & { readonly text: string }
  /** ISO 8601. Without it the message is the agent's for good. */
  readonly until?: string
  /** It was taken before, by a process that was killed before it could show it. */
  readonly isGivenAgain?: true
  readonly durability: Durability
}

/** What settling needs to know of a message that was handed out. */
export interface Handed {
  readonly receipt: string
  readonly message: Pick<Envelope, 'handle' | 'kind'>
}

export interface Answering {
  readonly message: Pick<Envelope, 'protocol' | 'from'>
  readonly answer?: string
}

export interface BoxSettled {
  readonly outcome: 'settled' | 'unchanged'
  readonly message: Envelope
  readonly durability: Durability
}

/** What came of a message that was waited for. */
export interface Awaited {
  readonly outcome: 'finished' | 'failed' | 'answered' | 'timeout'
  /** Its result, its answer, or why it failed. */
  readonly result?: string
  readonly message: Envelope
  /** The message that tells it, while it waits for the sender. */
  readonly answer?: string
}

export interface Waiting {
  readonly waitMs?: number
  /** Aborted when the caller has gone: then no message is taken. */
  readonly signal?: AbortSignal
}

const rank: Readonly<Record<Urgency, number>> = { high: 0, normal: 1, low: 2 }

/** An agent that has more waiting needs no exact number, and counting costs time. */
const mostCounted = 100

export class Box {
  readonly #bus: Bus
  readonly homes: Homes

  constructor(bus: Bus) {
    this.#bus = bus
    this.homes = new Homes(bus)
  }

  /** The message that a handle means. */
  find(handle: string): Promise<FoundMessage> {
    return findOne(this.#bus, handle)
  }

  /** Sends to one agent, or (`all`) to the first agent that takes it. */
  async send({ after = [], ...draft }: BoxDraft, options: { readonly key?: string } = {}): Promise<BoxSent> {
    const { home } = await this.homes.of(draft.to)
    const member = await this.#bus.member(home.protocol)
    const notices = draft.to === 'all' ? [] : await this.#bus.noticesAbout(draft.to)
    const dependsOn = await this.#dependencies(after, member, home.place)
    const replyTo = draft.replyTo === undefined ? undefined : await findOne(this.#bus, draft.replyTo)
    await this.#acts(draft.from)
    const lowered: Draft = {
      ...draft,
      from: await this.homes.nameIn(member.name, draft.from),
      to: draft.to === 'all' ? 'all' : await this.homes.nameIn(member.name, draft.to),
      ...(home.place === undefined ? {} : { place: home.place }),
      ...(dependsOn.length === 0 ? {} : { dependsOn }),
      ...(replyTo ? this.#answering(replyTo, member, draft) : {}),
    }
    const sent = await verbOf(member, member.neutral, 'send')(lowered, { ...options, makesPlace: true })
    return { ...sent, notices: [...sent.notices, ...notices] }
  }

  /** Sends a copy to each agent that has been seen or was listed, except the sender. */
  async *sendToAll(draft: Omit<BoxDraft, 'to'>, options: { readonly key?: string } = {}): AsyncGenerator<BoxSent> {
    for (const to of await this.everybody()) {
      if (to.toLowerCase() === draft.from.toLowerCase()) continue
      const key = options.key === undefined ? {} : { key: `${options.key} ${to}`.slice(0, 200) }
      yield await this.send({ ...draft, to }, key)
    }
  }

  /** The names of all agents. */
  async everybody(): Promise<string[]> {
    const names = new Map<string, string>()
    for (const name of await this.#bus.directory.listedNames()) names.set(name.toLowerCase(), name)
    for await (const { name, lastSeenAt } of this.#bus.directory.all()) {
      const known = await this.homes.of(name).catch(() => ({ name }))
      if (lastSeenAt !== undefined && !names.has(known.name.toLowerCase())) names.set(name.toLowerCase(), known.name)
    }
    return [...names.values()].sort()
  }

  /** What waits for an agent in any protocol, the most urgent first. Nothing is taken. */
  async inbox(agent: string, options: Waiting & { readonly limit?: number } = {}): Promise<Message[]> {
    const { limit = Number.POSITIVE_INFINITY, ...waiting } = options
    const look = async () => {
      const found: Message[] = []
      await this.#inEach(
        await this.#members(),
        async ({ name, neutral }) => {
          for await (const message of neutral.waitingFor(await this.homes.nameIn(name, agent), { limit }))
            found.push(message)
          return undefined
        },
        () => found.length > 0,
      )
      return found.length === 0 ? undefined : found.sort(byUrgency).slice(0, limit)
    }
    return (await this.#until(look, waiting)) ?? []
  }

  /** How many wait, up to a hundred. Told beside an answer, which counts more: where it cannot be told, none do. */
  async waiting(agent: string): Promise<number> {
    return this.inbox(agent, { limit: mostCounted }).then(
      (messages) => messages.length,
      (error: unknown) => {
        if (error instanceof SignalboxError) return 0
        throw error
      },
    )
  }

  /** Hands one message to the agent and to nobody else: the one named, or the most urgent of all protocols. */
  async take(agent: string, options: Waiting & { readonly handle?: string } = {}): Promise<TakenMessage | undefined> {
    await this.#acts(agent)
    const { handle } = options
    const again = handle === undefined ? await this.#neverShown(agent) : undefined
    if (again) return again
    const look = () => (handle === undefined ? this.#takeNext(agent) : this.#takeNamed(agent, handle))
    const taken = await this.#until(look, options, ({ receipt }) => this.release(receipt))
    if (taken && taken.until === undefined) await beginHanding(this.#bus.tree, agent, taken.receipt)
    return taken
  }

  /** What an earlier process of this agent took, and was killed before it could show it. */
  async #neverShown(agent: string): Promise<TakenMessage | undefined> {
    for await (const receipt of neverShown(this.#bus.tree, agent)) {
      const { handle, attempt } = parseReceipt(receipt)
      const found = await findAll(this.#bus, handle).catch((error: unknown) => {
        if (!(error instanceof SignalboxError)) throw error
        return []
      })
      for (const { envelope, member, text } of found) {
        const { claim, stage } = envelope
        const isHeld = claim && isSame(claim.by, await this.homes.nameIn(member.name, agent))
        if (stage !== 'claimed' || !isHeld || (claim.attempt ?? 1) !== attempt) continue
        const message = { ...envelope, text: (await text()) ?? '' }
        return { receipt, message, isGivenAgain: true, durability: 'process' }
      }
      await endHanding(this.#bus.tree, agent, receipt)
    }
    return undefined
  }

  /** Says that the agent was given the text: after it was printed and flushed, or returned. A tell is finished by that. */
  async shown({ message, receipt }: Handed, reader: string, through: string): Promise<void> {
    await noteShown(this.#bus.tree, message.handle, { reader, through }, parseReceipt(receipt).attempt)
    await endHanding(this.#bus.tree, reader, receipt)
    if (message.kind === 'tell') await this.done(receipt, {}, reader)
  }

  done(receipt: string, result: { readonly text?: string } = {}, agent?: string): Promise<BoxSettled> {
    return this.#settle(receipt, agent, (member, native) => verbOf(member, member.neutral, 'done')(native, result))
  }

  fail(receipt: string, failure: { readonly reason: string }, agent?: string): Promise<BoxSettled> {
    return this.#settle(receipt, agent, (member, native) => verbOf(member, member.neutral, 'failed')(native, failure))
  }

  release(receipt: string, agent?: string): Promise<BoxSettled> {
    return this.#settle(receipt, agent, (member, native) => verbOf(member, member.neutral, 'release')(native))
  }

  /** A claim that has no end stays as it is. */
  renew(receipt: string, agent?: string): Promise<BoxSettled> {
    return this.#settle(receipt, agent, async ({ neutral }, native, { envelope }) =>
      neutral.renew ? neutral.renew(native) : { outcome: 'unchanged', message: envelope, durability: 'process' },
    )
  }

  /** Waits until a message is finished, has failed or was answered. */
  async wait(handle: string, { waitMs = 0, signal }: Waiting = {}): Promise<Awaited> {
    const found = await findOne(this.#bus, handle)
    const look = () => this.outcomeOf(found)
    const outcome = await this.#until(look, { waitMs, ...(signal ? { signal } : {}) })
    const { envelope: message } = await findOne(this.#bus, found.envelope.handle).catch(() => found)
    if (!outcome) return { outcome: 'timeout', message }
    const { state, text: result, answer } = outcome
    if (state === 'failed') return { outcome: 'failed', result, message, ...(answer === undefined ? {} : { answer }) }
    return answer === undefined
      ? { outcome: 'finished', result, message }
      : { outcome: 'answered', result, message, answer }
  }

  /** What came of a message so far. */
  async outcomeOf({ member, envelope }: FoundMessage): Promise<MessageOutcome | undefined> {
    const { id, from, to } = envelope
    return member.neutral.outcomeOf?.(id, { from, to })
  }

  /** The answer to a message was given to the sender who waited for it: it need not be taken as well. */
  async answerShown({ message, answer }: Answering): Promise<void> {
    const member = await this.#bus.member(message.protocol)
    if (answer === undefined || !member.neutral.take || !member.neutral.done) return
    const taken = await member.neutral.take(message.from, { id: answer })
    if (taken.outcome === 'taken') await member.neutral.done(taken.receipt)
  }

  /** A new agent gets its home in the protocol that is used when nothing speaks for another. */
  async #acts(agent: string): Promise<void> {
    await this.#bus.directory.acted(agent, { home: usualProtocol }).catch(() => {
      // Another spelling of a known name: the protocol refuses it, or takes all spellings for one.
    })
  }

  #answering(
    { member, envelope }: FoundMessage,
    target: Member,
    { thread }: Pick<BoxDraft, 'thread'>,
  ): Partial<Pick<Draft, 'replyTo' | 'thread' | 'task'>> {
    const kept = thread ?? envelope.thread
    return {
      replyTo: member.name === target.name ? envelope.id : envelope.handle,
      ...(kept === undefined ? {} : { thread: kept }),
      ...(envelope.task === undefined ? {} : { task: envelope.task }),
    }
  }

  async #dependencies(after: readonly string[], target: Member, place: string | undefined): Promise<string[]> {
    const ids: string[] = []
    for (const handle of after) {
      const { member, envelope } = await findOne(this.#bus, handle)
      const isElsewhere = member.name !== target.name || (place !== undefined && envelope.place !== place)
      if (isElsewhere || !target.neutral.holdsBack) throw cannotHoldBack(target, envelope.handle)
      ids.push(envelope.id)
    }
    return ids
  }

  async #takeNext(agent: string): Promise<TakenMessage | undefined> {
    const members = await this.#members()
    const ordered = members.length > 1 ? await this.#inOrder(members, agent) : members
    return this.#inEach(ordered, async (member) => {
      const name = await this.homes.nameIn(member.name, agent)
      return this.#given(await verbOf(member, member.neutral, 'take')(name))
    })
  }

  async #members(): Promise<Member[]> {
    const members: Member[] = []
    for await (const member of this.#bus.used()) members.push(member)
    return members
  }

  /**
   * The first answer of one of them. A protocol whose files are out of order stops no other: what it throws counts if nothing
   * else was found. One in which no agent can have this name has nothing for it.
   */
  async #inEach<T>(
    members: readonly Member[],
    ask: (member: Member) => Promise<T | undefined>,
    isEnough = () => false,
  ): Promise<T | undefined> {
    let failure: unknown
    let misfit: unknown
    let misfits = 0
    for (const member of members) {
      try {
        const found = await ask(member)
        if (found !== undefined) return found
      } catch (error) {
        if (!(error instanceof SignalboxError)) throw error
        if (error.kind === 'InvalidInput') {
          misfit ??= error
          misfits++
        } else failure ??= error
      }
    }
    if (failure !== undefined && !isEnough()) throw failure
    if (misfits > 0 && misfits === members.length) throw misfit
    return undefined
  }

  /** The protocols that have a message for the agent, the one with the most urgent message first. */
  async #inOrder(members: readonly Member[], agent: string): Promise<Member[]> {
    const firsts: { readonly member: Member; readonly envelope: Envelope }[] = []
    const look = async (member: Member) => {
      const name = await this.homes.nameIn(member.name, agent)
      for await (const { envelope } of member.neutral.waitingFor(name, { limit: 1 })) firsts.push({ member, envelope })
      return undefined
    }
    await this.#inEach(members, look, () => firsts.length > 0)
    return firsts.sort(byUrgency).map(({ member }) => member)
  }

  async #takeNamed(agent: string, handle: string): Promise<TakenMessage | undefined> {
    const { member, envelope } = await findOne(this.#bus, handle)
    const name = await this.homes.nameIn(member.name, agent)
    return this.#given(await verbOf(member, member.neutral, 'take')(name, whichOf(envelope)))
  }

  async #given(taken: Taken): Promise<TakenMessage | undefined> {
    if (taken.outcome === 'nothing') return undefined
    const { message, receipt, durability } = taken
    const until = receipt.until === undefined ? {} : { until: new Date(receipt.until).toISOString() }
    const text = (await message.text()) ?? ''
    return {
      receipt: printReceipt(message.envelope.handle, receipt),
      message: { ...message.envelope, text },
      ...until,
      durability,
    }
  }

  async #settle(
    text: string,
    agent: string | undefined,
    settle: (member: Member, receipt: Receipt, found: FoundMessage) => Promise<BoxSettled>,
  ): Promise<BoxSettled> {
    const { handle, attempt } = parseReceipt(text)
    const copies = await findAll(this.#bus, handle)
    const name = agent === undefined ? undefined : await this.homes.nameIn(copies[0].member.name, agent)
    const isOwn = ({ envelope }: FoundMessage) => name === undefined || isSame(envelope.claim?.by ?? envelope.to, name)
    const held = copies.filter(({ envelope }) => envelope.claim !== undefined)
    const found = held.find(isOwn) ?? copies.find(isOwn) ?? copies[0]
    const { member, envelope } = found
    const { claim, to, id, place } = envelope
    if (name !== undefined && claim && !isSame(claim.by, name)) throw notYours(handle, claim.by)
    const receipt = {
      id,
      agent: claim?.by ?? name ?? to,
      ...(place === undefined ? {} : { place }),
      ...(claim && claim.attempt === undefined ? {} : { attempt }),
    }
    return settle(member, receipt, found)
  }

  /** Calls `look` whenever something has happened in a protocol, until it finds something or the time is up. */
  async #until<T>(
    look: () => Promise<T | undefined>,
    { waitMs = 0, signal }: Waiting,
    giveBack?: (found: T) => Promise<unknown>,
  ): Promise<T | undefined> {
    const ends = { signal, ...(giveBack ? { giveBack } : {}) }
    if (waitMs <= 0) return waitFor(this.#bus.tree, [], look, { ...ends, waitMs: 0 })
    const deadline = performance.now() + waitMs
    for (;;) {
      const watched = await this.#watched()
      // A new mission, agent or protocol has folders of its own, which are watched from then on.
      let isNew = false
      const lookAround = async () => {
        const found = await look()
        isNew = found === undefined && (await this.#watched()).join('\n') !== watched.join('\n')
        return found ?? (isNew ? 'more folders' : undefined)
      }
      const found = await waitFor(this.#bus.tree, watched, lookAround, {
        waitMs: Math.max(0, deadline - performance.now()),
        signal,
        ...(giveBack ? { giveBack: async (one) => (one === 'more folders' ? undefined : giveBack(one as T)) } : {}),
      })
      if (found !== 'more folders') return found as T | undefined
    }
  }

  async #watched() {
    const folders = [treeRoot]
    for await (const { neutral } of this.#bus.used()) folders.push(...((await neutral.watched?.()) ?? []))
    return folders
  }
}

const byUrgency = (a: { readonly envelope: Envelope }, b: { readonly envelope: Envelope }): number =>
  rank[a.envelope.urgency] - rank[b.envelope.urgency] ||
  (a.envelope.createdAt < b.envelope.createdAt ? -1 : a.envelope.createdAt > b.envelope.createdAt ? 1 : 0)

const whichOf = ({ id, place }: Envelope) => ({ id, ...(place === undefined ? {} : { place }) })

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

const notYours = (handle: string, holder: string) =>
  denied('NOT_YOURS', `${holder} has ${handle}.`, {
    hint: `Only ${holder} can end it. Take what waits for you.`,
    details: { handle, holder },
  })

const cannotHoldBack = ({ title }: Member, handle: string) =>
  unsupported('CANNOT_HOLD_BACK', `${title} cannot hold the message back until ${handle} is finished.`, {
    hint: `Send it when that is finished: ${call('wait', { handle })} tells.`,
    details: { handle },
  })
