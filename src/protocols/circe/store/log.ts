/** `LOGS/events.log` on the tree, and the lines of it about one task. */
import { childOf } from '../../../kernel/tree-path.ts'
import { changeLeaf } from '../../../tree/change.ts'
import type { Durability } from '../../../tree/tree.ts'
import { type CirceEvent, eventsIn, printEvent } from '../events.ts'
import { eventsPath, storiesPath } from '../layout.ts'
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

/**
 * The lines about one task. A copy of them in the cache is good as long as the log has not grown since, so that the log need
 * not be read for every story.
 */
export async function eventsOf(parts: CirceParts, task: TaskId): Promise<CirceEvent[]> {
  const { tree, root } = parts
  const size = (await unlessOdd(() => tree.look(eventsPath(root))))?.size ?? 0
  const path = childOf(storiesPath, task)
  const copy = await unlessOdd(() => tree.read(path))
  const lineEnd = copy?.bytes.indexOf(0x0a) ?? -1
  if (copy && lineEnd > 0 && Number(Buffer.from(copy.bytes.subarray(0, lineEnd)).toString()) === size) {
    return [...eventsIn(copy.bytes.subarray(lineEnd + 1), task)]
  }
  const bytes = await logBytes(parts)
  const events = [...eventsIn(bytes, task)]
  const kept = `${bytes.length}\n${events.map((event) => `${printEvent(event)}\n`).join('')}`
  await unlessOdd(() => changeLeaf(tree, path, () => Buffer.from(kept)))
  return events
}
