/** `LOGS/events.log` on the tree, and the lines of it about one task. */
import { lookIfThere, readIfLeaf } from '../../../messaging/leaves/tolerant.ts'
import type { Durability } from '../../../tree/tree.ts'
import { type CirceEvent, eventsIn, givenUpIn, isCount, printEvent } from '../events.ts'
import { eventsPath } from '../layout.ts'
import { type AgentId, type FileName, isSameAgent, type TaskId } from '../names.ts'
import type { Head } from '../schema.ts'
import { addTo, type CirceParts } from './parts.ts'

export async function appendEvent({ tree, root }: CirceParts, event: CirceEvent): Promise<Durability> {
  const appended = await tree.append(eventsPath(root), printEvent(event))
  return appended.outcome === 'appended' ? appended.durability : 'process'
}

/** The log as it was read last, and what was found in it. */
interface ReadLog {
  readonly size: number
  readonly changedAt: number
  readonly bytes: Uint8Array
  searches: number
  byTask?: ReadonlyMap<string, CirceEvent[]>
  givenUp?: ReadonlySet<string>
}

/** A command reads the log several times before it adds to it. Weak, so that a large log does not stay in memory. */
const lastRead = new WeakMap<CirceParts, WeakRef<ReadLog>>()

async function readLog(parts: CirceParts): Promise<ReadLog | undefined> {
  const path = eventsPath(parts.root)
  const entry = await lookIfThere(parts.tree, path)
  if (!entry) return undefined
  const { size, changedAt } = entry
  const last = lastRead.get(parts)?.deref()
  if (last?.size === size && last.changedAt === changedAt) return last
  const leaf = await readIfLeaf(parts.tree, path)
  const log = leaf && { size, changedAt, bytes: leaf.bytes, searches: 0 }
  if (log) lastRead.set(parts, new WeakRef(log))
  return log
}

/** The whole log; empty when there is none. */
export const logBytes = async (parts: CirceParts): Promise<Uint8Array> =>
  (await readLog(parts))?.bytes ?? new Uint8Array(0)

/** Whether a line is in the log: a process may have been killed just after it had written it. */
export async function isLogged(parts: CirceParts, event: CirceEvent): Promise<boolean> {
  const read = await logBytes(parts)
  const bytes = Buffer.from(read.buffer, read.byteOffset, read.byteLength)
  const line = Buffer.from(printEvent(event))
  // A full disk may have cut off nothing but its end.
  return bytes.includes(`${line}\n`) || bytes.subarray(-line.length).equals(line)
}

/** A search for one task takes a millisecond for some ten thousand lines; after so many the log is taken apart once. */
const fewSearches = 16

/** The lines about one task. */
export async function eventsOf(parts: CirceParts, task: TaskId): Promise<readonly CirceEvent[]> {
  const log = await readLog(parts)
  if (!log) return []
  if (++log.searches <= fewSearches) return [...eventsIn(log.bytes, task)].filter((event) => event.task === task)
  log.byTask ??= eventsByTask(log.bytes)
  return log.byTask.get(task) ?? []
}

function eventsByTask(bytes: Uint8Array): Map<string, CirceEvent[]> {
  const byTask = new Map<string, CirceEvent[]>()
  for (const event of eventsIn(bytes)) {
    if (event.task !== undefined) addTo(byTask, event.task, event)
  }
  return byTask
}

/** The lines about one message. */
export const eventsAbout = async (parts: CirceParts, file: FileName): Promise<CirceEvent[]> =>
  [...eventsIn(await logBytes(parts), file)].filter((event) => event.file === file)

/** The files of the messages that their readers gave up. */
export async function givenUp(parts: CirceParts): Promise<ReadonlySet<string>> {
  const log = await readLog(parts)
  if (log) log.givenUp ??= givenUpIn(log.bytes)
  return log?.givenUp ?? new Set()
}

/** How often an agent has claimed a message: a claim is known by its number. */
export async function attemptOf(parts: CirceParts, agent: AgentId, file: FileName): Promise<number> {
  const events = await eventsAbout(parts, file)
  return events.filter((one) => one.event === 'claimed' && isSameAgent(one.agent, agent)).length
}

/** The line that says that a message was sent and has counted, and for its task what it did. */
export const countLine = (file: FileName, message: Head, at: number, effect = ''): CirceEvent => ({
  at,
  event: message.asks ? 'asked' : 'message',
  agent: message.from,
  task: message.task,
  file,
  detail: `${message.intent} ${message.status} to ${message.to}${effect === '' ? '' : `: ${effect}`}`,
})

/**
 * The line of a message about no task, if the log lacks it: its sender was killed before it could write it, or is another
 * program. Messages about a task get theirs when they count.
 */
export async function missingLine(parts: CirceParts, file: FileName, message: Head): Promise<CirceEvent[]> {
  if (message.task !== undefined) return []
  const isThere = (await eventsAbout(parts, file)).some(({ event }) => isCount(event))
  return isThere ? [] : [countLine(file, message, parts.clock.now())]
}
