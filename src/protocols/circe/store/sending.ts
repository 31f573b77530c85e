/** Sending: the message is created whole or not at all, under a name that no other message has or had. */
import { call, inputs } from '../../../kernel/call.ts'
import { conflict, denied, invalidInput } from '../../../kernel/errors.ts'
import { tooLarge } from '../../../kernel/problem.ts'
import { sameButForCase } from '../../../kernel/same-but-for-case.ts'
import { childOf } from '../../../kernel/tree-path.ts'
import { listIfFolder, lookIfThere } from '../../../messaging/leaves/tolerant.ts'
import type { SendingOnce, UsedBefore } from '../../../messaging/sending-once/sending-once.ts'
import { splitBody } from '../body.ts'
import { notSendable, parseMessage, printMessage, statusOf } from '../format.ts'
import { expectKnownIntent, needsTask } from '../intents.ts'
import { ledgersPath } from '../layout.ts'
import { type FileName, fileName, fileNameOf, isFileName, participant, taskId, withEnding } from '../names.ts'
import { type CirceMessage, type MessageStatus, messageStatuses } from '../schema.ts'
import { acted } from './agents.ts'
import { countAloneInTurn, countOne, effectNow, takeUp } from './counting.ts'
import { bringToAll, isForEverybody } from './fan-out.ts'
import { apart, turn } from './journal.ts'
import { countLine } from './log.ts'
import { publish, publishStaged } from './moving.ts'
import type { CirceSendInput, CirceSent, CirceSentOnce } from './outcomes.ts'
import { type CirceParts, type Subject, subjectOf } from './parts.ts'
import { findMessage, isFound, isGiven, type PlacedMessage, pathAt, readAt } from './places.ts'
import { readSoundState, type TaskState, tasksOnTree } from './task-files.ts'
import { idOf, viewOfFound } from './view.ts'

type Created = PlacedMessage & Pick<CirceSent, 'durability'>

interface Keyed {
  readonly once: SendingOnce
  readonly key: string
  readonly digest: string
}

export class Sending {
  readonly #parts: CirceParts

  constructor(parts: CirceParts) {
    this.#parts = parts
  }

