/** AC-MQ in the words of all protocols: its place is the mission. What a sender does not need is loaded when it is asked for. */
import { sha256 } from '../../../formats/digest.ts'
import { call } from '../../../kernel/call.ts'
import { SignalboxError } from '../../../kernel/errors.ts'
import { Lately } from '../../../kernel/lately.ts'
import { isSegment, type TreePath, treePath } from '../../../kernel/tree-path.ts'
import { waitFor } from '../../../messaging/waiting/waiting.ts'
import type { Finding } from '../../../tree/tree.ts'
import {
  expectAnswerable,
  type InspectionOptions,
  type Neutral,
  type Receipt,
  type TakeOptions,
} from '../../contract.ts'
import { neutralOf, type OwnVerbs, type SettledView, type Source, type TakenView, type Wanted } from '../../neutral.ts'
import { lift, lower, type PlacedView } from '../envelope.ts'
import { archivePath, isoTime } from '../layout.ts'
import { stages } from '../lifecycle.ts'
import { isAgentId } from '../names.ts'
import { isQueueName, queueNames } from '../schema.ts'
import type { Mission, MissionParts } from './mission.ts'
import type { Missions } from './missions.ts'
import type { MessageRef, Settled } from './outcomes.ts'
import { policyPath } from './policy.ts'
import type { Repair } from './reconcile.ts'
import { type AcmqView, type AcmqViewWithBody, type ArchivedView, archivedView } from './view.ts'

/** The mission of a message that names none. */
const missionOfAll = 'main'

/** The possible answers about a held message. */
const answers = ['approve', 'deny'] as const

/** With the name of its file the message is found without searching. */
interface FileReceipt extends Receipt {
  readonly name?: string
}

