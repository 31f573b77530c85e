/** Dream.OS in one workspace: what `openWorkspace(…).dream` offers. */
import type { FoundEvents } from '../../../messaging/events/event-log.ts'
import type { Durability, Finding, Lease } from '../../../tree/tree.ts'
import type { Answer, Answered, InspectionOptions, Question, Surroundings } from '../../contract.ts'
import { type PlainMessage, parseMessage } from '../format.ts'
import * as given from '../given.ts'
import type { DreamPorts } from '../ports.ts'
import type { GovernanceEvent, SupervisorState } from '../schema.ts'
import type { DreamSettings } from '../settings.ts'
import { Agents, type Recipient } from './agents.ts'
import { Deliveries } from './deliveries.ts'
import { type Documented, Documents, type ReportOptions } from './documents.ts'
import { Escalations } from './escalations.ts'
import { Finishing } from './finishing.ts'
import { type LogQuery, Logs } from './governance.ts'
import { Inboxes, type TakeTaskOptions } from './inboxes.ts'
import { MailboxFiles } from './mailbox-files.ts'
import { MailboxMessages, type NextOptions } from './mailbox-messages.ts'
import { Mailboxes } from './mailboxes.ts'
import type { DreamNeutral } from './neutral.ts'
import type {
  Dispatched,
  DreamView,
  Fetched,
  InboxListed,
  MailboxChanged,
  MailboxClaimed,
  MailboxesMade,
  MailboxGiven,
  MailboxLine,
  MailboxSendInput,
  MailboxSent,
  OutcomeInput,
  OutcomeRecorded,
  PlanAnswered,
  PlanSent,
  Routed,
  Staged,
  TaskSent,
  TasksListed,
  TaskTaken,
} from './outcomes.ts'
import { mailboxLines } from './overview.ts'
import type { DreamParts } from './parts.ts'
import { type Answer as PlanAnswer, type PlanInput, Planning } from './planning.ts'
import { type AskOptions, type FetchOptions, Prompts, type Vars } from './prompts.ts'
import { Router, type RouterParts } from './router.ts'
import { Supervisor } from './supervisor.ts'
import { TaskLists } from './task-lists.ts'
import { Tellings } from './tellings.ts'

export interface Opening extends Surroundings<DreamSettings>, Partial<DreamPorts> {
  /** Read the known deviations of other programs. */
  readonly compat?: boolean
}

export class Dream {
  readonly #opening: Opening
  readonly #all: RouterParts
  readonly #logs: Logs
  readonly #documents: Documents
  readonly #escalations: Escalations
  readonly #router: Router
  #lenient: Dream | undefined

