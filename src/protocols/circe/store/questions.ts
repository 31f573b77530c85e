/** Which messages wait for a person, and which message answers which. Pure. */
import { digestOf } from '../../contract.ts'
import type { Asked } from '../deed.ts'
import { bodyOf } from '../format.ts'
import { isEverybody, isRooster, isSameAgent, isTaskId } from '../names.ts'
import { type CirceMessage, rooster } from '../schema.ts'

const named = new RegExp(`\\b${rooster}\\b`, 'i')

/** What a message asks of a person; `undefined` when it is for agents alone. */
export function askedBy(message: CirceMessage): Asked | undefined {
  const { from, to, intent, task, time, bytes } = message
  if (isRooster(from)) return undefined
  const isApproval = intent === 'approval_request' && (isRooster(to) || named.test(Buffer.from(bytes).toString('utf8')))
  const kind = isApproval ? 'approval' : intent === 'escalate' ? 'escalation' : isRooster(to) ? 'question' : undefined
  return kind && { kind, from, task: task !== undefined && isTaskId(task) ? task : undefined, at: time }
}

/** The person may answer everything, an agent what went to it. What others say about it is no answer. */
export const mayAnswer = (from: string, { to }: Pick<CirceMessage, 'to'>): boolean =>
  isRooster(from) || isSameAgent(to, from) || isEverybody(to)

/**
 * Whether an answer is one to this question: it says so, or it comes from the person (or whom the question went to), for whoever
 * asked, about the same task, and later.
 */
export function isAnswerTo(answer: CirceMessage, file: string, question: Asked, to: string | undefined): boolean {
  if (answer.intent !== 'answer') return false
  if (answer.replyTo !== undefined) return answer.replyTo === file || `${answer.replyTo}.md` === file
  const isFromAsked = isRooster(answer.from) || (to !== undefined && isSameAgent(answer.from, to))
  const isForAsker = isSameAgent(answer.to, question.from) && answer.task === question.task
  return isFromAsked && isForAsker && question.task !== undefined && answer.time >= question.at
}

/** Names the words of an answer, so that the same ones are recognised: a yes and a no with the same words are not. */
export const wordsOf = (answer: Pick<CirceMessage, 'bytes' | 'status'>): string =>
  digestOf(answer.status === 'failed' ? 'no' : 'yes', bodyOf(answer).trim())
