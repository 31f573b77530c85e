/**
 * A log of events: one line each, only ever appended to, so that those of many processes never mix and none is lost.
 * Other programs may read it and append to it.
 */
import type { TreePath } from '../../kernel/tree-path.ts'
import type { Durability, Tree } from '../../tree/tree.ts'

export type LoggedEvent = Readonly<Record<string, unknown>>

/** How an event becomes a line and back: `jsonLines` of `formats/json-lines.ts`. */
interface LineCodec {
  /** With its line end. */
  print(event: LoggedEvent): string
  /** Each line in turn; only lines of the kind `record` could be read. */
  read(bytes: Uint8Array): Iterable<{ readonly kind: string; readonly value?: unknown }>
}

interface EventQuery {
  /** Only events whose fields have these values; what is `undefined` is not asked for. */
  readonly where?: LoggedEvent
  /** Only events from this moment on, in milliseconds; those without a time that can be read are left out. */
  readonly since?: number | undefined
  /** The field that holds the time of an event; `at` if not said. */
  readonly timeField?: string
  /** At most so many, the last ones. */
  readonly limit?: number | undefined
}

export interface FoundEvents {
  /** In the order in which they were appended. */
  readonly events: readonly LoggedEvent[]
  /** How many matched; more than `events` when `limit` left some out. */
  readonly matching: number
  /** How many lines could not be read: torn by a crash, or written by another program. */
  readonly unreadable: number
}

const lineEnd = 0x0a

export class EventLog {
  readonly #tree: Tree
  readonly #path: TreePath
  readonly #codec: LineCodec

  constructor(tree: Tree, path: TreePath, codec: LineCodec) {
    this.#tree = tree
    this.#path = path
    this.#codec = codec
  }

  /** A repeat appends again. */
  async append(event: LoggedEvent): Promise<Durability> {
    const appended = await this.#tree.append(this.#path, this.#codec.print(event).slice(0, -1))
    return appended.outcome === 'appended' ? appended.durability : 'process'
  }

  /** For a change that is finished after a crash: its line may have been written before. */
  async appendOnce(event: LoggedEvent): Promise<Durability> {
    const leaf = await this.#tree.read(this.#path, { fresh: true })
    // The last line may have lost its end.
    const isThere = `\n${Buffer.from(leaf?.bytes ?? [])}\n`.includes(`\n${this.#codec.print(event)}`)
    return isThere ? 'process' : this.append(event)
  }

  /** How many lines there are, readable or not. */
  async count(): Promise<number> {
    let lines = 0
    for (const byte of (await this.#tree.read(this.#path))?.bytes ?? []) if (byte === lineEnd) lines++
    return lines
  }

  /** Reads the file once and keeps in memory, besides its bytes, no more events than it may answer. */
  async find(query: EventQuery = {}): Promise<FoundEvents> {
    const { limit = Number.POSITIVE_INFINITY } = query
    const leaf = await this.#tree.read(this.#path)
    let events: LoggedEvent[] = []
    let [matching, unreadable] = [0, 0]
    for (const { kind, value } of leaf ? this.#codec.read(leaf.bytes) : []) {
      if (kind !== 'record' || !isEvent(value)) unreadable++
      else if (isWanted(value, query)) {
        matching++
        events.push(value)
        if (events.length >= 2 * limit) events = lastOf(events, limit)
      }
    }
    return { events: lastOf(events, limit), matching, unreadable }
  }
}

const lastOf = <T>(all: T[], limit: number): T[] => (all.length > limit ? all.slice(all.length - limit) : all)

const isEvent = (value: unknown): value is LoggedEvent =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function isWanted(event: LoggedEvent, { where = {}, since, timeField = 'at' }: EventQuery): boolean {
  for (const [field, wanted] of Object.entries(where)) {
    if (wanted !== undefined && (!Object.hasOwn(event, field) || event[field] !== wanted)) return false
  }
  if (since === undefined) return true
  const time = event[timeField]
  return (typeof time === 'number' ? time : Date.parse(String(time))) >= since
}