  constructor(opening: Opening) {
    this.#opening = opening
    const { tree, clock, settings, compat = false, ...ports } = opening
    const parts: DreamParts = { tree, clock, settings, places: settings.places, compat, ports }
    const logs = new Logs(parts)
    const agents = new Agents(parts)
    const deliveries = new Deliveries(parts, agents)
    const supervisor = new Supervisor(parts)
    const tellings = new Tellings(tree, logs, supervisor, deliveries)
    const files = new MailboxFiles(parts, logs, tellings)
    const lists = new TaskLists(parts, logs, deliveries, tellings)
    const planning = new Planning(parts, logs, deliveries, lists, tellings)
    const finishing = new Finishing(parts, logs, files, deliveries, lists, planning)
    const inboxes = new Inboxes(parts, deliveries, finishing)
    const mailboxes = new Mailboxes(parts, files, logs, agents)
    const messages = new MailboxMessages(parts, files, logs, agents, finishing)
    const prompts = new Prompts(parts, deliveries)
    this.#logs = logs
    this.#documents = new Documents(parts, agents)
    const escalations = new Escalations(parts, deliveries, inboxes, logs, lists)
    this.#escalations = escalations
    this.#all = {
      parts,
      deliveries,
      inboxes,
      finishing,
      files,
      mailboxes,
      messages,
      planning,
      lists,
      prompts,
      supervisor,
      tellings,
      escalations,
    }
    this.#router = new Router(this.#all)
  }

  async neutral(): Promise<DreamNeutral> {
    return new (await import('./neutral.ts')).DreamNeutral(this, this.#all)
  }

  /** The same, but known deviations of other programs are read. */
  reading({ compat }: { readonly compat: boolean }): Dream {
    if (!compat || this.#opening.compat) return this
    this.#lenient ??= new Dream({ ...this.#opening, compat: true })
    return this.#lenient
  }

  // Shared mailboxes.

  /** Makes mailboxes 1 to `count`. */
  initMailboxes(count: number): Promise<MailboxesMade> {
    return this.#all.mailboxes.init(count)
  }
  claimMailbox(agent: string): Promise<MailboxClaimed> {
    return this.#all.mailboxes.claim(agent)
  }
  heartbeat(mailbox: number, agent: string): Promise<MailboxChanged<'refreshed'>> {
    return this.#all.mailboxes.heartbeat(mailbox, agent)
  }
  releaseMailbox(mailbox: number, agent: string): Promise<MailboxChanged<'released' | 'unchanged'>> {
    return this.#all.mailboxes.release(mailbox, agent)
  }
  mailboxes(): Promise<MailboxLine[]> {
    return mailboxLines(this.#all.parts, this.#all.files, { odd: true })
  }
  sendToMailbox(input: MailboxSendInput): Promise<MailboxSent> {
    return this.#all.messages.send(input)
  }
  /** The next message of the agent's mailbox, as a lease with an attempt number. */
  nextMessage(mailbox: number, agent: string, options?: NextOptions): Promise<MailboxGiven> {
    return this.#all.messages.next(mailbox, agent, options)
  }
  async doneMessage(mailbox: number, agent: string, id: string, outcome?: OutcomeInput): Promise<OutcomeRecorded> {
    const compat = await this.#all.messages.wasReadLeniently(mailbox, id)
    return this.reading({ compat }).#all.messages.done(mailbox, agent, id, outcome)
  }
  compactMailbox(mailbox: number, by: string): Promise<MailboxChanged<'packed' | 'unchanged'>> {
    return this.#all.messages.compact(mailbox, by)
  }

  // Inboxes and outboxes.

  sendTask(to: string, message: PlainMessage, options?: { readonly from?: string }): Promise<TaskSent> {
    return this.#all.inboxes.send(to, message, options)
  }
  inbox(agent: string): Promise<InboxListed> {
    return this.#all.inboxes.list(agent)
  }
  takeTask(agent: string, options?: TakeTaskOptions): Promise<TaskTaken> {
    return this.#all.inboxes.take(agent, options)
  }
  renewTask(agent: string, file: string, attempt?: number): Promise<Lease> {
    return this.#all.inboxes.renew(agent, file, attempt)
  }
  doneTask(agent: string, file: string, outcome?: OutcomeInput): Promise<OutcomeRecorded & { readonly file: string }> {
    return this.#all.inboxes.done(agent, file, outcome)
  }
  findFile(agent: string, file: string): Promise<DreamView> {
    return this.#all.inboxes.find(agent, file)
  }
  /** One pass of the supervisor. */
  route(by: string, options?: { readonly recipient?: Recipient }): Promise<Routed> {
    return this.#router.route(by, options)
  }
  /** Who has a folder here. */
  agents(): Promise<readonly string[]> {
    return this.#all.deliveries.agents.known()
  }
  /** A sentence about a recipient whom nobody has ever seen; none where somebody has. */
  noticesAbout(agent: string, elsewhere?: AsyncIterable<string>): Promise<string[]> {
    return this.#all.deliveries.agents.noticesAbout(agent, elsewhere)
  }

  // Planning.

  plan(input: PlanInput): Promise<PlanSent> {
    return this.#all.planning.plan(input)
  }
  /** An answer to a plan that came by some way of its own. */
  answerPlan(answer: PlanAnswer): Promise<PlanAnswered> {
    return this.#all.planning.answer(answer)
  }
  tasks(options?: { readonly runnable?: boolean }): Promise<TasksListed> {
    return this.#all.lists.list(options)
  }
  dispatch(by: string, options?: { readonly recipient?: Recipient }): Promise<Dispatched> {
    return this.#all.lists.dispatch(by, options)
  }

  // The bridge to a model.

  render(template: string, vars: Vars): Promise<string> {
    return this.#all.prompts.render(template, vars)
  }
  stage(template: string, vars: Vars, options?: { readonly by?: string }): Promise<Staged> {
    return this.#all.prompts.stage(template, vars, options)
  }
  fetch(options?: FetchOptions): Promise<Fetched> {
    return this.#all.prompts.fetch(options)
  }
  /** A response that was fetched `untilHandedOut` was written out: nobody gets it again. */
  handedOut(path: string): Promise<void> {
    return this.#all.prompts.handedOut(path)
  }
  ask(template: string, vars: Vars, options: AskOptions): Promise<Fetched & { readonly prompt: string }> {
    return this.#all.prompts.ask(template, vars, options)
  }

  // Logs, documents and state.

  completed(query?: LogQuery): Promise<FoundEvents> {
    return this.#logs.completed(query)
  }
  addEvent(
    type: string,
    agent: string,
    details: Readonly<Record<string, unknown>>,
  ): Promise<{ event: GovernanceEvent; durability: Durability }> {
    return this.#logs.add(type, agent, details)
  }
  events(query?: LogQuery): Promise<FoundEvents> {
    return this.#logs.events(query)
  }
  reflect(agent: string, body: string): Promise<Documented<'written'>> {
    return this.#documents.reflect(agent, body)
  }
  report(name: string, body: string, options?: ReportOptions): Promise<Documented> {
    return this.#documents.report(name, body, options)
  }
  state(name: string, agent?: string) {
    return this.#documents.state(name, agent)
  }
  setState(name: string, set: Readonly<Record<string, unknown>>, agent?: string): Promise<Documented> {
    return this.#documents.setState(name, set, agent)
  }
  supervisor(): Promise<SupervisorState | undefined> {
    return this.#all.supervisor.show()
  }

  // For everybody.

  questions(): AsyncIterable<Question> {
    return this.#escalations.questions()
  }
  answerQuestion(question: Pick<Question, 'id'>, answer: Answer): Promise<Answered> {
    return this.#escalations.answer(question, answer)
  }
  /** What `doctor` should know; with `repair`, what can be put right is. */
  async inspect({ repair = false, isSeen }: Partial<InspectionOptions> = {}): Promise<readonly Finding[]> {
    const { Inspection } = await import('./inspect.ts')
    return new Inspection({ ...this.#all, router: this.#router }).inspect({ repair, ...(isSeen ? { isSeen } : {}) })
  }
  /** Reads what somebody typed: JSON and times. */
  readonly given: typeof given = given

  /** What somebody typed or wrote into a file, as an object. */
  parse(bytes: Uint8Array) {
    return parseMessage(bytes, { compat: this.#all.parts.compat, most: this.#all.parts.settings.largest })
  }

  /** Looks once more whether what was sent to mailboxes is there. */
  async close(): Promise<void> {
    await this.#lenient?.close()
    await this.#all.messages.verifyOwn()
  }
}
