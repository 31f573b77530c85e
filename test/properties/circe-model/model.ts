/**
 * CIRCE as simply as it can be said: a few maps, and the README's table once more in other words. Shares no code with the
 * library, so that a mistake in one is not a mistake in both.
 */

export const agents = ['coordinator', 'engineer', 'qa'] as const
export const tasks = ['T-1', 'T-2'] as const

export interface Sent {
  readonly file: string
  readonly from: string
  readonly to: string
  readonly intent: string
  readonly task: string
  readonly status: string
  /** Which one it is, in the order of time. */
  readonly nth: number
}

interface Message extends Sent {
  /** `gone`: nowhere but in the log. */
  place: 'new' | 'inbox' | 'workspace' | 'gone'
  agent: string | undefined
  isLogged: boolean
  mark: 'claimed' | 'acknowledged' | undefined
  answer: string | undefined
}

interface Task {
  status: string
  owner: string | undefined
  /** `.owner` only says who had it before it was opened again. */
  isRecord: boolean
  tests: boolean
  request: Sent | undefined
}

const isWork = (intent: string) => intent === 'implement_feature'
const isRequest = (intent: string) => isWork(intent) || intent === 'test'

export class Model {
  readonly messages = new Map<string, Message>()
  readonly tasks = new Map<string, Task>()

  task(id: string): Task {
    const found = this.tasks.get(id) ?? {
      status: 'new',
      owner: undefined,
      isRecord: false,
      tests: false,
      request: undefined,
    }
    this.tasks.set(id, found)
    return found
  }
  #closed = ({ status }: Task) => status === 'completed' || status === 'failed'
  holder = (task: Task) => (task.isRecord ? undefined : task.owner)
  files = (id: string) => [...this.messages.values()].filter(({ task, place }) => task === id && place !== 'gone')

