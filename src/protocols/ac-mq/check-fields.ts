/**
 * From header fields to a record. Other programs write headers too: a value with one possible meaning is used, any other is
 * replaced by a default, and both are reported. Only a message without a usable id or recipient is refused, because no agent
 * could name or claim it. Spec: AC-MQ §3.2.
 */
import type { Field, Fields, Value } from '../../formats/header-field.ts'
import { printableLine } from '../../kernel/printable.ts'
import type { Problem } from '../../kernel/problem.ts'
import { readDependency } from './dependencies.ts'
import { type FileNameParts, parseFileName } from './file-name.ts'
import { everyone, isAgentId, isEveryone, isMessageId, type MissionAddress } from './names.ts'
import { type AcmqRecord, isQueueName, noDependencies, queueNames, standardPriority, unknownSender } from './schema.ts'
import { parseTime, saysUtc, timeInName, toTheMoment } from './times.ts'

export interface CheckContext {
  readonly fileName: string
  readonly address: MissionAddress
  readonly timeoutSeconds: number
  readonly modifiedAt?: number | undefined
}

/** `reason`: what is wrong with the first unusable field, without the name of the field. */
export function checkFields(fields: Fields, context: CheckContext) {
  const checker = new Checker(fields, context)
  const record: AcmqRecord = {
    id: checker.id(),
    mission_id: checker.missionId(),
    timestamp: checker.timestamp(),
    from: checker.sender(),
    to: checker.recipient(),
    status: checker.status(),
    priority: checker.wholeNumber('priority', 'BAD_PRIORITY', 5, standardPriority),
    timeout_seconds: checker.wholeNumber('timeout_seconds', 'BAD_TIMEOUT', highest, context.timeoutSeconds),
    dependencies: checker.dependencies(),
    summary: checker.summary(),
    attempt: checker.wholeNumber('attempt', 'BAD_ATTEMPT', highest, 1),
    ...ownTexts(fields),
  }
  const { problems, reason, unusable } = checker
  const [first, ...others] = unusable
  if (!first) return { outcome: 'record', record, problems } as const
  return { outcome: 'malformed', problems: [first, ...others] as [Problem, ...Problem[]], reason } as const
}

/** Fields of ours that most messages lack. Other programs may use these names for something else than a text. */
function ownTexts(fields: Fields): Pick<AcmqRecord, 'reply_to' | 'envelope'> {
  const [replyTo, envelope] = [fields.get('reply_to')?.text, fields.get('envelope')?.text]
  return { ...(replyTo ? { reply_to: replyTo } : {}), ...(envelope ? { envelope } : {}) }
}

/** The time of a message without a timestamp, where the time of its file is not known. */
export const unknownTime = '1970-01-01T00:00:00Z'
const highest = Number.MAX_SAFE_INTEGER

class Checker {
  readonly #fields: Fields
  readonly #context: CheckContext
  readonly problems: Problem[] = []
  /** Problems for which the message is refused. `reason` is that of the first. */
  readonly unusable: Problem[] = []
  reason = ''
  #nameParts: FileNameParts | undefined | null = null

  constructor(fields: Fields, context: CheckContext) {
    this.#fields = fields
    this.#context = context
  }

  id(): string {
    const field = this.#present('id')
    const id = field ? field.text : this.#name?.shortId
    if (id !== undefined && isMessageId(id)) {
      if (!field) this.#report('MISSING_FIELD', 'id', `it is missing; ${id} stands in the file name`)
      return id
    }
    if (field) return this.#refuse('BAD_ID', 'id', `it is ${shown(field)}`, idHint)
    return this.#refuse('MISSING_ID', 'id', 'it is missing', idHint)
  }

  missionId(): string {
    const { address } = this.#context
    const text = this.#text('mission_id')
    if (text === undefined) return address
    if (text !== address)
      this.#report('MISSION_MISMATCH', 'mission_id', `it is ${quoted(text)}, but this is ${address}`)
    return text
  }

  timestamp(): string {
    const text = this.#text('timestamp')
    if (text !== undefined && parseTime(text) !== undefined) {
      if (!saysUtc(text)) this.#report('TIMESTAMP_NOT_UTC', 'timestamp', `${quoted(text)} is not written in UTC`)
      return text
    }
    if (text !== undefined) this.#report('BAD_TIMESTAMP', 'timestamp', `${quoted(text)} is not an ISO time`)
    const { fileName, modifiedAt } = this.#context
    const written = modifiedAt === undefined ? unknownTime : toTheMoment(Math.floor(modifiedAt))
    return timeInName(fileName) ?? written
  }

  sender(): string {
    const text = this.#text('from')
    if (text !== undefined && isAgentId(text)) return text
    if (text !== undefined) this.#report('BAD_SENDER', 'from', `${quoted(text)} is not an agent`)
    return this.#name?.from ?? unknownSender
  }

