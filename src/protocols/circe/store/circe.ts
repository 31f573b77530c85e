/** CIRCE in one workspace: what `openWorkspace(…).circe` offers. */
import { treePath } from '../../../kernel/tree-path.ts'
import { waitFor } from '../../../messaging/waiting/wait.ts'
import type { Finding } from '../../../tree/tree.ts'
import type { InspectionOptions, Surroundings } from '../../contract.ts'
import { takesTask } from '../intents.ts'
import { inboxPath, newPath } from '../layout.ts'
import { agentId, fileName, type TaskId, taskId } from '../names.ts'
import type { CirceSettings } from '../settings.ts'
import { folderOf, initAgent, noticeAbout, noticesAboutReader } from './agents.ts'
import { Applying } from './applying.ts'
import { readLedger } from './book.ts'
import { CatchingUp } from './catching-up.ts'
import { Claiming, offeredFirst } from './claiming.ts'
import { FanOut } from './fan-out.ts'
import { handedOf, handedOut, takeBack } from './handed.ts'
import { Handling } from './handling.ts'
import { Journal } from './journal.ts'
import type { CirceNeutral } from './neutral.ts'
import type {
  CirceAnswer,
  CirceAnswered,
  CirceClaimed,
  CirceClaimOptions,
  CirceInitialised,
  CirceSendInput,
  CirceSent,
  CirceSettled,
  Inbox,
  Story,
  TaskChanged,
  TaskList,
  TaskView,
} from './outcomes.ts'
import { inboxOf, taskView, taskViews } from './overview.ts'
import { ownerOf } from './ownership.ts'
import type { CirceParts } from './parts.ts'
import { type OpenQuestion, People } from './people.ts'
import type { Listed } from './places.ts'
import { Sending } from './sending.ts'
import { Shelf } from './shelf.ts'
import { sourcesFor } from './sources.ts'
import { noTask, Tasks } from './tasks.ts'

export class Circe {
  readonly #parts: CirceParts
  readonly #journal: Journal
  readonly #catchingUp: CatchingUp
  readonly #sending: Sending
  readonly #claiming: Claiming
  readonly #handling: Handling
  readonly #tasks: Tasks
  readonly #people: People

