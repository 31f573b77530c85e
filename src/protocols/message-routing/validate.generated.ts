// Written by scripts/validator.mjs from schema.ts. Do not edit: change schema.ts and run it again.
import { parseDateTime } from '../../formats/date-time.ts'
import { type FieldProblem, missing, wrong } from './problem.ts'
import type { MessageType } from './schema.ts'

type Check = (value: unknown, problems: FieldProblem[]) => void

const words1 = 'a JSON object'
const words2 = 'three numbers with dots between them, such as 1.0.0'
const pattern3 = /^\d+\.\d+\.\d+$/u
const words4 = '`msg_` and eight of 0-9 and a-f, such as msg_a3f5d8b2'
const pattern5 = /^msg_[a-f0-9]{8}$/u
const words6 = 'a name of lower-case letters, digits, `_` and `-`, such as coder-1'
const pattern7 = /^[a-z0-9_-]+$/u
const words8 = 'a time with a zone, such as 2025-10-06T14:32:15.234Z'
const words9 = 'a whole number from 1 up'
const words10 = "one of 'status-update', 'task-delegation', 'result', 'command', 'heartbeat'"
const words11 = 'true or false'
const words12 = 'a whole number from 0 to 10'
const words13 = "one of 'in_progress', 'completed', 'failed', 'blocked'"
const words14 = 'a number from 0.0 to 1.0'
const words15 = 'text'
const words16 = 'a list of texts'
const words17 = 'a time with a zone'
const words18 = "one of 'success', 'failure', 'partial'"
const words19 = 'a number from 0 up'
const words20 = "one of 'start', 'pause', 'resume', 'stop', 'health_check'"
const words21 = "one of 'healthy', 'degraded', 'unhealthy'"
const words22 = 'a whole number from 0 up'