  /** Whether `send` refuses it, by its exit status: before anything is written. */
  foresee({ from, intent, task: id, status }: Sent): number {
    const task = this.task(id)
    if (this.#closed(task)) return 0
    if (intent === 'release_task') return this.holder(task) === from ? 0 : 6
    if (intent !== 'status_update' || status !== 'completed') return 0
    if (this.holder(task) !== from && task.request?.from !== from) return 6
    return this.#isReady(task) ? 0 : 4
  }
  #isReady = ({ tests, request }: Task) => tests || (request !== undefined && !isWork(request.intent))

  arrive(sent: Sent): void {
    this.messages.set(sent.file, {
      ...sent,
      place: 'new',
      agent: undefined,
      isLogged: false,
      mark: undefined,
      answer: undefined,
    })
    this.#count(sent)
    this.settle()
  }

  #count(sent: Sent): void {
    const { from, to, intent, status, task: id } = sent
    const task = this.task(id)
    if (this.#closed(task)) {
      if (isWork(intent)) this.#open(task, sent)
      return
    }
    // Work before all else; of other requests, what comes while somebody owns the task is not what it began with.
    if (isWork(intent) && !(task.request && isWork(task.request.intent))) task.request = sent
    if (isRequest(intent) && this.holder(task) === undefined) task.request ??= sent
    const isOwner = this.holder(task) === from
    if (intent === 'release_task') {
      if (isOwner) this.#release(id, from)
    } else if (status === 'blocked' && isOwner) task.status = 'blocked'
    else if (intent === 'claim_task') {
      if (this.holder(task) === undefined) this.#own(task, from)
    } else if (intent === 'answer') {
      if (task.owner === to && task.status === 'blocked') task.status = 'in_progress'
    } else if (intent === 'test_results') {
      if (!isOwner && ['completed', 'failed', 'blocked'].includes(status)) task.tests = status === 'completed'
    } else if (intent === 'status_update') {
      const mayComplete = isOwner || task.request?.from === from
      if (status === 'completed' && mayComplete && this.#isReady(task)) this.#complete(id)
      else if ((status === 'in_progress' || status === 'failed') && isOwner) task.status = status
    }
  }

  #open(task: Task, sent: Sent): void {
    Object.assign(task, { status: 'new', tests: false, request: sent, isRecord: task.owner !== undefined })
  }
  #own(task: Task, owner: string): void {
    Object.assign(task, { status: 'claimed', owner, tests: false, isRecord: false })
  }
  #complete(id: string): void {
    this.task(id).status = 'completed'
    for (const message of this.files(id))
      Object.assign(message, { place: 'gone', isLogged: true, mark: undefined, agent: undefined })
  }
  #release(id: string, owner: string): void {
    Object.assign(this.task(id), { status: 'new', owner: undefined, isRecord: false })
    const work = this.files(id).filter(({ intent }) => isWork(intent))
    for (const message of work)
      if (message.agent === owner) Object.assign(message, { place: 'new', agent: undefined, mark: undefined })
    if (work.length > 0) return
    const logged = [...this.messages.values()].filter(({ task, intent }) => task === id && isWork(intent))
    const last = logged.sort((a, b) => b.nth - a.nth)[0]
    if (last) Object.assign(last, { place: 'new', agent: undefined, mark: undefined })
  }

  /** Work that lies with an agent, in a task that nobody owns, was claimed by whoever moved it. */
  settle(): void {
    for (const message of this.messages.values()) {
      if (!isWork(message.intent) || message.agent === undefined) continue
      const task = this.task(message.task)
      if (this.#closed(task) || this.holder(task) !== undefined) continue
      if (task.isRecord && message.nth < task.request!.nth) continue
      this.#own(task, message.agent)
    }
  }

  isFor = ({ to, intent }: Sent, agent: string) =>
    to === agent || (to === 'all' && (isWork(intent) || intent === 'test'))

  /** `nothing`, or the file. */
  claim(agent: string): string {
    const theirs = [...this.messages.values()].filter(
      (one) =>
        (one.place === 'new' && this.isFor(one, agent) && !(one.to === 'all' && one.from === agent)) ||
        (one.place === 'inbox' && one.agent === agent && !one.mark),
    )
    for (const one of theirs.sort((a, b) => a.nth - b.nth)) {
      if (this.#take(one, agent) !== 0) continue
      this.settle()
      return one.file
    }
    return 'nothing'
  }

  #take(message: Message, agent: string): number {
    const task = this.task(message.task)
    const holder = this.#closed(task) ? undefined : this.holder(task)
    if (isWork(message.intent) && holder !== undefined && holder !== agent) return 6
    if (isWork(message.intent) && holder === undefined) {
      if (this.#closed(task)) this.#open(task, message)
      this.#own(task, agent)
    }
    Object.assign(message, { place: 'inbox', agent, mark: 'claimed' })
    return 0
  }

  /** What the agent would see: an outcome, or an exit status. */
  handle(verb: 'start' | 'ack' | 'done', agent: string, file: string): string | number {
    const message = this.messages.get(file)!
    if (message.place === 'new' && this.isFor(message, agent)) {
      if (this.#take(message, agent) !== 0) return 6
    }
    if (message.place === 'gone') return 'unchanged'
    if (message.agent !== agent) return 4
    const task = this.task(message.task)
    const isAcked = message.mark === 'acknowledged' || (message.to !== 'all' && message.isLogged)
    if (verb === 'done') {
      Object.assign(message, { place: 'gone', agent: undefined, mark: undefined, isLogged: true })
      return 'handled'
    }
    if (verb === 'ack') {
      if (isAcked) return 'unchanged'
      Object.assign(message, { mark: 'acknowledged', isLogged: true })
      return 'acknowledged'
    }
    if (message.place === 'workspace') return 'unchanged'
    if (isWork(message.intent) && task.owner !== undefined && task.owner !== agent) return 6
    Object.assign(message, { place: 'workspace', mark: 'acknowledged', isLogged: true })
    if (this.holder(task) === agent && !this.#closed(task)) task.status = 'in_progress'
    return 'started'
  }

  isKnown = (id: string) =>
    this.tasks.get(id)?.owner !== undefined || [...this.messages.values()].some(({ task }) => task === id)

  /** Of a closed task `.owner` still says who had it, and that one may set its checks. */
  #entitled = (task: Task) => (this.#closed(task) ? task.owner : this.holder(task))

  release(agent: string, id: string): string | number {
    if (!this.isKnown(id)) return 3
    const task = this.task(id)
    if (this.#entitled(task) === undefined && task.status === 'new') return 'unchanged'
    if (this.#entitled(task) !== agent) return 6
    if (this.#closed(task)) return 4
    this.#release(id, agent)
    this.settle()
    return 'changed'
  }

  check(agent: string, id: string, value: boolean): string | number {
    if (!this.isKnown(id)) return 3
    const task = this.task(id)
    if (this.#entitled(task) !== agent) return 6
    if (task.tests === value) return 'unchanged'
    task.tests = value
    return 'changed'
  }

  status(agent: string, id: string, status: string): string | number {
    if (!this.isKnown(id)) return 3
    const task = this.task(id)
    if (status === 'completed') {
      if (task.status === 'completed') return 'unchanged'
      if (this.#entitled(task) !== agent && task.request?.from !== agent) return 6
      if (!this.#isReady(task)) return 4
      this.#complete(id)
      return 'changed'
    }
    if (this.#entitled(task) !== agent) return 6
    if (this.#closed(task)) return 4
    if (task.status === status) return 'unchanged'
    task.status = status
    return 'changed'
  }

  /** Moved by hand into an inbox. */
  moved(file: string, agent: string): void {
    Object.assign(this.messages.get(file)!, { place: 'inbox', agent })
    this.settle()
  }

  /** `.owner` made by hand. */
  ownedByHand(id: string, agent: string): void {
    this.#own(this.task(id), agent)
  }

  /** Questions to a person that nobody has answered. */
  open = () =>
    [...this.messages.values()]
      .filter(
        ({ intent, answer, task }) =>
          intent === 'escalate' && answer === undefined && this.task(task).status !== 'completed',
      )
      .map(({ file }) => file)
      .sort()

  seen = (id: string) => {
    const task = this.task(id)
    const owner = this.#closed(task) ? task.owner : this.holder(task)
    return { status: task.status, owner, tests: task.tests, hasOwnerFile: task.owner !== undefined }
  }
}
