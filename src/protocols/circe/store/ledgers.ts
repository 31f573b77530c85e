/**
 * The ledger of a task: which messages have counted, so that none counts twice, and the facts that follow from them. One leaf a
 * task in the cache. A deleted ledger is made again from `events.log`, which costs time.
 */
import { list, object, readJson, text } from '../../../formats/plain-data.ts'
import { SignalboxError } from '../../../kernel/errors.ts'
import { childOf } from '../../../kernel/tree-path.ts'
import { changeLeaf } from '../../../messaging/leaves/change.ts'
import { readIfLeaf, removeIfLeaf, unlessOdd } from '../../../messaging/leaves/tolerant.ts'
import { type CirceEvent, isCount } from '../events.ts'
import { ledgersPath } from '../layout.ts'
import { type FileName, isFileName, type TaskId } from '../names.ts'
import { replay } from '../replay.ts'
import type { CirceMessage } from '../schema.ts'
import { noFacts, type Task, type TaskFacts, taskFacts } from '../task.ts'
import { eventsOf } from './log.ts'
import type { CirceParts } from './parts.ts'
import { findMessage, isFound, readAt } from './places.ts'

export interface Ledger {
  readonly facts: TaskFacts
  /** The files of the messages that have counted. */
  readonly counted: ReadonlySet<string>
}

const saved = object({ facts: taskFacts, counted: list(text) })

const parse = (bytes: Uint8Array): Ledger | undefined => {
  const read = readJson(saved, bytes)
  return read && { facts: read.facts, counted: new Set(read.counted) }
}

const print = ({ facts, counted }: Ledger): Buffer => Buffer.from(JSON.stringify({ facts, counted: [...counted] }))

/** The ledger in the cache, if there is one. */
export async function knownLedger({ tree }: CirceParts, task: TaskId): Promise<Ledger | undefined> {
  const leaf = await readIfLeaf(tree, childOf(ledgersPath, task))
  return leaf && parse(leaf.bytes)
}

/** `isKept`: a ledger that had to be made from the log is saved for the next command. */
export async function readLedger(parts: CirceParts, task: TaskId, { isKept = false } = {}): Promise<Ledger> {
  const known = await knownLedger(parts, task)
  if (known) return known
  const ledger = await ledgerFromLog(parts, task)
  if (!isKept || ledger.counted.size === 0) return ledger
  try {
    // `create` replaces nothing: a ledger that another process wrote in the turn of the task may be newer.
    await parts.tree.create(childOf(ledgersPath, task), print(ledger))
  } catch (error) {
    // A cache that cannot be written costs only time.
    if (!(error instanceof SignalboxError)) throw error
  }
  return ledger
}

async function ledgerFromLog(parts: CirceParts, task: TaskId): Promise<Ledger> {
  const events = await eventsOf(parts, task)
  if (events.length === 0) return { facts: noFacts, counted: new Set() }
  return replay(task, events, await messagesOf(parts, events), parts.settings)
}

/** The messages that some events name. */
export async function messagesOf(parts: CirceParts, events: readonly CirceEvent[]): Promise<Map<string, CirceMessage>> {
  const messages = new Map<string, CirceMessage>()
  for (const { file } of events) {
    if (file === undefined || messages.has(file) || !isFileName(file)) continue
    const logged = await readAt(parts, { place: 'logged' }, file)
    const found = isFound(logged) ? logged : await findMessage(parts, file)
    if (found) messages.set(file, found.message)
  }
  return messages
}

/** The state of a task by its lines of the log; `undefined` where one of its messages cannot be read any more. */
export async function taskByLog(
  parts: CirceParts,
  id: TaskId,
  events: readonly CirceEvent[],
): Promise<Task | undefined> {
  if (events.length === 0) return undefined
  const messages = await messagesOf(parts, events)
  if (events.some(({ event, file }) => isCount(event) && file !== undefined && !messages.has(file))) return undefined
  return replay(id, events, messages, parts.settings).task
}

/** A repeat is fine: messages that have counted stay in the ledger. */
export async function writeLedger(
  parts: CirceParts,
  task: TaskId,
  facts: TaskFacts,
  counted: readonly FileName[],
): Promise<void> {
  // If the leaf cannot be written because a folder or link has its name, the log is read each time.
  await unlessOdd(
    changeLeaf(parts.tree, childOf(ledgersPath, task), async (leaf) => {
      const before = (leaf && parse(leaf.bytes)) ?? (await ledgerFromLog(parts, task))
      return print({ facts, counted: new Set([...before.counted, ...counted]) })
    }),
  )
}

export const forgetLedger = ({ tree }: CirceParts, task: TaskId) => removeIfLeaf(tree, childOf(ledgersPath, task))
