/**
 * What has to be told of a step: lines for the governance log, news for the supervisor's state, messages for agents. It is noted
 * before the step is made, in the turn in which it is made, and told after it. Whoever has the next turn, or `route`, tells
 * what a killed process did not, once. See docs/decisions/0039-told-once.md.
 */
import { SignalboxError } from '../../../kernel/errors.ts'
import { childOf, isSegment, type TreePath } from '../../../kernel/tree-path.ts'
import type { Tree } from '../../../tree/tree.ts'
import { isMessageName, tellingPath } from '../layout.ts'
import { isAgentId } from '../names.ts'
import { type GovernanceEvent, isObject } from '../schema.ts'
import type { Deliveries, Outgoing } from './deliveries.ts'
import type { Logs } from './governance.ts'
import { type Note, noteNames, readNote, writeNote } from './notes.ts'
import { wrongWith } from './parts.ts'
import type { News, Supervisor } from './supervisor.ts'

export interface Tale {
  readonly lines: readonly GovernanceEvent[]
  readonly news?: News
  readonly messages?: readonly Outgoing[]
  /** What is there when the step was made, for whoever has to find out. Without it the note is the step. */
  readonly when?: Note
}

/** What a step is about; there is one at a time of each, since each has its turn. */
export type Subject = string

export class Tellings {
  readonly #tree: Tree
  readonly #logs: Logs
  readonly #supervisor: Supervisor
  readonly #deliveries: Deliveries

  constructor(tree: Tree, logs: Logs, supervisor: Supervisor, deliveries: Deliveries) {
    this.#tree = tree
    this.#logs = logs
    this.#supervisor = supervisor
    this.#deliveries = deliveries
  }

  /** Makes a step and tells of it. Only in the turn of the subject. */
  async around<T>(subject: Subject, tale: Tale, step: () => Promise<T>): Promise<T> {
    await this.begin(subject, tale)
    const made = await step()
    await this.end(subject, tale)
    return made
  }

  /** Before the step; again, if it has to be tried again. */
  async begin(subject: Subject, tale: Tale): Promise<void> {
    await writeNote(this.#tree, pathOf(subject), { ...tale })
  }

  /** After the step. */
  async end(subject: Subject, tale: Tale): Promise<void> {
    await this.#tell(subject, tale, { isRepeat: false })
  }

  /** The step was not made. */
  async drop(subject: Subject): Promise<void> {
    await this.#tree.remove(pathOf(subject))
  }

  /** First in every turn of the subject: tells what somebody was killed over, if that step was made. */
  async recover(subject: Subject, isMade: (when: Note) => Promise<boolean>): Promise<void> {
    const path = pathOf(subject)
    if (!(await this.#tree.look(path))) return
    const tale = taleIn(await readNote(this.#tree, path))
    try {
      if (tale && (tale.when === undefined || (await isMade(tale.when))))
        await this.#tell(subject, tale, { isRepeat: true })
      else await this.drop(subject)
    } catch (error) {
      // A log that cannot be written, or a list that cannot be read, stops nobody else's work: the note waits.
      if (!(error instanceof SignalboxError) || error.kind === 'Unavailable') throw error
    }
  }

  /** What somebody was killed over, or is just doing. */
  async subjects(): Promise<Subject[]> {
    return (await noteNames(this.#tree, tellingPath)).map((name) => name.slice(0, -'.json'.length))
  }

  async #tell(subject: Subject, tale: Tale, { isRepeat }: { readonly isRepeat: boolean }): Promise<void> {
    const { lines, news, messages = [] } = tale
    await this.#deliveries.sendAll(pathOf(subject), { ...tale }, messages)
    for (const line of lines) await (isRepeat ? this.#logs.appendOnce(line) : this.#logs.append(line))
    // A state that cannot be read is an error for whoever made the step, and stops nobody else: the log has it all.
    const broken = news && (await errorOf(() => this.#supervisor.tell(news)))
    await this.drop(subject)
    if (broken && !isRepeat) throw doneAllTheSame(broken)
  }
}

async function errorOf(work: () => Promise<void>): Promise<SignalboxError | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    if (error instanceof SignalboxError && error.kind === 'Corrupt') return error
    throw error
  }
}

/** The state could not be read, but what it would have told of has happened. */
function doneAllTheSame(error: SignalboxError): SignalboxError {
  const { kind, code, hint, details } = error
  const message = `${wrongWith(error)} What was asked for is done all the same; only this file was not changed.`
  return new SignalboxError(kind, code, message, { hint, details })
}

const pathOf = (subject: Subject): TreePath => childOf(tellingPath, `${subject}.json`)

/** A note that anybody may have written; what is not ours in it is left out. */
function taleIn(note: Note | undefined): Tale | undefined {
  if (!note || !Array.isArray(note.lines)) return undefined
  const messages = Array.isArray(note.messages) ? note.messages.filter(isOutgoing) : []
  return {
    lines: note.lines.filter(isLine),
    messages,
    ...(note.staged === true ? { staged: true } : {}),
    ...(isNews(note.news) ? { news: note.news } : {}),
    ...(isObject(note.when) ? { when: note.when } : {}),
  }
}

const isLine = (value: unknown): value is GovernanceEvent =>
  isObject(value) &&
  [value.event_id, value.timestamp, value.event_type, value.agent_source].every((one) => typeof one === 'string') &&
  isObject(value.details)

const isOutgoing = (value: unknown): value is Outgoing =>
  isObject(value) &&
  typeof value.to === 'string' &&
  isAgentId(value.to) &&
  typeof value.name === 'string' &&
  isSegment(value.name) &&
  isMessageName(value.name) &&
  typeof value.text === 'string'

const isNews = (value: unknown): value is News => {
  if (!isObject(value) || typeof value.at !== 'string') return false
  const { note, goal, agents, assignments } = value
  const isText = (one: unknown) => one === undefined || typeof one === 'string'
  const isMap = (one: unknown) => one === undefined || isObject(one)
  return isText(note) && isText(goal) && isMap(agents) && isMap(assignments)
}
