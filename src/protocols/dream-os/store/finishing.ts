/**
 * Recording an outcome, so that a kill at any step loses none and writes none twice. A note of what is to be written comes
 * first; then the line in `completed_tasks.json`, then the message is put away or marked, then everybody who should know is
 * told, then the note goes. Whoever comes across a note does the rest. See docs/decisions/0036-an-outcome-is-recorded-once.md.
 */
import { conflict, SignalboxError } from '../../../kernel/errors.ts'
import { childOf, type TreePath } from '../../../kernel/tree-path.ts'
import type { Durability } from '../../../tree/tree.ts'
import { subjectOf } from '../event-format.ts'
import { finishingPath, stemOf } from '../layout.ts'
import { mailboxStatusAfter } from '../lifecycle.ts'
import { type AgentId, isAgentId } from '../names.ts'
import { type CompletedTask, eventTypes, isObject, type MailboxMessage, type PlannerEvent } from '../schema.ts'
import { isoOf } from '../times.ts'
import { type Deliveries, outgoingEvent } from './deliveries.ts'
import type { Logs } from './governance.ts'
import type { MailboxFiles } from './mailbox-files.ts'
import { noteNameOf, noteNames, readNote, writeNote } from './notes.ts'
import type { OutcomeInput, OutcomeRecorded } from './outcomes.ts'
import { badFile, bytesOf, type DreamParts, wrongWith } from './parts.ts'
import type { Planning } from './planning.ts'
import type { TaskLists } from './task-lists.ts'

/** What a note says. */
interface Outcome {
  readonly line: CompletedTask
  readonly agent: string
  /** Who asked for it, as far as that is known. */
  readonly initiator: string | undefined
  /** The plan that it answers. */
  readonly plan: string | undefined
  /** Which claim it is; 0 for a file that was never taken. */
  readonly attempt: number
  readonly mailbox?: number
  readonly message?: string
  readonly file?: string
}

/** `void`: it had an outcome already. `lost`: it was given to somebody again. */
interface SettledNote {
  readonly state: 'logged' | 'gone' | 'void' | 'lost'
  readonly durability?: Durability
}

export interface MailboxOutcome {
  readonly number: number
  readonly agent: string
  readonly message: MailboxMessage
  readonly outcome: OutcomeInput
  readonly attempt: number
}

export class Finishing {
  readonly #parts: DreamParts
  readonly #logs: Logs
  readonly #files: MailboxFiles
  readonly #deliveries: Deliveries
  readonly #lists: TaskLists
  readonly #planning: Planning

  constructor(
    parts: DreamParts,
    logs: Logs,
    files: MailboxFiles,
    deliveries: Deliveries,
    lists: TaskLists,
    planning: Planning,
  ) {
    this.#parts = parts
    this.#logs = logs
    this.#files = files
    this.#deliveries = deliveries
    this.#lists = lists
    this.#planning = planning
  }

  async finishMailbox({ number, agent, message, outcome, attempt }: MailboxOutcome): Promise<OutcomeRecorded> {
    const isPlan = message.command === eventTypes.plan
    const taskId =
      message.task_id ?? (isPlan && typeof message.params.task_id === 'string' ? message.params.task_id : undefined)
    const note: Outcome = {
      line: this.#line(message.message_id, taskId, agent, outcome),
      agent,
      initiator: message.sender_agent_id,
      plan: isPlan ? taskId : undefined,
      attempt,
      mailbox: number,
      message: message.message_id,
    }
    return this.#write(note, `mailbox ${number}`, message.message_id, String(attempt))
  }

