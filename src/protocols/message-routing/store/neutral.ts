/**
 * Message Routing in neutral words. It has no places (missions, workspaces), no questions to people, and claims have no end. It has
 * no archive, so `archived` makes no difference: taken, evicted and rejected messages are listed for as long as they are kept. A
 * message that is taken here has a claim until it is ended:
 *
 *   .signalbox/state/delivery/mr/claims/{agent}.{id}.json
 */
import { sha256 } from '../../../formats/digest.ts'
import { call } from '../../../kernel/call.ts'
import { isoTime } from '../../../kernel/clock.ts'
import type { Headline } from '../../../kernel/envelope.ts'
import { SignalboxError, unavailable } from '../../../kernel/errors.ts'
import { isMeant } from '../../../kernel/short-id.ts'
import { childOf, treePath } from '../../../kernel/tree-path.ts'
import { type Claim, expectHeld, type Holding, lostClaim } from '../../../messaging/claims/claim.ts'
import { ClaimNotes, type Decision } from '../../../messaging/claims/claim-notes.ts'
import { listIfFolder } from '../../../messaging/leaves/tolerant.ts'
import { nameBefore } from '../../../messaging/quarantine/quarantine.ts'
import { stateOf } from '../../../tree/home.ts'
import type { Durability } from '../../../tree/tree.ts'
import {
  type Correspondence,
  isSince,
  type MessageOutcome,
  type Neutral,
  type Progress,
  type Quarantined,
  type Receipt,
} from '../../contract.ts'
import { neutralOf, type Source } from '../../neutral.ts'
import { lift, lower, textOf } from '../envelope.ts'
import { agentId, folderPath, folders, isAgentId, stemOf } from '../layout.ts'
import { type MrMessage, unusualDirection } from '../schema.ts'
import type { MrView } from './outcomes.ts'
import type { RoutingParts } from './parts.ts'
import { noSuchMessage, viewOfId, viewsIn } from './reading.ts'
import type { Routing } from './routing.ts'

/** How a message is asked for. */
interface Asked {
  readonly id: string | undefined
  readonly waitMs?: number | undefined
  readonly signal: AbortSignal | undefined
}

type HeldView = MrView & { readonly claim?: Claim }

/** In characters. A longer one is longer than a message may be. */
const longestDecided = 32 * 1024
const claimsFolder = childOf(childOf(stateOf('delivery'), 'mr'), 'claims')

