/**
 * Counting: each message about a task changes the task once, in the order of time, whichever program wrote the message. A line of
 * the log says that it has counted. `effects.ts` says what the message does to the task.
 */
import { groupBy } from '../../../kernel/group-by.ts'
import { type Committed, isBusy } from '../../../messaging/journal/journal.ts'
import { listIfFolder } from '../../../messaging/leaves/tolerant.ts'
import { claimed, type Effect, effectOf, isRecord, opened } from '../effects.ts'
import { type CirceEvent, countedIn, isCount } from '../events.ts'
import { takesTask } from '../intents.ts'
import { ledgersPath } from '../layout.ts'
import type { AgentId, FileName, TaskId } from '../names.ts'
import { ownerDetail } from '../replay.ts'
import type { Head } from '../schema.ts'
import type { CirceStep } from '../steps.ts'
import { isClosed, newTask, noFacts, type Task, type TaskFacts } from '../task.ts'
import { apart, commit, type Patience, turn } from './journal.ts'
import { forgetLedger, type Ledger, readLedger } from './ledgers.ts'
import { appendEvent, countLine, eventsOf, logBytes, missingLine } from './log.ts'
import { type CirceParts, type Subject, subjectOf } from './parts.ts'
import { isFound, type Listed, lookAround, oldestFirst, type PlacedMessage, readAt, readWhole } from './places.ts'
import { answerDetail, answeredBy, wordsOf } from './questions.ts'
import { readSoundState, readState, readTaskFiles, type TaskState, tasksOnTree } from './task-files.ts'

/** By task, the messages that were left for the next command to count, because there were too many or the task was busy. */
export type Left = ReadonlyMap<TaskId, readonly Listed[]>

/** In milliseconds: after so long a command stops counting, and does what it was asked for. */
const longestWork = 1000
/** So many messages of one task count in one change at most. */
const mostAtOnce = 100
/** For more tasks than this the log is read through once, instead of searched for each task. */
const few = 16

/** Counts the messages that have not counted yet, task by task. `did`: any has. Not inside a turn. */
export async function countAll(
  parts: CirceParts,
  found: readonly Listed[],
): Promise<{ readonly did: boolean; readonly left: Left }> {
  const about = groupBy(found, ({ message }) => message.task)
  const alone = about.get(undefined) ?? []
  about.delete(undefined)
  const tasks = about as Map<TaskId, Listed[]>
  const left = new Map<TaskId, readonly Listed[]>()
  const settled: Listed[] = []
  let did = false
  const attempt = (messages: readonly Listed[], count: () => Promise<boolean | undefined>) =>
    apart(async () => {
      const counted = await count()
      did ||= counted === true
      if (counted !== undefined) settled.push(...messages)
    })
  await apart(() =>
    tellOf(
      parts,
      alone.filter((one) => parts.index.isKept(one)),
    ),
  )
  for (const one of alone) await attempt([one], () => countAlone(parts, one))
  await apart(async () => {
    for (const task of await countMany(parts, tasks)) {
      did = true
      settled.push(...tasks.get(task)!)
      tasks.delete(task)
    }
  })
  const until = performance.now() + longestWork
  for (const [task, messages] of tasks) {
    const isLate = performance.now() > until
    const count = () => countTask(parts, task, messages, { isPatient: false })
    const error = isLate ? undefined : await attempt(messages, count)
    if (isLate || (error && isBusy(error))) left.set(task, messages)
  }
  await parts.index.settle(settled)
  return { did, left }
}

/** True when any message of the task counted; `undefined` when its files have mistakes. Not inside a turn. */
export async function countTask(
  parts: CirceParts,
  task: TaskId,
  messages: readonly Listed[],
  patience?: Patience,
): Promise<boolean | undefined> {
  if (!(await isDue(parts, task, messages))) return false
  return turn(parts, `task.${task}`, () => countInTurn(parts, task, messages), patience)
}

/** Counts the work that an agent moved by hand, before a `claim_task` message is sent: that claim came first. In the turn of the task. */
export async function takeUp(parts: CirceParts, task: TaskId): Promise<void> {
  const theirs = (await lookAround(parts)).found.filter(({ message }) => message.task === task)
  await countInTurn(parts, task, theirs)
}

/**
 * Counts the messages of many tasks without files, reading the log once. If none of a task's messages has counted, and they only
 * change its facts, their lines in the log are enough: the ledger can be made from them. Answers the tasks whose messages have all
 * counted.
 */
