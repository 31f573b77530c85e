/** AC-MQ in the words of all protocols: its place is the mission. */
import type { Envelope } from '../../../kernel/envelope.ts'
import { invalidInput, SignalboxError } from '../../../kernel/errors.ts'
import { isSegment, nameOf, type TreePath } from '../../../kernel/tree-path.ts'
import { findingsOf, oddAmong, oddFinding } from '../../../messaging/inspection/expected.ts'
import { waitFor } from '../../../messaging/waiting/wait.ts'
import type { Finding } from '../../../tree/tree.ts'
import {
  type Answer,
  type Answered,
  type Draft,
  type Duty,
  expectAnswerable,
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
import { failureOf, resultOf } from '../format.ts'
import { isoTime } from '../layout.ts'
import { queueNames } from '../schema.ts'
import type { Mission, MissionParts } from './mission.ts'
import type { Missions } from './missions.ts'
import type { Claimed, Settled as OwnSettled } from './outcomes.ts'
import { policyPath } from './policy.ts'
import type { Repair } from './reconcile.ts'
import type { AcmqView, ArchivedView } from './view.ts'

/** What a held message can get. */
const answers = ['approve', 'deny'] as const
const priorities = { high: 1, normal: 3, low: 5 } as const

export class AcmqNeutral implements Neutral {
  readonly #missions: Missions
  readonly #parts: MissionParts

  constructor(missions: Missions, parts: MissionParts) {
    this.#missions = missions
    this.#parts = parts
  }

  async *seen({ place }: { readonly place?: string } = {}): AsyncGenerator<string> {
    const told = new Set<string>()
    for await (const mission of this.#at(place)) {
      for await (const agent of mission.seen()) {
        if (!told.has(agent)) yield agent
        told.add(agent)
      }
    }
  }

  async *waitingFor(agent: string, { limit = Number.POSITIVE_INFINITY } = {}): AsyncGenerator<Message> {
    let count = 0
    for await (const mission of this.#at()) {
      const held = new Set<string>()
      for await (const { message } of mission.eachHeld()) held.add(message.id)
      for await (const view of mission.readyFor(agent)) {
        if (count >= limit) return
        if (held.has(view.id)) continue
        count++
        yield lift(mission, view)
      }
    }
  }

  async *find(id: string): AsyncGenerator<Message> {
    for await (const mission of this.#at()) for await (const view of mission.meant(id)) yield lift(mission, view)
  }

  async *messages({ limit = Number.POSITIVE_INFINITY, ...filter }: Filter = {}): AsyncGenerator<Message> {
    let count = 0
    for await (const mission of this.#at(filter.place)) {
      for await (const view of everyMessage(mission, filter)) {
        if (count++ >= limit) return
        yield lift(mission, view)
      }
    }
  }

  async send({ from, to, text, summary, place, id, replyTo, urgency }: Draft): Promise<Sent> {
    const mission = await this.#only(place)
    const { outcome, message, durability, notices } = await mission.send({
      from,
      to,
      body: text,
      ...(summary === undefined ? {} : { summary }),
      ...(id === undefined ? {} : { id }),
      ...(urgency === undefined ? {} : { priority: priorities[urgency] }),
      // AC-MQ has no field for it; fields that it does not know are kept.
      ...(replyTo === undefined ? {} : { otherFields: `reply_to: ${JSON.stringify(replyTo)}\n` }),
    })
    return { outcome, message: envelopeOf(message), durability, notices }
  }

  async take(agent: string, { place, id, waitMs = 0 }: TakeOptions = {}): Promise<Taken> {
    const missions: Mission[] = []
    for await (const mission of this.#at(place)) missions.push(mission)
    const look = async (): Promise<Taken | undefined> => {
      for (const mission of missions) {
        const taken = takenFrom(mission, await claimIn(mission, agent, id))
        if (taken) return taken
      }
      return undefined
    }
    const folders = missions.flatMap(({ supervised }) => supervised)
    const found = waitMs > 0 ? await waitFor(this.#parts.tree, folders, look, { waitMs }) : await look()
    return found ?? { outcome: 'nothing' }
  }

  async renew(receipt: Receipt): Promise<Settled> {
    return settled(await (await this.#only(receipt.place)).renew(receipt.id, receipt))
  }

  async done(receipt: Receipt, result: { readonly text?: string } = {}): Promise<Settled> {
    return settled(await (await this.#only(receipt.place)).complete(receipt.id, receipt, result))
  }

  async failed(receipt: Receipt, failure: { readonly reason: string }): Promise<Settled> {
    return settled(await (await this.#only(receipt.place)).fail(receipt.id, receipt, failure))
  }

  /** What was appended to it when it was completed, or failed. */
  async outcomeOf(id: string): Promise<MessageOutcome | undefined> {
    for await (const mission of this.#at()) {
      for await (const view of mission.meant(id)) {
        if (view.id !== id) continue
        const state = view.state === 'archived' ? (view as ArchivedView).status : view.state
        if (state !== 'completed' && state !== 'failed') return undefined
        const body = Buffer.from((await mission.show(id)).body)
        if (state === 'completed') return { state, text: resultOf(body)?.text.trim() || 'done' }
        const { reason = 'failed', detail } = failureOf(body) ?? {}
        return { state, text: detail === undefined ? reason : `${reason}\n\n${detail}` }
      }
    }
    return undefined
  }

  /** Messages that a pattern of the policy holds back until a person has seen them. AC-MQ §11.2. */
  async *questions(): AsyncGenerator<Question> {
    for await (const mission of this.#at()) {
      for await (const { message, pattern, digest } of mission.eachHeld()) {
        const { id, from, to, summary, body: text, createdAt: askedAt } = message
        const place = mission.address
        const why = `It matches ${JSON.stringify(pattern)} of the policy.`
        const facts = Object.entries({ mission: place, from, to, 'held by': pattern })
        const details = { mission: place, pattern, message }
        const asked = { id, place, kind: 'approval', from, summary, text, digest, askedAt } as const
        yield { ...asked, options: [], answers, why, facts, details }
      }
    }
  }

  async answer(
    { id, place }: Pick<Question, 'id' | 'place'>,
    { verdict, by, text, digest }: Answer,
  ): Promise<Answered> {
    expectAnswerable({ id, answers }, verdict)
    const mission = await this.#only(place)
    const told = ({ body: _, ...message }: AcmqView & { readonly body?: string }) => ({
      message,
      details: { mission: mission.address },
    })
    if (verdict === 'approve') {
      const { outcome, message } = await mission.approve(id, by, isoTime(this.#parts.clock.now()), digest)
      return { outcome: outcome === 'approved' ? 'answered' : outcome, ...told(message) }
    }
    const message = await mission.show(id)
    if (message.state === 'failed') return { outcome: 'unchanged', ...told(message) }
    const denied = await mission.deny(id, by, text ?? 'A person said no.')
    return { outcome: 'answered', ...told(denied.message) }
  }

  /** What cannot be read and was set aside in `failed/`. Once it is corrected it is a message that failed, like any other. */
  async *quarantined(): AsyncGenerator<Quarantined> {
    const { beginningAt } = await import('../../../messaging/quarantine/beginning.ts')
    for await (const mission of this.#at()) {
      const place = mission.address
      const next = `Correct it, then let it be worked on again: acmq retry ${place} ID`
      for await (const one of mission.each('failed')) {
        if (!('reason' in one)) continue
        const found = await beginningAt(this.#parts.tree, one.path as TreePath)
        if (found) yield { ...found, id: nameOf(found.path), place, reason: one.reason, next }
      }
    }
  }

  async *duties(): AsyncGenerator<Duty> {
    for await (const mission of this.#at()) {
      yield {
        name: `mission ${mission.address}`,
        watches: mission.supervised,
        async run({ by } = {}) {
          const { stalled, repairs } = await mission.supervise(by)
          const { archived } = await mission.archive(by === undefined ? {} : { by })
          const nextAt = await mission.nextStallAt()
          const did = stalled.length + archived + repairs.filter(isRepair).length
          return { did, ...(nextAt === undefined ? {} : { nextAt }) }
        },
      }
    }
  }

  /** With `repair`, each mission is first put in order as `reconcile` does. */
  async inspect({ repair, ...asked }: InspectionOptions): Promise<Finding[]> {
    const { unreadablePolicy } = await import('./inspect-stuck.ts')
    const findings = await this.#noMissions()
    findings.push(...(await findingsOf(policyPath, () => unreadablePolicy(this.#parts.tree))))
    for await (const mission of this.#at()) {
      findings.push(...(await findingsOf(mission.address, () => inspectOne(mission, repair, asked))))
    }
    return findings
  }

  /** Files where the folder of a mission would be. Those with an ending are somebody's notes. */
  async #noMissions(): Promise<Finding[]> {
    const { tree, root } = this.#parts
    const isMission = (name: string) => isSegment(name) && !name.includes('.')
    const odd = oddAmong(root, await tree.list(root), (name) => (isMission(name) ? 'folder' : undefined))
    return odd.map(oddFinding)
  }

  /** The missions that are meant: one if it is there, or all. */
  async *#at(place?: string): AsyncGenerator<Mission> {
    for (const address of await this.#missions.all()) {
      if (place === undefined || place === address) yield this.#missions.open(address)
    }
  }

  /** The mission that is named, or the only one there is. */
  async #only(place: string | undefined): Promise<Mission> {
    if (place !== undefined) return this.#missions.open(place)
    const all = await this.#missions.all()
    if (all.length === 1) return this.#missions.open(all[0]!)
    throw invalidInput('WHICH_MISSION', `There are ${all.length} missions, and none was named.`, {
      hint: all.length === 0 ? 'Make one: acmq create-mission NAME' : `Name one of them: ${all.slice(0, 5).join(', ')}`,
      details: { missions: all.length },
    })
  }
}

async function* everyMessage(mission: Mission, filter: Omit<Filter, 'limit' | 'place'>) {
  const { from, to, states, archived = false } = filter
  const isWanted = (view: Envelope) =>
    (from === undefined || view.from === from) && (to === undefined || view.to === to)
  for (const queue of queueNames) {
    if (states && !states.includes(queue)) continue
    for await (const one of mission.each(queue)) if (!('reason' in one) && isWanted(one)) yield one
  }
  if (!archived || (states && !states.includes('archived'))) return
  for await (const one of mission.archived()) if (isWanted(one)) yield one
}

function lift(mission: Mission, view: AcmqView | ArchivedView): Message {
  return {
    envelope: envelopeOf(view),
    async text() {
      try {
        return (await mission.show(view.id)).body
      } catch (error) {
        if (error instanceof SignalboxError && error.kind === 'NotFound') return undefined
        throw error
      }
    },
  }
}

function envelopeOf(view: AcmqView | ArchivedView): Envelope {
  const { protocol, id, from, to, state, path, summary, createdAt, mission: place } = view
  return { protocol, id, from, to, state, path, summary, createdAt, place }
}

/** What a mission has to give. Nothing if no message of this id waits there: whoever has it already is not handed it again. */
async function claimIn(mission: Mission, agent: string, id: string | undefined): Promise<Claimed> {
  if (id === undefined) return mission.claim({ agent })
  for await (const { state } of mission.meant(id)) if (state === 'pending') return mission.claim({ agent, id })
  return { outcome: 'nothing', blocked: [] }
}

function takenFrom(mission: Mission, claimed: Claimed): Taken | undefined {
  if (claimed.outcome === 'nothing') return undefined
  const { message, until, durability } = claimed
  const { id, to: agent, attempt, body } = message
  return {
    outcome: 'taken',
    message: { envelope: envelopeOf(message), text: async () => body },
    receipt: { id, agent, place: mission.address, attempt, until },
    durability,
  }
}

const settled = ({ outcome, message, durability }: OwnSettled<string>): Settled => ({
  outcome: outcome === 'unchanged' ? 'unchanged' : 'settled',
  message: envelopeOf(message),
  durability,
})

async function inspectOne(
  mission: Mission,
  repair: boolean,
  asked: Omit<InspectionOptions, 'repair'>,
): Promise<Finding[]> {
  const found = await mission.inspect(asked)
  // With something in the way, a repair would stop half-way. A file that only its owner can open is none.
  const isInTheWay = found.some(({ severity, code }) => severity === 'error' && code !== 'CLOSED_MESSAGE')
  if (!repair || isInTheWay) return found
  const { repairs } = await mission.reconcile()
  const organized = (await mission.finishOrganizing()) ? found.filter(isOrganizing).map(asRepaired) : []
  return [...repairs.filter(isRepair).map(asFinding), ...organized, ...(await mission.inspect(asked))]
}

/** What was only looked at is no repair; `inspect` tells of it. */
const isRepair = ({ what }: Repair): boolean => what !== 'waiting' && what !== 'strange' && what !== 'closed'

const isOrganizing = ({ code }: Finding): boolean => code === 'ORGANIZE_INTERRUPTED'

const asRepaired = (one: Finding): Finding => ({
  ...one,
  message: 'Moving its files was interrupted, and is finished now.',
  hint: 'Nothing more is to be done.',
  repaired: true,
})

const asFinding = ({ what, path, message }: Repair): Finding => ({
  code: `MESSAGE_${what.toUpperCase()}`,
  severity: 'warning',
  path: path as TreePath,
  message,
  hint: 'Nothing more is to be done.',
  repaired: true,
})
