/** Which messages wait for a person, and which message answers which, by the lines of the log. */
import { digestOf } from '../../../formats/digest.ts'
import type { CirceEvent } from '../events.ts'
import { bodyOf } from '../format.ts'
import { type FileName, isEverybody, isFileName, isRooster, isSameAgent, withEnding } from '../names.ts'
import type { CirceMessage, Head } from '../schema.ts'
import { eventsAbout, eventsOf } from './log.ts'
import type { CirceParts } from './parts.ts'
import { findMessage, type PlacedMessage } from './places.ts'

/** The file of an answer, and the digest of its words. */
export interface AnswerFile {
  readonly file: string
  readonly digest: string
}

/** ROOSTER may answer every question, an agent those that went to it. */
export const mayAnswer = (from: string, { to }: Pick<Head, 'to'>): boolean =>
  isRooster(from) || isSameAgent(to, from) || isEverybody(to)

/** A digest of an answer, by which a repeat is recognised. A yes and a no with the same words differ. */
export const wordsOf = (answer: Pick<CirceMessage, 'bytes' | 'status'>): string =>
  digestOf(answer.status === 'failed' ? 'no' : 'yes', bodyOf(answer).trim())

/** The detail of an `answered` line. A file name may have blanks; a digest has none. */
export const answerDetail = ({ file, digest }: AnswerFile): string => `${file} ${digest}`

function answerFrom(detail: string): AnswerFile | undefined {
  const at = detail.lastIndexOf(' ')
  return at < 0 ? undefined : { file: detail.slice(0, at), digest: detail.slice(at + 1) }
}

/** The answer that a question got. */
export async function answerTo(parts: CirceParts, question: FileName): Promise<AnswerFile | undefined> {
  const told = (await eventsAbout(parts, question)).find(({ event }) => event === 'answered')
  return told && answerFrom(told.detail)
}

/** The files of the questions without an answer, by some lines of the log. */
export function unansweredIn(events: Iterable<CirceEvent>): Set<FileName> {
  const open = new Set<FileName>()
  for (const { event, file } of events) {
    if (file === undefined || !isFileName(file)) continue
    // A message that was not allowed to change its task may still be a question to a person.
    if (event === 'asked' || event === 'refused') open.add(file)
    if (event === 'answered') open.delete(file)
  }
  return open
}

/** The question to a person that a message answers: the one that it names, else the oldest open one about the same task. */
export async function answeredBy(parts: CirceParts, { message }: PlacedMessage): Promise<FileName | undefined> {
  const { intent, replyTo, task, from, to, time } = message
  if (intent !== 'answer') return undefined
  if (replyTo !== undefined) {
    const file = withEnding(replyTo)
    const question = isFileName(file) ? await findMessage(parts, file) : undefined
    if (!question?.message.asks || !mayAnswer(from, question.message)) return undefined
    return (await answerTo(parts, question.name)) ? undefined : question.name
  }
  if (task === undefined) return undefined
  const open: PlacedMessage[] = []
  for (const file of unansweredIn(await eventsOf(parts, task))) {
    const question = await findMessage(parts, file)
    if (question?.message.asks) open.push(question)
  }
  const isMeant = ({ message: question }: PlacedMessage) =>
    (isRooster(from) || isSameAgent(from, question.to)) &&
    isSameAgent(to, question.from) &&
    question.task === task &&
    time >= question.time
  return open.sort((a, b) => a.message.time - b.message.time).find(isMeant)?.name
}
