/** `LOGS/events.log` on the tree, and the lines of it about one task. */
import type { Durability } from '../../../tree/tree.ts'
import { type CirceEvent, eventsIn, printEvent } from '../events.ts'
import { eventsPath } from '../layout.ts'
import type { TaskId } from '../names.ts'
import { type CirceParts, unlessOdd } from './parts.ts'

export async function appendEvent({ tree, root }: CirceParts, event: CirceEvent): Promise<Durability> {
  const appended = await tree.append(eventsPath(root), printEvent(event))
  return appended.outcome === 'appended' ? appended.durability : 'process'
}

/** The whole log; empty when there is none. */
export async function logBytes({ tree, root }: CirceParts): Promise<Uint8Array> {
  return (await unlessOdd(() => tree.read(eventsPath(root))))?.bytes ?? new Uint8Array(0)
}

/** Whether a line is in the log: a process may have been killed just after it had written it. */
export async function isLogged(parts: CirceParts, event: CirceEvent): Promise<boolean> {
  const bytes = Buffer.from(await logBytes(parts))
  const line = Buffer.from(printEvent(event))
  // A full disk may have cut off nothing but its end.
  return bytes.includes(`${line}\n`) || bytes.subarray(-line.length).equals(line)
}

/** The lines about one task. The log is searched for its name, which takes a millisecond for some ten thousand lines. */
export const eventsOf = async (parts: CirceParts, task: TaskId): Promise<CirceEvent[]> => [
  ...eventsIn(await logBytes(parts), task),
]
