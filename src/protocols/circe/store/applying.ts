/**
 * Keeps tasks in step with messages, whoever wrote them and however they came: each message about a task counts once, in the
 * order of time. The table is in `effects.ts`.
 */
import { type Committed, isBusy } from '../../../messaging/journal/journal.ts'
import type { Asked, Step } from '../deed.ts'
import { claimed, type Effect, effectOf, isRecord, opened } from '../effects.ts'
import { type CirceEvent, eventsIn, isCount } from '../events.ts'
import type { Head } from '../head.ts'
import { takesTask } from '../intents.ts'
import { ledgersPath } from '../layout.ts'
import { type AgentId, type FileName, isFileName, type TaskId } from '../names.ts'
import { emptyBook, ownerDetail } from '../replay.ts'
import type { CirceMessage } from '../schema.ts'
import { isClosed, newTask } from '../task.ts'
import { allAsked, forgetLedger, type Ledger, readAsked, readHeardTask, readLedger } from './book.ts'
import type { Journal, Patience } from './journal.ts'
import { appendEvent, eventsOf, logBytes } from './log.ts'
import { type CirceParts, type Subject, subjectOf, unlessOdd } from './parts.ts'
import { type Found, findMessage, isFound, type Listed, lookAround, oldestFirst, readAt, readWhole } from './places.ts'
import { askedBy, isAnswerTo, mayAnswer, wordsOf } from './questions.ts'
import { readTaskFiles, type TaskOnTree, tasksOnTree } from './task-files.ts'

/** What became of a message. */
export interface Applied {
  readonly told: string
  readonly refused?: string
}

/** The messages that have not counted yet, because there were too many at once. By task; the next command goes on. */
export type Left = ReadonlyMap<TaskId, readonly Listed[]>

/** So long a command works off what others wrote, before it does what it was asked for. In milliseconds. */
const longestWork = 1000
/** As many messages of one task as one change takes into account. */
const mostAtOnce = 100
/** For more tasks than this the log is taken apart once, and not searched for each. */
const few = 16

export class Applying {
  readonly #parts: CirceParts
  readonly #journal: Journal

  constructor(parts: CirceParts, journal: Journal) {
    this.#parts = parts
    this.#journal = journal
  }

