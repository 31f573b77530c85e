/** The messages of a mailbox: sent, given, done, packed, and sent again when another program has overwritten them. */
import { findInexact } from '../../../formats/json.ts'
import { printJsonLine, readJsonLines } from '../../../formats/json-lines.ts'
import { call } from '../../../kernel/call.ts'
import { invalidInput, notFound } from '../../../kernel/errors.ts'
import { expectHeld } from '../../../messaging/claims/claim.ts'
import { isUnread, readOrSayWhy } from '../../../messaging/leaves/readable.ts'
import { waitFor } from '../../../messaging/waiting/waiting.ts'
import type { Durability } from '../../../tree/tree.ts'
import { mailboxArchivePath, mailboxPath } from '../layout.ts'
import { mailboxStatusAfter } from '../lifecycle.ts'
import { messageOnOneLine } from '../mailbox-edit.ts'
import { type FoundMessage, inSpecifiedOrder, type ReadMailbox } from '../mailbox-format.ts'
import { agentId, taskId as checkTaskId, hashedName, mailboxNumber, senderId } from '../names.ts'
import { inexactNote, problemText } from '../problem.ts'
import { eventTypes, isObject, type MailboxMessage } from '../schema.ts'
import type { DreamStep, StepOf } from '../steps.ts'
import { isoOf, momentOf } from '../times.ts'
import type { Dream } from './dream.ts'
import { largestPacked, type OpenMailbox, raiseLimit } from './mailbox-files.ts'
import type { HandedMessage } from './mailbox-memory.ts'
import type {
  MailboxChanged,
  MailboxGiven,
  MailboxSendInput,
  MailboxSent,
  OutcomeInput,
  OutcomeRecorded,
} from './outcomes.ts'
import { Part, unlessCorrupt } from './parts.ts'
import type { Outcome } from './settling.ts'
import { envelopeIn } from './view.ts'

interface NextOptions {
  readonly waitMs?: number | undefined
  /** Also give a message that this agent holds already. */
  readonly resume?: boolean
  readonly signal?: AbortSignal | undefined
}

type Given = Extract<MailboxGiven, { outcome: 'given' }>

/** From this many packable messages on, an agent that records an outcome also packs. */
const worthPacking = 100

/** How many messages one change packs. */
const mostPacked = 5000

export class MailboxMessages extends Part {
  constructor(dream: Dream) {
    super(dream)
    dream.journal.performs({
      process: (step) => this.#process(step),
      pack: (step, isRepeat) => this.#pack(step, isRepeat),
    })
  }

  async send({ mailbox: number, from, command, params, taskId }: MailboxSendInput): Promise<MailboxSent> {
    mailboxNumber(number)
    const message: MailboxMessage = inSpecifiedOrder({
      message_id: crypto.randomUUID(),
      sender_agent_id: senderId(from),
      timestamp_dispatched: isoOf(this.parts.clock.now()),
      command: expectCommand(command),
      params: expectParams(params),
      ...(taskId === undefined ? {} : { task_id: checkTaskId(taskId) }),
    })
    let size = 0
    const { owner, durability } = await this.dream.files.change(number, { by: from }, async ({ mailbox, now }) => {
      return {
        answer: { owner: mailbox.agent },
        edit: (editor) => editor.add(message),
        after: async (bytes) => {
          size = bytes
          await this.dream.files.memory.addSent(number, message, now)
        },
      }
    })
    // The message counts as sent, even if another program breaks the file now.
    const broken = await unlessCorrupt(() => this.#lookAgain(number, message.message_id, from, size))
    await this.dream.agents.note(from)
    const notices = owner === undefined ? [`Nobody has claimed mailbox ${number} yet; the message waits.`] : []
    if (broken)
      notices.push(`Another program has broken mailbox ${number} since; the message is put back when it is repaired.`)
    const path = mailboxPath(this.parts.places, number)
    const envelope = envelopeIn(message, number, 'waiting', path)
    return { outcome: 'sent', message, envelope, mailbox: number, path, durability, notices }
  }

  /** Sends a message again if a program without the lock has written an old copy over it already. */
  async #lookAgain(number: number, id: string, by: string, size: number): Promise<void> {
    const path = mailboxPath(this.parts.places, number)
    // An old copy is shorter: it lacks this message.
    if ((await this.parts.tree.look(path))?.size === size) return
    const leaf = await this.parts.tree.read(path)
    // The id is random: if it is somewhere in the file, the message is there.
    if (leaf && !Buffer.from(leaf.bytes.buffer, leaf.bytes.byteOffset, leaf.bytes.byteLength).includes(id)) {
      await this.dream.files.change(number, { by }, async () => ({ answer: {} }))
    }
  }

