/**
 * A message as a file: JSON, two blanks a level, the fields in the order of the specification's examples. Reading
 * refuses with the reasons rather than guesses; unknown fields are kept and written after the known ones.
 */
import { parseJson, stringify } from '../../formats/json.ts'
import { SignalboxError } from '../../kernel/errors.ts'
import type { Issue } from './issue.ts'
import type { MrMessage } from './schema.ts'
import { checkMessage, checkPayload } from './validate.generated.ts'

/** Larger files are not read at all: no message is a thousandth of this. */
export const largestRead = 1024 * 1024

export type Parsed =
  | { readonly outcome: 'message'; readonly message: MrMessage }
  /** `isUnfinished`: not JSON, as a file would be that somebody is still writing. */
  | {
      readonly outcome: 'invalid'
      readonly issues: readonly Issue[]
      readonly isUnfinished: boolean
      readonly value: unknown
    }

/** Reads what a file says. Never throws for what is in it. */
export function parseMessage(bytes: Uint8Array): Parsed {
  const read = readValue(bytes)
  return 'issue' in read
    ? { outcome: 'invalid', issues: [read.issue], isUnfinished: true, value: undefined }
    : judgeValue(read.value)
}

/** The JSON value, or why there is none. */
export function readValue(bytes: Uint8Array): { readonly value: unknown } | { readonly issue: Issue } {
  try {
    return { value: parseJson(bytes, { maxBytes: largestRead }) }
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error
    return { issue: { field: '', expected: 'JSON', found: undefined, message: error.message } }
  }
}

/** Is this value a message? `tolerated` names fields that may be as they are. */
export function judgeValue(value: unknown, tolerated: readonly string[] = []): Parsed {
  const found: Issue[] = []
  checkMessage(value, found)
  const issues = tolerated.length === 0 ? found : found.filter(({ field }) => !tolerated.includes(field))
  if (issues.length > 0) return { outcome: 'invalid', issues, isUnfinished: false, value }
  return { outcome: 'message', message: withoutNull(value as MrMessage) }
}

/** A null `correlation_id` is an absent one. */
function withoutNull(message: MrMessage): MrMessage {
  if ((message.correlation_id as unknown) !== null) return message
  const { correlation_id: _, ...others } = message
  return others as MrMessage
}

/** What the table of payloads has against a message: refused when sent, reported when received. */
export function payloadIssues({ type, payload }: Pick<MrMessage, 'type' | 'payload'>): readonly Issue[] {
  const issues: Issue[] = []
  // A type of another program, let in with `compat`, has no rules to keep to.
  if (Object.hasOwn(checkPayload, type)) checkPayload[type](payload, issues)
  return issues
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