export function acmqNeutral(missions: Missions, { tree, root, clock }: MissionParts): Neutral {
  /** The mission of this name, if there is one; without a name, all. */
  async function* at(place?: string): AsyncGenerator<Mission> {
    for (const address of await missions.all()) {
      if (place === undefined || place === address) yield missions.open(address)
    }
  }

  const lately = new Lately<readonly Mission[]>()

  /** First from the missions of a moment ago, and if there is nothing for the agent in them, from those of now. */
  async function takeNow(agent: string, place: string | undefined, id: string | undefined) {
    const question = place ?? ''
    const known = lately.get(question)
    const taken = known && (await takeFromFirst(known, agent, id))
    if (taken) return taken
    const open: Mission[] = []
    for await (const mission of at(place)) open.push(mission)
    lately.set(question, open)
    return takeFromFirst(known ? open.filter((mission) => !known.includes(mission)) : open, agent, id)
  }

  /** The mission of this name. Without a name, the only mission, or else the default one, which is made if it does not exist. */
  async function only(place: string | undefined): Promise<Mission> {
    if (place !== undefined) return missions.open(place)
    const all = await missions.all()
    return all.length === 1 ? missions.open(all[0]!) : (await missions.create(missionOfAll)).mission
  }

  let hasSent = false

  /** A command that sends once loads no more of the mission than that needs. */
  async function sender(place: string | undefined, makesPlace: boolean): Promise<Pick<Mission, 'address' | 'sending'>> {
    const all = place === undefined ? await missions.all() : []
    const address = place ?? (all.length === 1 ? all[0]! : missionOfAll)
    const isMade = makesPlace || place === undefined
    if (isMade && !(await missions.isThere(address))) return (await missions.create(address)).mission
    const isFirst = !hasSent
    hasSent = true
    return isFirst ? missions.sender(address) : missions.open(address)
  }

  const settle = async (
    { id, place, name, ...holding }: FileReceipt,
    verb: (mission: Mission, ref: MessageRef, holding: Omit<Receipt, 'id' | 'place'>) => Promise<Settled<string>>,
  ): Promise<SettledView<PlacedView>> => {
    const mission = await only(place)
    const { outcome, message, durability } = await verb(mission, name === undefined ? id : { id, name }, holding)
    return { outcome: outcome === 'unchanged' ? outcome : 'settled', message: placed(mission)(message), durability }
  }
  const release = (receipt: Receipt) => settle(receipt, ({ settling }, id, holding) => settling.release(id, holding))

  const source: Source<PlacedView> = {
    protocol: { name: 'acmq', title: 'AC-MQ' },
    tree,
    hasPlaces: true,
    holdsBack: true,
    allIsForFirst: true,
    isAgentName: isAgentId,
    stages,
    lift,
    async text(view) {
      const { id, place } = view
      try {
        // What was claimed a moment ago came with its body.
        const given = 'body' in view ? (view as AcmqViewWithBody) : undefined
        if (given?.dependencies.length === 0) return given.body
        const mission = await missions.open(place)
        const shown = given ?? (await bodyOf(mission, view)) ?? (await (await mission.overview()).show(id))
        const { readLargeBody } = await import('./large-bodies.ts')
        return (await readLargeBody(mission.files, shown)) || shown.body
      } catch (error) {
        if (error instanceof SignalboxError && error.kind === 'NotFound') return undefined
        throw error
      }
    },
    async *seen({ place, isSparing }) {
      const { seenIn } = await import('./agents.ts')
      const told = new Set<string>()
      for await (const mission of at(place)) {
        for await (const agent of seenIn(mission.files, isSparing)) {
          if (!told.has(agent)) yield agent
          told.add(agent)
        }
      }
    },
    async *waiting(agent) {
      for await (const mission of at()) {
        const held = new Set<string>()
        for await (const { message } of (await mission.approvals()).held()) held.add(message.id)
        for await (const view of (await mission.overview()).readyFor(agent)) {
          if (!held.has(view.id)) yield placed(mission)(view)
        }
      }
    },
    async *each(wanted) {
      for await (const mission of at(wanted.place)) yield* everyMessage(mission, wanted)
    },
    async *find(id) {
      for await (const mission of at()) {
        for await (const view of (await mission.overview()).meant(id)) yield withEnd(mission, view)
      }
    },
    async watched() {
      const folders: TreePath[] = [root]
      for await (const { files, inside } of at()) folders.push(...Object.values(files.queues), inside)
      return folders
    },
    async send(draft, { key, makesPlace = false }) {
      const mission = await sender(draft.place, makesPlace)
      const id = key === undefined ? undefined : idOf(key)
      try {
        const input = lower(draft)
        const sent = await mission.sending.send(id === undefined ? input : { ...input, id })
        const { outcome, message, durability, notices } = sent
        return { outcome, message: placed(mission)(message), durability, notices }
      } catch (error) {
        if (!(error instanceof SignalboxError) || error.code !== 'DUPLICATE_ID') throw error
        throw (await import('../../../messaging/sending-once/sending-once.ts')).keyUsed(key!, { id })
      }
    },
    async take(agent, { place, id, waitMs = 0, signal }: TakeOptions) {
      const look = () => takeNow(agent, place, id)
      if (waitMs <= 0 && !signal) return look()
      const folders: TreePath[] = []
      if (waitMs > 0) for await (const { supervised } of at(place)) folders.push(...supervised)
      return waitFor(tree, folders, look, { waitMs, signal, giveBack: ({ receipt }) => release(receipt) })
    },
    renew: (receipt) => settle(receipt, ({ settling }, id, holding) => settling.renew(id, holding)),
    release,
    done: (receipt, result) => settle(receipt, ({ settling }, id, holding) => settling.complete(id, holding, result)),
    failed: (receipt, failure) => settle(receipt, ({ settling }, id, holding) => settling.fail(id, holding, failure)),
  }

  const own: OwnVerbs = {
    async outcomeOf(id) {
      for await (const mission of at()) {
        const overview = await mission.overview()
        for await (const view of overview.meant(id)) {
          if (view.id !== id) continue
          const state = 'status' in view ? view.status : view.state
          if (state !== 'completed' && state !== 'failed') return undefined
          const { failureOf, resultOf } = await import('../reports.ts')
          const body = Buffer.from((await overview.show(id)).body)
          if (state === 'completed') return { state, text: resultOf(body)?.text.trim() || 'done' }
          const { reason = 'failed', detail } = failureOf(body) ?? {}
          return { state, text: detail === undefined ? reason : `${reason}\n\n${detail}` }
        }
      }
      return undefined
    },

    /** Messages that the policy holds back until a person approves them. AC-MQ §11.2. */
    async *questions() {
      for await (const mission of at()) {
        for await (const { message, pattern, digest } of (await mission.approvals()).held()) {
          const { id, from, to, summary, body: text, createdAt: askedAt } = message
          const place = mission.address
          const why = `It matches ${JSON.stringify(pattern)} of the policy.`
          const facts = Object.entries({ mission: place, from, to, 'held by': pattern })
          const details = { mission: place, pattern, message }
          const asked = { id, place, kind: 'approval', from, summary, text, digest, askedAt } as const
          yield { ...asked, options: [], answers, why, facts, details }
        }
      }
    },

    async answer({ id, place }, { verdict, by, text, digest }) {
      expectAnswerable({ id, answers }, verdict)
      const mission = await only(place)
      const approvals = await mission.approvals()
      const told = ({ body: _, ...message }: AcmqView & { readonly body?: string }) => ({
        message,
        details: { mission: mission.address },
      })
      if (verdict === 'approve') {
        const shown = digest === undefined ? {} : { shown: digest }
        const { outcome, message } = await approvals.approve(id, { by, at: isoTime(clock.now()), ...shown })
        return { outcome: outcome === 'approved' ? 'answered' : outcome, ...told(message) }
      }
      const message = await (await mission.overview()).show(id)
      if (message.state === 'failed') return { outcome: 'unchanged', ...told(message) }
      return { outcome: 'answered', ...told((await approvals.deny(id, by, text ?? 'A person said no.')).message) }
    },

    /** Files that were set aside in `failed/`. When a person corrects one, it is a failed message like any other. */
    async *quarantined() {
      const { quarantinedAt } = await import('../../../messaging/quarantine/quarantine.ts')
      for await (const mission of at()) {
        const place = mission.address
        const next = `Correct it, then let it be worked on again: ${call('acmq retry', { mission: place, id: 'ID' })}`
        for await (const one of (await mission.overview()).each('failed')) {
          if (!('reason' in one)) continue
          const found = await quarantinedAt(tree, one.path as TreePath, { place, reason: one.reason, next })
          if (found) yield found
        }
      }
    },

    async *duties() {
      for await (const mission of at()) {
        yield {
          name: `mission ${mission.address}`,
          watches: mission.supervised,
          async run({ by } = {}) {
            const upkeep = await mission.upkeep()
            const { stalled, repairs } = await upkeep.supervise(by)
            const { archived } = await upkeep.archive(by === undefined ? {} : { by })
            const nextAt = await (await mission.supervision()).nextStallAt()
            const did = stalled.length + archived + repairs.filter(isRepair).length
            return { did, ...(nextAt === undefined ? {} : { nextAt }) }
          },
        }
      }
    },

    /** With `repair`, each mission is reconciled too. */
    async inspect({ repair, ...asked }) {
      const { unreadablePolicy } = await import('./inspect-stuck.ts')
      const { findingsOf, oddAmong, oddFinding } = await import('../../../messaging/inspection/expected.ts')
      // A file in place of the folder of a mission is reported. A file with an ending is a person's own.
      const isMission = (name: string) => isSegment(name) && !name.includes('.')
      const odd = oddAmong(root, await tree.list(root), (name) => (isMission(name) ? 'folder' : undefined))
      const findings = odd.map(oddFinding)
      findings.push(...(await findingsOf(policyPath, () => unreadablePolicy(tree))))
      for await (const mission of at()) {
        findings.push(...(await findingsOf(mission.address, () => inspectOne(mission, repair, asked))))
      }
      return findings
    },
  }
  return neutralOf(source, own)
}

