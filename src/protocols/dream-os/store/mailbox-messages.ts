/** The messages of a mailbox: sent, given, done, packed, and sent again when another program has overwritten them. */
import { findInexact } from '../../../formats/json.ts'
import { printJsonLine, readJsonLines } from '../../../formats/json-lines.ts'
import { conflict, invalidInput, notFound } from '../../../kernel/errors.ts'
import { childOf } from '../../../kernel/tree-path.ts'
import { isUnread, readOrSayWhy } from '../../../messaging/leaves/readable.ts'
import { waitFor } from '../../../messaging/waiting/wait.ts'
import { mailboxArchivePath, mailboxPath, statePath } from '../layout.ts'
import { mailboxStatusAfter } from '../lifecycle.ts'
import { lineOf } from '../mailbox-edit.ts'
import { type FoundMessage, messageOf, type ReadMailbox } from '../mailbox-format.ts'
import { agentId, taskId as checkTaskId, mailboxNumber, senderId } from '../names.ts'
import { inexactNote, told } from '../problem.ts'
import { isObject, type MailboxMessage } from '../schema.ts'
import { isoOf, momentOf } from '../times.ts'
import type { Agents } from './agents.ts'
import type { Finishing } from './finishing.ts'
import type { Logs } from './governance.ts'
import { largestPacked, type MailboxFiles, type OpenMailbox, raise } from './mailbox-files.ts'
import type { Given } from './mailbox-memory.ts'
import { readNote, writeNote } from './notes.ts'
import type {
  MailboxChanged,
  MailboxGiven,
  MailboxSendInput,
  MailboxSent,
  OutcomeInput,
  OutcomeRecorded,
} from './outcomes.ts'
import { type DreamParts, unlessCorrupt } from './parts.ts'
import { envelopeIn } from './view.ts'

export interface NextOptions {
  readonly waitMs?: number
  /** Give again what this agent has in hand already. */
  readonly resume?: boolean
  readonly signal?: AbortSignal
}

/** So many packable messages are worth packing by the way. */
const worthPacking = 100

export class MailboxMessages {
  readonly #parts: DreamParts
  readonly #files: MailboxFiles
  readonly #logs: Logs
  readonly #agents: Agents
  readonly #finishing: Finishing

  constructor(parts: DreamParts, files: MailboxFiles, logs: Logs, agents: Agents, finishing: Finishing) {
    this.#parts = parts
    this.#files = files
    this.#logs = logs
    this.#agents = agents
    this.#finishing = finishing
  }

