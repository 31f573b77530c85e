/**
 * A message as a file: JSON, two blanks a level, the fields in the order of the specification's examples. Unknown fields are kept
 * and written after the known ones.
 */
import { parseJson, stringify } from '../../formats/json.ts'
import { SignalboxError } from '../../kernel/errors.ts'
import type { Malformed, Parsed } from '../../kernel/problem.ts'
import type { MrMessage } from './schema.ts'
import { type FieldProblem, messageProblems } from './validate.ts'

/** The largest file that may be sent, in bytes. Spec: Message Routing, "Scalability Limits". */
export const largestMessage = 10_240
/** Larger files are not read at all. */
export const largestRead = 1024 * 1024

/** Why it is no message, field by field. */
export interface MalformedMessage extends Malformed {
  readonly problems: readonly [FieldProblem, ...FieldProblem[]]
}

type ParsedMessage = Exclude<Parsed<MrMessage>, Malformed> | MalformedMessage

/** Checks a file against the schema, but not its payload against the table of payloads: `payloadProblems` does that. */
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

/** The JSON value in a file; `undefined` where it is not JSON. */
export function jsonIn(bytes: Uint8Array): unknown {
  const read = readValue(bytes)
  return 'value' in read ? read.value : undefined
}

/** Checks a value against the schema. `tolerated`: fields that are not checked. */
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

/** The text of the file, without a line end, as in the specification. */
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
