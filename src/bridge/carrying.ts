/**
 * Carries messages that were written in one protocol for an agent that reads another, and brings back what came of them.
 *
 *   1  note      what is going to be carried is written down (`CarryNotes`)
 *   2  take      the original is claimed in the name of its recipient, so that nobody else works on it
 *   3  send      a copy is sent where the recipient reads, under a key made of the note: repeating it sends once
 *   4  settle    what came of the copy ends the original, in the words of its own protocol
 *
 * Every step can be repeated by any process, so a bridge that was killed or held is overtaken by the next one, and several can
 * run at once. The sender's name, and what is a copy of what, come from the store and the notes, never from the text.
 */
import { digestOf } from '../formats/digest.ts'
import type { Draft, Envelope } from '../kernel/envelope.ts'
import { SignalboxError } from '../kernel/errors.ts'
import { withoutUndefined } from '../kernel/field.ts'
import { childOf, type TreePath, treeRoot } from '../kernel/tree-path.ts'
import { agentsFolder } from '../messaging/agents/directory.ts'
import { type Correspondence, type Message, type MessageOutcome, type Receipt, verbOf } from '../protocols/contract.ts'
import { type Bus, type FoundMessage, findAll, type Member } from './bus.ts'
import { type CarryNote, CarryNotes, textsFolder } from './carry-notes.ts'
import { FittedNames } from './fitted-names.ts'
import { Homes, type KnownAgent } from './homes.ts'

/** A message that was carried so often goes in a circle. */
const mostHops = 8
/** A claim on an original is renewed when less than this is left of it. */
const renewBeforeMs = 60_000
/** Of a text that is too long for a protocol, so much stands in the message itself. */
const shownLetters = 1500

export interface Pass {
  readonly carried: readonly { readonly from: string; readonly to: string }[]
  /** Originals that were ended, each with its copy. */
  readonly settled: readonly { readonly from: string; readonly to?: string; readonly outcome: 'completed' | 'failed' }[]
  readonly notices: readonly string[]
  /** When something is due next by the tree's time, if nothing happens before. */
  readonly nextAt?: number
}

/** What a pass is about, where that is not everything. */
export interface Only {
  readonly protocol: string
  readonly place: string
  /** Carry what waits for these agents alone. */
  readonly agents?: readonly string[]
  /** What is away already is looked after by another pass. */
  readonly isCarryingOnly?: boolean
  /** The handle of an original that is taken back: what comes of its copy does not count any more. */
  readonly letGo?: string
}

export class Carrier {
  readonly #bus: Bus
  readonly #only: Only | undefined
  readonly #notes: CarryNotes
  readonly #names: FittedNames
  readonly #homes: Homes
  readonly #carried: { from: string; to: string }[] = []
  readonly #settled: { from: string; to?: string; outcome: 'completed' | 'failed' }[] = []
  readonly #notices: string[] = []
  readonly #asked = new Map<string, Promise<readonly string[]>>()
  /** The notes whose messages were away when the pass began. */
  readonly #open: CarryNote[] = []
  #nextAt = Number.POSITIVE_INFINITY

  private constructor(bus: Bus, only?: Only) {
    this.#bus = bus
    this.#only = only
    this.#notes = new CarryNotes(bus.tree)
    this.#names = new FittedNames(bus.tree)
    this.#homes = new Homes(bus)
  }

  /** One pass: carries what waits, and settles what is over. */
  static async pass(bus: Bus, only?: Only): Promise<Pass> {
    const carrier = new Carrier(bus, only)
    const agents = await agentsWithHome(carrier.#homes)
    await carrier.#letGo()
    if (!only) {
      await carrier.#makeInboxes(agents)
      await carrier.#deliverAll()
    }
    await carrier.#settleAll()
    await carrier.#carryAll(agents)
    const { dueAt, told } = { dueAt: carrier.#nextAt, told: [...new Set(carrier.#notices)] }
    return {
      carried: carrier.#carried,
      settled: carrier.#settled,
      notices: told,
      ...(Number.isFinite(dueAt) ? { nextAt: dueAt } : {}),
    }
  }

  /** In every protocol that is used, so that an agent with nothing but a shell can write to every other. */
  async #makeInboxes(agents: readonly KnownAgent[]): Promise<void> {
    for await (const member of this.#bus.used()) {
      if (!member.neutral.makeInbox) continue
      for (const { name } of agents)
        await this.#unlessTroubled(`What is for ${name} in ${member.title}`, async () =>
          this.#makeInbox(member, await this.#nameIn(member, name)),
        )
    }
  }

