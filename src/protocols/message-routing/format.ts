/**
 * A message as a file: JSON, two blanks a level, the fields in the order of the specification's examples. Reading
 * refuses with the reasons rather than guesses; unknown fields are kept and written after the known ones.
 */
import { parseJson, stringify } from '../../formats/json.ts'
import { SignalboxError } from '../../kernel/errors.ts'
import type { Malformed, Parsed } from '../../kernel/problem.ts'
import type { MrMessage } from './schema.ts'
import { type FieldProblem, messageProblems } from './validate.ts'

/** What may be sent, in bytes of the file. Spec: Message Routing, "Scalability Limits". */
export const largestMessage = 10_240
/** Larger files are not read at all. */
export const largestRead = 1024 * 1024

/** Why it is no message, field by field. */
export interface MalformedMessage extends Malformed {
  readonly problems: readonly [FieldProblem, ...FieldProblem[]]
}

type ParsedMessage = Exclude<Parsed<MrMessage>, Malformed> | MalformedMessage

/** Reads what a file says. What the table of payloads has against a message is a question of its own. */
export function parseMessage(bytes: Uint8Array): ParsedMessage {
  const read = readValue(bytes)
  return 'value' in read ? judgeValue(read.value) : read
}

/** The JSON value, or why there is none. */
export function readValue(bytes: Uint8Array): { readonly value: unknown } | MalformedMessage {
  try {
    return { value: parseJson(bytes, { maxBytes: largestRead }) }
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error
    const problem = { code: error.code, field: '', expected: 'JSON', found: undefined, message: error.message }
    return { outcome: 'malformed', problems: [problem], isUnfinished: true }
  }
}

/** What a small file of our own says; `undefined` for what is no JSON, which tells nothing. */
export function jsonIn(bytes: Uint8Array): unknown {
  const read = readValue(bytes)
  return 'value' in read ? read.value : undefined
}

/** Is this value a message? `tolerated` names fields that may be as they are. */
export function judgeValue(value: unknown, tolerated: readonly string[] = []): ParsedMessage {
  const [first, ...others] = messageProblems(value).filter(({ field }) => !tolerated.includes(field))
  if (first) return { outcome: 'malformed', problems: [first, ...others] }
  return { outcome: 'message', message: withoutNull(value as MrMessage), problems: [] }
}

/** A null `correlation_id` is an absent one. */
function withoutNull(message: MrMessage): MrMessage {
  if ((message.correlation_id as unknown) !== null) return message
  const { correlation_id: _, ...others } = message
  return others as MrMessage
}

/** The whole file. No line end at its end, as `JSON.stringify` gives it and the specification writes it. */
export const printMessage = (message: MrMessage): string => stringify(inOrder(message), 2)

/** As in the specification's examples; other fields follow as they come. */
const fieldOrder: readonly string[] = [
  ...['version', 'msg_id', 'from', 'to', 'timestamp', 'sequence', 'type'],
  ...['requires_ack', 'correlation_id', 'priority', 'payload'],
]

function inOrder(message: MrMessage): object {
  const known = fieldOrder.filter((field) => message[field] !== undefined)
  const others = Object.keys(message).filter((field) => !fieldOrder.includes(field))
  return Object.fromEntries([...known, ...others].map((field) => [field, message[field]]))
}
