/** Dream.OS in one workspace: what `openWorkspace(…).dream` offers, part by part. */
import { AgentDirectory } from '../../../messaging/agents/directory.ts'
import type { Finding } from '../../../tree/tree.ts'
import type { InspectionOptions, Surroundings } from '../../contract.ts'
import { parseMessage } from '../format.ts'
import * as given from '../given.ts'
import type { DreamPorts } from '../ports.ts'
import type { DreamSettings } from '../settings.ts'
import { Agents } from './agents.ts'
import { Claiming } from './claiming.ts'
import { Documents } from './documents.ts'
import { Escalations } from './escalations.ts'
import { Logs } from './governance.ts'
import { Inboxes } from './inboxes.ts'
import { DreamJournal } from './journal.ts'
import { MailboxFiles } from './mailbox-files.ts'
import { MailboxMessages } from './mailbox-messages.ts'
import { Mailboxes } from './mailboxes.ts'
import type { DreamParts } from './parts.ts'
import { Planning } from './planning.ts'
import { Prompts } from './prompts.ts'
import { Recovery } from './recovery.ts'
import { Router } from './router.ts'
import { Sending } from './sending.ts'
import { Settling } from './settling.ts'
import { Supervisor } from './supervisor.ts'
import { Tasks } from './task-list.ts'

export interface Opening extends Surroundings<DreamSettings>, Partial<DreamPorts> {
  /** Read the known deviations of other programs. */
  readonly compat?: boolean
}

/** Each part is given all of it, and uses the others once all are there. */
export class Dream {
  readonly parts: DreamParts
  readonly journal: DreamJournal
  readonly recovery: Recovery
  /** The governance log and the outcomes of tasks. */
  readonly logs: Logs
  readonly agents: Agents
  readonly supervisor: Supervisor
  // Inboxes and outboxes.
  readonly inboxes: Inboxes
  readonly sending: Sending
  readonly claiming: Claiming
  readonly settling: Settling
  readonly router: Router
  // Shared mailboxes.
  readonly files: MailboxFiles
  readonly mailboxes: Mailboxes
  readonly messages: MailboxMessages
  // Plans, tasks, and people who are asked.
  readonly tasks: Tasks
  readonly planning: Planning
  readonly escalations: Escalations
  // The bridge to a model, and documents.
  readonly prompts: Prompts
  readonly documents: Documents
  /** Reads what was typed: JSON and times. */
  readonly given: typeof given = given
  readonly #opening: Opening
  #lenient: Dream | undefined

  constructor(opening: Opening) {
    this.#opening = opening
    const { tree, clock, settings, compat = false, ...ports } = opening
    this.parts = { tree, clock, settings, places: settings.places, directory: new AgentDirectory(tree), compat, ports }
    this.journal = new DreamJournal(this.parts)
    this.recovery = new Recovery(this)
    this.logs = new Logs(this)
    this.agents = new Agents(this)
    this.supervisor = new Supervisor(this)
    this.inboxes = new Inboxes(this)
    this.sending = new Sending(this)
    this.claiming = new Claiming(this)
    this.settling = new Settling(this)
    this.router = new Router(this)
    this.files = new MailboxFiles(this)
    this.mailboxes = new Mailboxes(this)
    this.messages = new MailboxMessages(this)
    this.tasks = new Tasks(this)
    this.planning = new Planning(this)
    this.escalations = new Escalations(this)
    this.prompts = new Prompts(this)
    this.documents = new Documents(this)
  }

  async neutral() {
    return (await import('./neutral.ts')).dreamNeutral(this)
  }

  /** The same, but known deviations of other programs are read. */
  reading({ compat }: { readonly compat: boolean }): Dream {
    if (!compat || this.#opening.compat) return this
    this.#lenient ??= new Dream({ ...this.#opening, compat: true })
    return this.#lenient
  }

  /** What `doctor` should know; with `repair`, what can be put right is. */
  async inspect({ repair = false, isSeen }: Partial<InspectionOptions> = {}): Promise<readonly Finding[]> {
    const { Inspection } = await import('./inspect.ts')
    return new Inspection(this).inspect({ repair, ...(isSeen ? { isSeen } : {}) })
  }

  /** What was typed, or written into a file, as an object. */
  parse(bytes: Uint8Array) {
    return parseMessage(bytes, { compat: this.parts.compat, most: this.parts.settings.largest })
  }

  /** Looks once more whether what was sent to mailboxes is there. */
  async close(): Promise<void> {
    await this.#lenient?.close()
    await this.messages.verifyOwn()
  }
}