  async #makeInbox({ neutral }: Member, name: string): Promise<void> {
    if (name !== 'unknown' && neutral.isAgentName(name)) await neutral.makeInbox?.(name)
  }

  /** What agents have written where they write, and the protocol's own router would bring to its recipient. */
  async #deliverAll(): Promise<void> {
    for await (const { neutral } of this.#bus.used())
      for await (const { delivers, name, run } of neutral.duties?.() ?? [])
        if (delivers) await this.#unlessTroubled(name, async () => void (await run()))
  }

  /** What waits for agents that read elsewhere. A message that makes trouble is told, and holds up no other. */
  async #carryAll(agents: readonly KnownAgent[]): Promise<void> {
    const { protocol, agents: wanted } = this.#only ?? {}
    if (wanted?.length === 0) return
    for await (const member of this.#bus.used()) {
      if ((protocol ?? member.name) !== member.name) continue
      for (const agent of agents) {
        if (!livesElsewhere(agent, member.name)) continue
        if (wanted && !wanted.includes(await this.#nameIn(member, agent.name))) continue
        await this.#unlessTroubled(`What waits for ${agent.name} in ${member.title}`, async () => {
          for (const message of await this.#waiting(member, agent))
            await this.#unlessTroubled(message.envelope.handle, () => this.#carry(member, message, agent))
        })
      }
    }
  }

  /** Listed before any is taken, since taking changes what is listed. */
  async #waiting({ neutral, ...member }: Member, { name }: KnownAgent): Promise<Message[]> {
    const found: Message[] = []
    const named = await this.#nameIn({ ...member, neutral }, name)
    for await (const message of neutral.waitingFor(named)) {
      // A piece of work for the first agent that takes it is left to those who read there.
      const isForFirst = neutral.allIsForFirst && message.envelope.to.toLowerCase() === 'all'
      if (!isForFirst && (this.#only?.place ?? message.envelope.place) === message.envelope.place) found.push(message)
    }
    return found
  }

  async #carry(member: Member, message: Message, agent: KnownAgent): Promise<void> {
    const { envelope } = message
    const text = await message.text()
    if (text === undefined || (await this.#isAboutCopy(member, envelope))) return
    const digest = digestOf(envelope.from, envelope.to, envelope.kind, envelope.summary, text)
    const known = await this.#notes.of(envelope.handle)
    if (known && known.original === envelope.handle && known.state !== 'over' && known.digest !== digest) {
      this.#notices.push(`${envelope.handle} was changed after it was carried as ${known.copy ?? 'a copy'}.`)
      return
    }
    const copied = known?.copy === envelope.handle ? known : undefined
    const hops = Math.max(copied?.hops ?? 0, envelope.origin?.hops ?? 0) + 1
    const note = await this.#notes.begin({ original: envelope.handle, digest, to: agent.name, hops })
    await this.#goOn(note, { member, envelope, text, agent, copied })
  }

  /** Takes the original and sends the copy, from wherever an earlier process got to. */
  async #goOn(note: CarryNote, original: Original): Promise<void> {
    const { member, envelope, text, agent, copied } = original
    const receipt = await this.#claim(note, member, envelope)
    if (!receipt) return
    const back = copied?.original.startsWith(`${agent.home.protocol}:`)
    if (note.hops > mostHops || back) {
      const why = back ? 'it would go back to where it came from' : `it was carried ${mostHops} times`
      await this.#end(note, receipt, member, {
        state: 'failed',
        text: `Not carried: ${why}. See where ${agent.name} is at home.`,
      })
      return
    }
    const target = await this.#bus.member(agent.home.protocol)
    const draft = await this.#draft(note, original, target, text)
    const sentAt = await this.#bus.tree.now()
    try {
      // With `strict`, a recipient whom nobody has seen is refused before anything is made for it.
      this.#notices.push(...(await this.#about(draft.to)))
      await this.#makeInbox(target, draft.to)
      if (envelope.needsAnswer) {
        await this.#makeInbox(target, draft.from)
        await this.#makeInbox(member, envelope.from)
      }
      const sent = await verbOf(target, target.neutral, 'send')(draft, { key: `bridge ${note.key}`, makesPlace: true })
      const noted = await this.#notes.change(note.key, {
        copy: sent.message.handle,
        ...(sent.outcome === 'sent' ? { copyPath: sent.message.path, sentAt } : {}),
      })
      if (sent.outcome === 'sent') this.#carried.push({ from: envelope.handle, to: sent.message.handle })
      this.#notices.push(...sent.notices)
      if (envelope.needsAnswer) this.#isDueAt(dueAt(noted, envelope))
      // Nobody waits for what comes of it.
      else await this.#end(noted, receipt, member, { state: 'completed', text: '' })
    } catch (error) {
      if (!(error instanceof SignalboxError) || error.kind === 'Unavailable') throw error
      const reason = `${target.title} does not take it for ${agent.name}: ${error.message}`
      await this.#end(note, receipt, member, { state: 'failed', text: reason })
    }
  }

  /** The claim on the original: a new one, or that of a bridge that was killed before it could note it. */
  async #claim(note: CarryNote, member: Member, envelope: Envelope): Promise<Receipt | undefined> {
    const name = await this.#nameIn(member, note.to)
    const { id, place } = envelope
    const taken = await verbOf(member, member.neutral, 'take')(name, withoutUndefined({ id, place }))
    const receipt = taken.outcome === 'taken' ? taken.receipt : await this.#heldReceipt(note, name)
    if (!receipt) {
      // Somebody else has it, or it is over: there is nothing to carry.
      if (note.copy === undefined) await this.#notes.change(note.key, { state: 'over' })
      return undefined
    }
    const now = await this.#notes.change(note.key, { receipt: plain(receipt) })
    if (now.state !== 'over') return receipt
    // Another bridge has finished this note meanwhile, and the message waits again since.
    if (taken.outcome === 'taken') await verbOf(member, member.neutral, 'release')(receipt)
    return undefined
  }

  async #heldReceipt(note: CarryNote, name: string): Promise<Receipt | undefined> {
    // A message to many is there once for each reader.
    const isHeld = ({ envelope: { stage, claim } }: FoundMessage) =>
      stage === 'claimed' && claim?.by.toLowerCase() === name.toLowerCase()
    const { id, place, claim } = (await this.#find(note.original)).find(isHeld)?.envelope ?? {}
    if (id === undefined || !claim) return undefined
    return withoutUndefined({ id, agent: claim.by, place, attempt: claim.attempt }) as Receipt
  }

  async #draft(note: CarryNote, { member, envelope, agent }: Original, target: Member, text: string): Promise<Draft> {
    const { handle, kind, urgency, deadline, needsAnswer, task, attachments, summary } = envelope
    const fitted = await this.#fitted(note, target, text)
    return {
      from: await this.#nameIn(target, await this.#agentCalled(member, envelope.from)),
      to: await this.#nameIn(target, agent.name),
      ...fitted,
      kind,
      urgency,
      needsAnswer,
      summary,
      thread: envelope.thread ?? handle,
      attachments: [...attachments, ...(fitted.attachments ?? [])],
      origin: { protocol: member.name, handle, digest: note.digest, hops: note.hops },
      ...withoutUndefined({ deadline, task, place: agent.home.place, replyTo: await this.#replyTo(envelope, target) }),
    }
  }

  /** The text, or its beginning and where the whole of it lies, where the protocol has no room for it. */
  async #fitted(note: CarryNote, { neutral }: Member, text: string): Promise<Pick<Draft, 'text' | 'attachments'>> {
    const bytes = Buffer.byteLength(text)
    if (neutral.longestText === undefined || bytes <= neutral.longestText) return { text }
    const path = childOf(textsFolder, `${note.key}.md`)
    await this.#bus.tree.create(path, text)
    const beginning = text.slice(0, shownLetters).toWellFormed()
    return { text: `${beginning}…\n\nThe whole text (${bytes} bytes) is in ${path}`, attachments: [path] }
  }

  /** What the copy answers, by its name in the target: the counterpart of what the original answers, if that was carried too. */
  async #replyTo({ replyTo, protocol, place }: Envelope, target: Member): Promise<string | undefined> {
    if (replyTo === undefined) return undefined
    const answered = handleIn(protocol, place, replyTo)
    const note = await this.#notes.of(answered)
    const other = note?.original === answered ? note.copy : note?.original
    if (other?.startsWith(`${target.name}:`)) return (await this.#find(other))[0]?.envelope.id ?? other
    return answered
  }

  /**
   * An answer to a copy is what came of it, and ends the original; what is told of a copy is passed on as its progress, where the
   * original's protocol knows progress. Neither is carried by itself.
   */
  async #isAboutCopy({ name }: Member, { replyTo, place, kind }: Envelope): Promise<boolean> {
    if (replyTo === undefined || kind === 'ask') return false
    const handle = handleIn(name, place, replyTo)
    const note = await this.#notes.of(handle)
    if (note?.copy !== handle || note.state === 'over') return false
    return kind === 'answer' || (await this.#bus.member(protocolOf(note.original))).neutral.progressed !== undefined
  }

  async #settleAll(): Promise<void> {
    const { protocol, place, isCarryingOnly } = this.#only ?? {}
    if (isCarryingOnly) return
    const isWanted = (handle = '') => protocol === undefined || handle.startsWith(`${protocol}:${place}:`)
    for await (const note of this.#notes.open()) this.#open.push(note)
    for (const note of this.#open)
      if (isWanted(note.original) || isWanted(note.copy))
        await this.#unlessTroubled(note.original, () => this.#settle(note))
  }

  async #letGo(): Promise<void> {
    const { letGo } = this.#only ?? {}
    const note = letGo === undefined ? undefined : await this.#notes.of(letGo)
    if (note?.original === letGo && note) await this.#notes.change(note.key, { state: 'over' })
  }

  /**
   * Since when an answer that names no message can mean this copy alone: its sender writes there through the bridge only, and
   * has nothing else open with this recipient.
   */
  async #onlySince(note: CarryNote, member: Member, sender: string, createdAt = ''): Promise<number | undefined> {
    const { name, home } = await this.#homes.of(sender)
    const actedIn = (await this.#bus.directory.seen(name))?.in ?? []
    if (home.protocol === member.name || actedIn.includes(member.name)) return undefined
    const isOther = ({ key, copy, to }: CarryNote) =>
      key !== note.key && to === note.to && copy?.startsWith(`${member.name}:`)
    const since = note.sentAt ?? Date.parse(createdAt)
    return this.#open.some(isOther) || Number.isNaN(since) ? undefined : since
  }

  async #settle(note: CarryNote): Promise<void> {
    const original = await this.#originalOf(note)
    const member = await this.#bus.member(protocolOf(note.original))
    if (!original) return void (await this.#notes.change(note.key, { state: 'over' }))
    if (note.copy === undefined || !note.receipt) return this.#takeUp(note, original)
    const copy = await this.#copyOf(note.copy, note, original)
    const outcome = await outcomeOf(copy)
    if (outcome && note.state === 'late') return this.#answerLate(note, original, outcome, copy)
    if (outcome) return this.#end(note, note.receipt, member, outcome, copy)
    // It was freed or given back meanwhile: claim it again, so that nobody works on it twice.
    if (original.envelope.stage === 'written' && note.state === 'away')
      await this.#claim(note, member, original.envelope)
    if (note.state === 'late') return
    const { deadline } = original.envelope
    const now = await this.#bus.tree.now()
    if (deadline !== undefined && Date.parse(deadline) <= now) return this.#tellLate(note, original, copy)
    await this.#passOn(note, note.receipt, member, copy)
    await this.#renew(note, member, now)
    this.#isDueAt(dueAt(note, original.envelope))
  }

  /** Of a message to many, the one for this recipient. */
  async #originalOf({ original, to }: CarryNote): Promise<FoundMessage | undefined> {
    const all = await this.#find(original)
    const [first, second] = all
    const name = first && second && (await this.#nameIn(first.member, to)).toLowerCase()
    return all.find(({ envelope }) => envelope.to.toLowerCase() === name) ?? first
  }

  /** A bridge was killed before it had sent the copy. */
  async #takeUp(note: CarryNote, { envelope, member, text }: FoundMessage): Promise<void> {
    const known = await this.#homes.of(note.to)
    const words = await text()
    if (words === undefined) return
    await this.#goOn(note, { member, envelope, text: words, agent: known, copied: undefined })
  }

  /** Ends the original as its protocol does, then puts the answer away that told it, which was for the sender alone. */
  async #end(
    note: CarryNote,
    receipt: Receipt,
    member: Member,
    { state, text, answer }: MessageOutcome,
    copy?: Copy,
  ): Promise<void> {
    const { neutral } = member
    let isNews = true
    try {
      const { outcome } =
        state === 'failed'
          ? await verbOf(member, neutral, 'failed')(receipt, { reason: text })
          : await verbOf(member, neutral, 'done')(receipt, text === '' ? {} : { text })
      // Otherwise another bridge has ended it just now.
      isNews = outcome === 'settled'
    } catch (error) {
      if (!(error instanceof SignalboxError) || (error.kind !== 'Conflict' && error.kind !== 'NotFound')) throw error
      const [now] = await this.#find(note.original)
      const again = now?.envelope.stage === 'written' && (await this.#claim(note, member, now.envelope))
      if (again)
        return this.#end(note, again, member, withoutUndefined({ state, text, answer }) as MessageOutcome, copy)
      this.#notices.push(`${note.original} was ended by somebody else: ${error.message}`)
    }
    if (copy && answer !== undefined) await this.#putAway(copy, answer)
    const wasOpen = note.state !== 'over'
    await this.#notes.change(note.key, { state: 'over' })
    if (wasOpen && isNews)
      this.#settled.push({ from: note.original, ...(note.copy === undefined ? {} : { to: note.copy }), outcome: state })
  }

  /** The copy of an original, as it is now, and between whom it is. */
  async #copyOf(handle: string, note: CarryNote, original: FoundMessage): Promise<Copy> {
    const sender = await this.#agentCalled(original.member, original.envelope.from)
    const member = await this.#bus.member(protocolOf(handle))
    const [found] = await this.#find(handle)
    return {
      handle,
      member,
      found,
      id: found?.envelope.id ?? handle.slice(member.name.length + 1),
      sent: {
        from: found?.envelope.from ?? (await this.#nameIn(member, sender)),
        to: found?.envelope.to ?? (await this.#nameIn(member, note.to)),
        ...withoutUndefined({ sentAt: await this.#onlySince(note, member, sender, found?.envelope.createdAt) }),
      },
    }
  }

  /** Tells the sender that the recipient has begun and how far it is, where both protocols know that. */
  async #passOn(note: CarryNote, receipt: Receipt, { neutral }: Member, copy: Copy): Promise<void> {
    const progress = neutral.progressed && (await copy.member.neutral.progressOf?.(copy.id, copy.sent))
    if (!neutral.progressed || (!progress && isUntouched(note, copy))) return
    const { text } = progress ?? {}
    const digest = digestOf(text ?? '')
    if (text === undefined ? note.progress === undefined : note.progress !== digest) {
      await neutral.progressed(receipt, text === undefined ? {} : { text })
      await this.#notes.change(note.key, { progress: digest })
    }
    if (progress?.message !== undefined) await this.#putAway(copy, progress.message)
  }

  async #putAway({ member, sent }: Copy, answer: string): Promise<void> {
    const { take, done } = member.neutral
    if (!take || !done) return
    const taken = await take.call(member.neutral, sent.from, { id: answer })
    if (taken.outcome === 'taken') await done.call(member.neutral, taken.receipt)
  }

  /** The sender is told in its own way; a copy that nobody has taken yet is taken back. */
  async #tellLate(note: CarryNote, original: FoundMessage, copy: Copy): Promise<void> {
    const reason = `${note.to} has not answered by ${original.envelope.deadline}.`
    await verbOf(original.member, original.member.neutral, 'failed')(note.receipt!, { reason })
    this.#settled.push({ from: note.original, to: note.copy!, outcome: 'failed' })
    const { take, failed } = copy.member.neutral
    const { id, to, place } = copy.found?.envelope ?? {}
    const taken = isUntouched(note, copy)
      ? await take?.call(copy.member.neutral, to!, withoutUndefined({ id, place }))
      : undefined
    if (taken?.outcome !== 'taken') return void (await this.#notes.change(note.key, { state: 'late' }))
    await failed?.call(copy.member.neutral, taken.receipt, {
      reason: `Nobody waits for it any more: the deadline was ${original.envelope.deadline}.`,
    })
    const told = await outcomeOf(copy)
    if (told?.answer !== undefined) await this.#putAway(copy, told.answer)
    await this.#notes.change(note.key, { state: 'over' })
  }

  async #answerLate(
    note: CarryNote,
    { member, envelope }: FoundMessage,
    { state, text, answer }: MessageOutcome,
    copy: Copy,
  ): Promise<void> {
    const draft: Draft = {
      from: await this.#nameIn(member, note.to),
      to: envelope.from,
      text: state === 'failed' ? `It failed: ${text}` : text,
      kind: 'answer',
      replyTo: envelope.id,
      ...withoutUndefined({ place: envelope.place, thread: envelope.thread, task: envelope.task }),
    }
    await verbOf(member, member.neutral, 'send')(draft, { key: `bridge late ${note.key}`, makesPlace: true })
    if (answer !== undefined) await this.#putAway(copy, answer)
    await this.#notes.change(note.key, { state: 'over' })
  }

  async #renew(note: CarryNote, { neutral }: Member, now: number): Promise<void> {
    const { receipt } = note
    if (!receipt?.until || !neutral.renew || receipt.until - now > renewBeforeMs) return
    const { message } = await neutral.renew(receipt)
    const until = message.claim?.until === undefined ? undefined : Date.parse(message.claim.until)
    await this.#notes.change(note.key, { receipt: { ...receipt, until: until ?? now + 2 * renewBeforeMs } })
  }

  async #nameIn(member: Member, agent: string): Promise<string> {
    const { name, listing } = await this.#homes.of(agent)
    return listing?.nameIn[member.name] ?? this.#names.nameFor(member, name)
  }

  /** The agent that is called so in a protocol. */
  async #agentCalled({ name: protocol }: Member, called: string): Promise<string> {
    return (await this.#names.agentFor(protocol, called)) ?? (await this.#homes.of(called)).name
  }

  /** Asked once for each recipient, since one that nobody has seen is looked for in all files. */
  #about(recipient: string): Promise<readonly string[]> {
    const known = this.#asked.get(recipient) ?? this.#bus.noticesAbout(recipient)
    this.#asked.set(recipient, known)
    return known
  }

  async #find(handle: string): Promise<readonly FoundMessage[]> {
    try {
      return await findAll(this.#bus, handle)
    } catch (error) {
      if (error instanceof SignalboxError && error.kind === 'NotFound') return []
      throw error
    }
  }

  async #unlessTroubled(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof SignalboxError)) throw error
      this.#notices.push(`${what} cannot be carried now: ${error.message}`)
      this.#isDueAt((await this.#bus.tree.now()) + retryMs)
    }
  }

  #isDueAt(at: number): void {
    this.#nextAt = Math.min(this.#nextAt, at)
  }
}