const isObject = (value: unknown): value is { readonly [field: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What the schema of all messages has against a value. */
export function checkMessage(value: unknown, problems: FieldProblem[]): void {
  if (!isObject(value)) problems.push(wrong('', words1, value))
  else {
    const field1 = value.version
    if (field1 === undefined) problems.push(missing('version', words2))
    else if (typeof field1 !== 'string' || !pattern3.test(field1)) problems.push(wrong('version', words2, field1))
    const field2 = value.msg_id
    if (field2 === undefined) problems.push(missing('msg_id', words4))
    else if (typeof field2 !== 'string' || !pattern5.test(field2)) problems.push(wrong('msg_id', words4, field2))
    const field3 = value.from
    if (field3 === undefined) problems.push(missing('from', words6))
    else if (typeof field3 !== 'string' || !pattern7.test(field3)) problems.push(wrong('from', words6, field3))
    const field4 = value.to
    if (field4 === undefined) problems.push(missing('to', words6))
    else if (typeof field4 !== 'string' || !pattern7.test(field4)) problems.push(wrong('to', words6, field4))
    const field5 = value.timestamp
    if (field5 === undefined) problems.push(missing('timestamp', words8))
    else if (typeof field5 !== 'string' || parseDateTime(field5) === undefined)
      problems.push(wrong('timestamp', words8, field5))
    const field6 = value.sequence
    if (field6 === undefined) problems.push(missing('sequence', words9))
    else if (typeof field6 !== 'number' || !Number.isInteger(field6) || field6 < 1)
      problems.push(wrong('sequence', words9, field6))
    const field7 = value.type
    if (field7 === undefined) problems.push(missing('type', words10))
    else if (
      field7 !== 'status-update' &&
      field7 !== 'task-delegation' &&
      field7 !== 'result' &&
      field7 !== 'command' &&
      field7 !== 'heartbeat'
    )
      problems.push(wrong('type', words10, field7))
    const field8 = value.payload
    if (field8 === undefined) problems.push(missing('payload', words1))
    else if (!isObject(field8)) problems.push(wrong('payload', words1, field8))
    const field9 = value.requires_ack
    if (field9 !== undefined) {
      if (typeof field9 !== 'boolean') problems.push(wrong('requires_ack', words11, field9))
    }
    const field10 = value.correlation_id
    if (field10 !== undefined && field10 !== null) {
      if (typeof field10 !== 'string' || !pattern5.test(field10))
        problems.push(wrong('correlation_id', words4, field10))
    }
    const field11 = value.priority
    if (field11 !== undefined) {
      if (typeof field11 !== 'number' || !Number.isInteger(field11) || field11 < 0 || field11 > 10)
        problems.push(wrong('priority', words12, field11))
    }
  }
}

function checkStatusUpdate(value: unknown, problems: FieldProblem[]): void {
  if (!isObject(value)) problems.push(wrong('payload', words1, value))
  else {
    const field1 = value.status
    if (field1 === undefined) problems.push(missing('payload.status', words13))
    else if (field1 !== 'in_progress' && field1 !== 'completed' && field1 !== 'failed' && field1 !== 'blocked')
      problems.push(wrong('payload.status', words13, field1))
    const field2 = value.progress
    if (field2 !== undefined) {
      if (typeof field2 !== 'number' || field2 < 0 || field2 > 1)
        problems.push(wrong('payload.progress', words14, field2))
    }
    const field3 = value.message
    if (field3 !== undefined) {
      if (typeof field3 !== 'string') problems.push(wrong('payload.message', words15, field3))
    }
    const field4 = value.confidence
    if (field4 !== undefined) {
      if (typeof field4 !== 'number' || field4 < 0 || field4 > 1)
        problems.push(wrong('payload.confidence', words14, field4))
    }
    const field5 = value.blockers
    if (field5 !== undefined) {
      if (!Array.isArray(field5)) problems.push(wrong('payload.blockers', words16, field5))
      else {
        for (const [i6, item6] of field5.entries()) {
          if (typeof item6 !== 'string') problems.push(wrong(`payload.blockers[${i6}]`, words15, item6))
        }
      }
    }
  }
}

function checkTaskDelegation(value: unknown, problems: FieldProblem[]): void {
  if (!isObject(value)) problems.push(wrong('payload', words1, value))
  else {
    const field1 = value.task
    if (field1 === undefined) problems.push(missing('payload.task', words15))
    else if (typeof field1 !== 'string') problems.push(wrong('payload.task', words15, field1))
    const field2 = value.context
    if (field2 !== undefined) {
      if (!isObject(field2)) problems.push(wrong('payload.context', words1, field2))
      else {
        const field3 = field2.files
        if (field3 !== undefined) {
          if (!Array.isArray(field3)) problems.push(wrong('payload.context.files', words16, field3))
          else {
            for (const [i4, item4] of field3.entries()) {
              if (typeof item4 !== 'string') problems.push(wrong(`payload.context.files[${i4}]`, words15, item4))
            }
          }
        }
        const field5 = field2.dependencies
        if (field5 !== undefined) {
          if (!Array.isArray(field5)) problems.push(wrong('payload.context.dependencies', words16, field5))
          else {
            for (const [i6, item6] of field5.entries()) {
              if (typeof item6 !== 'string') problems.push(wrong(`payload.context.dependencies[${i6}]`, words15, item6))
            }
          }
        }
        const field7 = field2.deadline
        if (field7 !== undefined) {
          if (typeof field7 !== 'string' || parseDateTime(field7) === undefined)
            problems.push(wrong('payload.context.deadline', words17, field7))
        }
      }
    }
    const field8 = value.metadata
    if (field8 !== undefined) {
      if (!isObject(field8)) problems.push(wrong('payload.metadata', words1, field8))
      else {
        const field9 = field8.original_requester
        if (field9 !== undefined) {
          if (typeof field9 !== 'string') problems.push(wrong('payload.metadata.original_requester', words15, field9))
        }
        const field10 = field8.delegation_reason
        if (field10 !== undefined) {
          if (typeof field10 !== 'string') problems.push(wrong('payload.metadata.delegation_reason', words15, field10))
        }
      }
    }
  }
}

function checkResult(value: unknown, problems: FieldProblem[]): void {
  if (!isObject(value)) problems.push(wrong('payload', words1, value))
  else {
    const field1 = value.status
    if (field1 === undefined) problems.push(missing('payload.status', words18))
    else if (field1 !== 'success' && field1 !== 'failure' && field1 !== 'partial')
      problems.push(wrong('payload.status', words18, field1))
    const field2 = value.deliverables
    if (field2 !== undefined) {
      if (!isObject(field2)) problems.push(wrong('payload.deliverables', words1, field2))
      else {
        const field3 = field2.files_modified
        if (field3 !== undefined) {
          if (!Array.isArray(field3)) problems.push(wrong('payload.deliverables.files_modified', words16, field3))
          else {
            for (const [i4, item4] of field3.entries()) {
              if (typeof item4 !== 'string')
                problems.push(wrong(`payload.deliverables.files_modified[${i4}]`, words15, item4))
            }
          }
        }
        const field5 = field2.tests_added
        if (field5 !== undefined) {
          if (!Array.isArray(field5)) problems.push(wrong('payload.deliverables.tests_added', words16, field5))
          else {
            for (const [i6, item6] of field5.entries()) {
              if (typeof item6 !== 'string')
                problems.push(wrong(`payload.deliverables.tests_added[${i6}]`, words15, item6))
            }
          }
        }
        const field7 = field2.artifacts
        if (field7 !== undefined) {
          if (!Array.isArray(field7)) problems.push(wrong('payload.deliverables.artifacts', words16, field7))
          else {
            for (const [i8, item8] of field7.entries()) {
              if (typeof item8 !== 'string')
                problems.push(wrong(`payload.deliverables.artifacts[${i8}]`, words15, item8))
            }
          }
        }
      }
    }
    const field9 = value.metrics
    if (field9 !== undefined) {
      if (!isObject(field9)) problems.push(wrong('payload.metrics', words1, field9))
      else {
        const field10 = field9.confidence
        if (field10 !== undefined) {
          if (typeof field10 !== 'number' || field10 < 0 || field10 > 1)
            problems.push(wrong('payload.metrics.confidence', words14, field10))
        }
        const field11 = field9.test_coverage
        if (field11 !== undefined) {
          if (typeof field11 !== 'number' || field11 < 0 || field11 > 1)
            problems.push(wrong('payload.metrics.test_coverage', words14, field11))
        }
        const field12 = field9.duration_ms
        if (field12 !== undefined) {
          if (typeof field12 !== 'number' || field12 < 0)
            problems.push(wrong('payload.metrics.duration_ms', words19, field12))
        }
      }
    }
    const field13 = value.issues
    if (field13 !== undefined) {
      if (!Array.isArray(field13)) problems.push(wrong('payload.issues', words16, field13))
      else {
        for (const [i14, item14] of field13.entries()) {
          if (typeof item14 !== 'string') problems.push(wrong(`payload.issues[${i14}]`, words15, item14))
        }
      }
    }
    const field15 = value.next_steps
    if (field15 !== undefined) {
      if (!Array.isArray(field15)) problems.push(wrong('payload.next_steps', words16, field15))
      else {
        for (const [i16, item16] of field15.entries()) {
          if (typeof item16 !== 'string') problems.push(wrong(`payload.next_steps[${i16}]`, words15, item16))
        }
      }
    }
  }
}

function checkCommand(value: unknown, problems: FieldProblem[]): void {
  if (!isObject(value)) problems.push(wrong('payload', words1, value))
  else {
    const field1 = value.action
    if (field1 === undefined) problems.push(missing('payload.action', words20))
    else if (
      field1 !== 'start' &&
      field1 !== 'pause' &&
      field1 !== 'resume' &&
      field1 !== 'stop' &&
      field1 !== 'health_check'
    )
      problems.push(wrong('payload.action', words20, field1))
    const field2 = value.parameters
    if (field2 !== undefined) {
      if (!isObject(field2)) problems.push(wrong('payload.parameters', words1, field2))
      else {
        const field3 = field2.reason
        if (field3 !== undefined) {
          if (typeof field3 !== 'string') problems.push(wrong('payload.parameters.reason', words15, field3))
        }
        const field4 = field2.timeout_ms
        if (field4 !== undefined) {
          if (typeof field4 !== 'number' || field4 < 0)
            problems.push(wrong('payload.parameters.timeout_ms', words19, field4))
        }
      }
    }
  }
}

function checkHeartbeat(value: unknown, problems: FieldProblem[]): void {
  if (!isObject(value)) problems.push(wrong('payload', words1, value))
  else {
    const field1 = value.health
    if (field1 === undefined) problems.push(missing('payload.health', words21))
    else if (field1 !== 'healthy' && field1 !== 'degraded' && field1 !== 'unhealthy')
      problems.push(wrong('payload.health', words21, field1))
    const field2 = value.metrics
    if (field2 !== undefined) {
      if (!isObject(field2)) problems.push(wrong('payload.metrics', words1, field2))
      else {
        const field3 = field2.cpu_usage
        if (field3 !== undefined) {
          if (typeof field3 !== 'number' || field3 < 0 || field3 > 1)
            problems.push(wrong('payload.metrics.cpu_usage', words14, field3))
        }
        const field4 = field2.memory_mb
        if (field4 !== undefined) {
          if (typeof field4 !== 'number' || field4 < 0)
            problems.push(wrong('payload.metrics.memory_mb', words19, field4))
        }
        const field5 = field2.active_tasks
        if (field5 !== undefined) {
          if (typeof field5 !== 'number' || !Number.isInteger(field5) || field5 < 0)
            problems.push(wrong('payload.metrics.active_tasks', words22, field5))
        }
      }
    }
    const field6 = value.uptime_ms
    if (field6 !== undefined) {
      if (typeof field6 !== 'number' || field6 < 0) problems.push(wrong('payload.uptime_ms', words19, field6))
    }
  }
}

/** What the table of payloads has against one, by the type of its message. */
export const checkPayload: Readonly<Record<MessageType, Check>> = {
  'status-update': checkStatusUpdate,
  'task-delegation': checkTaskDelegation,
  result: checkResult,
  command: checkCommand,
  heartbeat: checkHeartbeat,
}
