/** Sending: the message is there whole, under a name that no other message has or had, or not at all. */
import { conflict, denied, invalidInput } from '../../../kernel/errors.ts'
import { tooLarge } from '../../../kernel/largest-message.ts'
import { sameButForCase } from '../../../kernel/same-but-for-case.ts'
import { childOf, type TreePath } from '../../../kernel/tree-path.ts'
import { splitBody } from '../body.ts'
import { notSendable, parseMessage, printMessage, statusOf } from '../format.ts'
import { withHead } from '../head.ts'
import { expectKnownIntent, needsTask } from '../intents.ts'
import { ledgersPath } from '../layout.ts'
import { type FileName, fileName, fileNameOf, isFileName, participant, type TaskId, taskId } from '../names.ts'
import { type CirceMessage, type MessageStatus, messageStatuses } from '../schema.ts'
import { noteSender } from './agents.ts'
import type { Applying } from './applying.ts'
import { ensureBook } from './book.ts'
import { type FanOut, isForEverybody } from './fan-out.ts'
import type { Journal } from './journal.ts'
import { appendEvent } from './log.ts'
import type { CirceSendInput, CirceSent } from './outcomes.ts'
import { type CirceParts, type Subject, subjectOf, unlessOdd } from './parts.ts'
import { type Found, findMessage, isFound, isGiven, pathAt, readAt } from './places.ts'
import { tasksOnTree } from './task-files.ts'
import { viewOfFound } from './view.ts'

export class Sending {
  readonly #parts: CirceParts
  readonly #journal: Journal
  readonly #applying: Applying
  readonly #fanOut: FanOut

  constructor(parts: CirceParts, journal: Journal, applying: Applying, fanOut: FanOut) {
    this.#parts = parts
    this.#journal = journal
    this.#applying = applying
    this.#fanOut = fanOut
  }

  async send(input: CirceSendInput): Promise<CirceSent> {
    return this.#sendText(this.compose(input))
  }

  /** A whole message, as it is: byte for byte. */
  async sendWhole(text: string): Promise<CirceSent> {
    return this.#sendText(text)
  }

  /** The text of a message, checked. Nothing is written. */
  compose(input: CirceSendInput): string {
    const { furtherIntents } = this.#parts.settings
    const [from, to] = [participant(input.from, 'from'), participant(input.to, 'to')]
    expectKnownIntent(input.intent, furtherIntents)
    const task = input.task === undefined ? undefined : taskId(input.task)
    if (task === undefined && needsTask(input.intent)) {
      throw invalidInput('MISSING_INPUT', `${input.intent} is about a task, and none was named.`, {
        hint: 'Give --task ID.',
        details: { field: 'task' },
      })
    }
    const { lead, sections } = splitBody(input)
    return printMessage({
      from,
      to,
      intent: input.intent,
      task,
      status: messageStatus(input.status ?? 'new'),
      time: this.#parts.clock.now(),
      replyTo: input.replyTo === undefined ? undefined : fileName(input.replyTo),
      headers: input.headers ?? [],
      lead,
      sections,
    })
  }

  /** In a turn of its own. */
  async #sendText(text: string): Promise<CirceSent> {
    await ensureBook(this.#parts)
    const message = this.read(text)
    await this.#expectOneSpelling(message.task)
    const sent = await this.#journal.turn(this.subject(message), () => this.sendInTurn(message))
    return isForEverybody(message) ? this.#bringToAll(message, sent) : sent
  }