  /** Puts a message into `NEW_MESSAGES/`, and counts it for its task. */
  async send(input: CirceSendInput): Promise<CirceSent> {
    return this.sendWhole(compose(this.#parts, input))
  }

  /** Sends the text of a whole message, byte for byte. */
  async sendWhole(text: string): Promise<CirceSent> {
    const message = readSendable(this.#parts, text)
    await expectOneSpelling(this.#parts, message.task)
    const sent = await turn(this.#parts, subjectToSend(message), () => sendInTurn(this.#parts, message))
    return afterSending(this.#parts, message, sent)
  }

  /** What a whole message says; throws where it cannot be sent. */
  read(text: string): CirceMessage {
    return readSendable(this.#parts, text)
  }

  /** Sends once, however often and by whichever process this sender repeats the key. */
  async sendOnce(input: CirceSendInput, key: string): Promise<CirceSentOnce> {
    const { inputDigest, keyOf, sendingOnce } = await import('./once.ts')
    const message = readSendable(this.#parts, compose(this.#parts, input))
    const keyed = { once: sendingOnce(this.#parts.tree), key: keyOf(message.from, key), digest: inputDigest(input) }
    const before = await keyed.once.find(keyed.key)
    if (!before) await expectOneSpelling(this.#parts, message.task)
    const sent =
      before ?? (await turn(this.#parts, subjectToSend(message), () => sendKeyed(this.#parts, message, keyed)))
    if (sent.outcome === 'sent') return afterSending(this.#parts, message, sent)
    const { keyUsed } = await import('../../../messaging/sending-once/sending-once.ts')
    if (sent.digest !== keyed.digest) throw keyUsed(key, sent)
    if (sent.staged) await publish(this.#parts, sent.staged)
    const name = fileName(sent.id!)
    const found = (await findMessage(this.#parts, name)) ?? { ...newFound(this.#parts, name, message), place: 'logged' }
    return { outcome: 'unchanged', message: viewOfFound(found), durability: 'process', delivered: [], notices: [] }
  }
}

/** What follows outside of the turn. */
async function afterSending(parts: CirceParts, message: CirceMessage, sent: CirceSent): Promise<CirceSent> {
  await acted(parts, message.from)
  return isForEverybody(message) ? deliverToAll(parts, message, sent) : sent
}

/** The text of a message, checked. Nothing is written. */
export function compose(parts: CirceParts, input: CirceSendInput): string {
  const { furtherIntents } = parts.settings
  const [from, to] = [participant(input.from, 'from'), participant(input.to, 'to')]
  expectKnownIntent(input.intent, furtherIntents)
  const task = input.task === undefined ? undefined : taskId(input.task)
  if (task === undefined && needsTask(input.intent)) {
    throw invalidInput('MISSING_INPUT', `${input.intent} is about a task, and none was named.`, {
      hint: `Give ${inputs({ task: 'ID' })}.`,
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
    time: parts.clock.now(),
    replyTo: input.replyTo === undefined ? undefined : fileName(input.replyTo),
    headers: input.headers ?? [],
    lead,
    sections,
  })
}

/** Tasks become files, and some disks take `auth-1` and `AUTH-1` for one. A task with a ledger has been checked before. */
async function expectOneSpelling(parts: CirceParts, task: string | undefined): Promise<void> {
  const { tree } = parts
  if (task === undefined || (await lookIfThere(tree, childOf(ledgersPath, task)))) return
  const heardOf = await listIfFolder(tree, ledgersPath)
  const known = sameButForCase(task, [...(await tasksOnTree(parts)), ...heardOf.map(({ name }) => name)])
  if (known === undefined) return
  throw invalidInput('TASK_DIFFERS_BY_CASE', `${task} and ${known} differ by capitals alone.`, {
    hint: `Use ${known}, or another name: some disks take the two for one.`,
    details: { task, known },
  })
}

/** Under a lock of its own: an answer to all is sent while the lock of its question is held. */
async function deliverToAll(parts: CirceParts, message: CirceMessage, sent: CirceSent): Promise<CirceSent> {
  const found = newFound(parts, sent.message.file as FileName, message)
  const notices = [...sent.notices]
  let delivered: readonly string[] = []
  await afterwards(notices, async () => {
    delivered = await bringToAll(parts, found)
    if (delivered.length === 0) notices.push('No other agent is known yet: it waits until there is one.')
  })
  let { message: view } = sent
  // Each agent has a copy; the log has the message itself.
  await apart(async () => {
    const logged = delivered.length > 0 ? await readAt(parts, { place: 'logged' }, found.name) : undefined
    if (isFound(logged)) view = viewOfFound(logged)
  })
  return { ...sent, message: view, delivered, notices }
}

/** Work after the message was sent. If it fails, the sender gets a notice and no error: after an error it would send again. */
async function afterwards(notices: string[], work: () => Promise<void>): Promise<void> {
  const error = await apart(work)
  if (error) notices.push(`It was sent, and the next command takes it into account; now that failed: ${error.message}`)
}

export function readSendable(parts: CirceParts, text: string): CirceMessage {
  const bytes = Buffer.from(text)
  // The next command would set it aside.
  const problem = tooLarge(bytes.length, parts.settings.largestMessage)
  if (problem) throw notSendable([problem])
  const parsed = parseMessage(bytes, parts.settings.furtherIntents)
  if (parsed.outcome === 'malformed') throw notSendable(parsed.problems)
  expectKnownIntent(parsed.message.intent, parts.settings.furtherIntents)
  return parsed.message
}

/** Messages of one second that would get the same name share a subject, and so do the answers to one message. */
function subjectToSend(message: CirceMessage): Subject {
  const { task, replyTo } = message
  const isReply = replyTo !== undefined && isFileName(withEnding(replyTo))
  return subjectOf(isReply ? fileName(replyTo) : fileNameOf(message), task)
}

export async function sendInTurn(parts: CirceParts, message: CirceMessage): Promise<CirceSent> {
  const state = await expectSendable(parts, message)
  await publishStaged(parts)
  return created(parts, message, await create(parts, message), state)
}

/** Stages the message, notes the key, moves the message: wherever this process is killed, another one goes on from there. */
async function sendKeyed(
  parts: CirceParts,
  message: CirceMessage,
  { once, key, digest }: Keyed,
): Promise<CirceSent | UsedBefore> {
  const state = await expectSendable(parts, message)
  await publishStaged(parts)
  const name = await freeName(parts, message)
  const begun = await once.begin(key, message.bytes, digest, idOf(name))
  if (begun.outcome === 'known') return begun
  const found = newFound(parts, (await publish(parts, begun.staged)) ?? name, message)
  return created(parts, message, { ...found, durability: begun.durability }, state)
}

/** Throws where the message may not be sent. Answers the state of its task. */
async function expectSendable(parts: CirceParts, message: CirceMessage): Promise<TaskState | undefined> {
  const { task } = message
  if (task !== undefined && message.intent === 'claim_task') await takeUp(parts, task)
  const state = task === undefined ? undefined : await readSoundState(parts, task)
  if (state) expectAllowed(parts, state, message)
  await expectQuestion(parts, message)
  return state
}

/** After the message was created: counts it for its task. */
async function created(
  parts: CirceParts,
  message: CirceMessage,
  found: Created,
  state: TaskState | undefined,
): Promise<CirceSent> {
  const { task } = message
  const notices: string[] = []
  let now: PlacedMessage = found
  await afterwards(notices, async () => {
    if (task === undefined) {
      const line = countLine(found.name, message, parts.clock.now())
      await countAloneInTurn(parts, found, [line], subjectToSend(message))
      return
    }
    const refused = await countOne(parts, found, state)
    if (refused !== undefined) notices.push(`It changes nothing for ${task}: ${refused}.`)
    now = (await findMessage(parts, found.name)) ?? found
  })
  return { outcome: 'sent', message: viewOfFound(now), durability: found.durability, delivered: [], notices }
}

/** Refuses a completion or release by a sender that may not do that, before anything is written. */
function expectAllowed(parts: CirceParts, state: TaskState, message: CirceMessage): void {
  const { intent, status, task } = message
  const isCompletion = intent === 'status_update' && status === 'completed'
  const { refused } = effectNow(parts, state.task, state.facts, message)
  if (refused === undefined || !(isCompletion || intent === 'release_task')) return
  const hint = `See how it stands: ${call('circe tasks', { id: task })}`
  if (/needs tests_passed/.test(refused)) throw conflict('NOT_COMPLETE', `${refused}.`, { hint, details: { task } })
  throw denied('NOT_THE_OWNER', `${refused}.`, { hint, details: { task } })
}

/** Throws for an answer to a message that is not there. */
async function expectQuestion(parts: CirceParts, { replyTo, intent }: CirceMessage): Promise<void> {
  if (replyTo === undefined || intent !== 'answer') return
  if (await findMessage(parts, fileName(replyTo))) return
  throw invalidInput('NO_SUCH_QUESTION', `There is no message ${replyTo} that could be answered.`, {
    hint: 'Give the name of its file, as `circe inbox` or `human list` shows it.',
    details: { file: replyTo },
  })
}

async function create(parts: CirceParts, message: CirceMessage): Promise<Created> {
  for (;;) {
    const found = newFound(parts, await freeName(parts, message), message)
    const created = await parts.tree.create(found.path, message.bytes)
    if (created.outcome === 'created') return { ...found, durability: created.durability }
  }
}

async function freeName(parts: CirceParts, message: CirceMessage): Promise<FileName> {
  for (let nth = 1; ; nth++) {
    const name = fileNameOf(message, nth)
    if (!(await isGiven(parts, name, message.task))) return name
  }
}

const newFound = (parts: CirceParts, name: FileName, message: CirceMessage): PlacedMessage => {
  const path = pathAt(parts, { place: 'new' }, name)
  return { place: 'new', name, path, message, problems: [], writtenAt: 0 }
}

function messageStatus(text: string): MessageStatus {
  const status = statusOf(text)
  if (status) return status
  throw invalidInput('BAD_STATUS', `Not a status of a message: ${JSON.stringify(text.slice(0, 40))}.`, {
    hint: `Use one of ${messageStatuses.join(', ')}.`,
    details: { status: text.slice(0, 400) },
  })
}
