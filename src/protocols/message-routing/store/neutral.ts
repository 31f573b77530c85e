/**
 * Message Routing in neutral words. It has no places (missions, workspaces), no claims that end, and no questions to people; and it
 * has no archive, so that `archived` makes no difference: what was taken, evicted or rejected is told in these states for as long as
 * it is kept. What is taken here is noted as a claim until it is ended:
 *
 *   .signalbox/state/delivery/mr/claims/{agent}.{id}.json
 */
import { sha256 } from '../../../formats/digest.ts'
import { isoTime } from '../../../kernel/clock.ts'
import type { Headline } from '../../../kernel/envelope.ts'
import { SignalboxError } from '../../../kernel/errors.ts'
import { isMeant } from '../../../kernel/short-id.ts'
import { childOf, treePath } from '../../../kernel/tree-path.ts'
import { type Claim, expectHeld, lostClaim } from '../../../messaging/claims/claim.ts'
import { ClaimNotes } from '../../../messaging/claims/claim-notes.ts'
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

type HeldView = MrView & { readonly claim?: Claim }

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
      // One that was given back has an end.
      yield claim && claim.until === undefined ? { ...view, claim } : view
    }
  }

  /** The claim of the process that has won the message, whatever others noted meanwhile. */
  async function claimWon(name: string, holder: string, noted: Claim | undefined): Promise<Claim> {
    for (;;) {
      const now = await claims.of(name)
      if (noted && now?.attempt === noted.attempt && now.until === undefined) return noted
      if (now && now.until === undefined) await forget(name, now)
      const claimed = await claims.take(name, holder)
      if (claimed.outcome === 'claimed') return claimed.claim
    }
  }

  /** Ends a claim that came to nothing, unless another process has taken its place. Later ones go on counting. */
  async function forget(name: string, { holder, attempt }: Claim): Promise<void> {
    await claims.giveBack(name, { agent: holder, attempt }).catch((error: unknown) => {
      if (!(error instanceof SignalboxError) || error.code !== 'LOST_CLAIM') throw error
    })
  }

  /** What an agent took and has not ended; throws where its receipt is out of date, or it never took it. */
  async function heldView({ id, agent, attempt }: Receipt): Promise<HeldView> {
    const view = await viewOfId(parts, agentId(agent), ['taken'], id)
    const claim = await claims.of(claimNameOf(agent, id))
    // One that was given back has an end.
    const isHeld = claim !== undefined && claim.until === undefined
    if (isHeld) expectHeld(id, claim, { agent: agentId(agent), ...(attempt === undefined ? {} : { attempt }) })
    if (!view) throw claim && attempt !== undefined ? lostClaim(id, 'it waits again') : notTaken(agent, id)
    return isHeld ? { ...view, claim } : view
  }

  /** Tells the sender the outcome of its message, once, and ends the claim. */
  async function end(receipt: Receipt, status: 'success' | 'failure', text: string | undefined) {
    const { claim, ...message } = await heldView(receipt)
    const { id, from, to } = message
    let outcome: 'settled' | 'unchanged' = claim ? 'settled' : 'unchanged'
    let durability: Durability = 'process'
    let isTold = false
    if (message.requiresAck && status === 'success') {
      const acked = await settling.ack(to, id, { text, isDone: true })
      durability = acked.durability
      if (acked.outcome === 'acknowledged') outcome = 'settled'
      // One that was sent before, when its reader began, told no outcome.
      isTold = stateToldBy(acked.message.message) !== undefined
    }
    if (claim && !isTold && lift(message).needsAnswer) {
      const payload = { status, message: text ?? 'done' }
      const answer = { from: to, to: from, type: 'result' as const, payload, replyTo: id }
      durability = (await sending.send(answer, { key: `end ${id}` })).durability
    }
    if (claim) await claims.settle(claimNameOf(to, id), { agent: claim.holder, attempt: claim.attempt })
    return { outcome, message, durability }
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

    /** Reads the whole inbox, which has a limit, since only the messages tell their order. */
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

    /** A message is its reader's until it is ended: the receipt has no end. */
    async take(agent, { id, waitMs, signal }) {
      const asked = { limit: 1, id, signal }
      let isFirst = true
      for (;;) {
        const wait = isFirst || waitMs === undefined ? {} : { waitMs }
        const [next] = (await claiming.receive(agent, { ...asked, ...wait, peek: true })).messages
        if (!next) {
          // Taking rejects what is no message; nothing has this id.
          if (isFirst) await claiming.receive(agent, { id: 'none' })
          if (!isFirst || waitMs === undefined) return undefined
          isFirst = false
          continue
        }
        const name = claimNameOf(agent, next.id)
        // The claim is noted before the message is taken, so that a process killed in between leaves a claimed message and no lost one.
        const noted = await claims.take(name, next.to)
        const { messages, durability } = await claiming.receive(agent, { limit: 1, id: next.id })
        const [message] = messages
        const isOurs = noted.outcome === 'claimed'
        if (!message) {
          if (isOurs) await forget(name, noted.claim)
          if (id === undefined) continue
          return undefined
        }
        const claim = await claimWon(name, message.to, isOurs ? noted.claim : undefined)
        const receipt = { id: message.id, agent: message.to, attempt: claim.attempt }
        if (!signal?.aborted) return { message: { ...message, claim }, receipt, durability }
        await source.release!(receipt)
        return undefined
      }
    },

    async release(receipt) {
      const { claim, ...message } = await heldView(receipt)
      if (!claim) throw notTaken(receipt.agent, receipt.id)
      await recovering.putBack(message.to, [message])
      await claims.giveBack(claimNameOf(message.to, message.id), { agent: claim.holder, attempt: claim.attempt })
      return { outcome: 'settled', message, durability: 'process' }
    },

    done: (receipt, { text }) => end(receipt, 'success', text),
    failed: (receipt, { reason }) => end(receipt, 'failure', reason),
  }

  return neutralOf(source, {
    inspect: (options) => routing.inspect(options),

    /** Only an answer tells it. One that names no message counts while it waits, if it came since. */
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
      // In a form of another program, which only a reader with `compat` understands.
      const createdAt = isoTime(parts.clock.now())
      const headline = { protocol: 'mr', id: stemOf(id), from: 'unknown', to: agent, state: 'inbox', path, createdAt }
      return { ...headline, summary: 'It was put back.' }
    },
  })
}

const notTaken = (agent: string, id: string) =>
  noSuchMessage(agent, id, `${agent} has not taken a message ${id.slice(0, 80)}, or it is not kept any more.`)

/** Whether an answer says that the work is over. An acknowledgement, a sign of life and a question of its own do not. */
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

/** The words of an answer, else what it says field by field, one line each. */
function resultIn(message: MrMessage): string {
  const { task, message: words } = message.payload
  if (typeof task === 'string' || typeof words === 'string') return textOf(message)
  return Object.entries(message.payload)
    .map(([field, value]) => `${field}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n')
}