  /** Sends again what this process sent and another program has overwritten. */
  async verifyOwn(): Promise<void> {
    const verify = async (number: number) => {
      const { mailbox, processed, now } = await this.dream.files.open(number)
      const lost = this.dream.files.memory.lostFrom(number, mailbox, processed, now)
      if (lost.length > 0) await this.dream.files.change(number, { by: 'signalbox' }, async () => ({ answer: {} }))
    }
    // For a mailbox that is broken now, the router does this later.
    for (const number of this.dream.files.memory.ownMailboxes()) await unlessCorrupt(() => verify(number))
  }

  /**
   * Restores what another program has overwritten: lately sent messages of all senders, under their ids, and the marks of
   * processed ones. Answers the ids of the messages that were sent again.
   */
  async resend(number: number, by: string): Promise<readonly string[]> {
    const lostOf = ({ mailbox, processed }: OpenMailbox) =>
      this.dream.files.memory.allLostFrom(number, mailbox, processed)
    const before = await this.dream.files.open(number)
    const isWhole =
      (await lostOf(before)).length === 0 && (await this.dream.files.unmarkedIn(number, before)).length === 0
    if (isWhole) return []
    const { ids } = await this.dream.files.change(number, { by }, async (opened) => {
      const ids = (await lostOf(opened)).map(({ message_id }) => message_id)
      return { answer: { ids }, ...(ids.length > 0 ? { steps: this.dream.files.resending(number, by, ids) } : {}) }
    })
    return ids
  }

  /** The next message for the agent of a mailbox, as a lease with an attempt number. */
  async next(
    number: number,
    name: string,
    { waitMs = 0, resume = false, signal }: NextOptions = {},
  ): Promise<MailboxGiven> {
    const agent = agentId(name)
    mailboxNumber(number)
    await this.dream.recovery.finishAll()
    let isFirst = true
    const attempt = async (): Promise<Given | undefined> => {
      const opened = await this.dream.files.openOwn(number, agent)
      if (isFirst) await this.resend(number, agent)
      const isFresh = (opened.mailbox.lastSeenAt ?? 0) > opened.now - this.parts.settings.takeOverMs / 10
      const isWaiting = isFirst || (await this.#choose(number, opened, agent, resume)) !== undefined
      isFirst = false
      // Every write wakes all waiting processes, this one too: so write only when needed.
      if (!isWaiting && isFresh) return undefined
      return this.#giveOne(number, agent, resume)
    }
    const folders = waitMs > 0 ? [this.parts.places.mailboxes] : []
    const giveBack = ({ message }: Given) => this.#giveBack(number, agent, message.message_id)
    const given = await waitFor(this.parts.tree, folders, attempt, { waitMs, signal, ...(resume ? {} : { giveBack }) })
    await this.dream.agents.note(agent)
    if (given) return given
    const { mailbox } = await this.dream.files.open(number)
    return { outcome: 'nothing', mailbox: number, problems: problemsOf(mailbox.messages) }
  }

  /** Takes back a lease whose caller has gone: no agent was given the message. */
  async #giveBack(number: number, agent: string, id: string): Promise<void> {
    const { files } = this.dream
    await files.change(number, { by: agent }, async ({ now }) => {
      const inHand = await files.memory.given(number)
      const lease = inHand.get(id)
      if (lease?.agent !== agent) return { answer: {} }
      if (lease.attempt === 1) inHand.delete(id)
      else inHand.set(id, { ...lease, attempt: lease.attempt - 1, until: now })
      const status = statusOf(agent, inHand, now)
      return {
        answer: {},
        edit: (editor) => editor.setLife({ status }),
        after: () => files.memory.writeGiven(number, inHand),
      }
    })
  }

