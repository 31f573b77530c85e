/**
 * AC-MQ as its specification and the decisions about it say, in the simplest way that could be right: one map, no
 * files, nothing remembered that could be stale. It shares no code with the library. Each method does what one command
 * must do and answers what the library must answer: an outcome, or the code of an error.
 */
export const agents = ['ada', 'bob', 'cy'] as const
export const queues = ['pending', 'processing', 'completed', 'failed'] as const
export type Queue = (typeof queues)[number]

export interface Draft {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly priority: number
  /** When it was sent, in milliseconds. */
  readonly time: number
  readonly timeoutSeconds: number
  readonly dependencies: readonly string[]
  readonly summary: string
  readonly body: string
}

export interface Message extends Draft {
  /** Whom it was sent to, also after somebody took it who was meant among `all`. */
  readonly sentTo: string
  readonly queue: Queue | 'archived'
  readonly status: string
  readonly attempt: number
  /** Of a claim: the last sign of life. */
  readonly since: number
  /** Texts that were added to the body: each once, in this order. */
  readonly added: readonly string[]
  /** Who signed the last failure report. */
  readonly failedBy?: string
}

/** A file in a queue that is no message. */
export interface Junk {
  readonly queue: Queue
  readonly since: number
}

/** `unsure`: both answers are right, because what it depends on became ambiguous only after it was done. */
type Verdict = 'free' | 'held' | 'unsure'

const quarantineAfter = 5_000
const investigationTimeout = 3_600

export class Model {
  now: number
  readonly messages = new Map<string, Message>()
  readonly paths = new Set<string>()
  readonly junk = new Map<string, Junk>()

  constructor(now: number) {
    this.now = now
  }

  copy(): Model {
    const copy = new Model(this.now)
    for (const [id, message] of this.messages) copy.messages.set(id, message)
    for (const path of this.paths) copy.paths.add(path)
    for (const [name, junk] of this.junk) copy.junk.set(name, junk)
    return copy
  }

  in(queue: Message['queue']): Message[] {
    return [...this.messages.values()].filter((message) => message.queue === queue)
  }

  send(draft: Draft): string {
    const before = this.messages.get(draft.id)
    if (before) return isSameContent(before, draft) ? 'unchanged' : 'DUPLICATE_ID'
    if (this.#wouldWaitForItself(draft)) return 'DEPENDENCY_CYCLE'
    this.add(draft)
    return 'sent'
  }

  add(draft: Draft): void {
    const { to: sentTo } = draft
    const fresh = { sentTo, queue: 'pending', status: 'pending', attempt: 1, since: this.now, added: [] } as const
    this.messages.set(draft.id, { ...draft, ...fresh })
  }

  /** What this agent may be given, best first: priority, then time, then id. */
  claimable(agent: string): Message[] {
    return this.#for(agent)
      .filter((message) => this.verdict(message) !== 'held')
      .sort((a, b) => a.priority - b.priority || a.time - b.time || (a.id < b.id ? -1 : 1))
  }

  /** What waits for this agent and certainly cannot be claimed. */
  held(agent: string): Message[] {
    return this.#for(agent).filter((message) => this.verdict(message) === 'held')
  }

  take(id: string, agent: string): void {
    this.#change(id, { queue: 'processing', status: 'processing', to: agent, since: this.now })
  }

  claimById(id: string, agent: string): string {
    const message = this.messages.get(id)
    if (!message) return 'NO_SUCH_MESSAGE'
    if (message.queue === 'processing') return message.to === agent ? 'claimed' : 'NOT_YOUR_MESSAGE'
    if (message.queue !== 'pending') return 'WRONG_STATE'
    if (message.to !== agent && message.to !== 'all') return 'NOT_YOUR_MESSAGE'
    if (this.verdict(message) === 'held') return this.#nothing()
    this.take(id, agent)
    return 'claimed'
  }

  /** Files that nobody is writing any more go out of the way before anyone is told that nothing is there. */
  claimNothing(): void {
    this.#nothing()
  }

  renew(id: string, agent: string, attempt: number | undefined): string {
    const refusal = this.#refusal(id, agent, attempt)
    if (refusal !== undefined) return refusal
    this.#change(id, { since: this.now })
    return 'renewed'
  }

  complete(id: string, agent: string, attempt: number | undefined, result: string | undefined): string {
    return this.#settle(id, agent, attempt, { queue: 'completed', add: result })
  }

  fail(id: string, agent: string, attempt: number | undefined, reason: string): string {
    return this.#settle(id, agent, attempt, { queue: 'failed', add: reason, failedBy: agent })
  }

  retry(id: string): string {
    const message = this.messages.get(id)
    if (!message) return 'NO_SUCH_MESSAGE'
    if (message.queue === 'pending') return 'unchanged'
    if (message.queue !== 'failed') return 'WRONG_STATE'
    // What was for all is for all again.
    const { sentTo: to, attempt } = message
    this.#change(id, { queue: 'pending', status: 'pending', to, attempt: attempt + 1 })
    return 'retried'
  }

  stalled(): Message[] {
    return this.in('processing').filter(({ since, timeoutSeconds }) => this.now - since > timeoutSeconds * 1000)
  }

  /** Reconciles, then fails what ran out of time and asks its sender about it. */
  supervise(by: string): string {
    this.reconcile()
    const stalled = this.stalled()
    for (const message of stalled) {
      const question = this.questionAbout(message, by)
      if (question && !this.messages.has(question.id)) this.add(question)
      const added = [...message.added, `Stalled: ${message.to} did not finish`]
      this.#change(message.id, { queue: 'failed', status: 'failed', failedBy: by, added })
    }
    return stalled.length > 0 ? 'swept' : 'nothing'
  }

  /** One for each message and attempt, to whoever sent it; none about a question. */
  questionAbout({ id, attempt, from, since, timeoutSeconds }: Message, by: string): Draft | undefined {
    if (id.startsWith('investigate-')) return undefined
    const time = Math.floor((since + timeoutSeconds * 1000) / 1000) * 1000
    const rest = { priority: 1, timeoutSeconds: investigationTimeout, dependencies: [], summary: '', body: id }
    return { id: `investigate-${id}-${attempt}`, from: by, to: from, time, ...rest }
  }

  /** Folder and status agree afterwards: what was finished is moved on, everything else gets the status of its folder. */
  reconcile(): void {
    for (const message of [...this.messages.values()]) {
      const { id, queue, status } = message
      if (queue === 'archived' || status === queue) continue
      if (queue === 'processing' && (status === 'completed' || status === 'failed')) this.#change(id, { queue: status })
      else this.#change(id, { status: queue, since: this.now })
    }
    this.#setAside(queues)
  }

  archive(): number {
    const done = this.in('completed')
    for (const { id } of done) this.#change(id, { queue: 'archived' })
    return done.length
  }

  /** A program that is not ours moved or edited the file. */
  byHand(id: string, changes: { readonly queue?: Queue; readonly status?: string }): void {
    this.#change(id, { ...changes, since: this.now })
  }

  verdict(message: Message): Verdict {
    const verdicts = message.dependencies.map((text) => this.#verdictOn(text))
    if (verdicts.includes('held')) return 'held'
    return verdicts.includes('unsure') ? 'unsure' : 'free'
  }

  #verdictOn(text: string): Verdict {
    const [, prefix = '', name = ''] = /^(msg:|path:|)(.*)$/.exec(text)!
    const exists = this.paths.has(name.replace(/^\.\//, ''))
    if (prefix === 'path:') return exists ? 'free' : 'held'
    const meant = this.#meant(name, [...this.messages.values()])
    if (meant.length === 0) return prefix === '' && exists ? 'free' : 'held'
    const done = meant.filter(({ queue }) => queue === 'completed' || queue === 'archived')
    if (meant.length > 1) return done.length > 0 ? 'unsure' : 'held'
    return done.length === 1 ? 'free' : 'held'
  }

  /** A whole id means one message; the first eight characters or more mean all that begin with them. */
  #meant<T extends { readonly id: string }>(name: string, among: readonly T[]): T[] {
    const whole = among.filter(({ id }) => id === name)
    return whole.length > 0 || name.length < 8 ? whole : among.filter(({ id }) => id.startsWith(name))
  }

  #wouldWaitForItself(draft: Draft): boolean {
    const waiting: Draft[] = [draft, ...this.in('pending')]
    const reached = new Set<Draft>()
    const toVisit = [draft]
    for (let at = toVisit.pop(); at; at = toVisit.pop()) {
      for (const text of at.dependencies.filter((one) => !one.startsWith('path:'))) {
        for (const next of this.#meant(text.replace(/^msg:/, ''), waiting)) {
          if (next === draft) return true
          if (!reached.has(next)) toVisit.push(next)
          reached.add(next)
        }
      }
    }
    return false
  }

  #for(agent: string): Message[] {
    return this.in('pending').filter(({ to }) => to === agent || to === 'all')
  }