async function countMany(
  parts: CirceParts,
  byTask: ReadonlyMap<TaskId, readonly Listed[]>,
): Promise<readonly TaskId[]> {
  const { tree, root, clock, index } = parts
  if (byTask.size <= few) return []
  const known = new Set<string>(await tasksOnTree(parts))
  for (const { name } of await listIfFolder(tree, ledgersPath)) known.add(name)
  // Every command would judge a message again that is not in a saved index: its task gets a ledger instead.
  const isLookedAtOnce = (one: Listed) => (one.place === 'logged' || index.isKept(one)) && !isTaken(one)
  const simple = [...byTask].filter(([task, messages]) => !known.has(task) && messages.every(isLookedAtOnce))
  if (simple.length <= few) return []
  // One process at a time. A process that claims such a task meanwhile may write the line too; the first line counts.
  const count = async () => {
    const counted = countedIn(await logBytes(parts))
    const done: TaskId[] = []
    for (const [task, messages] of simple) {
      const before = counted.get(task)
      if (before ? !messages.every(({ name }) => before.has(name)) : !arePlain(parts, task, messages)) continue
      const news = before ? [] : new Map([...messages].sort(oldestFirst).map(({ name, message }) => [name, message]))
      for (const [name, message] of news) await appendEvent(parts, countLine(name, message, clock.now()))
      done.push(task)
    }
    return done
  }
  return tree.exclusively(`circe ${root} count`, count, { waitMs: 0 })
}

/** Writes the log line of each indexed message about no task, so that a claim need not search the log for it. */
async function tellOf(parts: CirceParts, messages: readonly Listed[]): Promise<void> {
  const { tree, root, clock } = parts
  const isPlain = ({ message }: Listed) => !message.asks && message.intent !== 'answer'
  const tell = async () => {
    const counted = countedIn(await logBytes(parts)).get('')
    for (const { name, message } of messages.filter(isPlain))
      if (!counted?.has(name)) await appendEvent(parts, countLine(name, message, clock.now()))
  }
  if (messages.some(isPlain)) await tree.exclusively(`circe ${root} count`, tell, { waitMs: 0 })
}

/** Whether the messages of a task without files leave it as it is. */
function arePlain(parts: CirceParts, id: TaskId, messages: readonly Listed[]): boolean {
  const task = newTask(id)
  let facts = noFacts
  for (const { message } of [...messages].sort(oldestFirst)) {
    const effect = effectNow(parts, task, facts, message)
    if (message.asks || message.intent === 'answer' || effect.next || effect.refused !== undefined) return false
    if (effect.task.status !== task.status || effect.task.checks !== task.checks) return false
    facts = effect.facts
  }
  return true
}

/** What a message would do to a task now. Nothing is written. */
export const effectNow = ({ clock, settings }: CirceParts, task: Task, facts: TaskFacts, message: Head): Effect =>
  effectOf(task, facts, message, Math.min(message.time, clock.now()), settings)

/** Asked before the turn is taken, so that a command with nothing to count waits for no other process. */
async function isDue(parts: CirceParts, task: TaskId, messages: readonly Listed[]): Promise<boolean> {
  const ledger = await readLedger(parts, task, { isKept: true })
  if (messages.some(({ name }) => !ledger.counted.has(name))) return true
  const read = await readTaskFiles(parts, task)
  if (read.isClaimedByHand || read.problems.length > 0) return true
  return messages.some((one) => isTaken(one) && isClaim(one, { ...read, ...ledger }))
}

async function countInTurn(parts: CirceParts, id: TaskId, messages: readonly Listed[]): Promise<boolean | undefined> {
  const state = await readFresh(parts, id, messages)
  // `doctor` reports it.
  if (state.problems.length > 0) return undefined
  let did = state.isClaimedByHand && state.task.owner !== undefined
  if (did) await ownByHand(parts, state)
  const counted = new Set(state.counted)
  let batch: PlacedMessage[] = []
  const flush = async () => {
    did ||= batch.length > 0
    while (batch.length > 0) batch = batch.slice((await countSome(parts, id, batch)).count)
  }
  for (const one of [...messages].sort(oldestFirst)) {
    // Each agent has a copy of a message to all, under the same name.
    if (!counted.has(one.name)) {
      counted.add(one.name)
      const whole = await readWhole(parts, one)
      if (whole?.message.task === id) batch.push(whole)
    }
    if (batch.length >= mostAtOnce || isTaken(one)) await flush()
    // Before the next message: the agent that moved this one may have written that as the owner.
    if (isTaken(one) && (await ownTaken(parts, id, one))) did = true
  }
  await flush()
  return did
}