  /** The outcome of a file of an inbox, which then lies in the archive. */
  async finishFile(
    {
      agent,
      file,
      message,
      outcome,
    }: { agent: AgentId; file: string; message: Readonly<Record<string, unknown>>; outcome: OutcomeInput },
    said: { id: string; taskId: string | undefined; from: string | undefined },
  ): Promise<OutcomeRecorded> {
    const isPlan = message.type === eventTypes.plan && isObject(message.data)
    const plan = isPlan ? subjectOf(message as PlannerEvent) : undefined
    const note: Outcome = {
      line: this.#line(said.id, plan ?? said.taskId, agent, outcome),
      agent,
      initiator: said.from,
      plan,
      attempt: outcome.attempt ?? (await this.#deliveries.attemptsOf(agent, file)),
      file,
    }
    return this.#write(note, `inbox ${agent}`, file, String(note.attempt))
  }

  /** What is answered to an outcome of something that has one already. Another outcome than the recorded one is a conflict. */
  async repeated(said: { agent: string; id: string; outcome: OutcomeInput }): Promise<OutcomeRecorded> {
    return this.#repeated(this.#line(said.id, undefined, said.agent, said.outcome))
  }

  /** `ifNone`: what is wrong where nothing is recorded after all. */
  async #repeated({ agent_id, message_id, status }: CompletedTask, ifNone?: SignalboxError): Promise<OutcomeRecorded> {
    const recorded = await this.#logs.outcomesOf(agent_id, message_id ?? '')
    if (recorded.length === 0 && ifNone) throw ifNone
    if (recorded.length === 0 || recorded.includes(status)) return unchanged
    throw conflict(
      'OUTCOME_RECORDED',
      `${message_id} is recorded as ${recorded.at(-1)}, not ${status}. Nothing was changed.`,
      {
        hint: `Look at what was recorded: signalbox dream completed --agent ${agent_id}`,
        details: { id: message_id, agent: agent_id, recorded: recorded.at(-1), given: status },
      },
    )
  }

  /** Throws if an outcome could not be written down. */
  expectWritable(): Promise<void> {
    return this.#logs.expectLines()
  }

  /** Does the rest of what somebody began on a mailbox. */
  async recoverMailbox(number: number): Promise<void> {
    await this.recover((note) => note.mailbox === number)
  }

  /**
   * Does the rest of every outcome that somebody has begun to record. Answers how many were left behind: a note that was
   * written just now is of somebody who is about to do the same.
   */
  async recover(isWanted: (note: Outcome) => boolean = () => true): Promise<number> {
    const { tree, settings } = this.#parts
    let count = 0
    for (const name of await noteNames(tree, finishingPath)) {
      const path = childOf(finishingPath, name)
      const note = outcomeIn(await readNote(tree, path))
      if (!note || !isWanted(note)) continue
      const isLeft = (await tree.now()) - ((await tree.look(path))?.changedAt ?? 0) >= settings.settleMs
      try {
        await this.#complete(path, note, true)
        if (isLeft) count++
      } catch (error) {
        // A log or mailbox that is broken stops nobody else's work; `inspect` tells of it, and the note waits.
        if (!(error instanceof SignalboxError) || error.kind === 'Unavailable') throw error
      }
    }
    return count
  }

