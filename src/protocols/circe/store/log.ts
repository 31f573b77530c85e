/** `LOGS/events.log` on the tree, and the lines of it about one task. */
import type { Durability } from '../../../tree/tree.ts'
import { type CirceEvent, eventsIn, isCount, parseEvent, printEvent } from '../events.ts'
import type { Head } from '../head.ts'
import { eventsPath } from '../layout.ts'
import type { FileName, TaskId } from '../names.ts'
import { type CirceParts, unlessOdd } from './parts.ts'

export async function appendEvent({ tree, root }: CirceParts, event: CirceEvent): Promise<Durability> {
  const appended = await tree.append(eventsPath(root), printEvent(event))
  return appended.outcome === 'appended' ? appended.durability : 'process'
}

interface LastRead {
  readonly size: number
  readonly changedAt: number
  readonly bytes: WeakRef<Uint8Array>
}

/** A command looks into the log several times before it adds to it. Weak, so that nobody carries it about in between. */
const lastRead = new WeakMap<CirceParts, LastRead>()
const nothing = new Uint8Array(0)

/** The whole log; empty when there is none. */
export async function logBytes(parts: CirceParts): Promise<Uint8Array> {
  const { tree, root } = parts
  const entry = await unlessOdd(() => tree.look(eventsPath(root)))
  if (!entry) return nothing
  const { size, changedAt } = entry
  const last = lastRead.get(parts)
  const known = last?.size === size && last.changedAt === changedAt ? last.bytes.deref() : undefined
  if (known) return known
  const bytes = (await unlessOdd(() => tree.read(eventsPath(root))))?.bytes ?? nothing
  lastRead.set(parts, { size, changedAt, bytes: new WeakRef(bytes) })
  return bytes
}

/** Whether a line is in the log: a process may have been killed just after it had written it. */
export async function isLogged(parts: CirceParts, event: CirceEvent): Promise<boolean> {
  const read = await logBytes(parts)
  const bytes = Buffer.from(read.buffer, read.byteOffset, read.byteLength)
  const line = Buffer.from(printEvent(event))
  // A full disk may have cut off nothing but its end.
  return bytes.includes(`${line}\n`) || bytes.subarray(-line.length).equals(line)
}

/**
 * The line that says that a message about no task was sent, if the log lacks it: its sender was killed before it could tell, or
 * is another program. Messages about a task are told of when they count.
 */
export async function untold(parts: CirceParts, file: FileName, message: Head): Promise<CirceEvent[]> {
  if (message.task !== undefined) return []
  const read = await logBytes(parts)
  const log = Buffer.from(read.buffer, read.byteOffset, read.byteLength)
  for (let at = log.indexOf(`\t${file}\t`); at >= 0; at = log.indexOf(`\t${file}\t`, at + 1)) {
    const event = parseEvent(log.toString('utf8', log.lastIndexOf(0x0a, at) + 1, log.indexOf(0x0a, at)))
    if (event?.file === file && isCount(event.event)) return []
  }
  const detail = `${message.intent} ${message.status} to ${message.to}`
  return [{ at: parts.clock.now(), event: 'message', agent: message.from, file, detail }]
}

/** The lines about one task. The log is searched for its name, which takes a millisecond for some ten thousand lines. */
export const eventsOf = async (parts: CirceParts, task: TaskId): Promise<CirceEvent[]> => [
  ...eventsIn(await logBytes(parts), task),
]