/** After trouble that may pass, such as a full disk. */
const retryMs = 30_000

interface Original {
  readonly member: Member
  readonly envelope: Envelope
  readonly text: string
  readonly agent: KnownAgent
  /** The note by which the original itself was carried here. */
  readonly copied: CarryNote | undefined
}

interface Copy {
  readonly handle: string
  readonly member: Member
  readonly id: string
  readonly sent: Correspondence
  /** `undefined`: it is gone. */
  readonly found: FoundMessage | undefined
}

/** No agent has taken it, be it by moving its file. */
const isUntouched = ({ copyPath }: CarryNote, { found }: Copy): boolean =>
  found?.envelope.stage === 'written' && (copyPath === undefined || copyPath === found.envelope.path)

/**
 * The agents of which people say where they read. An agent that was only seen somewhere may read elsewhere too, so nothing is carried
 * for it. One with a mistake in its file is left out; `doctor` tells of it.
 */
export async function agentsWithHome(homes: Homes): Promise<KnownAgent[]> {
  const found: KnownAgent[] = []
  for (const name of await homes.listedNames()) {
    const known = await homes.of(name).catch((error: unknown) => {
      if (!(error instanceof SignalboxError)) throw error
    })
    if (known?.listing?.home) found.push(known)
  }
  return found
}

