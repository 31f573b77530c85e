/** Judges whether a file is a message for the inbox that it lies in, with every reason against it and every remark. Pure. */
import type { Malformed, Parsed, Problem } from '../../kernel/problem.ts'
import type { Converted } from './compat.ts'
import { judgeValue, largestMessage, largestRead, parseMessage, readValue } from './format.ts'
import { stemOf } from './layout.ts'
import { isObject, type MrMessage, unusualDirection } from './schema.ts'
import type { Validated } from './store/outcomes.ts'
import { type FieldProblem, payloadProblems } from './validate.ts'
import { versionProblem } from './versions.ts'

export interface Where {
  /** The owner of the inbox; without it the recipient is not compared. */
  readonly agent?: string
  /** Without it the id is not compared with the name. */
  readonly fileName?: string
  /** Of the whole file, of which perhaps only the beginning was read. */
  readonly size: number
  /** Reads the known deviations of other programs. */
  readonly convert?: ((value: unknown) => Converted) | undefined
}

export type Judged =
  | (Exclude<Parsed<MrMessage>, Malformed> & {
      /** What else a reader should know of it, one sentence each. */
      readonly notes: readonly string[]
      /** It was written in a form of another program. */
      readonly isConverted: boolean
    })
  | NoMessage

export interface NoMessage extends Malformed {
  /** As in `error.log`: `VALIDATION_FAILED`, `NAME_MISMATCH`. */
  readonly code: string
  /** The id that it gives itself, where it does. */
  readonly msgId: string | undefined
}

export function judgeFile(bytes: Uint8Array, where: Where): Judged {
  const { size, convert } = where
  if (size > largestRead) {
    const tooLarge = `The file has ${size} bytes; ${largestRead} is the most that is read`
    return refused(problem('MESSAGE_TOO_LARGE', tooLarge), undefined)
  }
  const read = readValue(bytes)
  if (!('value' in read)) return { ...read, code: 'VALIDATION_FAILED', msgId: undefined }
  const { value, notes, tolerated = [] } = convert?.(read.value) ?? { value: read.value, notes: [] }
  const msgId = textIn(value, 'msg_id')
  const unsupported = unreadVersion(value)
  if (unsupported) return refused(unsupported, msgId)
  const judged = judgeValue(value, tolerated)
  if (judged.outcome === 'malformed') return { ...judged, code: 'VALIDATION_FAILED', msgId }
  const { message } = judged
  const misplaced = misplacement(message, textIn(read.value, 'msg_id'), where)
  if (misplaced) return refused(misplaced, msgId)
  const direction = unusualDirection(message)
  return {
    outcome: 'message',
    message,
    problems: [...payloadProblems(message), ...oversize(where)],
    notes: direction === undefined ? notes : [...notes, direction],
    isConverted: notes.length > 0,
  }
}

/** A message of another major version may have any fields, so the version is checked first. */
function unreadVersion(value: unknown): Problem | undefined {
  const version = textIn(value, 'version')
  return version !== undefined && /^\d+\.\d+\.\d+$/.test(version) ? versionProblem(version) : undefined
}

function misplacement(message: MrMessage, writtenId: string | undefined, { agent, fileName }: Where) {
  const stem = fileName === undefined ? message.msg_id : stemOf(fileName)
  if (stem !== message.msg_id && stem !== writtenId) {
    return problem('NAME_MISMATCH', `The file is named ${fileName}, but its msg_id is ${message.msg_id}`)
  }
  if (agent !== undefined && message.to !== agent) {
    return problem('WRONG_INBOX', `The message is for ${message.to}, but lies in the inbox of ${agent}`)
  }
  return undefined
}

/** The same for a person, who gets every reason. */
export function validateFile(bytes: Uint8Array, where: Where): Validated {
  const { size } = where
  const judged = judgeFile(bytes, where)
  if (judged.outcome === 'message') {
    const [issues, payloadIssues] = [oversize(where), payloadProblems(judged.message)]
    const isValid = issues.length + payloadIssues.length === 0
    return { outcome: isValid ? 'valid' : 'invalid', issues, payloadIssues, notes: judged.notes, size }
  }
  // If the schema finds no problem, it is the version, the name or the inbox.
  const parsed = parseMessage(bytes)
  const place = { expected: 'a message for this place', found: undefined }
  const issues = parsed.outcome === 'malformed' ? parsed.problems : judged.problems.map((one) => ({ ...one, ...place }))
  return { outcome: 'invalid', issues, payloadIssues: [], notes: [], size }
}

/** Sending refuses this size; a larger message is still read. */
function oversize({ size }: Where): FieldProblem[] {
  if (size <= largestMessage) return []
  const found = problem('MESSAGE_TOO_LARGE', `The message has ${size} bytes; ${largestMessage} is the most`)
  return [{ ...found, expected: `at most ${largestMessage} bytes`, found: `${size} bytes` }]
}

function textIn(value: unknown, field: string): string | undefined {
  const found = isObject(value) ? value[field] : undefined
  return typeof found === 'string' ? found : undefined
}

const problem = (code: string, message: string): Problem => ({ code, field: '', message })

const refused = (found: Problem, msgId: string | undefined): NoMessage => ({
  outcome: 'malformed',
  problems: [found],
  code: found.code,
  msgId,
})

export const sentencesOf = (problems: readonly Problem[]): string[] => problems.map(({ message }) => message)