export function mrNeutral(routing: Routing, parts: RoutingParts): Neutral {
  const { agents, sending, claiming, settling, recovering } = routing
  const claims = new ClaimNotes(parts.tree, claimsFolder)
  const claimNameOf = (agent: string, id: string) => `${agentId(agent)}.${id}`

  /** Adds its open claim to each message. The folder of claims is listed once, since most messages have no claim. */
  async function* withClaims(views: AsyncIterable<MrView>): AsyncGenerator<HeldView> {
    const noted = new Set((await listIfFolder(parts.tree, claimsFolder)).map(({ name }) => name))
    for await (const view of views) {
      const name = claimNameOf(view.to, view.id)
      const claim = view.state === 'taken' && noted.has(`${name}.json`) ? await claims.of(name) : undefined
      yield isOpen(claim) ? { ...view, claim } : view
    }
  }

  /** The claim of the process that has won the message. Replaces a claim that another process noted meanwhile. */
  async function claimWon(name: string, holder: string, noted: Claim | undefined): Promise<Claim> {
    for (;;) {
      const now = await claims.of(name)
      if (isOpen(now) && now.attempt === noted?.attempt) return noted
      if (isOpen(now)) await forget(name, now)
      const claimed = await claims.take(name, holder)
      if (claimed.outcome === 'claimed') return claimed.claim
    }
  }

  /** Gives back a claim, unless another process has replaced it. The note stays, so that attempts go on counting. */
  async function forget(name: string, { holder, attempt }: Pick<Claim, 'holder' | 'attempt'>): Promise<void> {
    await claims.giveBack(name, { agent: holder, attempt }).catch((error: unknown) => {
      if (!(error instanceof SignalboxError) || error.code !== 'LOST_CLAIM') throw error
    })
  }

  /** A message that the agent took. Throws where the receipt is out of date, or the agent never took the message. */
  async function heldView({ id, agent, attempt }: Receipt): Promise<HeldView> {
    const view = await viewOfId(parts, agentId(agent), ['taken'], id)
    const claim = await claims.of(claimNameOf(agent, id))
    if (isOpen(claim)) expectHeld(id, claim, { agent: agentId(agent), ...(attempt === undefined ? {} : { attempt }) })
    if (!view) throw claim && attempt !== undefined ? lostClaim(id, 'it waits again') : notTaken(agent, id)
    return isOpen(claim) ? { ...view, claim } : view
  }

  /**
   * Ends a claim. How is written down first, so that of several ways one is chosen, and a process that comes after one that was
   * killed does the rest.
   */
  async function end(receipt: Receipt, wanted: Decision) {
    const { claim, ...message } = await heldView(receipt)
    if (!claim) return endUnclaimed(receipt, message, wanted)
    const name = claimNameOf(message.to, message.id)
    const holding = { agent: claim.holder, attempt: claim.attempt }
    // What cannot be a message is refused before anything is written down.
    const isTooLong = (wanted.text?.length ?? 0) > longestDecided
    const decided = isTooLong ? wanted : await claims.decide(name, holding, wanted)
    const outcome = await carryOut(message, name, holding, decided)
    if (decided.to !== wanted.to)
      throw lostClaim(message.id, decided.to === 'return' ? 'it was given back before' : 'it was finished before')
    return outcome
  }

  async function carryOut(message: MrView, name: string, holding: Required<Holding>, { to, text }: Decision) {
    if (to === 'return') return giveBack(message, name, holding)
    try {
      const durability = await tellOutcome(message, to === 'done' ? 'success' : 'failure', text)
      const outcome = await claims.settle(name, holding)
      return { outcome: outcome === 'settled' ? outcome : 'unchanged', message, durability } as const
    } catch (error) {
      const isForGood = error instanceof SignalboxError && error.kind !== 'Unavailable' && error.code !== 'LOST_CLAIM'
      if (isForGood) await claims.takeBackDecision(name, holding)
      throw error
    }
  }

  /** Tells the sender what came of its message, once. */
  async function tellOutcome(message: MrView, status: 'success' | 'failure', text?: string): Promise<Durability> {
    const { id, from, to } = message
    if (message.requiresAck && status === 'success') {
      const acked = await settling.ack(to, id, { text, isDone: true })
      // One that was sent before, when its reader began, told no outcome.
      if (stateToldBy(acked.message.message) !== undefined) return acked.durability
    }
    if (!lift(message).needsAnswer) return 'process'
    const payload = { status, message: text ?? 'done' }
    const answer = { from: to, to: from, type: 'result' as const, payload, replyTo: id }
    return (await sending.send(answer, { key: `end ${id}` })).durability
  }

  /** The message moves only while its claim says so: it may have been handed out again meanwhile. */
  async function giveBack(message: MrView, name: string, { agent, attempt }: Required<Holding>) {
    const isStill = async () => {
      const now = await claims.of(name)
      return now?.attempt === attempt && now.until === undefined && now.decided?.to === 'return'
    }
    const [left] = await recovering.putBack(message.to, [message], { onlyIf: isStill })
    if (left !== undefined && (await isStill()) && (await parts.tree.look(treePath(left))))
      throw notPutBack(message.id, left)
    await forget(name, { holder: agent, attempt })
    return { outcome: left === undefined ? 'settled' : 'unchanged', message, durability: 'process' } as const
  }

  /** What was read by a command of this protocol, or ended before: an acknowledgement can still be given. */
  async function endUnclaimed({ agent, id }: Receipt, message: MrView, { to, text }: Decision) {
    if (to === 'return') throw notTaken(agent, id)
    if (!message.requiresAck || to !== 'done') return { outcome: 'unchanged', message, durability: 'process' } as const
    const acked = await settling.ack(message.to, id, { text, isDone: true })
    const outcome = acked.outcome === 'acknowledged' ? 'settled' : 'unchanged'
    return { outcome, message, durability: acked.durability } as const
  }

  /** Gives back what killed processes were giving back. True if there was something. */
  async function finishReturns(agent: string): Promise<boolean> {
    const prefix = `${agentId(agent)}.`
    let isDone = false
    for (const { name: file } of await listIfFolder(parts.tree, claimsFolder)) {
      const name = file.startsWith(prefix) && file.endsWith('.json') ? file.slice(0, -'.json'.length) : undefined
      const claim = name === undefined ? undefined : await claims.of(name)
      if (name === undefined || claim?.decided?.to !== 'return' || claim.until !== undefined) continue
      const message = await viewOfId(parts, agentId(agent), ['taken'], name.slice(prefix.length))
      if (!message) await forget(name, claim)
      else await giveBack(message, name, { agent: claim.holder, attempt: claim.attempt })
      isDone = true
    }
    return isDone
  }

  /** The claim is noted before the message is taken, so that a crash in between leaves no message that is taken without a claim. */
  async function takeOnce(agent: string, { id, waitMs, signal }: Asked) {
    const noted = new Map<string, Claim>()
    const beforeTaking = async ({ msg_id, to }: MrMessage) => {
      const name = claimNameOf(agent, msg_id)
      const claimed = await claims.take(name, to)
      if (claimed.outcome === 'claimed') noted.set(name, claimed.claim)
    }
    const { messages, durability } = await claiming.receive(agent, { limit: 1, id, waitMs, signal, beforeTaking })
    const [message] = messages
    const own = message && claimNameOf(agent, message.id)
    for (const [name, claim] of noted) if (name !== own) await forget(name, claim)
    if (!message || own === undefined) return undefined
    const claim = await claimWon(own, message.to, noted.get(own))
    const receipt = { id: message.id, agent: message.to, attempt: claim.attempt }
    if (!signal?.aborted) return { message: { ...message, claim }, receipt, durability }
    await source.release!(receipt)
    return undefined
  }

  const source: Source<HeldView> = {
    protocol: { name: 'mr', title: 'Message Routing' },
    tree: parts.tree,
    hasPlaces: false,
    // A message has 10 KB at most; quotation marks and line ends take two bytes each, and other fields need room too.
    longestText: 4096,
    readersDelete: true,
    isAgentName: isAgentId,
    makeInbox: (agent) => parts.tree.makeFolder(folderPath(parts.root, agentId(agent), 'inbox')),
    lift,
    text: async ({ path, message }) => ((await parts.tree.look(treePath(path))) ? textOf(message) : undefined),
    seen: () => agents.seen(),

    /** Reads the whole inbox, since the order is in the messages. An inbox has a limit. */
    async *waiting(agent, limit) {
      const { messages } = await claiming.receive(agent, {
        peek: true,
        limit: Number.isFinite(limit) ? limit : undefined,
      })
      yield* messages
    },

    async *each({ to, states }) {
      const wanted = folders.filter((folder) => states?.includes(folder) ?? true)
      for (const agent of to === undefined ? (await agents.known()).names : isAgentId(to) ? [to] : [])
        yield* withClaims(viewsIn(parts, agent, wanted))
    },

    async *find(id) {
      const { idOfStem } = await parts.foreign.load()
      const isFound = (stem: string) => isMeant(id, stem) || isMeant(id, idOfStem(stem))
      for (const agent of (await agents.known()).names) yield* withClaims(viewsIn(parts, agent, folders, isFound))
    },

    watched: async () => [
      parts.root,
      ...(await agents.known()).names.map((agent) => folderPath(parts.root, agent, 'inbox')),
    ],

    async send(draft, options) {
      const { outcome, message, durability, notices } = await sending.send(lower(draft), options)
      // Its type was chosen here, so that nobody is told that it is an unusual one.
      const unusual = unusualDirection(message.message)
      return { outcome, message, durability, notices: notices.filter((one) => one !== unusual) }
    },

    async take(agent, { id, waitMs, signal }) {
      const taken = await takeOnce(agent, { id, signal })
      if (taken || signal?.aborted) return taken
      const isMore = await finishReturns(agent)
      return isMore || waitMs !== undefined ? takeOnce(agent, { id, waitMs, signal }) : undefined
    },

    release: (receipt) => end(receipt, { to: 'return' }),
    done: (receipt, { text }) => end(receipt, { to: 'done', ...(text === undefined ? {} : { text }) }),
    failed: (receipt, { reason }) => end(receipt, { to: 'failed', text: reason }),
  }

  return neutralOf(source, {
    inspect: (options) => routing.inspect(options),

    /** Only an answer tells the outcome. One that names no message counts while it waits, if it came since. */
    async outcomeOf(id: string, sent: Correspondence): Promise<MessageOutcome | undefined> {
      const { from, to } = sent
      const { messages } = await claiming.receive(from, { peek: true })
      for (const view of messages) {
        const { correlationId, createdAt } = view
        const isAbout = correlationId === undefined ? isSince(Date.parse(createdAt), sent) : correlationId === id
        const state = isAbout && view.from === to ? stateToldBy(view.message) : undefined
        if (state) return { state, text: resultIn(view.message), answer: view.id }
      }
      // Its reader may have taken it already.
      for await (const view of viewsIn(parts, agentId(from), ['taken'])) {
        const state = view.correlationId === id && view.from === to ? stateToldBy(view.message) : undefined
        if (state) return { state, text: resultIn(view.message) }
      }
      return undefined
    },

    /** The newest status-update about it that waits for its sender. The text of an acknowledgement says nothing. */
    async progressOf(id: string, { from, to }: Correspondence): Promise<Progress | undefined> {
      const { messages } = await claiming.receive(from, { peek: true })
      const news = messages.findLast(
        (view) => view.from === to && view.correlationId === id && isProgress(view.message),
      )
      if (!news) return undefined
      const text = progressIn(news.message)
      return { message: news.id, ...(text === `Received ${id}` ? {} : { text }) }
    },

    /** What asks for an acknowledgement gets one when its reader begins; a text is a status-update about it. */
    async progressed(receipt: Receipt, { text }) {
      const { id, from, to, requiresAck } = await heldView(receipt)
      if (requiresAck) await settling.ack(to, id)
      if (text === undefined) return
      const payload = { status: 'in_progress', message: text }
      const update = { from: to, to: from, type: 'status-update' as const, payload, replyTo: id }
      await sending.send(update, { key: `progress ${id} ${sha256(text).slice(0, 32)}` })
    },

    async *quarantined() {
      const { quarantinedOf } = await import('./quarantine.ts')
      for (const agent of (await agents.known()).names) yield* quarantinedOf(parts, agent)
    },

    async putBack({ id, place }: Quarantined): Promise<Headline> {
      const agent = agentId(place!)
      const { path } = await recovering.recover(agent, stemOf(id), { from: 'rejected' })
      const isIt = (stem: string) => stem === stemOf(nameBefore(id))
      for await (const view of viewsIn(parts, agent, ['inbox', 'taken'], isIt)) return lift(view)
      // It is in the form of another program, which only a reader with `compat` understands.
      const createdAt = isoTime(parts.clock.now())
      const headline = { protocol: 'mr', id: stemOf(id), from: 'unknown', to: agent, state: 'inbox', path, createdAt }
      return { ...headline, summary: 'It was put back.' }
    },
  })
}

