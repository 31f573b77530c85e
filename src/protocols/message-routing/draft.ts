/** What a sender wants to send, checked before anything is written: a message without its id, number and time. */
import { parseJson } from '../../formats/json.ts'
import { invalidInput, SignalboxError } from '../../kernel/errors.ts'
import type { JsonInput } from '../../kernel/field.ts'
import { largestMessage, printMessage } from './format.ts'
import { type AgentId, agentId, messageId } from './layout.ts'
import { isObject, type MrMessage, type Payload } from './schema.ts'
import type { MrSendInput } from './store/outcomes.ts'
import { type FieldProblem, messageProblems, payloadProblems } from './validate.ts'
import { currentVersion } from './versions.ts'

/** The type may be any text: it is checked here. */
type DraftInput = Omit<MrSendInput, 'type' | 'compat'> & { readonly type: string }

/** The fields that the store fills in, in the turn of the recipient's inbox. */
interface Stamp {
  readonly msg_id: string
  readonly sequence: number
  readonly timestamp: string
}

export interface MrDraft {
  readonly from: AgentId
  readonly to: AgentId
  stamped(stamp: Stamp): MrMessage
}

/** Valid values for checking the other fields. */
export const example: Stamp = { msg_id: 'msg_00000000', sequence: 1, timestamp: '2025-01-01T00:00:00.000Z' }

/** Throws with every reason at once. */
export function draftOf(input: DraftInput, largest = largestMessage): MrDraft {
  const from = agentId(input.from)
  const to = agentId(input.to)
  const stamped = (stamp: Stamp) => ({ ...input.extra, ...fieldsOf(input, stamp) }) as MrMessage
  const message = stamped(example)
  const issues = messageProblems(message)
  if (issues.length === 0) issues.push(...payloadProblems(message))
  if (issues.length > 0) throw invalidMessage(issues)
  expectSize(Buffer.byteLength(printMessage(message)), largest)
  return { from, to, stamped }
}

function fieldsOf(input: DraftInput, { msg_id, sequence, timestamp }: Stamp) {
  const { from, to, type, payload, requiresAck, replyTo, priority } = input
  return {
    version: currentVersion,
    msg_id,
    from,
    to,
    timestamp,
    sequence,
    type,
    ...(requiresAck === true ? { requires_ack: true } : {}),
    ...(replyTo === undefined ? {} : { correlation_id: messageId(replyTo) }),
    ...(priority === undefined ? {} : { priority }),
    payload,
  }
}

export function expectSize(size: number, largest = largestMessage): void {
  if (size <= largest) return
  throw invalidInput('MESSAGE_TOO_LARGE', `The message has ${size} bytes; ${largest} is the most.`, {
    hint: 'Write the long part into a file and name that file in the payload.',
    details: { size, largest },
  })
}

const invalidMessage = (issues: readonly FieldProblem[]) =>
  invalidInput('VALIDATION_FAILED', `Not a valid message. ${issues.map(({ message }) => `${message}.`).join(' ')}`, {
    hint: `Correct ${issues.map(({ field }) => `\`${field}\``).join(', ')} and send again.`,
    details: { issues },
  })

/** A payload as a caller gave it, as a value or as JSON. Mistakes are `InvalidInput`, not `Corrupt`. */
export function payloadFrom(given: JsonInput): Payload {
  let value: unknown
  try {
    value = typeof given === 'string' ? parseJson(given) : given
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error
    throw badPayload(`it is not JSON (${error.message})`, error)
  }
  if (isObject(value)) return value
  throw badPayload(`it is ${Array.isArray(value) ? 'a list' : JSON.stringify(value)}`)
}

const badPayload = (why: string, cause?: unknown) =>
  invalidInput('BAD_PAYLOAD', `The payload must be a JSON object; ${why.replace(/\.\)$/, ')')}.`, {
    hint: 'Give one such as {"task": "Review the login"}.',
    ...(cause === undefined ? {} : { cause }),
  })