/** Adds the mission to a view that nobody else has yet. */
const placed =
  ({ address: place }: Pick<Mission, 'address'>) =>
  (view: AcmqView | ArchivedView): PlacedView =>
    Object.assign(view, { place })

/** A claim counts from the time of its file (AC-MQ §8.2). */
async function withEnd(mission: Mission, view: AcmqView | ArchivedView): Promise<PlacedView> {
  const claimed = view.state === 'processing' ? await mission.files.tree.look(treePath(view.path)) : undefined
  if (!claimed) return placed(mission)(view)
  return { ...placed(mission)(view), until: claimed.modifiedAt + (view as AcmqView).timeoutSeconds * 1000 }
}

/** The id of a message that is sent under a key: the key itself if it is a UUID, or else a UUID made from it. */
function idOf(key: string): string {
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(key)) return key
  const hash = sha256(key)
  return hash.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')
}

async function* everyMessage(mission: Mission, { states, archived }: Wanted): AsyncGenerator<PlacedView> {
  const overview = await mission.overview()
  for (const queue of queueNames) {
    if (states && !states.includes(queue)) continue
    for await (const one of overview.each(queue)) if (!('reason' in one)) yield withEnd(mission, one)
  }
  if (!archived || (states && !states.includes('archived'))) return
  const { eachArchived } = await import('../archive/archive.ts')
  const { tree, place, settings } = mission.files
  for await (const entry of eachArchived(tree, archivePath(place), settings))
    yield { ...placed(mission)(archivedView(entry, place.address)), entry }
}

