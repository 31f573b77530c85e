/**
 * What waits for a person, and the answers. An answer is one message to whoever asked, linked to the task and to the question;
 * the question itself stays with whoever else it went to. Spec: CIRCE, `escalate`, `question` and `approval_request`.
 */
import { conflict, denied, notFound } from '../../../kernel/errors.ts'
import { eventsIn, isCount } from '../events.ts'
import { type FileName, fileName, isFileName, isRooster, participant, type TaskId } from '../names.ts'
import { type CirceMessage, rooster } from '../schema.ts'
import type { CatchingUp } from './catching-up.ts'
import type { Journal } from './journal.ts'
import { eventsOf, logBytes } from './log.ts'
import type { CirceAnswer, CirceAnswered } from './outcomes.ts'
import { type CirceParts, subjectOf } from './parts.ts'
import { type Found, findMessage, isFound, lookAround, readAt, readWhole } from './places.ts'
import { type Answer, answerTo, mayAnswer, unansweredIn, wordsOf } from './questions.ts'
import type { Sending } from './sending.ts'
import { readTaskFiles } from './task-files.ts'
import { viewOfFound } from './view.ts'

export class People {
  readonly #parts: CirceParts
  readonly #journal: Journal
  readonly #catchingUp: CatchingUp
  readonly #sending: Sending

  constructor(parts: CirceParts, journal: Journal, catchingUp: CatchingUp, sending: Sending) {
    this.#parts = parts
    this.#journal = journal
    this.#catchingUp = catchingUp
    this.#sending = sending
  }

  /** What nobody has answered. A question about a task that was completed since waits no longer. */
  async *open(): AsyncGenerator<Found> {
    const { found: lying } = await this.#catchingUp.catchUp({ logs: true })
    const events = [...eventsIn(await logBytes(this.#parts))]
    const open = unansweredIn(events)
    const answered = new Set(events.flatMap(({ event, file }) => (event === 'answered' ? [file] : [])))
    // What could not count for its task, because the files of that cannot be believed, waits for a person all the same.
    for (const { name, message } of lying) if (message.asks && !answered.has(name)) open.add(name)
    for (const name of open) {
      const found = await findMessage(this.#parts, name)
      if (!found?.message.asks) continue
      const { task } = found.message
      if (task === undefined || !(await this.#wasCompletedSince(task as TaskId, name))) yield found
    }
  }

  /** What is asked about a task that was over already waits like everything else. */
  async #wasCompletedSince(task: TaskId, question: FileName): Promise<boolean> {
    if ((await readTaskFiles(this.#parts, task)).task.status !== 'completed') return false
    const events = await eventsOf(this.#parts, task)
    const completed = events.findLastIndex(({ event }) => event === 'completed')
    const asked = events.findLastIndex(({ event, file }) => isCount(event) && file === question)
    return completed < 0 || asked < completed
  }

  /** Who asked can also be answered by an agent that the question went to. */
  async answer(
    file: string,
    { text, by = rooster, verdict = 'answer', person }: CirceAnswer & { readonly person?: string },
  ): Promise<CirceAnswered> {
    const name = fileName(file)
    const caughtUp = await this.#catchingUp.catchUp({ logs: true })
    const question = await this.#expectQuestion(name)
    await this.#catchingUp.finish(caughtUp, question.message.task)
    const who = participant(by, 'from')
    expectMayAnswer(question, who)
    return this.#journal.turn(subjectOf(name, question.message.task), async () => {
      const answer = this.#sending.read(this.#compose(question, who, text, verdict, person))
      const before = await this.#given(question)
      if (before) return this.#repeated(question, before, answer)
      const { message, durability } = await this.#sending.sendInTurn(answer)
      await this.#putAway(question)
      return { outcome: 'answered', message, durability }
    })
  }

  #compose(
    { message, name }: Found,
    by: string,
    text: string,
    verdict: NonNullable<CirceAnswer['verdict']>,
    person?: string,
  ): string {
    const isOneLine = !/[\r\n]/.test(text.trim())
    return this.#sending.compose({
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

  /** The answer that was given before, and what names its words. */
  async #given(question: Found): Promise<Answer | undefined> {
    const told = await answerTo(this.#parts, question.name)
    if (told) return told
    // Its sender may have been killed before it was taken into account.
    const { found } = await lookAround(this.#parts)
    const listed = found.find(({ message }) => message.intent === 'answer' && isReplyTo(message, question))
    const answer = listed && (await readWhole(this.#parts, listed))
    if (answer || question.message.asks) return answer && { file: answer.name, digest: wordsOf(answer.message) }
    return this.#inLog(question)
  }

  /** Of what waits for no person nobody keeps whether it was answered, but the log has every answer. */
  async #inLog(question: Found): Promise<Answer | undefined> {
    for (const { event, detail, file, task } of eventsIn(await logBytes(this.#parts), question.message.task)) {
      if (event !== 'message' || !detail.startsWith('answer ') || task !== question.message.task) continue
      const read = file !== undefined && isFileName(file) && (await readAt(this.#parts, { place: 'logged' }, file))
      if (!read || !isFound(read) || !isReplyTo(read.message, question)) continue
      return { file: read.name, digest: wordsOf(read.message) }
    }
    return undefined
  }

  async #repeated(question: Found, before: Answer, answer: CirceMessage): Promise<CirceAnswered> {
    const found = isFileName(before.file) ? await findMessage(this.#parts, before.file) : undefined
    if (before.digest === wordsOf(answer)) {
      await this.#putAway(question)
      return { outcome: 'unchanged', message: viewOfFound(found ?? question), durability: 'process' }
    }
    throw conflict(
      'ALREADY_ANSWERED',
      `${question.name} has been answered otherwise${found ? `: ${found.name}` : ''}.`,
      {
        hint: `Send a message of your own instead: signalbox circe send --to ${question.message.from} --intent inform …`,
        details: { file: question.name, answer: before.file },
      },
    )
  }

  /** What was for the person alone has been dealt with. */
  async #putAway({ name, message, place }: Found): Promise<void> {
    if (place !== 'new' || !isRooster(message.to)) return
    const task = message.task as TaskId | undefined
    await this.#journal.commit(subjectOf(name, task), [{ do: 'settle', file: name, from: { place: 'new' }, task }])
  }

  async #expectQuestion(name: FileName): Promise<Found> {
    const found = await findMessage(this.#parts, name)
    if (found) return found
    throw notFound('NO_SUCH_MESSAGE', `There is no message ${name} that could be answered.`, {
      hint: 'See what waits: signalbox human list',
      details: { file: name },
    })
  }
}

const isReplyTo = ({ replyTo, from }: Pick<CirceMessage, 'replyTo' | 'from'>, { name, message }: Found): boolean =>
  (replyTo === name || `${replyTo}.md` === name) && mayAnswer(from, message)

function expectMayAnswer({ message, name }: Found, by: string): void {
  if (mayAnswer(by, message)) return
  throw denied('NOT_ASKED', `${name} went to ${message.to}, not to ${by}.`, {
    hint: 'Leave --as out to answer as a person.',
    details: { file: name, to: message.to },
  })
}