  /** Tasks become files, and some disks take `auth-1` and `AUTH-1` for one. Asked only for a task nobody has heard of yet. */
  async #expectOneSpelling(task: string | undefined): Promise<void> {
    const { tree } = this.#parts
    if (task === undefined || (await unlessOdd(() => tree.look(childOf(ledgersPath, task))))) return
    const heardOf = (await unlessOdd(() => tree.list(ledgersPath))) ?? []
    const known = sameButForCase(task, [...(await tasksOnTree(this.#parts)), ...heardOf.map(({ name }) => name)])
    if (known === undefined) return
    throw invalidInput('TASK_DIFFERS_BY_CASE', `${task} and ${known} differ by capitals alone.`, {
      hint: `Use ${known}, or another name: some disks take the two for one.`,
      details: { task, known },
    })
  }

  /** In a turn of its own: an answer to all is sent in the turn of its question. */
  async #bringToAll(message: CirceMessage, sent: CirceSent): Promise<CirceSent> {
    const { file: name, path, durability } = { ...sent.message, durability: sent.durability }
    const found = {
      place: 'new',
      name: name as FileName,
      path: path as TreePath,
      message: withHead(message),
      problems: [],
      sentAt: message.time,
      writtenAt: 0,
    } as const
    const notices = [...sent.notices]
    let delivered: readonly string[] = []
    await this.#afterwards(notices, async () => {
      delivered = await this.#fanOut.one(found)
      if (delivered.length === 0) notices.push('No other agent is known yet: it waits until there is one.')
    })
    let { message: view } = sent
    // What went to everybody lies with each of them; the log is where it is for all.
    await this.#journal.apart(async () => {
      const logged = delivered.length > 0 ? await readAt(this.#parts, { place: 'logged' }, found.name) : undefined
      if (isFound(logged)) view = viewOfFound(logged)
    })
    return { outcome: 'sent', message: view, durability, delivered, notices }
  }

  /**
   * What follows from a message that has been sent. If it fails, the message is there all the same, and the next command makes
   * up for it; whoever got an error would send it a second time.
   */
  async #afterwards(notices: string[], work: () => Promise<void>): Promise<void> {
    const error = await this.#journal.apart(work)
    if (error)
      notices.push(`It was sent, and the next command takes it into account; now that failed: ${error.message}`)
  }

  read(text: string): CirceMessage {
    const bytes = Buffer.from(text)
    // Whoever finds it would set it aside.
    const problem = tooLarge(bytes.length, this.#parts.settings.largestMessage)
    if (problem) throw notSendable([problem])
    const parsed = parseMessage(bytes, this.#parts.settings.furtherIntents)
    if (parsed.outcome === 'malformed') throw notSendable(parsed.problems)
    expectKnownIntent(parsed.message.intent, this.#parts.settings.furtherIntents)
    return parsed.message
  }

  /** Two messages of one second that would get the same name share this, and so do the answers to one message. */
  subject(message: CirceMessage): Subject {
    const { task, replyTo } = message
    const isReply = replyTo !== undefined && isFileName(withEnding(replyTo))
    return subjectOf(isReply ? fileName(replyTo) : fileNameOf(message), task)
  }

  async sendInTurn(message: CirceMessage): Promise<CirceSent> {
    const { task } = message
    const notices: string[] = []
    if (task !== undefined && message.intent === 'claim_task') await this.#applying.takeUp(task as TaskId)
    if (task !== undefined) await this.#expectAllowed(task as TaskId, message)
    await this.#expectQuestion(message)
    const found = await this.#create(message)
    let now: Found = found
    await this.#afterwards(notices, async () => {
      await noteSender(this.#parts, message.from)
      if (task === undefined) {
        const detail = `${message.intent} ${message.status} to ${message.to}`
        const told = await this.#applying.applyAloneInTurn(found, this.subject(message))
        const event = { at: this.#parts.clock.now(), event: 'message', agent: message.from, file: found.name } as const
        if (!told) await appendEvent(this.#parts, { ...event, detail })
      } else {
        const { refused } = await this.#applying.applyInTurn(found)
        if (refused !== undefined) notices.push(`It changes nothing for ${task}: ${refused}.`)
      }
      now = (await findMessage(this.#parts, found.name)) ?? found
    })
    return { outcome: 'sent', message: viewOfFound(now), durability: found.durability, delivered: [], notices }
  }

  /** A task is not changed by a message that may not change it: refused before anything is written. */
  async #expectAllowed(task: TaskId, message: CirceMessage): Promise<void> {
    const { intent, status } = message
    const isCompletion = intent === 'status_update' && status === 'completed'
    const { refused } = await this.#applying.foresee(task, message)
    if (refused === undefined || !(isCompletion || intent === 'release_task')) return
    const hint = `See how it stands: signalbox circe tasks ${task}`
    if (/needs tests_passed/.test(refused)) throw conflict('NOT_COMPLETE', `${refused}.`, { hint, details: { task } })
    throw denied('NOT_THE_OWNER', `${refused}.`, { hint, details: { task } })
  }

  /** What is answered must be there. */
  async #expectQuestion({ replyTo, intent }: CirceMessage): Promise<void> {
    if (replyTo === undefined || intent !== 'answer') return
    if (await findMessage(this.#parts, fileName(replyTo))) return
    throw invalidInput('NO_SUCH_QUESTION', `There is no message ${replyTo} that could be answered.`, {
      hint: 'Give the name of its file, as `circe inbox` or `human list` shows it.',
      details: { file: replyTo },
    })
  }

  async #create(message: CirceMessage): Promise<Found & Pick<CirceSent, 'durability'>> {
    for (let nth = 1; ; nth++) {
      const name = fileNameOf(message, nth)
      if (await isGiven(this.#parts, name, message.task)) continue
      const path = pathAt(this.#parts, { place: 'new' }, name)
      const created = await this.#parts.tree.create(path, message.bytes)
      if (created.outcome !== 'created') continue
      return {
        place: 'new',
        name,
        path,
        message: withHead(message),
        problems: [],
        sentAt: message.time,
        writtenAt: 0,
        durability: created.durability,
      }
    }
  }
}

const withEnding = (name: string): string => (name.endsWith('.md') ? name : `${name}.md`)

function messageStatus(text: string): MessageStatus {
  const status = statusOf(text)
  if (status) return status
  throw invalidInput('BAD_STATUS', `Not a status of a message: ${JSON.stringify(text.slice(0, 40))}.`, {
    hint: `Use one of ${messageStatuses.join(', ')}.`,
    details: { status: text.slice(0, 400) },
  })
}