  async send({ mailbox: number, from, command, params, taskId }: MailboxSendInput): Promise<MailboxSent> {
    mailboxNumber(number)
    const message: MailboxMessage = messageOf({
      message_id: crypto.randomUUID(),
      sender_agent_id: senderId(from),
      timestamp_dispatched: isoOf(this.#parts.clock.now()),
      command: expectCommand(command),
      params: expectParams(params),
      ...(taskId === undefined ? {} : { task_id: checkTaskId(taskId) }),
    })
    let size = 0
    const { owner, durability } = await this.#files.change(number, { by: from }, async ({ mailbox, now }) => {
      return {
        answer: { owner: mailbox.agent },
        edit: (editor) => editor.add(message),
        after: async (bytes) => {
          size = bytes
          await this.#files.memory.addSent(number, message, now)
        },
      }
    })
    // It was sent, whatever becomes of the file now.
    const broken = await unlessCorrupt(() => this.#lookAgain(number, message.message_id, from, size))
    await this.#agents.note(from)
    const notices = owner === undefined ? [`Nobody has claimed mailbox ${number} yet; the message waits.`] : []
    if (broken)
      notices.push(`Another program has broken mailbox ${number} since; the message is put back when it is repaired.`)
    const path = mailboxPath(this.#parts.places, number)
    const envelope = envelopeIn(message, number, 'waiting', path)
    return { outcome: 'sent', message, envelope, mailbox: number, path, durability, notices }
  }

  /** A program without the lock may have written an old copy over it already. */
  async #lookAgain(number: number, id: string, by: string, size: number): Promise<void> {
    const path = mailboxPath(this.#parts.places, number)
    // An old copy is shorter: it lacks this message.
    if ((await this.#parts.tree.look(path))?.size === size) return
    const leaf = await this.#parts.tree.read(path)
    // The id is random: where its letters stand, the message is.
    if (leaf && !Buffer.from(leaf.bytes.buffer, leaf.bytes.byteOffset, leaf.bytes.byteLength).includes(id)) {
      await this.#files.change(number, { by }, async () => ({ answer: {} }))
    }
  }

  /** What this process has sent is there, or is sent again. */
  async verifyOwn(): Promise<void> {
    const verify = async (number: number) => {
      const { mailbox, processed } = await this.#files.open(number)
      const lost = this.#files.memory.lostFrom(number, mailbox, processed)
      if (lost.length > 0) await this.#files.change(number, { by: 'signalbox' }, async () => ({ answer: {} }))
    }
    // From one that is broken now, the router sends it again later.
    for (const number of this.#files.memory.ownMailboxes()) await unlessCorrupt(() => verify(number))
  }

  /**
   * What anybody sent lately and another program has overwritten is sent again, under its id; what was processed is marked so
   * again. Answers what was sent.
   */
  async resend(number: number, by: string): Promise<readonly string[]> {
    const lostOf = ({ mailbox, processed }: OpenMailbox) => this.#files.memory.allLostFrom(number, mailbox, processed)
    const before = await this.#files.open(number)
    const isWhole = (await lostOf(before)).length === 0 && (await this.#files.unmarkedIn(number, before)).length === 0
    if (isWhole) return []
    const { ids } = await this.#files.change(number, { by }, async (opened) => {
      const lost = await lostOf(opened)
      return { answer: { ids: lost.map(({ message_id }) => message_id) }, again: lost }
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
    await this.#finishing.recoverMailbox(number)
    let isFirst = true
    const attempt = async (): Promise<Extract<MailboxGiven, { outcome: 'given' }> | undefined> => {
      const opened = await this.#files.openOwn(number, agent)
      if (isFirst) await this.resend(number, agent)
      const isFresh = (opened.mailbox.lastSeenAt ?? 0) > opened.now - this.#parts.settings.takeOverMs / 10
      const isWaiting = isFirst || (await this.#choose(number, opened, agent, resume)) !== undefined
      isFirst = false
      // Whoever writes wakes whoever waits, itself too: so only what has to be written is.
      if (!isWaiting && isFresh) return undefined
      return this.#giveOne(number, agent, resume)
    }
    const folders = waitMs > 0 ? [this.#parts.places.mailboxes] : []
    const given = await waitFor(this.#parts.tree, folders, attempt, { waitMs, ...(signal ? { signal } : {}) })
    await this.#agents.note(agent)
    if (given) return given
    const { mailbox } = await this.#files.open(number)
    return { outcome: 'nothing', mailbox: number, problems: problemsOf(mailbox.messages) }
  }

  async #giveOne(number: number, agent: string, resume: boolean) {
    const { given, durability } = await this.#files.change<{
      given?: { found: FoundMessage & { message: MailboxMessage }; lease: Given }
    }>(number, { by: agent }, async (opened) => {
      const { mailbox, now } = opened
      await this.#files.expectOwn(number, mailbox, agent)
      const chosen = await this.#choose(number, opened, agent, resume)
      const inHand = await this.#files.memory.given(number)
      if (!chosen) {
        const hasWork = [...inHand.values()].some((one) => one.agent === agent && one.until > now)
        const status = hasWork ? mailboxStatusAfter.give : mailboxStatusAfter.rest
        return { answer: {}, edit: (editor) => editor.setLife({ status, seenAt: now }) }
      }
      const { found, attempt } = chosen
      const until = now + this.#parts.settings.leaseMs
      const lease = { agent, attempt, until, ...(this.#parts.compat ? { compat: true as const } : {}) }
      inHand.set(found.message.message_id, lease)
      return {
        answer: { given: { found, lease } },
        edit: (editor) => editor.setLife({ status: mailboxStatusAfter.give, seenAt: now }),
        // Not before: when another program changes the mailbox meanwhile, the choice is made again, and what was chosen first
        // would be in hand without ever having been given.
        after: () => this.#files.memory.writeGiven(number, inHand),
      }
    })
    if (!given) return undefined
    const { found, lease } = given
    const inexact = findInexact(found.value)
    return {
      outcome: 'given',
      // As on disk: what was converted is told in the notes.
      message: found.value as MailboxMessage,
      asRead: found.message,
      mailbox: number,
      agent,
      path: mailboxPath(this.#parts.places, number),
      attempt: lease.attempt,
      redelivered: lease.attempt > 1,
      until: isoOf(lease.until),
      notes: inexact === undefined ? found.notes : [...found.notes, inexactNote(inexact)],
      durability,
    } as const
  }

  /** The first that is neither processed nor in somebody's hands. */
  async #choose(number: number, { mailbox, processed, now }: OpenMailbox, agent: string, resume: boolean) {
    const inHand = await this.#files.memory.given(number)
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

  /** Whether a message was read with known deviations when it was given: whoever says what came of it need not say so again. */
  async wasReadLeniently(number: number, id: string): Promise<boolean> {
    const { memory } = this.#files
    const lease = (await memory.given(mailboxNumber(number))).get(id)
    return lease ? lease.compat === true : (await memory.processed(number)).has(id)
  }

  /** Records the outcome of a message, then marks it processed. Only for whoever has it in hand. */
  async done(number: number, name: string, id: string, outcome: OutcomeInput = {}): Promise<OutcomeRecorded> {
    const agent = agentId(name)
    mailboxNumber(number)
    await this.#finishing.recoverMailbox(number)
    await this.#logs.expectLines()
    const { mailbox, processed, now } = await this.#files.openOwn(number, agent)
    if (processed.has(id)) return this.#finishing.repeated({ agent, id, outcome })
    const message = messageIn(mailbox, id)
    if (!message) throw noMessage(number, id)
    const lease = (await this.#files.memory.given(number)).get(id)
    expectLease(number, id, agent, lease, outcome.attempt, now)
    const recorded = await this.#finishing.finishMailbox({ number, agent, message, outcome, attempt: lease!.attempt })
    await unlessCorrupt(() => this.#packNowAndThen(number, agent))
    return recorded
  }

  /** Looking through a large mailbox takes a while, and what can be packed has waited for a week. */
  async #packNowAndThen(number: number, by: string): Promise<void> {
    const entry = await this.#parts.tree.look(mailboxPath(this.#parts.places, number))
    if ((entry?.size ?? 0) <= this.#parts.settings.largest / 2 && Math.random() > 1 / 50) return
    const opened = await this.#files.open(number)
    const ready = await this.#packable(number, opened, this.#parts.settings.packAfterMs)
    if (ready.length >= worthPacking || opened.leaf.size > this.#parts.settings.largest / 2)
      await this.compact(number, by)
  }

  /** Moves processed messages to a file of lines beside the mailbox, and forgets very old ids. */
  async compact(number: number, by: string): Promise<MailboxChanged<'packed' | 'unchanged'>> {
    const { settings, tree } = this.#parts
    const note = childOf(statePath, `mailbox_${mailboxNumber(number)}.packing.json`)
    const most = Math.max(largestPacked, settings.largest)
    let waiting = 0
    const { count, durability } = await this.#files.change(number, { by, most }, async (opened) => {
      waiting = opened.mailbox.messages.filter(
        ({ message }) => message && !opened.processed.has(message.message_id),
      ).length
      const old = await this.#packable(number, opened, settings.packAfterMs)
      // One that is too large to be read by others gives up all that is processed.
      const packed = opened.leaf.size > settings.largest / 2 ? await this.#packable(number, opened, 0) : old
      if (packed.length === 0) return { answer: { count: 0 } }
      const indexes = new Set(packed.map(({ index }) => index))
      const ids = packed.map(({ value }) => (value as MailboxMessage).message_id)
      const gone = new Set(ids)
      return {
        answer: { count: packed.length },
        before: async () => {
          await this.#appendPacked(number, opened.mailbox, packed, note)
          const remembered = await this.#files.memory.processed(number)
          const unknown = ids.filter((id) => !remembered.has(id))
          await this.#files.memory.addProcessed(number, unknown, opened.now)
        },
        edit: (editor) => editor.pack(indexes, gone),
        after: async () => void (await tree.remove(note)),
      }
    })
    await this.#files.memory.forgetProcessed(number, (await tree.now()) - settings.packAfterMs - settings.rememberMs)
    const size = (await tree.look(mailboxPath(this.#parts.places, number)))?.size ?? 0
    const notices = size > settings.largest ? [stillLarge(number, size, waiting)] : []
    return { outcome: count > 0 ? 'packed' : 'unchanged', mailbox: number, durability, count, notices }
  }

  /** A note says what is being packed, so that whoever comes after a crash adds only the lines that are not there. */
  async #appendPacked(
    number: number,
    mailbox: ReadMailbox,
    packed: readonly FoundMessage[],
    note: ReturnType<typeof childOf>,
  ): Promise<void> {
    const { tree, places } = this.#parts
    const path = mailboxArchivePath(places, number)
    const there = (await readNote(tree, note)) ? await this.#archivedIds(number) : new Set<string>()
    await writeNote(tree, note, { ids: packed.length })
    for (const { value, index } of packed) {
      if (there.has((value as MailboxMessage).message_id)) continue
      const isExact = mailbox.compat || findInexact(value) === undefined
      await tree.append(path, isExact ? printJsonLine(value).slice(0, -1) : lineOf(mailbox, index))
    }
  }

  async #archivedIds(number: number): Promise<Set<string>> {
    const read = await readOrSayWhy(this.#parts.tree, mailboxArchivePath(this.#parts.places, number), {
      most: Number.POSITIVE_INFINITY,
    })
    const ids = new Set<string>()
    for (const line of read && !isUnread(read) ? readJsonLines(read.bytes) : []) {
      if (line.kind === 'record' && isObject(line.value)) ids.add(String(line.value.message_id))
    }
    return ids
  }

  /** Processed so long ago, or sent so long ago where nobody knows when it was processed. */
  async #packable(number: number, { mailbox, processed, now }: OpenMailbox, ageMs: number): Promise<FoundMessage[]> {
    const when = await this.#files.memory.processed(number)
    return mailbox.messages.filter(({ message }) => {
      if (!message || !processed.has(message.message_id)) return false
      const at = when.get(message.message_id) ?? momentOf(message.timestamp_dispatched) ?? 0
      return at <= now - ageMs
    })
  }
}

/** In a file that deviates, the id may be under another name: then all are looked through. */
function messageIn(mailbox: ReadMailbox, id: string): MailboxMessage | undefined {
  const candidates = mailbox.compat ? mailbox.messages : mailbox.eachBut((other) => other !== id)
  for (const { message } of candidates) if (message?.message_id === id) return message
  return undefined
}

export const problemsOf = (messages: readonly FoundMessage[]): string[] =>
  messages.flatMap(({ index, problems }) => (problems.length > 0 ? [`messages[${index}]: ${told(problems)}`] : []))

function expectLease(
  number: number,
  id: string,
  agent: string,
  lease: Given | undefined,
  attempt: number | undefined,
  now: number,
): void {
  const fail = (why: string) =>
    conflict(
      'LEASE_LOST',
      `${agent} does not have message ${id} of mailbox ${number} in hand: ${why}. Nothing was recorded.`,
      {
        hint: `Take it again: signalbox dream mailbox next --mailbox ${number} --as ${agent}`,
        details: { mailbox: number, id, agent, attempt: lease?.attempt ?? null },
      },
    )
  if (!lease) throw fail('it was never given to anybody')
  if (lease.agent !== agent) throw fail(`${lease.agent} has it`)
  if (attempt !== undefined && lease.attempt !== attempt)
    throw fail(
      lease.attempt > attempt
        ? `it was given again, as attempt ${lease.attempt}`
        : `it was given as attempt ${lease.attempt}, and not as ${attempt} yet`,
    )
  if (lease.until <= now) throw fail('the lease has ended')
}

/** Why a mailbox is as large as it is, when packing is done. */
const stillLarge = (number: number, size: number, waiting: number): string =>
  `Mailbox ${number} still has ${size} bytes: ${waiting === 1 ? 'a message waits' : `${waiting} messages wait`} in it, and only what is processed can be packed. To read it as it is, ${raise}.`

const noMessage = (number: number, id: string) =>
  notFound('NO_SUCH_MESSAGE', `There is no message ${id.slice(0, 80)} in mailbox ${number}.`, {
    hint: `Look at it: signalbox dream mailbox list`,
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
