/**
 * The lines of `LOGS/events.log`: time, event, agent, task, file and detail, separated by tabs. Tabs and line ends within a field
 * are escaped. Pure.
 */
import { printableLine } from '../../kernel/printable.ts'

/**
 * `message`: a message has counted for its task. `asked`: a message waits for a person. `refused`: a message was not allowed to
 * change its task. The other names say what an agent, a person or this program did.
 */
export const eventNames = [
  'message',
  'asked',
  'refused',
  'claimed',
  'started',
  'acknowledged',
  'handled',
  'delivered',
  'released',
  'returned',
  'status',
  'checks',
  'completed',
  'answered',
  'rejected',
  'rebuilt',
] as const
export type EventName = (typeof eventNames)[number]

/** True for a line that says that a message has counted for its task. */
export const isCount = (event: EventName): boolean => ['message', 'asked', 'refused'].includes(event)

export interface CirceEvent {
  readonly at: number
  readonly event: EventName
  readonly agent: string
  readonly task?: string | undefined
  readonly file?: string | undefined
  readonly detail: string
}

const longestDetail = 400

/** Without its line end. The time is to the millisecond, so that no two lines of one agent are the same by chance. */
export const printEvent = ({ at, event, agent, task = '', file = '', detail }: CirceEvent): string =>
  [new Date(at).toISOString(), event, agent, task, file, detail.slice(0, longestDetail).toWellFormed()]
    .map(printableLine)
    .join('\t')

/** `undefined` for a line that a crash cut off, or that another program wrote. */
export function parseEvent(line: string): CirceEvent | undefined {
  const [time, name, agent, task, file, detail, ...more] = line.split('\t')
  const event = eventNames.find((one) => one === name)
  const at = Date.parse(time ?? '')
  if (!event || detail === undefined || more.length > 0 || Number.isNaN(at)) return undefined
  return { at, event, agent: agent!, task: task || undefined, file: file || undefined, detail }
}

const lineFeed = 0x0a

/** The events in a log; with `word`, only those whose task or file it is. Other lines are not parsed then. */
export function* eventsIn(bytes: Uint8Array, word?: string): Generator<CirceEvent> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const column = word === undefined ? undefined : `\t${word}\t`
  for (let from = 0; from < buffer.length; ) {
    let start = from
    if (column !== undefined) {
      const hit = buffer.indexOf(column, from)
      if (hit < 0) return
      start = Math.max(from, buffer.lastIndexOf(lineFeed, hit) + 1)
    }
    const end = buffer.indexOf(lineFeed, start)
    const to = end < 0 ? buffer.length : end
    const event = parseEvent(buffer.toString('utf8', start, to).replace(/\r$/, ''))
    if (event && (word === undefined || event.task === word || event.file === word)) yield event
    from = to + 1
  }
}

const givenUp = /^[^\t\n]*\thandled\t[^\t\n]*\t[^\t\n]*\t([^\t\n]+)\tfailed$/gm

/** The files of the messages that an agent gave up. */
export const givenUpIn = (bytes: Uint8Array): Set<string> =>
  new Set(Array.from(Buffer.from(bytes).toString('utf8').matchAll(givenUp), ([, file]) => file!))

const count = /^[^\t\n]*\t(?:message|asked|refused)\t[^\t\n]*\t([^\t\n]*)\t([^\t\n]+)\t/gm

/** The files of the messages that have counted, by task (empty: about no task). Quicker than parsing all events. */
export function countedIn(bytes: Uint8Array): Map<string, Set<string>> {
  const counted = new Map<string, Set<string>>()
  for (const [, task, file] of Buffer.from(bytes).toString('utf8').matchAll(count))
    counted.set(task!, (counted.get(task!) ?? new Set()).add(file!))
  return counted
}