  async #giveOne(number: number, agent: string, resume: boolean) {
    const { given, durability } = await this.dream.files.change<{
      given?: { found: FoundMessage & { message: MailboxMessage }; lease: HandedMessage }
    }>(number, { by: agent }, async (opened) => {
      const { mailbox, now } = opened
      await this.dream.files.expectOwn(number, mailbox, agent)
      const chosen = await this.#choose(number, opened, agent, resume)
      const inHand = await this.dream.files.memory.given(number)
      if (!chosen) {
        const status = statusOf(agent, inHand, now)
        return { answer: {}, edit: (editor) => editor.setLife({ status, seenAt: now }) }
      }
      const { found, attempt } = chosen
      const until = now + this.parts.settings.leaseMs
      const lease = { agent, attempt, until, ...(this.parts.compat ? { compat: true as const } : {}) }
      inHand.set(found.message.message_id, lease)
      return {
        answer: { given: { found, lease } },
        edit: (editor) => editor.setLife({ status: mailboxStatusAfter.give, seenAt: now }),
        // Only after the write: if another program changes the mailbox meanwhile, the choice is made again, and a lease for the
        // first choice would hold a message that no agent was given.
        after: () => this.dream.files.memory.writeGiven(number, inHand),
      }
    })
    if (!given) return undefined
    const { found, lease } = given
    const inexact = findInexact(found.value)
    return {
      outcome: 'given',
      // As on disk: the notes say what was converted.
      message: found.value as MailboxMessage,
      asRead: found.message,
      mailbox: number,
      agent,
      path: mailboxPath(this.parts.places, number),
      attempt: lease.attempt,
      redelivered: lease.attempt > 1,
      until: isoOf(lease.until),
      notes: inexact === undefined ? found.notes : [...found.notes, inexactNote(inexact)],
      durability,
    } as const
  }

  /** The first message that is neither processed nor held by an agent. */
  async #choose(number: number, { mailbox, processed, now }: OpenMailbox, agent: string, resume: boolean) {
    const inHand = await this.dream.files.memory.given(number)
    for (const found of mailbox.eachBut((id) => processed.has(id))) {
      const { message } = found
      if (!message || processed.has(message.message_id)) continue
      const lease = inHand.get(message.message_id)
      const isRunning = lease !== undefined && lease.until > now
      const whole = { ...found, message }
      if (resume && isRunning && lease.agent === agent) return { found: whole, attempt: lease.attempt }
      if (!isRunning) return { found: whole, attempt: (lease?.attempt ?? 0) + 1 }
    }
    return undefined
  }

  /** Whether a message was read with known deviations when it was given: then its outcome is recorded in the same way. */
  async #wasReadLeniently(number: number, id: string): Promise<boolean> {
    const { memory } = this.dream.files
    const lease = (await memory.given(mailboxNumber(number))).get(id)
    return lease ? lease.compat === true : (await memory.processed(number)).has(id)
  }

  /** Records the outcome of a message, then marks it processed. Only for the agent that holds it. */
  async done(number: number, name: string, id: string, input: OutcomeInput = {}): Promise<OutcomeRecorded> {
    if (!this.parts.compat && (await this.#wasReadLeniently(number, id)))
      return this.dream.reading({ compat: true }).messages.done(number, name, id, input)
    const agent = agentId(name)
    const { settling, logs, recovery } = this.dream
    await recovery.finishAll()
    await logs.expectLines()
    let told: string[] | undefined
    for (;;) {
      const settled = await this.dream.files.change<Settled>(number, { by: agent }, async (opened) => {
        await this.dream.files.expectOwn(number, opened.mailbox, agent)
        if (opened.processed.has(id)) return { answer: {} }
        const outcome = await this.#outcomeOf(number, opened, { agent, id, input })
        // The answer to a plan is judged under the lock of the task list, which is taken outside of this one.
        if (outcome.plan !== undefined && !told) return { answer: { outcome } }
        const putAway = { do: 'process', mailbox: number, message: id, agent, at: opened.now } as const
        const steps = await settling.stepsFor(outcome, putAway)
        return { answer: { outcome, steps }, steps }
      })
      const { outcome, steps, durability } = settled
      if (!outcome) return settling.repeated(agent, id, input)
      if (steps) {
        await unlessCorrupt(() => this.#packNowAndThen(number, agent))
        return settling.recorded(outcome, steps, durability, told ?? [])
      }
      told = await settling.answerPlan(outcome)
    }
  }

  async #outcomeOf(
    number: number,
    { mailbox, now }: OpenMailbox,
    { agent, id, input }: { readonly agent: string; readonly id: string; readonly input: OutcomeInput },
  ): Promise<Outcome> {
    const message = messageIn(mailbox, id)
    if (!message) throw noMessage(number, id)
    const lease = (await this.dream.files.memory.given(number)).get(id)
    const { attempt } = input
    const claim = lease && { ...lease, holder: lease.agent }
    const again = call('dream mailbox next', { mailbox: number, as: agent })
    const next = `Nothing was recorded. Take it again: ${again}`
    expectHeld(id, claim, attempt === undefined ? { agent } : { agent, attempt }, now, next)
    const isPlan = message.command === eventTypes.plan
    const inParams = isPlan && typeof message.params.task_id === 'string' ? message.params.task_id : undefined
    const task = message.task_id ?? inParams
    return {
      line: this.dream.settling.lineOf(id, task, agent, input),
      key: hashedName(`mailbox ${number}`, id, String(lease!.attempt)),
      initiator: message.sender_agent_id,
      plan: isPlan ? task : undefined,
    }
  }

  /** Remembers first that it was processed: another program may write an old copy of the mailbox back. */
  async #process({ mailbox: number, message: id, agent, at }: StepOf<'process'>): Promise<void> {
    const { memory } = this.dream.files
    if (!(await memory.processed(number)).has(id)) await memory.addProcessed(number, [id], at)
    const given = await memory.given(number)
    given.delete(id)
    await memory.writeGiven(number, given)
    const status = statusOf(agent, given, at)
    await this.dream.files.edit(number, async (editor, { mailbox }) => {
      editor.markProcessed(id)
      if (mailbox.agent === agent) editor.setLife({ status, seenAt: at })
    })
  }

  /** Packs rarely, unless the mailbox is large: looking through all of its messages takes a while. */
  async #packNowAndThen(number: number, by: string): Promise<void> {
    const entry = await this.parts.tree.look(mailboxPath(this.parts.places, number))
    if ((entry?.size ?? 0) <= this.parts.settings.largest / 2 && Math.random() > 1 / 50) return
    const opened = await this.dream.files.open(number)
    const ready = await this.#packable(number, opened, this.parts.settings.packAfterMs)
    if (ready.length >= worthPacking || opened.leaf.size > this.parts.settings.largest / 2)
      await this.compact(number, by)
  }

  /** Moves processed messages to a file of lines beside the mailbox, and forgets very old ids. */
  async compact(number: number, by: string): Promise<MailboxChanged<'packed' | 'unchanged'>> {
    const { settings, tree } = this.parts
    const most = Math.max(largestPacked, settings.largest)
    let [packed, waiting] = [0, 0]
    let durability: Durability = 'process'
    for (let count = -1; count !== 0; packed += count) {
      const change = await this.dream.files.change(mailboxNumber(number), { by, most }, async (opened) => {
        waiting = opened.mailbox.messages.filter(
          ({ message }) => message && !opened.processed.has(message.message_id),
        ).length
        // From a mailbox that is about to be too large for other commands, all processed messages are packed.
        const age = opened.leaf.size > settings.largest / 2 ? 0 : settings.packAfterMs
        const found = (await this.#packable(number, opened, age)).slice(0, mostPacked)
        const ids = found.flatMap(({ message }) => message?.message_id ?? [])
        const step: DreamStep = { do: 'pack', mailbox: number, ids, at: opened.now }
        return { answer: { count: ids.length }, ...(ids.length > 0 ? { steps: [step] } : {}) }
      })
      count = change.count
      if (count > 0) durability = change.durability
    }
    await this.dream.files.memory.forgetProcessed(
      number,
      (await tree.now()) - settings.packAfterMs - settings.rememberMs,
    )
    const size = (await tree.look(mailboxPath(this.parts.places, number)))?.size ?? 0
    const notices = size > settings.largest ? [stillLarge(number, size, waiting)] : []
    return { outcome: packed > 0 ? 'packed' : 'unchanged', mailbox: number, durability, count: packed, notices }
  }

  /** Writes messages into the archive, except those that a killed process wrote there, then removes them from the mailbox. */
  async #pack({ mailbox: number, ids, at }: StepOf<'pack'>, isRepeat: boolean): Promise<void> {
    const { tree, places } = this.parts
    const { mailbox } = await this.dream.files.open(number, largestPacked)
    const archived = isRepeat ? await this.#archivedIds(number) : new Set<string>()
    const wanted = new Set(ids)
    for (const { value, index, message } of mailbox.messages) {
      const id = message?.message_id
      if (id === undefined || !wanted.has(id) || archived.has(id)) continue
      const isExact = mailbox.compat || findInexact(value) === undefined
      const line = isExact ? printJsonLine(value).slice(0, -1) : messageOnOneLine(mailbox, index)
      await tree.append(mailboxArchivePath(places, number), line)
    }
    const remembered = await this.dream.files.memory.processed(number)
    await this.dream.files.memory.addProcessed(
      number,
      ids.filter((id) => !remembered.has(id)),
      at,
    )
    await this.dream.files.edit(number, async (editor, { mailbox: now }) => {
      const indexes = now.messages.flatMap(({ message, index }) =>
        message && wanted.has(message.message_id) ? [index] : [],
      )
      editor.pack(new Set(indexes), wanted)
    })
  }

  async #archivedIds(number: number): Promise<Set<string>> {
    const read = await readOrSayWhy(this.parts.tree, mailboxArchivePath(this.parts.places, number), {
      most: Number.POSITIVE_INFINITY,
    })
    const ids = new Set<string>()
    for (const line of read && !isUnread(read) ? readJsonLines(read.bytes) : []) {
      if (line.kind === 'record' && isObject(line.value)) ids.add(String(line.value.message_id))
    }
    return ids
  }

  /** Messages processed at least `ageMs` ago. Where that time is not known, the time of sending counts. */
  async #packable(number: number, { mailbox, processed, now }: OpenMailbox, ageMs: number): Promise<FoundMessage[]> {
    const when = await this.dream.files.memory.processed(number)
    return mailbox.messages.filter(({ message }) => {
      if (!message || !processed.has(message.message_id)) return false
      const at = when.get(message.message_id) ?? momentOf(message.timestamp_dispatched) ?? 0
      return at <= now - ageMs
    })
  }
}