  constructor({ tree, clock, settings }: Surroundings<CirceSettings>) {
    const parts: CirceParts = { tree, clock, settings, root: treePath(settings.root), shelf: new Shelf() }
    this.#parts = parts
    this.#journal = new Journal(parts)
    const fanOut = new FanOut(parts, this.#journal)
    const applying = new Applying(parts, this.#journal)
    this.#catchingUp = new CatchingUp(parts, this.#journal, fanOut, applying)
    this.#sending = new Sending(parts, this.#journal, applying, fanOut)
    this.#claiming = new Claiming(parts, this.#journal, applying, this.#catchingUp)
    this.#handling = new Handling(parts, this.#journal, this.#claiming, this.#catchingUp)
    this.#tasks = new Tasks(parts, this.#journal, this.#catchingUp)
    this.#people = new People(parts, this.#journal, this.#catchingUp, this.#sending)
  }

  async neutral(): Promise<CirceNeutral> {
    return new (await import('./neutral.ts')).CirceNeutral(this, this.#parts)
  }

  /** Throws for the first name that no agent can have, before anything is made. */
  checkedAgents(names: readonly string[]): readonly string[] {
    return names.map(agentId)
  }

  /** Makes the folders of an agent. Twice is fine. */
  init(agent: string): Promise<CirceInitialised> {
    return initAgent(this.#parts, agent)
  }

  /** Puts a message into `NEW_MESSAGES/`, and lets it count for its task. */
  send(input: CirceSendInput): Promise<CirceSent> {
    return this.#sending.send(input)
  }

  /** A whole message, as it is, byte for byte. */
  sendWhole(text: string): Promise<CirceSent> {
    return this.#sending.sendWhole(text)
  }

  /** Whom a whole message is for. Throws what sending it would. */
  recipientIn(text: string): string {
    return this.#sending.read(text).to
  }

  /** What a sender should know about a recipient that nobody has seen. `elsewhere`: who is known in other protocols. */
  noticeAbout(to: string, elsewhere: AsyncIterable<string>): Promise<string | undefined> {
    return noticeAbout(this.#parts, to, elsewhere)
  }

  /** A sentence for whoever looks into an inbox that is not there; none when it is. */
  async noticesAboutReader(agent: string): Promise<readonly string[]> {
    return noticesAboutReader(this.#parts, agentId(agent))
  }

  /** What there is for an agent, the oldest first; with `waitMs` once there is something. Nothing is taken. */
  async inbox(
    name: string,
    { waitMs = 0, signal }: { readonly waitMs?: number; readonly signal?: AbortSignal } = {},
  ): Promise<Inbox> {
    const agent = agentId(name)
    const look = async () => inboxOf(this.#parts, agent, await this.#catchingUp.catchUp())
    if (waitMs <= 0) return look()
    const { tree, root } = this.#parts
    const folders = [newPath(root), inboxPath(root, await folderOf(this.#parts, agent))]
    const attempt = async () => {
      const inbox = await look()
      return inbox.outcome === 'listed' ? inbox : undefined
    }
    return (await waitFor(tree, folders, attempt, { waitMs, ...(signal ? { signal } : {}) })) ?? look()
  }

  /** What an agent has not been handed yet. */
  async waitingFor(name: string): Promise<readonly Listed[]> {
    const agent = agentId(name)
    const waiting: Listed[] = []
    const offered = [...offeredFirst(await this.#catchingUp.catchUp(), agent, this.#parts.settings)]
    const sources = await sourcesFor(this.#parts, offered)
    for (const one of offered) {
      if (one.place === 'inbox' && (await handedOf(this.#parts, agent, one.name))) continue
      const { intent, task } = one.message
      const owner = takesTask(intent) ? await ownerOf(sources, task as TaskId) : undefined
      if (owner === undefined || owner === agent) waiting.push(one)
    }
    return waiting
  }

  /** Takes the oldest message that is for the agent, or the one that is named. Of all who try, one gets it. */
  claim(agent: string, options?: CirceClaimOptions): Promise<CirceClaimed> {
    return this.#claiming.claim(agent, options)
  }

  /** Lets the agent claim it again, because the answer did not reach it. */
  async takeBack(agent: string, file: string): Promise<void> {
    await takeBack(this.#parts, agentId(agent), fileName(file))
  }

  /** What `claim` gave with `untilHandedOut` was printed. */
  async handedOut(agent: string, file: string): Promise<void> {
    await handedOut(this.#parts, agentId(agent), fileName(file))
  }

  start(agent: string, file: string): Promise<CirceSettled<'started'>> {
    return this.#handling.start(agent, file)
  }

  ack(agent: string, file: string): Promise<CirceSettled<'acknowledged'>> {
    return this.#handling.ack(agent, file)
  }

  done(agent: string, file: string): Promise<CirceSettled<'handled'>> {
    return this.#handling.done(agent, file)
  }

  release(agent: string, task: string): Promise<TaskChanged> {
    return this.#tasks.release(agent, task)
  }

  status(task: string, status: string, agent: string): Promise<TaskChanged> {
    return this.#tasks.status(task, status, agent)
  }

  check(task: string, agent: string, set: Readonly<Record<string, boolean>> = {}): Promise<TaskChanged> {
    return this.#tasks.check(task, agent, set)
  }

  /** How all tasks stand, or the first so many of them by name. */
  async taskList({ limit = Number.POSITIVE_INFINITY }: { readonly limit?: number } = {}): Promise<TaskList> {
    return taskViews(this.#parts, await this.#catchingUp.catchUp({ logs: true }), limit)
  }

  /** How tasks stand: all of them, or one. */
  async tasks(id?: string): Promise<readonly TaskView[]> {
    if (id === undefined) return (await this.taskList()).tasks
    const task = taskId(id)
    const caughtUp = await this.#catchingUp.catchUp({ logs: true })
    await this.#catchingUp.finish(caughtUp, task)
    const view = await taskView(this.#parts, task, caughtUp.found)
    const hasFiles = view.updatedAt !== undefined || view.notices.length > 0 || view.owner !== undefined
    const isKnown = hasFiles || view.messages.length > 0 || (await readLedger(this.#parts, task)).applied.size > 0
    if (!isKnown) throw noTask(task)
    return [view]
  }

  /** What happened, in order. */
  async log({ task, limit }: { readonly task?: string; readonly limit?: number } = {}): Promise<Story> {
    await this.#catchingUp.catchUp({ logs: true })
    const { tellStory } = await import('./story.ts')
    return tellStory(this.#parts, {
      ...(task === undefined ? {} : { task: taskId(task) }),
      ...(limit === undefined ? {} : { limit }),
    })
  }

  /** What waits for a person. */
  openQuestions(): AsyncGenerator<OpenQuestion> {
    return this.#people.open()
  }

  /** Answers a question: once. The same words again change nothing. */
  answer(file: string, answer: CirceAnswer & { readonly person?: string }): Promise<CirceAnswered> {
    return this.#people.answer(file, answer)
  }

  /** What `doctor` should know; with `repair`, what can be put right is. */
  async inspect(options: Partial<InspectionOptions> = {}): Promise<readonly Finding[]> {
    const { Inspection } = await import('./inspect.ts')
    return new Inspection(this.#parts, this.#journal, this.#catchingUp).inspect({ repair: false, ...options })
  }
}
