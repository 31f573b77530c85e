/** `LOGS/events.log` on the tree, and the lines of it about one task. */
import { groupBy } from '../../../kernel/group-by.ts'
import { lookIfThere, readIfLeaf } from '../../../messaging/leaves/tolerant.ts'
import type { Durability } from '../../../tree/tree.ts'
import { type CirceEvent, eventsIn, givenUpIn, isCount, printEvent } from '../events.ts'
import { eventsPath } from '../layout.ts'
import { type AgentId, type FileName, isSameAgent, type TaskId } from '../names.ts'
import type { Head } from '../schema.ts'
import type { CirceParts } from './parts.ts'

export async function appendEvent({ tree, root }: CirceParts, event: CirceEvent): Promise<Durability> {
  const appended = await tree.append(eventsPath(root), printEvent(event))
  return appended.outcome === 'appended' ? appended.durability : 'process'
}

/** The log as it was last read, and what was found in it. */
interface ReadLog {
  readonly size: number
  readonly changedAt: number
  readonly bytes: Uint8Array
  searches: number
  byTask?: ReadonlyMap<string | undefined, CirceEvent[]>
  givenUp?: ReadonlySet<string>
}

/** A command reads the log several times before it appends to it. Weak, so that a large log does not stay in memory. */
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
  // A full disk may have cut off only the line end.
  return bytes.includes(`${line}\n`) || bytes.subarray(-line.length).equals(line)
}

/** A search takes a millisecond for ten thousand lines. After so many searches the whole log is parsed once. */
const fewSearches = 16

/** The lines about one task. */
export async function eventsOf(parts: CirceParts, task: TaskId): Promise<readonly CirceEvent[]> {
  const log = await readLog(parts)
  if (!log) return []
  if (++log.searches <= fewSearches) return [...eventsIn(log.bytes, task)].filter((event) => event.task === task)
  log.byTask ??= groupBy(eventsIn(log.bytes), (event) => event.task)
  return log.byTask.get(task) ?? []
}

/** The lines about one message. */
export const eventsAbout = async (parts: CirceParts, file: FileName): Promise<CirceEvent[]> =>
  [...eventsIn(await logBytes(parts), file)].filter((event) => event.file === file)

/** The files of the messages that an agent gave up. */
export async function givenUp(parts: CirceParts): Promise<ReadonlySet<string>> {
  const log = await readLog(parts)
  if (log) log.givenUp ??= givenUpIn(log.bytes)
  return log?.givenUp ?? new Set()
}

/** How often an agent has claimed a message: the number of its last claim. */
export async function attemptOf(parts: CirceParts, agent: AgentId, file: FileName): Promise<number> {
  const events = await eventsAbout(parts, file)
  return events.filter((one) => one.event === 'claimed' && isSameAgent(one.agent, agent)).length
}

/** The line that a message was sent and has counted. `effect`: what it did to its task. */
export const countLine = (file: FileName, message: Head, at: number, effect = ''): CirceEvent => ({
  at,
  event: message.asks ? 'asked' : 'message',
  agent: message.from,
  task: message.task,
  file,
  detail: `${message.intent} ${message.status} to ${message.to}${effect === '' ? '' : `: ${effect}`}`,
})

/**
 * The line of a message about no task, if the log lacks it, because its sender is another program or was killed. Messages about a
 * task get their line when they count.
 */
export async function missingLine(parts: CirceParts, file: FileName, message: Head): Promise<CirceEvent[]> {
  if (message.task !== undefined) return []
  const isThere = (await eventsAbout(parts, file)).some(({ event }) => isCount(event))
  return isThere ? [] : [countLine(file, message, parts.clock.now())]
}