/** The status of a mailbox whose agent holds some of these messages, or none. */
function statusOf(agent: string, inHand: ReadonlyMap<string, HandedMessage>, now: number) {
  const hasWork = [...inHand.values()].some((one) => one.agent === agent && one.until > now)
  return hasWork ? mailboxStatusAfter.give : mailboxStatusAfter.rest
}

/** Without `outcome`, the message had one already. Without `steps`, the plan that it answers is to be judged first. */
interface Settled {
  readonly outcome?: Outcome
  readonly steps?: readonly DreamStep[]
}

/** With `compat`, the id may be in another field: then all messages are looked through. */
function messageIn(mailbox: ReadMailbox, id: string): MailboxMessage | undefined {
  const candidates = mailbox.compat ? mailbox.messages : mailbox.eachBut((other) => other !== id)
  for (const { message } of candidates) if (message?.message_id === id) return message
  return undefined
}

export const problemsOf = (messages: readonly FoundMessage[]): string[] =>
  messages.flatMap(({ index, problems }) =>
    problems.length > 0 ? [`messages[${index}]: ${problemText(problems)}`] : [],
  )

/** Why a mailbox is as large as it is, when packing is done. */
const stillLarge = (number: number, size: number, waiting: number): string =>
  `Mailbox ${number} still has ${size} bytes: ${waiting === 1 ? 'a message waits' : `${waiting} messages wait`} in it, and only what is processed can be packed. To read it as it is, ${raiseLimit}.`

const noMessage = (number: number, id: string) =>
  notFound('NO_SUCH_MESSAGE', `There is no message ${id.slice(0, 80)} in mailbox ${number}.`, {
    hint: `Look at it: ${call('dream mailbox list')}`,
    details: { mailbox: number, id: id.slice(0, 400) },
  })

function expectCommand(command: string): string {
  if (command.trim() !== '' && command.length <= 200 && !/[\r\n]/.test(command)) return command
  throw invalidInput('INVALID_COMMAND', 'A command is one word or a few, on one line.', {
    hint: 'Use a verb such as refactor_file or run_test.',
  })
}

function expectParams(params: unknown): Readonly<Record<string, unknown>> {
  if (isObject(params)) return params
  throw invalidInput('BAD_PARAMS', 'The params of a message are an object.', { hint: `Write {"target_file": "a.py"}.` })
}