/** A ledger that lacks lines of the log is an old copy that another program restored: it is made again. */
async function readFresh(parts: CirceParts, id: TaskId, messages: readonly Listed[]): Promise<TaskState> {
  const state = await readState(parts, id)
  const unknown = new Set<string>(messages.flatMap(({ name }) => (state.counted.has(name) ? [] : [name])))
  const events = unknown.size === 0 ? [] : await eventsOf(parts, id)
  if (!events.some(({ event, file = '' }) => isCount(event) && unknown.has(file))) return state
  await forgetLedger(parts, id)
  return readState(parts, id)
}

/** Another program made `.owner`: the other two files and the log are brought up to date. */
async function ownByHand(parts: CirceParts, { task, facts }: TaskState): Promise<void> {
  const { id, owner } = task
  const at = parts.clock.now()
  const own = claimed(task, facts, owner!, at)
  await commit(
    parts,
    `task.${id}`,
    [
      { do: 'write', task: { ...own.task, claimedAt: task.claimedAt ?? at } },
      { do: 'count', task: id, facts: own.facts, counted: [] },
    ],
    [{ at, event: 'claimed', agent: owner!, task: id, detail: ownerDetail(owner!) }],
  )
}

async function ownTaken(parts: CirceParts, task: TaskId, taken: Listed): Promise<boolean> {
  if (!isFound(await readAt(parts, taken, taken.name))) return false
  const state = await readState(parts, task)
  return isClaim(taken, state) && (await own(parts, taken, taken.agent!, state, state)).outcome === 'done'
}

/**
 * Makes an agent the owner of the task of some work. Without `ledger` none is written: it can be made from the log. `steps` are
 * done after the one that makes `.owner`. In the turn of the task.
 */
export async function own(
  parts: CirceParts,
  found: Listed,
  agent: AgentId,
  { task, texts }: Pick<TaskState, 'task' | 'texts'>,
  ledger: Ledger | undefined,
  steps: readonly CirceStep[] = [],
): Promise<Committed> {
  const id = found.message.task!
  const at = parts.clock.now()
  const facts = ledger?.facts ?? noFacts
  const before = isClosed(task.status) ? opened(task, facts, found.message) : { task, facts }
  const own = claimed(before.task, before.facts, agent, at)
  return commit(
    parts,
    `task.${id}`,
    [
      { do: 'own', task: id, owner: agent, at, before: texts.owner },
      ...steps,
      { do: 'write', task: own.task },
      ...(ledger ? [{ do: 'count', task: id, facts: own.facts, counted: [found.name] } as const] : []),
    ],
    [{ at, event: 'claimed', agent, task: id, file: found.name, detail: ownerDetail(agent) }],
  )
}

/** Counts one message; answers why it did not do what its sender wanted. In the turn of its task. */
export async function countOne(
  parts: CirceParts,
  found: PlacedMessage,
  state?: TaskState,
): Promise<string | undefined> {
  return (await countSome(parts, found.message.task!, [found], state)).refused
}

/**
 * Counts the first of some messages in one change. A message that claims, gives back or completes the task, or is an answer, is a
 * change by itself. In the turn of the task.
 */
async function countSome(
  parts: CirceParts,
  id: TaskId,
  messages: readonly PlacedMessage[],
  known?: TaskState,
): Promise<{ readonly count: number; readonly refused: string | undefined }> {
  const state = known ?? (await readSoundState(parts, id))
  const at = parts.clock.now()
  const { texts } = state
  let { task, facts } = state
  let isWritten = texts.status !== undefined
  let last: Effect | undefined
  const counted: FileName[] = []
  const events: CirceEvent[] = []
  for (const found of messages) {
    const { message, name } = found
    const effect = effectNow(parts, task, facts, message)
    const isAlone = effect.next !== undefined || message.intent === 'answer'
    if (isAlone && counted.length > 0) break
    isWritten ||= effect.next !== undefined || effect.task.status !== task.status || effect.task.checks !== task.checks
    if (isWritten) task = effect.task
    ;({ facts } = effect)
    last = effect
    counted.push(name)
    events.push(...(await linesOf(parts, found, effect, at)))
    if (isAlone) break
  }
  const { next } = last!
  const owner = state.task.owner
  const steps: CirceStep[] = [
    ...(next === 'own' ? [{ do: 'own', task: id, owner: task.owner!, at, before: texts.owner } as const] : []),
    ...(isWritten ? [{ do: 'write', task: writtenOf(task, next, at) } as const] : []),
    ...(next === 'release' && owner !== undefined ? givingBack(id, owner, state.task.claimedAt) : []),
    { do: 'count', task: id, facts, counted },
    ...(next === 'complete' ? [{ do: 'archive', task: id } as const] : []),
  ]
  const committed = await commit(parts, `task.${id}`, steps, events)
  // Another program has made `.owner` in this instant: judged again, the message is refused.
  if (committed.outcome === 'lost') return countSome(parts, id, messages)
  return { count: counted.length, refused: last!.refused }
}

