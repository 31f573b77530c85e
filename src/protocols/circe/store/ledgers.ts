/**
 * Which messages have counted for a task, and what follows from them: one leaf a task in the cache, so that no message counts
 * twice. Deleting it costs time and changes no answer, since `events.log` has a line for everything that it holds.
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

/** The ledger that is written down, if there is one. */
export async function knownLedger({ tree }: CirceParts, task: TaskId): Promise<Ledger | undefined> {
  const leaf = await readIfLeaf(tree, childOf(ledgersPath, task))
  return leaf && parse(leaf.bytes)
}

/** `isKept`: where it had to be read off the log, it is written down for the next command. */
export async function readLedger(parts: CirceParts, task: TaskId, { isKept = false } = {}): Promise<Ledger> {
  const known = await knownLedger(parts, task)
  if (known) return known
  const ledger = await ledgerFromLog(parts, task)
  if (!isKept || ledger.counted.size === 0) return ledger
  try {
    // Only where no ledger is: one that another process wrote while holding the lock of the task may know more.
    await parts.tree.create(childOf(ledgersPath, task), print(ledger))
  } catch (error) {
    // A cache that cannot be written costs time, and fails no command.
    if (!(error instanceof SignalboxError)) throw error
  }
  return ledger
}

async function ledgerFromLog(parts: CirceParts, task: TaskId): Promise<Ledger> {
  const events = await eventsOf(parts, task)
  if (events.length === 0) return { facts: noFacts, counted: new Set() }
  return replay(task, events, await messagesOf(parts, events), parts.settings)
}

/** The messages that some events are about. Most of them are logged. */
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

/** How a task stands by its lines of the log; `undefined` where one of its messages cannot be read any more. */
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

/** Twice is fine: what counts already stays. */
export async function writeLedger(
  parts: CirceParts,
  task: TaskId,
  facts: TaskFacts,
  counted: readonly FileName[],
): Promise<void> {
  // Where something that is no file has its name, the log is read each time.
  await unlessOdd(
    changeLeaf(parts.tree, childOf(ledgersPath, task), async (leaf) => {
      const before = (leaf && parse(leaf.bytes)) ?? (await ledgerFromLog(parts, task))
      return print({ facts, counted: new Set([...before.counted, ...counted]) })
    }),
  )
}

/** It is made again from the log. */
export const forgetLedger = ({ tree }: CirceParts, task: TaskId) => removeIfLeaf(tree, childOf(ledgersPath, task))
