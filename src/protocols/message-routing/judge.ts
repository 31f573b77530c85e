/** Is a file in an inbox a message for that inbox? Every reason against it, and every remark about it. Pure. */
import type { Converted } from './compat.ts'
import { unusualDirection } from './directions.ts'
import { judgeValue, largestRead, payloadIssues, readValue } from './format.ts'
import type { Rejection } from './hooks.ts'
import { stemOf } from './layout.ts'
import type { MrMessage } from './schema.ts'
import { rejectVersion } from './versions.ts'

export interface Where {
  /** Whose inbox; without it the recipient is not compared. */
  readonly agent?: string
  /** Without it the name is not compared. */
  readonly fileName?: string
  /** Of the whole file, when only its beginning was read. */
  readonly size: number
  /** The size that senders keep to; beyond it a message is still read. */
  readonly largestMessage: number
  /** Reads the deviations of other programs. */
  readonly convert?: ((value: unknown) => Converted) | undefined
}

export type Judged =
  | {
      readonly outcome: 'message'
      readonly message: MrMessage
      /** What is wrong and does not keep it from being delivered. */
      readonly problems: readonly string[]
      readonly notes: readonly string[]
    }
  | (Rejection & {
      /** The id that it gives itself, where it does. */
      readonly msgId: string | undefined
      /** Not JSON, as a file would be that somebody is still writing. */
      readonly isUnfinished: boolean
    })

export function judgeFile(bytes: Uint8Array, where: Where): Judged {
  if (where.size > largestRead) {
    return rejection('MESSAGE_TOO_LARGE', [`The file has ${where.size} bytes; ${largestRead} is the most that is read`])
  }
  const read = readValue(bytes)
  if ('issue' in read) return rejection('VALIDATION_FAILED', [read.issue.message], undefined, true)
  const { value, notes, tolerated = [] } = where.convert?.(read.value) ?? { value: read.value, notes: [] }
  const msgId = textIn(value, 'msg_id')
  const unsupported = versionRejection(value)
  if (unsupported) return { ...unsupported, msgId, isUnfinished: false }
  const judged = judgeValue(value, tolerated)
  if (judged.outcome === 'invalid') {
    const issues = judged.issues.map(({ message }) => message)
    return rejection('VALIDATION_FAILED', issues, msgId)
  }
  const { message } = judged
  const misplaced = misplacement(message, textIn(read.value, 'msg_id'), where)
  if (misplaced) return rejection(misplaced.code, [misplaced.issue], msgId)
  return { outcome: 'message', message, ...remarks(message, where, notes) }
}

/** A message of another major version may have any fields, so its version is looked at first. */
function versionRejection(value: unknown): Rejection | undefined {
  const version = textIn(value, 'version')
  return version !== undefined && /^\d+\.\d+\.\d+$/.test(version) ? rejectVersion(version) : undefined
}

function misplacement(message: MrMessage, writtenId: string | undefined, { agent, fileName }: Where) {
  const stem = fileName === undefined ? message.msg_id : stemOf(fileName)
  if (stem !== message.msg_id && stem !== writtenId) {
    return { code: 'NAME_MISMATCH', issue: `The file is named ${fileName}, but its msg_id is ${message.msg_id}` }
  }
  if (agent !== undefined && message.to !== agent) {
    return { code: 'WRONG_INBOX', issue: `The message is for ${message.to}, but lies in the inbox of ${agent}` }
  }
  return undefined
}

function remarks(message: MrMessage, { size, largestMessage }: Where, converted: readonly string[]) {
  const direction = unusualDirection(message)
  return {
    problems: [
      ...payloadIssues(message).map((issue) => issue.message),
      ...(size > largestMessage ? [`The message has ${size} bytes; ${largestMessage} is the most`] : []),
    ],
    notes: [...converted, ...(direction === undefined ? [] : [direction])],
  }
}

function textIn(value: unknown, field: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const found = (value as Record<string, unknown>)[field]
  return typeof found === 'string' ? found : undefined
}

const rejection = (code: string, issues: readonly string[], msgId?: string, isUnfinished = false): Judged => ({
  outcome: 'rejected',
  code,
  issues,
  msgId,
  isUnfinished,
})
