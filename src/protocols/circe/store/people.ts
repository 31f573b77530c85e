/**
 * Questions to a person, and their answers. An answer is a message to the agent that asked, and names the task and the question;
 * the question stays where it lies. Spec: CIRCE, `escalate`, `question` and `approval_request`.
 */
import { call, inputs } from '../../../kernel/call.ts'
import { conflict, denied } from '../../../kernel/errors.ts'
import { eventsIn, isCount } from '../events.ts'
import { type FileName, fileName, isFileName, isRooster, participant, type TaskId, withEnding } from '../names.ts'
import { type CirceMessage, rooster } from '../schema.ts'
import { catchUp, finishTask } from './catching-up.ts'
import { commit, turn } from './journal.ts'
import { eventsOf, logBytes } from './log.ts'
import type { CirceAnswer, CirceAnswered } from './outcomes.ts'
import { type CirceParts, subjectOf } from './parts.ts'
import { expectMessage, findMessage, isFound, lookAround, type PlacedMessage, readAt, readWhole } from './places.ts'
import { type AnswerFile, answerTo, mayAnswer, unansweredIn, wordsOf } from './questions.ts'
import { compose, readSendable, sendInTurn } from './sending.ts'
import { readTaskFiles } from './task-files.ts'
import { viewOfFound } from './view.ts'

export class People {
  readonly #parts: CirceParts

  constructor(parts: CirceParts) {
    this.#parts = parts
  }

  /** Questions without an answer, but for those whose task was completed since. */
  async *open(): AsyncGenerator<PlacedMessage> {
    const { found: lying } = await catchUp(this.#parts, { logs: true })
    const events = [...eventsIn(await logBytes(this.#parts))]
    const open = unansweredIn(events)
    const answered = new Set(events.flatMap(({ event, file }) => (event === 'answered' ? [file] : [])))
    // A message that has not counted, because the files of its task have mistakes, still waits for a person.
    for (const { name, message } of lying) if (message.asks && !answered.has(name)) open.add(name)
    for (const name of open) {
      const found = await findMessage(this.#parts, name)
      if (!found?.message.asks) continue
      const { task } = found.message
      if (task === undefined || !(await wasCompletedSince(this.#parts, task, name))) yield found
    }
  }

  /** Answers as ROOSTER, or as an agent that the question went to. */
  async answer(
    file: string,
    { text, by = rooster, verdict = 'answer', person }: CirceAnswer & { readonly person?: string },
  ): Promise<CirceAnswered> {
    const name = fileName(file)
    const caughtUp = await catchUp(this.#parts, { logs: true })
    const question = await expectMessage(this.#parts, name, `See what waits: ${call('human list')}`)
    await finishTask(this.#parts, caughtUp, question.message.task)
    const who = participant(by, 'from')
    expectMayAnswer(question, who)
    return turn(this.#parts, subjectOf(name, question.message.task), async () => {
      const answer = readSendable(this.#parts, composeAnswer(this.#parts, question, who, text, verdict, person))
      const before = await givenAnswer(this.#parts, question)
      if (before) return repeatedAnswer(this.#parts, question, before, answer)
      const { message, durability } = await sendInTurn(this.#parts, answer)
      await putAway(this.#parts, question)
      return { outcome: 'answered', message, durability }
    })
  }
}

/** False for a question that was asked after its task was completed. */
async function wasCompletedSince(parts: CirceParts, task: TaskId, question: FileName): Promise<boolean> {
  if ((await readTaskFiles(parts, task)).task.status !== 'completed') return false
  const events = await eventsOf(parts, task)
  const completed = events.findLastIndex(({ event }) => event === 'completed')
  const asked = events.findLastIndex(({ event, file }) => isCount(event) && file === question)
  return completed < 0 || asked < completed
}

function composeAnswer(
  parts: CirceParts,
  { message, name }: PlacedMessage,
  by: string,
  text: string,
  verdict: NonNullable<CirceAnswer['verdict']>,
  person?: string,
): string {
  const isOneLine = !/[\r\n]/.test(text.trim())
  return compose(parts, {
    from: by,
    to: message.from,
    intent: 'answer',
    status: verdict === 'deny' ? 'failed' : 'completed',
    replyTo: name,
    ...(message.task === undefined ? {} : { task: message.task }),
    ...(isOneLine ? { summary: text } : { body: text }),
    ...(person === undefined ? {} : { headers: [['answered_by', person] as const] }),
  })
}

/** The answer that was given before. */
async function givenAnswer(parts: CirceParts, question: PlacedMessage): Promise<AnswerFile | undefined> {
  const told = await answerTo(parts, question.name)
  if (told) return told
  // The sender of the answer may have been killed before the answer counted.
  const { found } = await lookAround(parts)
  const listed = found.find(({ message }) => message.intent === 'answer' && isReplyTo(message, question))
  const answer = listed && (await readWhole(parts, listed))
  if (answer || question.message.asks) return answer && { file: answer.name, digest: wordsOf(answer.message) }
  return answerInLog(parts, question)
}

/** Only questions to people have an `answered` line. The answer to any other message is searched for among the logged messages. */
async function answerInLog(parts: CirceParts, question: PlacedMessage): Promise<AnswerFile | undefined> {
  for (const { event, detail, file, task } of eventsIn(await logBytes(parts), question.message.task)) {
    if (event !== 'message' || !detail.startsWith('answer ') || task !== question.message.task) continue
    const read = file !== undefined && isFileName(file) && (await readAt(parts, { place: 'logged' }, file))
    if (!read || !isFound(read) || !isReplyTo(read.message, question)) continue
    return { file: read.name, digest: wordsOf(read.message) }
  }
  return undefined
}

async function repeatedAnswer(
  parts: CirceParts,
  question: PlacedMessage,
  before: AnswerFile,
  answer: CirceMessage,
): Promise<CirceAnswered> {
  const found = isFileName(before.file) ? await findMessage(parts, before.file) : undefined
  if (before.digest === wordsOf(answer)) {
    await putAway(parts, question)
    return { outcome: 'unchanged', message: viewOfFound(found ?? question), durability: 'process' }
  }
  throw conflict('ALREADY_ANSWERED', `${question.name} has been answered otherwise${found ? `: ${found.name}` : ''}.`, {
    hint: `Send a message of your own instead: ${call('circe send', { to: question.message.from, intent: 'inform' })} …`,
    details: { file: question.name, answer: before.file },
  })
}

/** Moves an answered question into the log if it went to the person alone. */
async function putAway(parts: CirceParts, { name, message, place }: PlacedMessage): Promise<void> {
  if (place !== 'new' || !isRooster(message.to)) return
  const task = message.task
  await commit(parts, subjectOf(name, task), [{ do: 'settle', file: name, from: { place: 'new' }, task }])
}

const isReplyTo = (
  { replyTo, from }: Pick<CirceMessage, 'replyTo' | 'from'>,
  { name, message }: PlacedMessage,
): boolean => replyTo !== undefined && withEnding(replyTo) === name && mayAnswer(from, message)

function expectMayAnswer({ message, name }: PlacedMessage, by: string): void {
  if (mayAnswer(by, message)) return
  throw denied('NOT_ASKED', `${name} went to ${message.to}, not to ${by}.`, {
    hint: `Leave ${inputs({ as: by })} out to answer as a person.`,
    details: { file: name, to: message.to },
  })
}
