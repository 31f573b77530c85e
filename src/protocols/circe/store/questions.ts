/** Which messages wait for a person, and which message answers which. Pure. */
import { digestOf } from '../../contract.ts'
import type { Asked } from '../deed.ts'
import { bodyOf } from '../format.ts'
import type { Head } from '../head.ts'
import { isEverybody, isRooster, isSameAgent, isTaskId } from '../names.ts'
import type { CirceMessage } from '../schema.ts'

/** What a message asks of a person; `undefined` when it is for agents alone. */
export const askedBy = ({ from, task, time, asks }: Head): Asked | undefined =>
  asks && { kind: asks, from, task: task !== undefined && isTaskId(task) ? task : undefined, at: time }

/** The person may answer everything, an agent what went to it. What others say about it is no answer. */
export const mayAnswer = (from: string, { to }: Pick<CirceMessage, 'to'>): boolean =>
  isRooster(from) || isSameAgent(to, from) || isEverybody(to)

/**
 * Whether an answer is one to this question: it says so, or it comes from the person (or whom the question went to), for whoever
 * asked, about the same task, and later.
 */
export function isAnswerTo(answer: Head, file: string, question: Asked, to: string | undefined): boolean {
  if (answer.intent !== 'answer') return false
  if (answer.replyTo !== undefined) return answer.replyTo === file || `${answer.replyTo}.md` === file
  const isFromAsked = isRooster(answer.from) || (to !== undefined && isSameAgent(answer.from, to))
  const isForAsker = isSameAgent(answer.to, question.from) && answer.task === question.task
  return isFromAsked && isForAsker && question.task !== undefined && answer.time >= question.at
}

/** Names the words of an answer, so that the same ones are recognised: a yes and a no with the same words are not. */
export const wordsOf = (answer: Pick<CirceMessage, 'bytes' | 'status'>): string =>
  digestOf(answer.status === 'failed' ? 'no' : 'yes', bodyOf(answer).trim())