  /** Notes that cannot be read. */
  async bad(): Promise<TreePath[]> {
    const bad: TreePath[] = []
    for (const name of await noteNames(this.#parts.tree, finishingPath)) {
      const path = childOf(finishingPath, name)
      if (!outcomeIn(await readNote(this.#parts.tree, path)) && (await this.#parts.tree.look(path))) bad.push(path)
    }
    return bad
  }

  #line(messageId: string, taskId: string | undefined, agent: string, { output, error }: OutcomeInput): CompletedTask {
    return {
      message_id: messageId,
      task_id: taskId ?? null,
      agent_id: agent,
      status: error === undefined ? 'COMPLETED' : 'FAILED',
      timestamp: isoOf(this.#parts.clock.now()),
      output: error === undefined ? (output ?? null) : null,
      error_details: error ?? null,
    }
  }

  async #write(note: Outcome, ...about: readonly string[]): Promise<OutcomeRecorded> {
    const path = childOf(finishingPath, noteNameOf(...about))
    const created = await this.#parts.tree.create(path, bytesOf(`${JSON.stringify(note)}\n`))
    if (created.outcome === 'created') return this.#complete(path, note, false)
    // Somebody has recorded an outcome of this very claim: theirs counts.
    const first = outcomeIn(await readNote(this.#parts.tree, path))
    if (!first && (await this.#parts.tree.look(path)))
      throw badFile(this.#parts, path, 'BAD_NOTE', [notOurs], 'Remove this file, and try again.')
    // Gone since: they have done all of it.
    if (first) await this.#complete(path, first, true)
    return this.#repeated(note.line, lost(note))
  }

  /** All of it can be repeated, and several may do it at once. */
  async #complete(path: TreePath, note: Outcome, isRecovery: boolean): Promise<OutcomeRecorded> {
    const { tree } = this.#parts
    const settled = await (note.mailbox === undefined
      ? this.#settleFile(path, note, isRecovery)
      : this.#settleMessage(path, note, isRecovery))
    // Somebody else took us for dead and has done everything.
    if (settled.state === 'gone') return { outcome: 'recorded', line: note.line, durability: 'process', notices: [] }
    if (settled.state === 'void' || settled.state === 'lost') {
      await tree.remove(path)
      if (isRecovery) return unchanged
      if (settled.state === 'void') return this.#repeated(note.line)
      throw lost(note)
    }
    if (note.file !== undefined && isAgentId(note.agent)) await this.#deliveries.putAway(note.agent, note.file)
    const notices = await this.#tell(note)
    await this.#sendEvents(path, note)
    await tree.remove(path)
    return { outcome: 'recorded', line: note.line, durability: settled.durability ?? 'process', notices }
  }

  /**
   * In the turn of the mailbox: judges whether the claim still stands, now that the note is won, writes the lines, marks the
   * message and ends its lease. A note that was held up until somebody else had recorded an outcome is void.
   */
  #settleMessage(path: TreePath, note: Outcome, isRecovery: boolean): Promise<SettledNote> {
    const { agent, mailbox: number = 0, message: id = '' } = note
    const { memory } = this.#files
    return this.#files.change<SettledNote>(number, { by: agent }, async ({ mailbox, now, processed }) => {
      const found = await readNote(this.#parts.tree, path)
      if (!found) return { answer: { state: 'gone' } }
      const given = await memory.given(number)
      const lease = given.get(id)
      if (found.logged !== true) {
        if (processed.has(id)) return { answer: { state: 'void' } }
        if (lease?.agent !== agent || lease.attempt !== note.attempt) return { answer: { state: 'lost' } }
      }
      given.delete(id)
      const hasWork = [...given.values()].some((one) => one.agent === agent && one.until > now)
      return {
        answer: { state: 'logged' },
        before: async () => {
          await this.#writeLines(path, note, isRecovery)
          if (!(await memory.processed(number)).has(id)) await memory.addProcessed(number, [id], now)
          await memory.writeGiven(number, given)
        },
        edit: (editor) => {
          editor.markProcessed(id)
          const status = hasWork ? mailboxStatusAfter.give : mailboxStatusAfter.rest
          if (mailbox.agent === agent) editor.setLife({ status, seenAt: now })
        },
      }
    })
  }

  /** The same for a file of an inbox, in the turn of the note: the file must still be there, and not have been taken again. */
  #settleFile(path: TreePath, note: Outcome, isRecovery: boolean): Promise<SettledNote> {
    const { tree } = this.#parts
    const { agent, file = '' } = note
    return tree.exclusively(`dream ${path}`, async (): Promise<SettledNote> => {
      const found = await readNote(tree, path)
      if (!found) return { state: 'gone' }
      if (found.logged !== true) {
        if (!isAgentId(agent) || !(await this.#deliveries.isOpen(agent, file))) return { state: 'void' }
        if ((await this.#deliveries.attemptsOf(agent, file)) !== note.attempt) return { state: 'lost' }
      }
      return { state: 'logged', durability: await this.#writeLines(path, note, isRecovery) }
    })
  }

  /**
   * The lines in the logs, which must not come twice. Whoever takes another for dead says so in the note first, and then looks
   * whether the line is there: that costs reading the log, and only they need to.
   */
  async #writeLines(path: TreePath, note: Outcome, isRecovery: boolean): Promise<Durability> {
    const { tree } = this.#parts
    const found = await readNote(tree, path)
    if (!found || found.logged === true) return 'process'
    const isSure = !isRecovery && found.recovering !== true
    if (!isSure && found.recovering !== true) await writeNote(tree, path, { ...found, recovering: true })
    const durability = await this.#logs.complete(note.line, { unlessThere: !isSure })
    const { status, task_id, message_id, error_details } = note.line
    const details = { task_id, message_id, error_details, outcome: noteKey(path) }
    const isTold = status !== 'FAILED' || (!isSure && (await this.#logs.hasOutcome(noteKey(path))))
    if (!isTold) await this.#logs.tell('TASK_FAILED', note.agent, details)
    await writeNote(tree, path, { ...found, logged: true })
    return durability
  }

  /** The list of tasks, or the plan. */
  async #tell({ line, agent, plan }: Outcome): Promise<string[]> {
    const notices: string[] = []
    if (plan !== undefined && line.status !== 'FAILED') {
      const answered = await this.#planning.answer({ plan, planner: agent, results: resultsIn(line) })
      if (answered.outcome === 'refused') notices.push(`The plan was refused: ${answered.reasons.join(' ')}`)
      if (answered.outcome === 'late') notices.push('Another answer to this plan came first; this one does not count.')
    } else if (line.task_id !== null) {
      try {
        await this.#lists.settle(line.task_id, line)
      } catch (error) {
        // The outcome is recorded; a list that is broken is somebody else's to put right.
        if (!(error instanceof SignalboxError) || error.kind !== 'Corrupt') throw error
        notices.push(`The list of tasks was not changed: ${wrongWith(error)}`)
      }
    }
    return notices
  }

  /** The executor and whoever asked get an event, once, in the turn of the note. */
  async #sendEvents(path: TreePath, note: Outcome): Promise<void> {
    const { tree } = this.#parts
    if (note.line.task_id === null) return
    await tree.exclusively(`dream ${path}`, async () => {
      const found = await readNote(tree, path)
      if (!found) return
      const known = Array.isArray(found.targets) ? found.targets.map(String) : undefined
      const targets = (known ?? (await this.#targetsOf(note))).filter(isAgentId)
      const event = eventOf(note)
      const messages = targets.map((to) => outgoingEvent(to, note.agent, event, noteKey(path)))
      await this.#deliveries.sendAll(path, { ...found, targets }, messages)
    })
  }

  async #targetsOf({ line, agent, initiator }: Outcome): Promise<string[]> {
    const { executor } = this.#parts.settings
    const targets: string[] = []
    for (const target of new Set([executor, ...(initiator === undefined ? [] : [initiator])])) {
      // A failure must reach somebody, also where the executor was never seen: then it waits for a person.
      const isTold =
        (line.status === 'FAILED' && target === executor) || (await this.#deliveries.agents.isKnown(target))
      if (isTold && target !== agent) targets.push(target)
    }
    return targets
  }
}

const resultsIn = ({ output }: CompletedTask): unknown => (isObject(output) ? output.results : output)

function eventOf({ line, agent, plan }: Outcome): PlannerEvent {
  const isFailed = line.status === 'FAILED'
  const results = plan === undefined ? line.output : resultsIn(line)
  return {
    type: isFailed ? eventTypes.failed : eventTypes.completed,
    source_id: agent,
    target_id: '',
    data: {
      correlation_id: line.task_id,
      task_id: line.task_id,
      ...(isFailed ? { error_details: line.error_details } : { results }),
      timestamp: line.timestamp,
    },
  }
}

const unchanged: OutcomeRecorded = { outcome: 'unchanged', durability: 'process', notices: [] }

const lost = ({ agent, message, file }: Outcome) =>
  conflict(
    'LEASE_LOST',
    `${agent} does not have ${message ?? file} in hand: it was given again. Nothing was recorded.`,
    {
      hint: 'Take it again, if it is still to be done.',
      details: { agent, id: message ?? file },
    },
  )

const notOurs = { code: 'BAD_NOTE', field: '', message: 'It is no note of an outcome.' }

const noteKey = (path: TreePath): string => stemOf(path.slice(path.lastIndexOf('/') + 1))

/** A note that anybody may have written, or `undefined` for what is none. */
function outcomeIn(note: Readonly<Record<string, unknown>> | undefined): Outcome | undefined {
  if (!note || !isObject(note.line) || typeof note.agent !== 'string') return undefined
  const { status, agent_id, timestamp, message_id, task_id } = note.line
  const isLine =
    (status === 'COMPLETED' || status === 'FAILED') && typeof agent_id === 'string' && typeof timestamp === 'string'
  const isId = (value: unknown) => value === null || typeof value === 'string'
  if (!isLine || !isId(message_id) || !isId(task_id)) return undefined
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined)
  const mailbox =
    typeof note.mailbox === 'number' && note.mailbox >= 1 && Number.isInteger(note.mailbox) ? note.mailbox : undefined
  const [message, file] = [text(note.message), text(note.file)]
  return {
    line: note.line as CompletedTask,
    agent: note.agent,
    initiator: text(note.initiator),
    plan: text(note.plan),
    attempt: typeof note.attempt === 'number' ? note.attempt : 0,
    ...(mailbox === undefined || mailbox > 999 ? {} : { mailbox }),
    ...(message === undefined ? {} : { message }),
    ...(file === undefined ? {} : { file }),
  }
}
