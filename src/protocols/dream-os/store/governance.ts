/** Logs of which every line is one event: governance, and the outcomes of tasks. */
import { holdsArray, jsonLines } from '../../../formats/json-lines.ts'
import { corrupt, invalidInput } from '../../../kernel/errors.ts'
import { EventLog, type FoundEvents } from '../../../messaging/events/events.ts'
import type { Durability } from '../../../tree/tree.ts'
import { completedPath, fieldGovernancePath, governancePath } from '../layout.ts'
import type { GovernanceEvent, SignificantEvent } from '../schema.ts'
import { isoOf } from '../times.ts'
import type { Dream } from './dream.ts'
import { Part, unlessCorrupt } from './parts.ts'

interface LogQuery {
  readonly type?: string
  readonly agent?: string
  readonly task?: string
  readonly since?: number
  readonly limit?: number
}

export class Logs extends Part {
  readonly governance: EventLog
  readonly #outcomes: EventLog

  constructor(dream: Dream) {
    super(dream)
    const { tree, places } = dream.parts
    this.governance = new EventLog(tree, governancePath(places), jsonLines)
    this.#outcomes = new EventLog(tree, completedPath(places), jsonLines)
    dream.journal.performs({
      log: ({ line }, isRepeat) => (isRepeat ? this.governance.appendOnce(line) : this.governance.append(line)),
      complete: async ({ line }, isRepeat) => {
        await this.expectLines()
        return isRepeat ? this.#outcomes.appendOnce(line) : this.#outcomes.append(line)
      },
    })
  }

  /** Logs an event of an operation; `schema.ts` lists these events and their details. */
  async tell(type: SignificantEvent, agent: string, details: Readonly<Record<string, unknown>>): Promise<void> {
    await this.governance.append(this.line(type, agent, details))
  }

  /** Logs a refusal, once in a process: an agent that asks again and again does not fill the log. */
  async tellDenied(what: string, agent: string, reason: string): Promise<void> {
    const key = JSON.stringify([what, agent, reason])
    if (this.#denied.has(key)) return
    this.#denied.add(key)
    await this.tell('POLICY_DENIED', agent, { what, agent, reason })
  }
  readonly #denied = new Set<string>()

  /** A line that is not written yet. */
  line(type: string, agent: string, details: Readonly<Record<string, unknown>>): GovernanceEvent {
    const now = this.parts.clock.now()
    return {
      event_id: eventId(now, crypto.randomUUID()),
      timestamp: isoOf(now),
      event_type: type,
      agent_source: agent,
      details,
    }
  }

  /** Appends a line that a killed process may have written already, with the same id but perhaps another time. */
  async appendOnce(line: GovernanceEvent): Promise<void> {
    const { matching } = await this.governance.find({ where: { event_id: line.event_id }, limit: 1 })
    if (matching === 0) await this.governance.append(line)
  }

  async add(
    type: string,
    agent: string,
    details: Readonly<Record<string, unknown>>,
  ): Promise<{ event: GovernanceEvent; durability: Durability }> {
    if (!/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/.test(type)) {
      throw invalidInput('INVALID_EVENT', `Not a type of event: ${JSON.stringify(type.slice(0, 80))}.`, {
        hint: 'Use a word such as DECISION_MADE.',
      })
    }
    const event = this.line(type, agent, details)
    return { event, durability: await this.governance.append(event) }
  }

  /** With `compat` also the events of the log that some programs keep in another place; those come first. */
  async events({ type, agent, since, limit }: LogQuery = {}): Promise<FoundEvents> {
    const query = { where: { event_type: type, agent_source: agent }, timeField: 'timestamp', since, limit }
    const { tree, places, compat } = this.parts
    const found = await this.governance.find(query)
    if (!compat) return found
    const other = await new EventLog(tree, fieldGovernancePath(places), jsonLines).find(query)
    const events = [...other.events, ...found.events]
    return {
      events: limit === undefined ? events : events.slice(-limit),
      matching: other.matching + found.matching,
      unreadable: other.unreadable + found.unreadable,
    }
  }

  /** Throws if outcomes cannot be appended. Called before anything else is changed. */
  async expectLines(): Promise<void> {
    const { tree, places } = this.parts
    const path = completedPath(places)
    const head = await tree.read(path, { atMost: 512 })
    if (!head || !holdsArray(head.bytes)) return
    throw corrupt('NOT_LINES', `${tree.place}/${path} holds a JSON list, and each line should be one outcome.`, {
      hint: 'Write each object of the list on a line of its own, or move the file away.',
      details: { path },
    })
  }

  completed({ agent, task, since, limit }: LogQuery = {}): Promise<FoundEvents> {
    return this.#outcomes.find({ where: { agent_id: agent, task_id: task }, timeField: 'timestamp', since, limit })
  }

  /** The recorded statuses of an agent's work on a message; several for a task that was tried again. */
  async outcomesOf(agent: string, message: string): Promise<string[]> {
    const { events } = await this.#outcomes.find({ where: { agent_id: agent, message_id: message } })
    return events.map(({ status }) => String(status))
  }

  /** The failed messages, as `AGENT MESSAGE`. The last outcome of each counts. A log that cannot be read counts as empty. */
  async failed(): Promise<ReadonlySet<string>> {
    const failed = new Set<string>()
    await unlessCorrupt(async () => {
      for (const { agent_id, message_id, status } of (await this.completed()).events) {
        const about = `${String(agent_id)} ${String(message_id)}`
        if (status === 'FAILED') failed.add(about)
        else failed.delete(about)
      }
    })
    return failed
  }
}

/** `event-20260131-0a1b2c`. */
export const eventId = (at: number, hex: string): string =>
  `event-${isoOf(at).slice(0, 10).replaceAll('-', '')}-${hex.slice(0, 6)}`
