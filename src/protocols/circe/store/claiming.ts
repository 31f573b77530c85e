/**
 * Claiming. The claimer that creates `TASKS/{id}.owner` wins work; the one that moves the message wins any other message. A message
 * that lies in an inbox already gets a mark when it is handed out. The losers change nothing.
 * Spec: CIRCE, "Message Flow Example", step 2.
 */
import { call } from '../../../kernel/call.ts'
import { SignalboxError } from '../../../kernel/errors.ts'
import { isBusy } from '../../../messaging/journal/journal.ts'
import { waitFor } from '../../../messaging/waiting/waiting.ts'
import type { Durability } from '../../../tree/tree.ts'
import { isRecord } from '../effects.ts'
import { expectKnownIntent, takesTask } from '../intents.ts'
import { inboxPath, newPath } from '../layout.ts'
import { type AgentId, agentId, fileName, isEverybody, isSameAgent, taskId } from '../names.ts'
import { type CirceSettings, offeredTo } from '../settings.ts'
import type { CirceStep } from '../steps.ts'
import { isClosed } from '../task.ts'
import { acted, folderOf } from './agents.ts'
import { type CaughtUp, catchUp, finishTask } from './catching-up.ts'
import { own } from './counting.ts'
import { handedOf, handedOut, markOf, takeBack } from './handed.ts'
import { apart, commit, type Patience, turn } from './journal.ts'
import { knownLedger, readLedger } from './ledgers.ts'
import { missingLine } from './log.ts'
import type { CirceClaimed, CirceClaimOptions, OwnedByOther } from './outcomes.ts'
import { ownerNow } from './overview.ts'
import { type CirceParts, subjectOf } from './parts.ts'
import { expectMessage, isFor, isFound, type Listed, type Lying, type PlacedMessage, readAt } from './places.ts'
import type { Settling } from './settling.ts'
import { readTaskFiles, sound } from './task-files.ts'
import { viewWithBody } from './view.ts'

type Claimed = Extract<CirceClaimed, { outcome: 'claimed' }>
type Attempt = Claimed | 'lost' | OwnedByOther

interface Taking extends Patience, Pick<CirceClaimOptions, 'untilHandedOut'> {}

export class Claiming {
  readonly #parts: CirceParts
  readonly #settling: Settling

  constructor(parts: CirceParts, settling: Settling) {
    this.#parts = parts
    this.#settling = settling
  }

  /** If the signal is aborted meanwhile, what was claimed is given back. */
  async claim(
    name: string,
    { file, task, intents = [], waitMs = 0, signal, untilHandedOut = false }: CirceClaimOptions = {},
  ): Promise<CirceClaimed> {
    const parts = this.#parts
    const agent = agentId(name)
    for (const intent of intents) expectKnownIntent(intent, parts.settings.furtherIntents)
    const wantedFile = file === undefined ? undefined : fileName(file)
    const wantedTask = task === undefined ? undefined : taskId(task)
    const isNamed = wantedFile !== undefined || wantedTask !== undefined || intents.length > 0
    const isWanted = (one: Listed) =>
      (wantedFile === undefined ? !isOwnBroadcast(one, agent) : one.name === wantedFile) &&
      (wantedTask === undefined || one.message.task === wantedTask) &&
      (intents.length === 0 || intents.includes(one.message.intent))
    let owned: OwnedByOther[] = []
    // A problem with one task is reported only when no other message can be claimed.
    let stuck: SignalboxError | undefined
    const tryAll = async (lying: CaughtUp): Promise<Claimed | undefined> => {
      owned = []
      stuck = undefined
      let busy: Listed | undefined
      const tryNext = async (one: Listed, isPatient: boolean): Promise<Claimed | undefined> => {
        const tried = await tryApart(parts, one, agent, lying, { untilHandedOut, isPatient })
        if (tried === 'lost') return undefined
        if (tried instanceof SignalboxError) {
          if (isBusy(tried) && !isPatient) busy ??= one
          else stuck ??= tried
        } else if ('owner' in tried) owned.push(tried)
        else return tried
        return undefined
      }
      // A name that no message has is an error; a message that another agent has, or that is logged, is a lost race.
      if (wantedFile !== undefined)
        await expectMessage(parts, wantedFile, `See what there is: ${call('circe inbox', { as: agent })}`)
      for (const one of isNamed ? claimable(lying, agent) : offeredFirst(lying, agent, parts.settings)) {
        const claimed = isWanted(one) && !(await wasHanded(parts, one, agent)) && (await tryNext(one, false))
        if (claimed) return claimed
      }
      // No other message can be claimed: wait for the process that works on the first busy one.
      return busy && tryNext(busy, true)
    }
    const attempt = async (): Promise<Claimed | undefined> => {
      for (const isFresh of parts.index.isUsed ? [false, true] : [true]) {
        const claimed = await tryAll(await catchUp(parts, { isFresh }))
        if (claimed) return claimed
      }
      return undefined
    }
    // Before anything is claimed: from here on nothing is taken from an agent that was noted as gone.
    await acted(parts, agent)
    const folders = waitMs > 0 ? [newPath(parts.root), inboxPath(parts.root, await folderOf(parts, agent))] : []
    const giveBack = ({ message }: Claimed) => this.#settling.giveBack(agent, message.file)
    const claimed = await waitFor(parts.tree, folders, attempt, { waitMs, signal, giveBack })
    await acted(parts, agent)
    if (claimed) return claimed
    if (stuck) throw stuck
    return { outcome: 'nothing', owned }
  }