  recipient(): string {
    const field = this.#present('to')
    const to = field ? field.text : this.#name?.to
    if (to !== undefined && (isAgentId(to) || isEveryone(to))) {
      if (!field) this.#report('MISSING_FIELD', 'to', `it is missing; ${to} stands in the file name`)
      if (!isEveryone(to)) return to
      if (field && to !== everyone) this.#report('BAD_RECIPIENT', 'to', `${quoted(to)} is read as \`${everyone}\``)
      return everyone
    }
    if (field) return this.#refuse('BAD_RECIPIENT', 'to', `it is ${shown(field)}`, toHint)
    return this.#refuse('MISSING_RECIPIENT', 'to', 'it is missing', toHint)
  }

  status(): string {
    const text = this.#text('status')
    if (text === undefined) return 'pending'
    if (!isQueueName(text)) {
      this.#report('UNKNOWN_STATUS', 'status', `${quoted(text)} is none of ${queueNames.join(', ')}`)
    }
    return text
  }

  summary(): string {
    const field = this.#present('summary')
    if (!field) {
      this.#report('MISSING_FIELD', 'summary', 'it is missing')
      return ''
    }
    if (typeof field.value !== 'string') this.#report('BAD_SUMMARY', 'summary', `it is ${shown(field)}, not text`)
    const text = field.text ?? ''
    if (text.includes('\ufffd')) this.#report('NOT_UTF8', 'summary', 'some of its bytes are not UTF-8')
    return text
  }

  /** What cannot be read stays in the list, as a text that nothing fulfils: no dependency may get lost (AC-MQ §7.1). */
  dependencies(): readonly string[] {
    const field = this.#present('dependencies')
    if (!field) return noDependencies
    const list = field.texts ?? this.#unusualDependencies(field)
    for (const text of list.filter((one) => readDependency(one).kind === 'outside')) {
      this.#report('BAD_DEPENDENCY', 'dependencies', `${quoted(text)} is no place inside the mission`)
    }
    return list
  }

  #unusualDependencies(field: Field): readonly string[] {
    this.#report('BAD_DEPENDENCIES', 'dependencies', `it is ${shown(field)}, not a list of texts`)
    if (isList(field.value)) return field.value.map(dependencyText)
    return [field.text ?? dependencyText(field.value)]
  }

  /** `undefined` also for `key:` and `key: null`. */
  #present(key: string): Field | undefined {
    const field = this.#fields.get(key)
    return field === undefined || field.value === null ? undefined : field
  }

  /** The text as written: YAML would turn an id such as `12e45678` into a number. */
  #text(key: string): string | undefined {
    const field = this.#present(key)
    if (!field) this.#report('MISSING_FIELD', key, 'it is missing')
    return field && (field.text ?? shown(field))
  }

  wholeNumber(key: string, code: string, most: number, instead: number): number {
    const field = this.#present(key)
    if (!field) return instead
    const { value, text } = field
    if (typeof value === 'number' && isWithin(value, most)) return value
    // A number between quotes is used, and reported.
    const meant = text !== undefined && /^[0-9]{1,15}$/.test(text) ? Number(text) : 0
    const used = typeof value === 'string' && isWithin(meant, most) ? meant : instead
    const range = most === highest ? 'above 0' : `from 1 to ${most}`
    this.#report(code, key, `it is ${shown(field)}, not a whole number ${range}; ${used} is used`)
    return used
  }

  get #name(): FileNameParts | undefined {
    if (this.#nameParts === null) this.#nameParts = parseFileName(this.#context.fileName)
    return this.#nameParts
  }

  #refuse(code: string, field: string, reason: string, hint: string): string {
    this.reason ||= reason
    this.unusable.push({ code, field, message: `\`${field}\`: ${reason}.`, hint })
    return ''
  }

  #report(code: string, field: string, what: string): void {
    this.problems.push({ code, field, message: `\`${field}\`: ${what}.` })
  }
}

const isWithin = (value: number, most: number): boolean => Number.isInteger(value) && value >= 1 && value <= most

const isList = (value: Value): value is readonly Value[] => Array.isArray(value)

/** `- msg: id` has a blank too many, which makes it a map to YAML. */
function dependencyText(value: Value): string {
  if (value instanceof Map && value.size === 1) {
    const [[key, inner]] = [...value] as [[string, Value]]
    if ((key === 'msg' || key === 'path') && typeof inner === 'string') return `${key}:${inner}`
  }
  return typeof value === 'string' ? value : `unreadable ${kindOf(value)}`
}

const kindOf = (value: Value): string =>
  isList(value) ? 'list' : value instanceof Map ? 'map' : value === null ? 'nothing' : String(value)

/** A value for people: short, and without control characters. */
const shown = ({ value, text }: Field): string => (text === undefined ? `a ${kindOf(value)}` : quoted(text))

const quoted = (text: string): string =>
  printableLine(JSON.stringify(text.length > 60 ? `${text.slice(0, 59)}…` : text))

const idHint = 'Give it an id of letters, digits, `.`, `_` and `-`, at most 64, such as a UUID.'
const toHint = 'Write who the message is for: an agent such as gemini, or all.'