/** A claim that was given back has an end. */
const isOpen = (claim: Claim | undefined): claim is Claim => claim !== undefined && claim.until === undefined
const notPutBack = (id: string, path: string) =>
  unavailable('NOT_PUT_BACK', `Message ${id} could not be put back; it is still in ${path}.`, {
    hint: `Look what is in its way: ${call('doctor')}. Then give it back again.`,
    details: { id, path },
  })

const notTaken = (agent: string, id: string) =>
  noSuchMessage(agent, id, `${agent} has not taken a message ${id.slice(0, 80)}, or it is not kept any more.`)

/** The outcome that an answer tells; `undefined` for an acknowledgement, a heartbeat, or a message that answers nothing. */
function stateToldBy({ type, payload, correlation_id }: MrMessage): MessageOutcome['state'] | undefined {
  const { status } = payload
  if (type === 'status-update') return status === 'completed' || status === 'failed' ? status : undefined
  if (type === 'result') return status === 'failure' ? 'failed' : 'completed'
  return type === 'heartbeat' || correlation_id === undefined ? undefined : 'completed'
}

const isProgress = ({ type, payload: { status } }: MrMessage): boolean =>
  type === 'status-update' && (status === 'in_progress' || status === 'blocked')

/** `50 %: Half of it is done`. */
function progressIn({ payload }: MrMessage): string {
  const { status, progress, message } = payload
  const parts = [
    ...(status === 'blocked' ? ['blocked'] : []),
    ...(typeof progress === 'number' ? [`${Math.round(progress * 100)} %`] : []),
    ...(typeof message === 'string' ? [message] : []),
  ]
  return parts.join(': ') || String(status)
}

/** The text of an answer, else its fields, one line each. */
function resultIn(message: MrMessage): string {
  const { task, message: words } = message.payload
  if (typeof task === 'string' || typeof words === 'string') return textOf(message)
  return Object.entries(message.payload)
    .map(([field, value]) => `${field}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n')
}
