/**
 * The verbs for every agent, whatever protocol it reads: to send, look, take, end and wait. A message goes straight to the home of
 * its recipient, in the format of that protocol; what waits for an agent is looked for in all protocols that are used here.
 */
import { call } from '../kernel/call.ts'
import type { Draft, Envelope, Urgency } from '../kernel/envelope.ts'
import { conflict, denied, SignalboxError, unsupported } from '../kernel/errors.ts'
import { Lately } from '../kernel/lately.ts'
import { treeRoot } from '../kernel/tree-path.ts'
import { waitFor } from '../messaging/waiting/waiting.ts'
import { type Message, type MessageOutcome, type Receipt, type Taken, verbOf } from '../protocols/contract.ts'
import type { Durability } from '../tree/tree.ts'
import { type Bus, type FoundMessage, findAll, findOne, type Member } from './bus.ts'
import { parseReceipt, printReceipt } from './handle.ts'
import { Homes, nameIn, usualProtocol } from './homes.ts'
import { beginHanding, endByShowing, endHanding, neverShown, noteShown } from './shown.ts'

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
  /** As of `TakenMessage`. */
  readonly until?: string
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

/** Which message was handed out here, as its protocol says it. */
interface Given {
  readonly member: Member
  readonly receipt: Receipt
  /** The surface that is to show it, as its note says. */
  readonly through?: string
}

/** Of so many messages this process knows how to end them without a search. */
const mostGiven = 1000

