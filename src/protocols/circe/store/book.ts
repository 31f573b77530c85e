/**
 * What is remembered of tasks and questions, so that no message counts twice: one leaf each in the cache. Deleting them costs
 * time and changes no answer, since `events.log` has a line for everything that they hold.
 */
import { SignalboxError } from '../../../kernel/errors.ts'
import { childOf } from '../../../kernel/tree-path.ts'
import { changeLeaf } from '../../../messaging/leaves/change.ts'
import { type Asked, askedFrom, bookFrom } from '../deed.ts'
import { type TaskBook, withCheck } from '../effects.ts'
import { type CirceEvent, eventsIn, isCount } from '../events.ts'
import { bookPath, ledgersPath, questionsPath } from '../layout.ts'
import { type FileName, isFileName, type TaskId } from '../names.ts'
import { replay } from '../replay.ts'
import type { CirceMessage } from '../schema.ts'
import { roleThatSets } from '../settings.ts'
import { settableChecks, type Task } from '../task.ts'
import { eventsOf, logBytes } from './log.ts'
import { type CirceParts, unlessOdd } from './parts.ts'
import { findMessage } from './places.ts'
import { askedBy } from './questions.ts'
import { readSoundTask, type TaskOnTree } from './task-files.ts'

/** A question's note has a few short fields. */
const largestNote = 64 * 1024

export interface Ledger {
  readonly book: TaskBook
  readonly applied: ReadonlySet<string>
}

/** `isKept`: where it had to be read off the log, it is written down for whoever asks next. */
export async function readLedger(parts: CirceParts, task: TaskId, { isKept = false } = {}): Promise<Ledger> {
  const path = childOf(ledgersPath, task)
  const leaf = await unlessOdd(() => parts.tree.read(path))
  const known = leaf && ledgerFrom(leaf.bytes)
  if (known) return known
  const ledger = await ledgerFromLog(parts, task)
  // Only where there is none: one that is written in the turn of the task may know more by now.
  if (isKept && !leaf && ledger.applied.size > 0)
    await unlessRefused(() => parts.tree.create(path, printLedger(ledger)))
  return ledger
}

const printLedger = ({ book, applied }: Ledger): Buffer => Buffer.from(JSON.stringify({ book, applied: [...applied] }))

/** A cache that cannot be written costs time, and fails nobody. */
async function unlessRefused(work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error
  }
}

function ledgerFrom(bytes: Uint8Array): Ledger | undefined {
  try {
    const { book, applied } = JSON.parse(Buffer.from(bytes).toString('utf8')) as { book: unknown; applied: string[] }
    return { book: bookFrom(book), applied: new Set(applied.filter((name) => typeof name === 'string')) }
  } catch {
    return undefined // Not JSON, or not of this shape: it is made again.
  }
}

async function ledgerFromLog(parts: CirceParts, task: TaskId): Promise<Ledger> {
  const events = await eventsOf(parts, task)
  if (events.length === 0) return { book: { reviewers: [] }, applied: new Set() }
  const { book, applied } = replay(task, events, await messagesOf(parts, events), parts.settings)
  return { book, applied: new Set(applied) }
}

/** The messages that some events are about. */
export async function messagesOf(parts: CirceParts, events: readonly CirceEvent[]): Promise<Map<string, CirceMessage>> {
  const messages = new Map<string, CirceMessage>()
  for (const { file } of events) {
    if (file === undefined || messages.has(file) || !isFileName(file)) continue
    const found = await findMessage(parts, file)
    if (found) messages.set(file, found.message)
  }
  return messages
}

/** How a task stands by what was told of it; `undefined` where that is not known whole. */
export async function heardTask(
  parts: CirceParts,
  id: TaskId,
  events: readonly CirceEvent[],
): Promise<Task | undefined> {
  if (events.length === 0) return undefined
  const messages = await messagesOf(parts, events)
  if (events.some(({ event, file }) => isCount(event) && file !== undefined && !messages.has(file))) return undefined
  return replay(id, events, messages, parts.settings).task
}

/** A check that is for a role to set counts because one of them has said so; that a file says it is not enough. */
export async function readHeardTask(parts: CirceParts, id: TaskId): Promise<TaskOnTree> {
  const read = await readSoundTask(parts, id)
  const { checks } = read.task
  const bound = settableChecks.filter((name) => checks[name] && roleThatSets(parts.settings, name) !== undefined)
  const heard = bound.length === 0 ? undefined : await heardTask(parts, id, await eventsOf(parts, id))
  const unheard = heard ? bound.filter((name) => !heard.checks[name]) : []
  if (unheard.length === 0) return read
  return { ...read, task: { ...read.task, checks: unheard.reduce((set, name) => withCheck(set, name, false), checks) } }
}