  /** The messages that an agent can claim: it has not been handed them, and no other agent owns their task. */
  async waitingFor(name: string): Promise<readonly Listed[]> {
    const agent = agentId(name)
    const waiting: Listed[] = []
    for (const one of offeredFirst(await catchUp(this.#parts), agent, this.#parts.settings)) {
      if (await wasHanded(this.#parts, one, agent)) continue
      const { intent, task } = one.message
      const owner = takesTask(intent) ? await ownerNow(this.#parts, task!) : undefined
      if (owner === undefined || owner === agent) waiting.push(one)
    }
    return waiting
  }

  /** The caller has printed the message that `claim` gave with `untilHandedOut`. */
  async handedOut(agent: string, file: string): Promise<void> {
    await handedOut(this.#parts, agentId(agent), fileName(file))
  }

  /** Lets the agent claim the message again, because the answer did not reach the agent. */
  async takeBack(agent: string, file: string): Promise<void> {
    await takeBack(this.#parts, agentId(agent), fileName(file))
  }
}

/** Asked before a turn is taken, since an agent may keep many messages in its inbox. */
async function wasHanded(parts: CirceParts, { place, name }: Listed, agent: AgentId): Promise<boolean> {
  return place === 'inbox' && (await handedOf(parts, agent, name)) !== undefined
}

async function tryApart(
  parts: CirceParts,
  candidate: Listed,
  agent: AgentId,
  caughtUp: CaughtUp,
  taking: Taking,
): Promise<Attempt | SignalboxError> {
  let tried: Attempt = 'lost'
  const error = await apart(async () => {
    await finishTask(parts, caughtUp, candidate.message.task, taking)
    tried = await tryOne(parts, candidate, agent, taking)
  })
  if (error) return error
  // The message has left the folder: another process has claimed it, or this one has.
  if (tried === 'lost') parts.index.moved(candidate)
  else if ('outcome' in tried && candidate.place === 'new')
    parts.index.moved(candidate, { place: 'inbox', agent, folder: await folderOf(parts, agent) })
  return tried
}

/** Tries to claim one message for an agent that may claim it. Not inside a turn. */
export async function tryOne(
  parts: CirceParts,
  candidate: Listed,
  agent: AgentId,
  taking: Taking = {},
): Promise<Attempt> {
  const tryNow = async (): Promise<Attempt> => {
    const found = await readAt(parts, candidate, candidate.name)
    if (!isFound(found) || found.message.task !== candidate.message.task) return 'lost'
    const mark = found.place === 'inbox' ? await markOf(parts, agent, found.name) : undefined
    if (mark === 'waiting') return handAgain(parts, found, agent, taking)
    if (mark !== undefined) return 'lost'
    return takesTask(found.message.intent)
      ? claimWork(parts, found, agent, taking)
      : claimMessage(parts, found, agent, taking)
  }
  return turn(parts, subjectOf(candidate.name, candidate.message.task), tryNow, taking)
}

/** The agent claimed the message before, but never got the answer. */
async function handAgain(parts: CirceParts, found: PlacedMessage, agent: AgentId, taking: Taking): Promise<Attempt> {
  const steps = takingSteps(found, agent, taking)
  const committed = await commit(parts, subjectOf(found.name, found.message.task), steps)
  const again = await claimedNow(parts, found, agent, committed.outcome === 'done' ? committed.durability : 'process')
  return { ...again, redelivered: true }
}

async function claimWork(parts: CirceParts, found: PlacedMessage, agent: AgentId, taking: Taking): Promise<Attempt> {
  const id = found.message.task!
  const read = sound(parts, await readTaskFiles(parts, id))
  const { owner, status } = read.task
  const isOwned = owner !== undefined && !isClosed(status)
  // Only where there is an owner must a claim be told from a record. Without one, no ledger is made from the log.
  const ledger = isOwned ? await readLedger(parts, id) : await knownLedger(parts, id)
  if (!isOwned || isRecord(read.task, ledger!.facts)) {
    const owned = await own(parts, found, agent, read, ledger, takingSteps(found, agent, taking))
    return owned.outcome === 'lost' ? 'lost' : claimedNow(parts, found, agent, owned.durability)
  }
  if (!isSameAgent(owner, agent)) return { file: found.name, task: id, owner }
  return claimMessage(parts, found, agent, taking)
}

async function claimMessage(parts: CirceParts, found: PlacedMessage, agent: AgentId, taking: Taking): Promise<Attempt> {
  const { task } = found.message
  const at = parts.clock.now()
  const committed = await commit(parts, subjectOf(found.name, task), takingSteps(found, agent, taking), [
    ...(parts.index.hasLine(found) ? [] : await missingLine(parts, found.name, found.message)),
    { at, event: 'claimed', agent, task, file: found.name, detail: '' },
  ])
  return committed.outcome === 'lost' ? 'lost' : claimedNow(parts, found, agent, committed.durability)
}

/** The answer to the claimer, with the message as it lies in the inbox now. */
async function claimedNow(
  parts: CirceParts,
  found: PlacedMessage,
  agent: AgentId,
  durability: Durability,
): Promise<Claimed> {
  let now: PlacedMessage = found
  // If it cannot be read again, it is claimed all the same.
  await apart(async () => {
    const folder = await folderOf(parts, agent)
    const read = await readAt(parts, { place: 'inbox', agent, folder }, found.name)
    if (isFound(read)) now = read
  })
  return { outcome: 'claimed', message: viewWithBody(now), durability }
}

const takingSteps = (
  { name, place, message: { task } }: PlacedMessage,
  agent: AgentId,
  { untilHandedOut = false }: Taking,
): CirceStep[] => [
  ...(place === 'new' ? [{ do: 'claim', file: name, agent, task } as const] : []),
  { do: 'hand', agent, file: name, acked: false, unshown: untilHandedOut ? true : undefined },
]

/** An agent is not offered what it sent to all; it can claim it by naming the file. */
export const isOwnBroadcast = ({ place, message }: Listed, agent: AgentId): boolean =>
  place === 'new' && isEverybody(message.to) && isSameAgent(message.from, agent)

/** What an agent is offered: first the intents of its roles, then the rest but work to all, which is for other roles. */
function* offeredFirst(lying: Pick<Lying, 'found'>, agent: AgentId, settings: CirceSettings): Generator<Listed> {
  const wanted = offeredTo(settings, agent)
  const later: Listed[] = []
  for (const one of claimable(lying, agent)) {
    if (isOwnBroadcast(one, agent)) continue
    if (!wanted || wanted.has(one.message.intent)) yield one
    else if (one.place !== 'new' || !isEverybody(one.message.to)) later.push(one)
  }
  yield* later
}

/** From so many on they are divided by who may claim them. */
const manyMessages = 500
/** The places in a list of what each agent may claim, and under this name of what any may. */
const anybody = ''
const divided = new WeakMap<readonly Listed[], ReadonlyMap<string, readonly number[]>>()

/** Once for each list: one that has changed is another list. */
function placesByReader(found: readonly Listed[]): ReadonlyMap<string, readonly number[]> {
  const known = divided.get(found)
  if (known) return known
  const places = new Map<string, number[]>()
  for (const [n, { place, agent, message }] of found.entries()) {
    const name = place === 'new' ? message.to.toLowerCase() : place === 'inbox' ? agent : undefined
    if (name === undefined) continue
    const reader = isEverybody(name) ? anybody : name
    const known = places.get(reader)
    if (known) known.push(n)
    else places.set(reader, [n])
  }
  divided.set(found, places)
  return places
}

function* mayBeFor(found: readonly Listed[], agent: AgentId): Generator<Listed> {
  const places = placesByReader(found)
  const [own, all] = [places.get(agent) ?? [], places.get(anybody) ?? []]
  for (let i = 0, j = 0; i < own.length || j < all.length; ) {
    const isOwn = j >= all.length || (i < own.length && own[i]! < all[j]!)
    yield found[isOwn ? own[i++]! : all[j++]!]!
  }
}

/** What an agent may claim, the oldest first. A generator, since the first one is nearly always enough. */
export function* claimable({ found }: Pick<Lying, 'found'>, agent: AgentId): Generator<Listed> {
  for (const one of found.length < manyMessages ? found : mayBeFor(found, agent)) {
    if (one.place === 'new' ? isFor(one.message, agent) : one.place === 'inbox' && one.agent === agent) yield one
  }
}