  #settle(
    id: string,
    agent: string,
    attempt: number | undefined,
    to: { readonly queue: 'completed' | 'failed'; readonly add: string | undefined; readonly failedBy?: string },
  ): string {
    const message = this.messages.get(id)
    const isMine = message?.to === agent && (attempt === undefined || attempt === message.attempt)
    // Repeating oneself is fine, and of two results the first stands. What somebody else ended is lost.
    const isByAnother = to.queue === 'failed' && (message?.failedBy ?? agent) !== agent
    if (isMine && message.queue === to.queue && !isByAnother) return 'unchanged'
    if (isMine && message.queue === 'archived' && to.queue === 'completed') return 'unchanged'
    const refusal = this.#refusal(id, agent, attempt)
    if (refusal !== undefined) return refusal
    const { queue, add, failedBy } = to
    const added = [...message!.added, ...(add === undefined ? [] : [add])]
    this.#change(id, { queue, status: queue, added, ...(failedBy === undefined ? {} : { failedBy }) })
    return queue
  }

  /** Why this agent cannot act on a claim; `undefined` when it holds it. */
  #refusal(id: string, agent: string, attempt: number | undefined): string | undefined {
    const message = this.messages.get(id)
    if (!message) return 'NO_SUCH_MESSAGE'
    const isFirst = attempt === undefined ? message.attempt === 1 : attempt === message.attempt
    if (message.queue === 'pending' && isFirst) return 'NOT_CLAIMED'
    if (message.queue !== 'processing') return 'LOST_CLAIM'
    if (message.to !== agent) return 'NOT_YOUR_MESSAGE'
    return attempt === undefined || attempt === message.attempt ? undefined : 'LOST_CLAIM'
  }

  #nothing(): 'nothing' {
    this.#setAside(['pending'])
    return 'nothing'
  }

  #setAside(from: readonly Queue[]): void {
    for (const [name, { queue, since }] of this.junk) {
      if (!from.includes(queue) || queue === 'failed' || this.now - since < quarantineAfter) continue
      this.junk.set(name, { queue: 'failed', since: this.now })
    }
  }

  #change(id: string, changes: Partial<Message>): void {
    this.messages.set(id, { ...this.messages.get(id)!, ...changes })
  }
}

const isSameContent = (before: Message, draft: Draft): boolean =>
  before.sentTo === draft.to &&
  (['from', 'priority', 'timeoutSeconds', 'summary', 'body'] as const).every((key) => before[key] === draft[key]) &&
  before.dependencies.join() === draft.dependencies.join()