export const livesElsewhere = ({ home }: KnownAgent, protocol: string): boolean => home.protocol !== protocol

async function outcomeOf({ member, handle, id, sent, found }: Copy): Promise<MessageOutcome | undefined> {
  if (!found && !member.neutral.readersDelete) return gone(handle)
  const outcome = await member.neutral.outcomeOf?.(id, sent)
  if (outcome || found?.envelope.stage !== 'failed') return outcome
  return { state: 'failed', text: `It is ${found.envelope.state} in ${member.title}.` }
}

const gone = (copy: string): MessageOutcome => ({ state: 'failed', text: `${copy} is not there any more.` })

/** When the claim must be renewed, or the deadline passes. */
function dueAt({ receipt }: CarryNote, { deadline }: Envelope): number {
  const renewAt = receipt?.until === undefined ? Number.POSITIVE_INFINITY : receipt.until - renewBeforeMs / 2
  return Math.min(renewAt, deadline === undefined ? Number.POSITIVE_INFINITY : Date.parse(deadline))
}

const plain = ({ id, agent, place, attempt, until }: Receipt): NonNullable<CarryNote['receipt']> =>
  withoutUndefined({ id, agent, place, attempt, until })

const protocolOf = (handle: string): string => handle.slice(0, handle.indexOf(':'))