export class Box {
  readonly #bus: Bus
  readonly homes: Homes
  /** What was handed out here and not ended yet, by receipt. The protocol judges the claim when it is ended. */
  readonly #given = new Map<string, Given>()
  /** The protocols that were used here a moment ago. */
  readonly #used = new Lately<readonly Member[]>()
  readonly #members = new Lately<Member>()
  /** The recipients of whom there was nothing to tell, and the agents whom nothing was to be given again. */
  readonly #isQuiet = new Lately<true>()

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
    const recipient = await this.homes.of(draft.to)
    const { home } = recipient
    const member = this.#members.get(home.protocol) ?? (await this.#member(home.protocol))
    const notices = draft.to === 'all' ? [] : await this.#noticesAbout(draft.to)
    const dependsOn = after.length === 0 ? after : await this.#dependencies(after, member, home.place)
    const replyTo = draft.replyTo === undefined ? undefined : await findOne(this.#bus, draft.replyTo)
    if (!this.#bus.directory.hasJustActed(draft.from)) await this.acts(draft.from)
    const lowered: { -readonly [Field in keyof Draft]: Draft[Field] } = {
      ...draft,
      from: await this.homes.nameIn(member.name, draft.from),
      to: draft.to === 'all' ? 'all' : nameIn(member.name, recipient),
    }
    if (home.place !== undefined) lowered.place = home.place
    if (dependsOn.length > 0) lowered.dependsOn = dependsOn
    if (replyTo) Object.assign(lowered, this.#answering(replyTo, member, draft))
    const sent = await verbOf(member, member.neutral, 'send')(lowered, { ...options, makesPlace: true })
    return notices.length === 0 ? sent : { ...sent, notices: [...sent.notices, ...notices] }
  }

  async #member(name: string): Promise<Member> {
    const member = await this.#bus.member(name)
    this.#members.set(name, member)
    return member
  }

  async #noticesAbout(agent: string): Promise<readonly string[]> {
    const question = `about ${agent}`
    if (this.#isQuiet.get(question)) return []
    const notices = await this.#bus.noticesAbout(agent)
    if (notices.length === 0) this.#isQuiet.set(question, true)
    return notices
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
    // Tells of a mistake in its file, also where no protocol is used yet.
    await this.homes.of(agent)
    const look = async () => {
      const found: Message[] = []
      await this.#inEach(
        await this.#allUsed(),
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

  /**
   * Hands one message to the agent and to nobody else: the one named, or the most urgent of all protocols. `through`: the surface
   * that shows it with this very box (`shown`), which takes fewer steps.
   */
  async take(
    agent: string,
    options: Waiting & { readonly handle?: string; readonly through?: string } = {},
  ): Promise<TakenMessage | undefined> {
    await this.homes.of(agent)
    if (!this.#bus.directory.hasJustActed(agent)) await this.acts(agent)
    const { handle, through } = options
    const again = handle === undefined ? await this.#neverShown(agent) : undefined
    if (again) return again
    const look = () => (handle === undefined ? this.#takeNext(agent) : this.#takeNamed(agent, handle))
    const taken = await this.#until(look, options, ({ receipt }) => this.release(receipt))
    if (!taken || taken.until !== undefined) return taken
    const given = this.#given.get(taken.receipt)
    await beginHanding(this.#bus.tree, agent, taken.receipt, { handle: taken.message.handle, through })
    if (given && through !== undefined) this.#given.set(taken.receipt, { ...given, through })
    return taken
  }

  /** What an earlier process of this agent took, and was killed before it could show it. */
  async #neverShown(agent: string): Promise<TakenMessage | undefined> {
    // A note counts after some seconds: another half a second changes nothing.
    const question = `unshown ${agent}`
    if (this.#isQuiet.get(question)) return undefined
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
    this.#isQuiet.set(question, true)
    return undefined
  }

  /** Says that the agent was given the text: after it was printed and flushed, or returned. A tell is finished by that. */
  async shown({ message, receipt, until }: Handed, reader: string, through: string): Promise<void> {
    const { attempt } = parseReceipt(receipt)
    const isNoted = this.#given.get(receipt)?.through === through
    if (!isNoted || !(await endByShowing(this.#bus.tree, reader, receipt, message.handle, attempt))) {
      await noteShown(this.#bus.tree, message.handle, { reader, through }, attempt)
      if (until === undefined) await endHanding(this.#bus.tree, reader, receipt)
    }
    if (message.kind === 'tell') await this.done(receipt, {}, reader)
  }

  done(receipt: string, result: { readonly text?: string } = {}, agent?: string): Promise<BoxSettled> {
    return this.#end('done', receipt, agent, (member, native) => verbOf(member, member.neutral, 'done')(native, result))
  }

  fail(receipt: string, failure: { readonly reason: string }, agent?: string): Promise<BoxSettled> {
    return this.#end('failed', receipt, agent, (member, native) =>
      verbOf(member, member.neutral, 'failed')(native, failure),
    )
  }

  release(receipt: string, agent?: string): Promise<BoxSettled> {
    return this.#end('release', receipt, agent, (member, native) => verbOf(member, member.neutral, 'release')(native))
  }

  /** A claim that has no end stays as it is. */
  renew(receipt: string, agent?: string): Promise<BoxSettled> {
    return this.#settle('renew', receipt, agent, async ({ neutral }, native, { envelope }) =>
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

  /** Whoever acts is seen. A new agent gets its home in the protocol that is used when nothing speaks for another. */
  async acts(agent: string): Promise<void> {
    await this.#bus.directory.acted(agent, { home: usualProtocol }).catch(() => {
      // Another spelling of a known name: the protocol refuses it, or takes all spellings for one.
    })
  }

  /** The same for whoever has a receipt; a name that nobody has seen may be a slip. */
  async #seen(agent: string | undefined): Promise<void> {
    if (agent !== undefined && (await this.#bus.directory.seen(agent))) await this.acts(agent)
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

  /** Before nothing is found, it is looked again which protocols are used. */
  async #takeNext(agent: string): Promise<TakenMessage | undefined> {
    const lately = this.#used.get('take')
    if (!lately) return this.#takeFrom(await this.#allUsed(), agent)
    let failure: unknown
    const taken = await this.#takeFrom(lately, agent).catch((error: unknown) => {
      failure = error
      return undefined
    })
    if (taken) return taken
    const names = new Set(lately.map(({ name }) => name))
    const others = (await this.#allUsed()).filter(({ name }) => !names.has(name))
    const found = others.length === 0 ? undefined : await this.#takeFrom(others, agent)
    if (!found && failure !== undefined) throw failure
    return found
  }

  async #takeFrom(members: readonly Member[], agent: string): Promise<TakenMessage | undefined> {
    const ordered = members.length > 1 ? await this.#inOrder(members, agent) : members
    return this.#inEach(ordered, async (member) => {
      const name = await this.homes.nameIn(member.name, agent)
      return this.#handed(member, await verbOf(member, member.neutral, 'take')(name))
    })
  }

  async #allUsed(): Promise<Member[]> {
    const members: Member[] = []
    for await (const member of this.#bus.used()) members.push(member)
    this.#used.set('take', members)
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
    return this.#handed(member, await verbOf(member, member.neutral, 'take')(name, whichOf(envelope)))
  }

  async #handed(member: Member, taken: Taken): Promise<TakenMessage | undefined> {
    if (taken.outcome === 'nothing') return undefined
    const { message, receipt: native, durability } = taken
    const text = (await message.text()) ?? ''
    const receipt = printReceipt(message.envelope.handle, native)
    if (this.#given.size >= mostGiven) this.#given.clear()
    this.#given.set(receipt, { member, receipt: native })
    const given = { receipt, message: Object.assign(message.envelope, { text }), durability }
    return native.until === undefined ? given : { ...given, until: new Date(native.until).toISOString() }
  }

  /** What was handed out here is ended without a search; if that fails, a search tells why. */
  async #end(
    verb: Ending,
    text: string,
    agent: string | undefined,
    settle: (member: Member, receipt: Receipt) => Promise<BoxSettled>,
  ): Promise<BoxSettled> {
    const given = this.#given.get(text)
    this.#given.delete(text)
    const isOwn =
      given && (agent === undefined || isSame(given.receipt.agent, await this.homes.nameIn(given.member.name, agent)))
    if (isOwn && !this.#bus.directory.hasJustActed(given.receipt.agent)) await this.#seen(agent ?? given.receipt.agent)
    const settled = isOwn && (await settle(given.member, given.receipt).catch(unlessOurs))
    return settled || this.#settle(verb, text, agent, settle)
  }

  async #settle(
    verb: Ending,
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
    const acting = agent ?? claim?.by
    expectEndable(verb, envelope, attempt, name)
    if (!claim) await this.#expectSameEnd(verb, found)
    await this.#seen(acting)
    const receipt = {
      id,
      agent: claim?.by ?? name ?? to,
      ...(place === undefined ? {} : { place }),
      ...(claim && claim.attempt === undefined ? {} : { attempt }),
    }
    try {
      return await settle(member, receipt, found)
    } catch (error) {
      if (!(error instanceof SignalboxError) || error.code !== 'LOST_CLAIM') throw error
      // Another process was first.
      const now = await findOne(this.#bus, envelope.handle).catch(() => found)
      expectEndable(verb, now.envelope, attempt, name)
      throw lost(envelope.handle, error.message.replace(/^.* is lost: |\.$/g, ''), claim?.by ?? to)
    }
  }

  /** For a message whose record does not tell how it ended. */
  async #expectSameEnd(verb: Ending, found: FoundMessage): Promise<void> {
    const outcome = await this.outcomeOf(found)
    const { handle, to } = found.envelope
    if (outcome && (outcome.state === 'failed') !== (verb === 'failed'))
      throw lost(handle, ended(outcome.state, to), to)
  }

  /** Calls `look` whenever something has happened in a protocol, until it finds something or the time is up. */
  async #until<T>(
    look: () => Promise<T | undefined>,
    { waitMs = 0, signal }: Waiting,
    giveBack?: (found: T) => Promise<unknown>,
  ): Promise<T | undefined> {
    const ends = { signal, ...(giveBack ? { giveBack } : {}) }
    if (waitMs <= 0 && !signal) return look()
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
    const used = this.#used.get('take') ?? (await this.#allUsed())
    for (const { neutral } of used) folders.push(...((await neutral.watched?.()) ?? []))
    return folders
  }
}

const byUrgency = (a: { readonly envelope: Envelope }, b: { readonly envelope: Envelope }): number =>
  rank[a.envelope.urgency] - rank[b.envelope.urgency] ||
  (a.envelope.createdAt < b.envelope.createdAt ? -1 : a.envelope.createdAt > b.envelope.createdAt ? 1 : 0)

/** For what is tried again in another way, which tells what is wrong. */
const unlessOurs = (error: unknown): undefined => {
  if (!(error instanceof SignalboxError)) throw error
}

const whichOf = ({ id, place }: Envelope) => ({ id, ...(place === undefined ? {} : { place }) })

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

type Ending = 'done' | 'failed' | 'release' | 'renew'

/** Throws where a receipt does not end the message: with who has it now, or what came of it. */
function expectEndable(verb: Ending, envelope: Envelope, attempt: number, agent: string | undefined): void {
  const { stage, claim, to, handle } = envelope
  const holder = claim?.by ?? to
  if (stage === 'written') throw lost(handle, `nobody has it; it waits for ${to}`, to)
  if (agent !== undefined && !isSame(holder, agent)) throw notYours(envelope, holder)
  if (stage === 'claimed') {
    const until = claim?.until === undefined ? '' : ` until ${claim.until}`
    if (claim?.attempt !== undefined && attempt < claim.attempt)
      throw lost(handle, `it was handed out again; ${holder} has it now, as attempt ${claim.attempt}${until}`, holder)
    return
  }
  // A protocol that does not tell how it ended judges by itself.
  const isRepeat = (verb === 'done' || verb === 'failed') && (!claim || (verb === 'failed') === (stage === 'failed'))
  if (!isRepeat) throw lost(handle, ended(stage, holder), holder)
}

const ended = (state: string, holder: string): string =>
  `${holder} has ${state === 'failed' ? 'given it up' : 'finished it'}`

const lost = (handle: string, why: string, holder: string) =>
  conflict('LOST_CLAIM', `The claim on ${handle} is lost: ${why}.`, {
    hint: `Stop working on it; what you wrote elsewhere stays. See how far it is: ${call('why', { handle })}`,
    details: { handle, holder },
  })

const notYours = ({ handle, stage }: Envelope, holder: string) =>
  stage === 'claimed'
    ? denied('NOT_YOURS', `${holder} has ${handle}.`, {
        hint: `Only ${holder} can end it. Take what waits for you.`,
        details: { handle, holder },
      })
    : denied('NOT_YOURS', `${holder} had ${handle}, and has ${stage === 'failed' ? 'given it up' : 'finished it'}.`, {
        hint: 'Nothing is left to do. Take what waits for you.',
        details: { handle, holder },
      })

const cannotHoldBack = ({ title }: Member, handle: string) =>
  unsupported('CANNOT_HOLD_BACK', `${title} cannot hold the message back until ${handle} is finished.`, {
    hint: `Send it when that is finished: ${call('wait', { handle })} tells.`,
    details: { handle },
  })