  /** All that has not counted yet, task by task. `did` when anything did. Not inside a turn. */
  async applyAll(found: readonly Listed[]): Promise<{ readonly did: boolean; readonly left: Left }> {
    const byTask = new Map<TaskId, Listed[]>()
    const settled: Listed[] = []
    let did = false
    for (const one of found) {
      const task = one.message.task as TaskId | undefined
      if (task !== undefined) {
        const known = byTask.get(task)
        if (known) known.push(one)
        else byTask.set(task, [one])
        continue
      }
      const error = await this.#journal.apart(async () => {
        did = (await this.#applyAlone(one)) || did
      })
      if (!error) settled.push(one)
    }
    await this.#journal.apart(async () => {
      for (const [task, messages] of await this.#countPlain(byTask)) {
        did = true
        settled.push(...messages)
        byTask.delete(task)
      }
    })
    const left = new Map<TaskId, readonly Listed[]>()
    const until = performance.now() + longestWork
    for (const [task, messages] of byTask) {
      if (performance.now() > until) {
        left.set(task, messages)
        continue
      }
      const error = await this.#journal.apart(async () => {
        did = (await this.applyTask(task, messages, { isPatient: false })) || did
      })
      if (!error) settled.push(...messages)
      else if (isBusy(error)) left.set(task, messages)
    }
    await this.#parts.shelf.settle(this.#parts, settled)
    return { did, left }
  }

  /** True when anything counted. Not inside a turn. */
  async applyTask(task: TaskId, messages: readonly Listed[], patience?: Patience): Promise<boolean> {
    if (!(await this.#isDue(task, messages))) return false
    return this.#journal.turn(`task.${task}`, () => this.#applyTask(task, messages), patience)
  }

  /** Whoever has moved the work of a task by hand has claimed it before anybody who says so only now. In its turn. */
  async takeUp(task: TaskId): Promise<void> {
    const { found } = await lookAround(this.#parts)
    await this.#applyTask(
      task,
      found.filter(({ message }) => message.task === task),
    )
  }

  /**
   * The messages of tasks that nobody has heard of or owned, and that change nothing but what is known of the task: that they
   * were sent is told in the log, from which everything else follows, and no file is written. Answers which they were.
   */
  async #countPlain(byTask: ReadonlyMap<TaskId, readonly Listed[]>): Promise<ReadonlyMap<TaskId, readonly Listed[]>> {
    const { tree, root, clock } = this.#parts
    if (byTask.size <= few) return new Map()
    const withFiles = new Set<string>(await tasksOnTree(this.#parts))
    const heardOf = new Set(((await unlessOdd(() => tree.list(ledgersPath))) ?? []).map(({ name }) => name))
    // Others would be judged again by every command: a ledger is worth its file.
    const isLookedAtOnce = (one: Listed) => one.place === 'logged' || this.#parts.shelf.remembers(one)
    const isPlain = ([task, messages]: readonly [TaskId, readonly Listed[]]) =>
      !withFiles.has(task) && !heardOf.has(task) && messages.every(isLookedAtOnce) && this.#arePlain(task, messages)
    const plain = new Map([...byTask].filter(isPlain))
    if (plain.size <= few) return new Map()
    // One process at a time. Another that claims such a task meanwhile may tell of its message too; the first line counts.
    return this.#journal.alone(`circe ${root} count`, async () => {
      for (const { task } of eventsIn(await logBytes(this.#parts))) if (task !== undefined) plain.delete(task as TaskId)
      for (const messages of plain.values()) {
        const once = new Map([...messages].sort(oldestFirst).map(({ name, message }) => [name, message]))
        for (const [file, message] of once)
          await appendEvent(this.#parts, { ...countOf(message, undefined), at: clock.now(), file })
      }
      return plain
    })
  }

  #arePlain(task: TaskId, messages: readonly Listed[]): boolean {
    let [before, book] = [newTask(task), emptyBook]
    for (const one of [...messages].sort(oldestFirst)) {
      const { message } = one
      const effect = effectOf(before, book, message, this.#newsAt(message.time), this.#parts.settings)
      const isChanged = effect.task.status !== before.status || effect.task.checks !== before.checks
      if (isChanged || effect.next || effect.refused !== undefined || message.asks || isTaken(one)) return false
      if (message.intent === 'answer') return false
      book = effect.book
      before = newTask(task)
    }
    return true
  }

  /** Looks without a turn, so that a command which finds everything in step waits for nobody. */
  async #isDue(task: TaskId, messages: readonly Listed[]): Promise<boolean> {
    const ledger = await readLedger(this.#parts, task, { isKept: true })
    if (messages.some(({ name }) => !ledger.applied.has(name))) return true
    const read = await readTaskFiles(this.#parts, task)
    if (read.isClaimedByHand && read.problems.length === 0) return true
    return messages.some((one) => isTaken(one) && this.#isClaim(one, read, ledger))
  }

  /** Whoever made `.owner` by hand owns the task like anybody else: the other two files and the log say so too. */
  async #ownByHand(id: TaskId): Promise<boolean> {
    const { task, isClaimedByHand } = await readTaskFiles(this.#parts, id)
    if (!isClaimedByHand || task.owner === undefined) return false
    const { book } = await readLedger(this.#parts, id)
    const at = this.#parts.clock.now()
    const own = claimed(task, book, task.owner, at)
    const claimedAt = task.claimedAt ?? at
    const event: CirceEvent = { at, event: 'claimed', agent: task.owner, task: id, detail: ownerDetail(task.owner) }
    await this.#journal.commit(`task.${id}`, {
      steps: [
        { do: 'write', task: { ...own.task, claimedAt } },
        { do: 'book', task: id, book: own.book, applied: [] },
      ],
      events: [event],
    })
    return true
  }

  async #applyTask(task: TaskId, messages: readonly Listed[]): Promise<boolean> {
    // The files of this task cannot be believed: it waits, the others go on, and `doctor` tells.
    if ((await readTaskFiles(this.#parts, task)).problems.length > 0) return false
    await this.#forgetOldLedger(task, messages)
    let did = await this.#ownByHand(task)
    const counted = new Set((await readLedger(this.#parts, task)).applied)
    let batch: Found[] = []
    const flush = async () => {
      did = (await this.#applyBatch(task, batch)) || did
      batch = []
    }
    for (const one of [...messages].sort(oldestFirst)) {
      // Of a message to all every agent has a copy.
      if (!counted.has(one.name)) {
        counted.add(one.name)
        const whole = await readWhole(this.#parts, one)
        if (whole?.message.task === task) batch.push(whole)
      }
      if (batch.length >= mostAtOnce || isTaken(one)) await flush()
      // At once: whoever moved it away may have written about it since, as its owner.
      did = (isTaken(one) && (await this.#ownTaken(task, one))) || did
    }
    await flush()
    return did
  }

  /** Makes messages count in their order: as many as possible by one change. In the turn of their task. */
  async #applyBatch(id: TaskId, messages: readonly Found[]): Promise<boolean> {
    for (let from = 0; from < messages.length; ) {
      const count = await this.#applySimple(id, messages.slice(from))
      from += count
      if (count > 0) continue
      await this.applyInTurn(messages[from]!)
      from++
    }
    return messages.length > 0
  }

  /** How many of the first messages neither take, give back nor complete the task, and answer nothing: those count now. */
  async #applySimple(id: TaskId, messages: readonly Found[]): Promise<number> {
    const { task: read, texts } = await readHeardTask(this.#parts, id)
    let { book } = await readLedger(this.#parts, id)
    let task = read
    let isWritten = texts.status !== undefined
    let isChanged = false
    const at = this.#parts.clock.now()
    const asks: Step[] = []
    const events: CirceEvent[] = []
    const applied: FileName[] = []
    for (const { message, name } of messages) {
      const effect = effectOf(task, book, message, this.#newsAt(message.time), this.#parts.settings)
      if (effect.next || message.intent === 'answer') break
      isWritten ||= effect.task.status !== task.status || effect.task.checks !== task.checks
      if (isWritten) [task, isChanged] = [effect.task, true]
      book = effect.book
      const asked = askedBy(message)
      if (asked) asks.push({ do: 'ask', file: name, asked })
      events.push({ ...countOf(message, effect), at, file: name })
      applied.push(name)
    }
    if (applied.length === 0) return 0
    await this.#journal.commit(`task.${id}`, {
      steps: [...(isChanged ? [{ do: 'write', task } as const] : []), ...asks, { do: 'book', task: id, book, applied }],
      events,
    })
    return applied.length
  }

  async #ownTaken(task: TaskId, taken: Listed): Promise<boolean> {
    const read = await readTaskFiles(this.#parts, task)
    if (!isFound(await readAt(this.#parts, taken, taken.name))) return false
    if (!this.#isClaim(taken, read, await readLedger(this.#parts, task))) return false
    return (await this.own(taken, taken.agent!, read)).outcome === 'done'
  }

  /** A ledger that does not know what the log tells is an old copy that somebody put back. */
  async #forgetOldLedger(task: TaskId, messages: readonly Listed[]): Promise<void> {
    const { applied } = await readLedger(this.#parts, task)
    const unknown = new Set<string>(messages.flatMap(({ name }) => (applied.has(name) ? [] : [name])))
    if (unknown.size === 0) return
    const events = await eventsOf(this.#parts, task)
    if (events.some(({ event, file = '' }) => isCount(event) && unknown.has(file)))
      await forgetLedger(this.#parts, task)
  }

  /** Somebody moved the work to an agent, and nobody owns the task: the move was the claim. */
  #isClaim({ message }: Listed, { task, problems }: TaskOnTree, { book }: Ledger): boolean {
    if (problems.length > 0 || !takesTask(message.intent)) return false
    if (isClosed(task.status)) return false
    // What was somebody's before the task was opened again is no claim of the new work.
    if (isRecord(task, book)) return message.time >= (book.request?.time ?? 0)
    return task.owner === undefined
  }

  /** Makes an agent the owner of the task of some work. `steps` come between owning and telling. In the turn of the task. */
  async own(found: Listed, agent: AgentId, read: TaskOnTree, steps: readonly Step[] = []): Promise<Committed> {
    const id = found.message.task as TaskId
    const at = this.#parts.clock.now()
    const { book } = await readLedger(this.#parts, id)
    const before = isClosed(read.task.status) ? opened(read.task, book, found.message) : { task: read.task, book }
    const own = claimed(before.task, before.book, agent, at)
    const event: CirceEvent = { at, event: 'claimed', agent, task: id, file: found.name, detail: ownerDetail(agent) }
    const record = read.texts.owner
    return this.#journal.commit(`task.${id}`, {
      steps: [
        { do: 'own', task: id, owner: agent, at, ...(record === undefined ? {} : { before: record }) },
        ...steps,
        { do: 'write', task: own.task },
        { do: 'book', task: id, book: own.book, applied: [found.name] },
      ],
      events: [event],
    })
  }

  /** What a message would do, without doing it: so that a sender can be refused before anything is written. */
  async foresee(id: TaskId, message: CirceMessage): Promise<Effect> {
    const { task } = await readHeardTask(this.#parts, id)
    const { book } = await readLedger(this.#parts, id)
    return effectOf(task, book, message, this.#newsAt(message.time), this.#parts.settings)
  }

  #newsAt(time: number): number {
    return Math.min(time, this.#parts.clock.now())
  }

  /** Makes one message count. In the turn of its task. */
  async applyInTurn(found: Found): Promise<Applied> {
    const { message, name } = found
    const id = message.task as TaskId
    for (;;) {
      const { task, texts } = await readHeardTask(this.#parts, id)
      const { book } = await readLedger(this.#parts, id)
      const effect = effectOf(task, book, message, this.#newsAt(message.time), this.#parts.settings)
      const at = this.#parts.clock.now()
      const asked = askedBy(message)
      const answers = await this.#answersOf(found)
      const isWritten = texts.status !== undefined || effect.next !== undefined || effect.task.status !== task.status
      const isChecked = effect.task.checks !== task.checks
      const steps: Step[] = [
        ...ownSteps(effect, id, at, texts.owner),
        ...(isWritten || isChecked ? [{ do: 'write', task: writtenOf(effect, at) } as const] : []),
        ...(effect.next === 'release' && task.owner !== undefined
          ? ([
              { do: 'disown', task: id, owner: task.owner, at: task.claimedAt },
              { do: 'back', task: id, agent: task.owner },
            ] as const)
          : []),
        ...(asked ? [{ do: 'ask', file: name, asked } as const] : []),
        ...answers.map(({ file, question }) => ({ do: 'ask', file, asked: question }) as const),
        { do: 'book', task: id, book: effect.book, applied: [name] },
        ...(effect.next === 'complete' ? [{ do: 'archive', task: id } as const] : []),
      ]
      const said = { at, agent: message.from, task: id }
      const events: CirceEvent[] = [
        { ...countOf(message, effect), at, file: name },
        ...answers.map(
          ({ file, question }): CirceEvent => ({ ...said, event: 'answered', file, detail: answerDetail(question) }),
        ),
        ...(effect.next === 'own'
          ? [{ ...said, event: 'claimed', file: name, detail: ownerDetail(effect.task.owner!) } as const]
          : []),
        ...(effect.next === 'release' ? [{ ...said, event: 'released', file: name, detail: '' } as const] : []),
        ...(effect.next === 'complete' ? [{ ...said, event: 'completed', file: name, detail: '' } as const] : []),
      ]
      const committed = await this.#journal.commit(`task.${id}`, { steps, events })
      // Another program has made itself the owner in this instant: judged again, it is refused.
      if (committed.outcome === 'lost') continue
      return { told: effect.told, ...(effect.refused === undefined ? {} : { refused: effect.refused }) }
    }
  }

  /** Questions to people, and answers, that are about no task. */
  async #applyAlone(found: Listed): Promise<boolean> {
    const { message, name } = found
    const asked = askedBy(message)
    const isNew = asked !== undefined && (await readAsked(this.#parts, name)) === undefined
    if (!isNew && message.intent !== 'answer') return false
    const apply = async () => {
      const whole = await readWhole(this.#parts, found)
      return whole !== undefined && whole.message.task === undefined && this.applyAloneInTurn(whole)
    }
    return this.#journal.turn(subjectOf(name, undefined), apply, { isPatient: false })
  }

  async applyAloneInTurn(found: Found, subject: Subject = subjectOf(found.name, undefined)): Promise<boolean> {
    const { message, name } = found
    const at = this.#parts.clock.now()
    const said = { at, agent: message.from }
    const asked = (await readAsked(this.#parts, name)) ? undefined : askedBy(message)
    const answers = await this.#answersOf(found)
    if (!asked && answers.length === 0) return false
    const detail = `${message.intent} ${message.status} to ${message.to}`
    await this.#journal.commit(subject, {
      steps: [
        ...(asked ? [{ do: 'ask', file: name, asked } as const] : []),
        ...answers.map(({ file, question }) => ({ do: 'ask', file, asked: question }) as const),
      ],
      events: [
        ...(asked ? [{ ...said, event: 'asked', file: name, detail } as const] : []),
        ...answers.map(
          ({ file, question }): CirceEvent => ({ ...said, event: 'answered', file, detail: answerDetail(question) }),
        ),
      ],
    })
    return true
  }

  /** The open questions that a message answers, with the answer. */
  async #answersOf(found: Found): Promise<{ readonly file: FileName; readonly question: Asked }[]> {
    const { message, name } = found
    if (message.intent !== 'answer') return []
    const answer = { file: name as string, digest: wordsOf(message) }
    if (message.replyTo !== undefined) {
      const file = message.replyTo.endsWith('.md') ? message.replyTo : `${message.replyTo}.md`
      const question = isFileName(file) ? await readAsked(this.#parts, file) : undefined
      if (!question || question.answer) return []
      const asked = await findMessage(this.#parts, file as FileName)
      if (asked && !mayAnswer(message.from, asked.message)) return []
      return [{ file: file as FileName, question: { ...question, answer } }]
    }
    for (const [file, question] of [...(await allAsked(this.#parts))].sort(([, a], [, b]) => a.at - b.at)) {
      if (question.answer || question.task !== message.task) continue
      const to = (await findMessage(this.#parts, file))?.message.to
      if (isAnswerTo(message, file, question, to)) return [{ file, question: { ...question, answer } }]
    }
    return []
  }
}

/** The line that says that a message has counted, and what it did. */
const countOf = (message: Head, effect: Effect | undefined): Omit<CirceEvent, 'at' | 'file'> => {
  const { told = '', refused } = effect ?? {}
  return {
    event: refused !== undefined ? 'refused' : message.asks ? 'asked' : 'message',
    agent: message.from,
    task: message.task,
    detail: `${message.intent} ${message.status} to ${message.to}${told === '' ? '' : `: ${refused ?? told}`}`,
  }
}

const isTaken = ({ place, message }: Listed): boolean =>
  (place === 'inbox' || place === 'workspace') && takesTask(message.intent)

const answerDetail = ({ answer }: Asked): string => `${answer!.file} ${answer!.digest}`

/** The claim of a `claim_task` message counts from now, not from when the message was written. */
const ownSteps = ({ task, next }: Effect, id: TaskId, at: number, record: string | undefined): Step[] =>
  next === 'own'
    ? [{ do: 'own', task: id, owner: task.owner!, at, ...(record === undefined ? {} : { before: record }) }]
    : []

function writtenOf({ task, next }: Effect, at: number): Effect['task'] {
  if (next === 'own') return { ...task, claimedAt: at, startedAt: at, updatedAt: at }
  if (next === 'release') return { ...task, owner: undefined, claimedAt: undefined }
  return task
}
