/** What a message says above its sections, and in one line: all that decides what becomes of it. Pure. */
import type { Asked } from './deed.ts'
import { summaryOf } from './format.ts'
import { isRooster } from './names.ts'
import { type CirceMessage, knownHeaders, rooster } from './schema.ts'

export interface Head
  extends Pick<CirceMessage, 'from' | 'to' | 'intent' | 'task' | 'status' | 'createdAt' | 'time' | 'replyTo'> {
  readonly summary: string
  /** Headers that the specification does not name. */
  readonly further: Readonly<Record<string, string>>
  /** What it asks of a person; `undefined` when it is for agents alone. */
  readonly asks: Asked['kind'] | undefined
}

/** A message with its head worked out. */
export type WholeMessage = CirceMessage & Head

export const withHead = (message: CirceMessage): WholeMessage => ({
  ...message,
  summary: summaryOf(message),
  further: furtherHeaders(message),
  asks: asksOf(message),
})

/** Without its text, which may be long. */
export const headOf = (message: CirceMessage): Head => {
  const { from, to, intent, task, status, createdAt, time, replyTo } = message
  const worked = { summary: summaryOf(message), further: furtherHeaders(message), asks: asksOf(message) }
  return { from, to, intent, task, status, createdAt, time, replyTo, ...worked }
}

const named = new RegExp(`\\b${rooster}\\b`, 'i')

function asksOf({ from, to, intent, bytes }: CirceMessage): Asked['kind'] | undefined {
  if (isRooster(from)) return undefined
  const isApproval = intent === 'approval_request' && (isRooster(to) || named.test(Buffer.from(bytes).toString('utf8')))
  return isApproval ? 'approval' : intent === 'escalate' ? 'escalation' : isRooster(to) ? 'question' : undefined
}

const isKnown = (key: string): boolean => knownHeaders.some((name) => name === key.toLowerCase())

/** A plain object without a prototype's keys: a header may be called anything. */
const furtherHeaders = ({ headers }: CirceMessage): Record<string, string> =>
  Object.fromEntries([...headers].filter(([key]) => !isKnown(key) && key !== '__proto__'))