/** An answer names a message of its own protocol by its id, and one of another by its handle. */
const handleIn = (protocol: string, place: string | undefined, id: string): string =>
  id.includes(':') ? id : place === undefined ? `${protocol}:${id}` : `${protocol}:${place}:${id}`

/** Whether something is away, or agents read elsewhere than where they may be written to. */
export async function isBridgeNeeded(bus: Bus): Promise<boolean> {
  for await (const _ of new CarryNotes(bus.tree).open()) return true
  const agents = await agentsWithHome(new Homes(bus))
  if (agents.length === 0) return false
  for await (const { name } of bus.used()) if (agents.some((agent) => livesElsewhere(agent, name))) return true
  return false
}

/** How many messages wait in a protocol for an agent that reads another one. */
export interface WaitingElsewhere {
  readonly agent: string
  readonly home: string
  readonly title: string
  readonly count: number
}

/** As many as are counted of the messages for one agent in one protocol. */
const mostCounted = 100

/** What waits for a bridge. */
export async function* waitingForBridge(bus: Bus): AsyncGenerator<WaitingElsewhere> {
  const homes = new Homes(bus)
  const agents = await agentsWithHome(homes)
  for await (const { name, title, neutral } of bus.used()) {
    for (const agent of agents.filter((one) => livesElsewhere(one, name))) {
      const named = await homes.nameIn(name, agent.name)
      if (!neutral.isAgentName(named)) continue
      let count = 0
      for await (const { envelope } of neutral.waitingFor(named, { limit: mostCounted }))
        if (!neutral.allIsForFirst || envelope.to.toLowerCase() !== 'all') count++
      if (count > 0) yield { agent: agent.name, home: agent.home.protocol, title, count }
    }
  }
}

/** The folders in which something happens when there is something to carry or to settle. */
export async function carryingFolders(bus: Bus): Promise<readonly TreePath[]> {
  const folders: TreePath[] = [treeRoot, agentsFolder]
  for await (const { neutral } of bus.used()) folders.push(...((await neutral.watched?.()) ?? []))
  return [...new Set(folders)]
}