/** The message with its body, where it was listed; `undefined` if it has moved on since. */
async function bodyOf({ files }: Mission, view: PlacedView): Promise<AcmqViewWithBody | undefined> {
  const { archivedCopy, queuedCopy, readCopy } = await import('./copies.ts')
  const { id, state, name, path, entry } = view
  const copy = entry
    ? await archivedCopy(files, entry)
    : isQueueName(state)
      ? await queuedCopy(files, { id, queue: state, name, path: path as TreePath })
      : undefined
  const shown = copy && readCopy(files, copy)
  return shown?.id === id ? shown : undefined
}

async function takeFromFirst(missions: readonly Mission[], agent: string, id: string | undefined) {
  for (const mission of missions) {
    const taken = await takeFrom(mission, agent, id)
    if (taken) return taken
  }
  return undefined
}

/** `undefined` if no message with this id waits there. An agent that holds it already does not get it again. */
async function takeFrom(
  mission: Mission,
  agent: string,
  id: string | undefined,
): Promise<TakenView<PlacedView> | undefined> {
  if (id !== undefined && !(await isPending(mission, id))) return undefined
  const claimed = await mission.claims.next(id === undefined ? { agent } : { agent, id })
  if (claimed.outcome === 'nothing') return undefined
  const { message, until, durability } = claimed
  const { id: own, to, name, attempt } = message
  const receipt: FileReceipt = { id: own, agent: to, place: mission.address, attempt, until, name }
  return { message: Object.assign(message, { place: mission.address, until }), receipt, durability }
}

async function isPending(mission: Mission, id: string): Promise<boolean> {
  for await (const { state } of (await mission.overview()).meant(id)) if (state === 'pending') return true
  return false
}

async function inspectOne(
  mission: Mission,
  repair: boolean,
  asked: Omit<InspectionOptions, 'repair'>,
): Promise<Finding[]> {
  const inspection = await mission.inspection()
  const found = await inspection.run(asked)
  // An error would stop a repair half-way, except errors about a file that only its owner can open.
  const isInTheWay = found.some(({ severity, code }) => severity === 'error' && !inNobodysWay.includes(code))
  if (!repair || isInTheWay) return found
  const { unfinishedChanges } = await import('../../../messaging/inspection/changes.ts')
  const { journal } = await mission.supervision()
  const finished = (await unfinishedChanges(mission.files.tree, journal, repair)).filter(({ repaired }) => repaired)
  const { repairs } = await (await mission.upkeep()).reconcile()
  return [...finished, ...repairs.filter(isRepair).map(asFinding), ...(await inspection.run({ ...asked, repair }))]
}

/** False for a file that was only looked at; `inspect` reports it. */
const isRepair = ({ what }: Repair): boolean => what !== 'waiting' && what !== 'strange' && what !== 'closed'

const inNobodysWay: readonly string[] = ['CLOSED_MESSAGE', 'UNFINISHED_CHANGE']

const asFinding = ({ what, path, message }: Repair): Finding => ({
  code: `MESSAGE_${what.toUpperCase()}`,
  severity: 'warning',
  path: path as TreePath,
  message,
  hint: 'Nothing more is to be done.',
  repaired: true,
})