/** The lines of the log about a message that counts. */
async function linesOf(
  parts: CirceParts,
  found: PlacedMessage,
  { told, refused, next, task }: Effect,
  at: number,
): Promise<CirceEvent[]> {
  const { message, name: file } = found
  const line = countLine(file, message, at, refused ?? told)
  const said = { at, agent: message.from, task: message.task }
  return [
    refused === undefined ? line : { ...line, event: 'refused' },
    ...(await answerLines(parts, found, at)),
    ...(next === 'own' ? [{ ...said, event: 'claimed', file, detail: ownerDetail(task.owner!) } as const] : []),
    ...(next === 'release' ? [{ ...said, event: 'released', file, detail: '' } as const] : []),
    ...(next === 'complete' ? [{ ...said, event: 'completed', file, detail: '' } as const] : []),
  ]
}

async function answerLines(parts: CirceParts, found: PlacedMessage, at: number): Promise<CirceEvent[]> {
  const { message, name } = found
  const question = await answeredBy(parts, found)
  if (question === undefined) return []
  const detail = answerDetail({ file: name, digest: wordsOf(message) })
  return [{ at, event: 'answered', agent: message.from, task: message.task, file: question, detail }]
}

/** Counts a question to a person, or an answer, that is about no task. */
async function countAlone(parts: CirceParts, found: Listed): Promise<boolean> {
  const { message, name } = found
  const isNew = message.asks !== undefined && (await missingLine(parts, name, message)).length > 0
  if (!isNew && message.intent !== 'answer') return false
  const count = async () => {
    const whole = await readWhole(parts, found)
    if (whole?.message.task !== undefined || !whole) return false
    return countAloneInTurn(parts, whole, whole.message.asks ? await missingLine(parts, name, message) : [])
  }
  return turn(parts, subjectOf(name, undefined), count, { isPatient: false })
}

/** `lines`: the line that the message was sent, if the log lacks it. True when anything was written. */
export async function countAloneInTurn(
  parts: CirceParts,
  found: PlacedMessage,
  lines: readonly CirceEvent[],
  subject: Subject = subjectOf(found.name, undefined),
): Promise<boolean> {
  const events = [...lines, ...(await answerLines(parts, found, parts.clock.now()))]
  // One line needs no note: appending it is atomic.
  if (events.length > 1) await commit(parts, subject, [], events)
  else for (const event of events) await appendEvent(parts, event)
  return events.length > 0
}

/** Work that lies with an agent. */
const isTaken = ({ place, message }: Listed): boolean =>
  (place === 'inbox' || place === 'workspace') && takesTask(message.intent)

/** Work that lies with an agent although its task has no owner: another program moved it, and the move was the claim. */
function isClaim({ message }: Listed, { task, problems, facts }: Pick<TaskState, 'task' | 'problems' | 'facts'>) {
  if (problems.length > 0 || !takesTask(message.intent) || isClosed(task.status)) return false
  // Work from before the task was opened again is no claim of the new work.
  if (isRecord(task, facts)) return message.time >= (facts.request?.time ?? 0)
  return task.owner === undefined
}

/** The steps by which its owner gives a task back. */
export const releasing = (task: Task, at: number): CirceStep[] => [
  { do: 'write', task: { ...task, status: 'new', owner: undefined, claimedAt: undefined, updatedAt: at } },
  ...givingBack(task.id, task.owner!, task.claimedAt),
]

/** The steps by which a task can be claimed again. */
const givingBack = (task: TaskId, owner: AgentId, claimedAt: number | undefined): CirceStep[] => [
  { do: 'disown', task, owner, at: claimedAt },
  { do: 'back', task, agent: owner },
]

/** The claim of a `claim_task` message counts from now, not from when the message was written. */
function writtenOf(task: Effect['task'], next: Effect['next'] | undefined, at: number): Effect['task'] {
  if (next === 'own') return { ...task, claimedAt: at, startedAt: at, updatedAt: at }
  if (next === 'release') return { ...task, owner: undefined, claimedAt: undefined }
  return task
}