/** Twice is fine: what counts already stays. */
export async function writeLedger(
  parts: CirceParts,
  task: TaskId,
  book: TaskBook,
  applied: readonly FileName[],
): Promise<void> {
  // Where something else stands in its place, the log is read each time.
  await unlessOdd(() =>
    changeLeaf(parts.tree, childOf(ledgersPath, task), async (leaf) => {
      const before = (leaf && ledgerFrom(leaf.bytes)) ?? (await ledgerFromLog(parts, task))
      return printLedger({ book, applied: new Set([...before.applied, ...applied]) })
    }),
  )
}

/** It is made again from the log. */
export async function forgetLedger({ tree }: CirceParts, task: TaskId): Promise<void> {
  await unlessOdd(() => tree.remove(childOf(ledgersPath, task)))
}

/** The answer to a question by the log, for when what is remembered may be old. */
export async function answerInLog(parts: CirceParts, question: FileName): Promise<Asked['answer']> {
  for (const { event, file, detail } of eventsIn(await logBytes(parts))) {
    if (event !== 'answered' || file !== question) continue
    return answerFrom(detail)
  }
  return undefined
}

export async function readAsked(parts: CirceParts, file: FileName): Promise<Asked | undefined> {
  const leaf = await unlessOdd(() => parts.tree.read(childOf(questionsPath, file), { atMost: largestNote }))
  return leaf && askedIn(leaf.bytes)
}

function askedIn(bytes: Uint8Array): Asked | undefined {
  try {
    return askedFrom(JSON.parse(Buffer.from(bytes).toString('utf8')))
  } catch {
    return undefined // A stranger's; it is written again when the question is met.
  }
}

/** An answer that was given stays. */
export async function writeAsked(parts: CirceParts, file: FileName, asked: Asked): Promise<void> {
  await unlessOdd(() =>
    changeLeaf(parts.tree, childOf(questionsPath, file), (leaf) =>
      Buffer.from(JSON.stringify({ ...asked, answer: (leaf && askedIn(leaf.bytes))?.answer ?? asked.answer })),
    ),
  )
}

/** Everything that was ever asked of a person, answered or not. */
export async function allAsked(parts: CirceParts): Promise<Map<FileName, Asked>> {
  const all = new Map<FileName, Asked>()
  for (const { name, kind } of (await unlessOdd(() => parts.tree.list(questionsPath))) ?? []) {
    const asked = kind === 'leaf' && isFileName(name) ? await readAsked(parts, name) : undefined
    if (asked) all.set(name as FileName, asked)
  }
  return all
}

/** The file of an answer may have blanks in its name; what names its words has none. */
function answerFrom(detail: string | undefined): Asked['answer'] {
  const at = detail?.lastIndexOf(' ') ?? -1
  return at < 0 ? undefined : { file: detail!.slice(0, at), digest: detail!.slice(at + 1) }
}

/** Where the cache has been deleted: the questions are read off the log again. Not inside a turn. */
export async function ensureBook(parts: CirceParts): Promise<void> {
  const { tree } = parts
  if (await unlessOdd(() => tree.look(bookPath))) return
  const make = async () => {
    if (await unlessOdd(() => tree.look(bookPath))) return
    const bytes = await logBytes(parts)
    const answered = new Map<string, string>()
    const asked: CirceEvent[] = []
    for (const event of eventsIn(bytes)) {
      // What was refused for its task may have been for a person all the same.
      if (event.event === 'asked' || event.event === 'refused') asked.push(event)
      if (event.event === 'answered' && event.file !== undefined) answered.set(event.file, event.detail)
    }
    for (const { file } of asked) {
      if (file === undefined || !isFileName(file)) continue
      const found = await findMessage(parts, file)
      const question = found && askedBy(found.message)
      if (!question) continue
      await writeAsked(parts, file, { ...question, answer: answerFrom(answered.get(file)) })
    }
    await unlessRefused(() => tree.create(bookPath, ''))
  }
  await tree.exclusively(`circe ${parts.root} book`, make, { waitMs: parts.settings.turnMs })
}
