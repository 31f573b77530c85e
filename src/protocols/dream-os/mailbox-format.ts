/**
 * A shared mailbox as a file, and the messages in it. Reading never throws: an entry that is no message keeps its place, is
 * reported, and does not keep the others from being read. Spec: Dream.OS, Messaging Format Protocol, 1 and 2.
 */
import type { JsonEditor } from '../../formats/json-edit.ts'
import { inputs } from '../../kernel/call.ts'
import type { Malformed, Problem } from '../../kernel/problem.ts'
import { type Converted, convertMessage } from './compat.ts'
import { type JsonOptions, readJsonText } from './json-text.ts'
import { malformed, missingOrWrong } from './problem.ts'
import { isObject, type MailboxMessage, type MailboxStatus, mailboxStatuses } from './schema.ts'
import { momentOf } from './times.ts'

/** What a mailbox says beside its messages. */
export interface MailboxParts {
  readonly outcome: 'mailbox'
  readonly status: MailboxStatus | undefined
  readonly agent: string | undefined
  readonly lastSeenAt: number | undefined
  readonly processed: readonly string[]
  /** What is wrong with the mailbox itself, and did not keep it from being read. */
  readonly problems: readonly Problem[]
  /** How it deviates from the specification; only with `compat`. */
  readonly notes: readonly string[]
  /** Only a list of messages, as some programs write it: it has no place for a status, an agent or processed ids. */
  readonly isBare: boolean
  readonly compat: boolean
  edit(): JsonEditor
}

export interface ReadMailbox extends MailboxParts {
  readonly messages: readonly FoundMessage[]
  /** The same entries as on disk, unchecked. */
  readonly values: readonly unknown[]
  /** The ids of all entries, also of those that are no messages. */
  readonly ids: ReadonlySet<string>
  isProcessed(id: string): boolean
  /** Checks each entry when the iteration reaches it, and skips those with these ids unchecked. */
  eachBut(isLeftOut: (id: string) => boolean): Iterable<FoundMessage>
}

/** One entry of `messages`. */
export interface FoundMessage {
  readonly index: number
  /** As on disk. */
  readonly value: unknown
  /** As the specification has it; `undefined` for what is no message. */
  readonly message?: MailboxMessage
  readonly problems: readonly Problem[]
  readonly notes: readonly string[]
}

export const newMailbox = (): string =>
  `${JSON.stringify(
    { status: 'offline', assigned_agent_id: null, last_seen_utc: null, messages: [], processed_message_ids: [] },
    null,
    2,
  )}\n`

export function parseMailbox(bytes: Uint8Array, options: JsonOptions): ReadMailbox | Malformed {
  const { compat = false } = options
  const read = readJsonText(bytes, options)
  if (read.outcome === 'malformed') return read
  const { value, hadRemarks, edit } = read
  const notes = hadRemarks ? ['Remarks behind // are passed over.'] : []
  if (Array.isArray(value)) {
    if (!compat)
      return malformed(
        'NOT_A_MAILBOX',
        'It is a list, not a mailbox.',
        `A bare list of messages is read with ${inputs({ compat: true })}.`,
      )
    const bare = { status: undefined, agent: undefined, lastSeenAt: undefined, processed: [], problems: [] }
    notes.push('It is a bare list of messages, without a status.')
    return checkedLater({ outcome: 'mailbox', ...bare, notes, isBare: true, compat, edit }, value)
  }
  if (!isObject(value))
    return malformed('NOT_A_MAILBOX', `It is ${value === null ? 'null' : `a ${typeof value}`}, not a mailbox.`)
  if (!Array.isArray(value.messages)) {
    return { outcome: 'malformed', problems: [missingOrWrong('messages', 'a list of messages', value.messages)] }
  }
  const problems: Problem[] = []
  const checked = <T>(field: string, expected: string, isFine: boolean, fine: T): T | undefined => {
    if (isFine) return fine
    problems.push(missingOrWrong(field, expected, value[field]))
    return undefined
  }
  const { status, assigned_agent_id: agent, last_seen_utc: seen, processed_message_ids: ids } = value
  const seenAt = typeof seen === 'string' ? momentOf(seen, compat) : undefined
  const isStatus = mailboxStatuses.includes(status as MailboxStatus)
  const parts = {
    outcome: 'mailbox' as const,
    status: checked('status', mailboxStatuses.join(', '), isStatus, status as MailboxStatus),
    agent: checked(
      'assigned_agent_id',
      'the name of an agent, or null',
      agent === null || isText(agent),
      agent ?? undefined,
    ) as string | undefined,
    lastSeenAt: checked('last_seen_utc', 'a time, or null', seen === null || seenAt !== undefined, seenAt),
    processed: (checked('processed_message_ids', 'a list of ids', Array.isArray(ids), ids as unknown[]) ?? []).filter(
      isText,
    ),
    problems,
    notes,
    isBare: false,
    compat,
    edit,
  }
  return checkedLater(parts, value.messages)
}

/** A mailbox whose messages are checked at the first access: with thousands of them that takes a while. */
export function checkedLater(parts: MailboxParts, values: readonly unknown[]): ReadMailbox {
  let checked: FoundMessage[] | undefined
  let ids: ReadonlySet<string> | undefined
  let processed: ReadonlySet<string> | undefined
  return {
    ...parts,
    values,
    get messages() {
      checked ??= [...messagesIn(values, parts.compat)]
      return checked
    },
    get ids() {
      ids ??= new Set(values.flatMap((value) => idIn(value) ?? []))
      return ids
    },
    isProcessed(id) {
      processed ??= new Set(parts.processed)
      return processed.has(id)
    },
    eachBut: (isLeftOut) => messagesIn(values, parts.compat, isLeftOut),
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** The id of an entry, also of one that is no message. */
const idIn = (value: unknown): string | undefined =>
  isObject(value) && isText(value.message_id) ? value.message_id : undefined

function* messagesIn(
  values: readonly unknown[],
  compat: boolean,
  isLeftOut: (id: string) => boolean = () => false,
): Generator<FoundMessage> {
  const known = new Set<string>()
  for (const [index, value] of values.entries()) {
    const id = idIn(value)
    if (id !== undefined && isLeftOut(id)) continue
    const { message, problems, notes } = readMessage(value, compat)
    const isTwin = id !== undefined && known.has(id)
    if (id !== undefined) known.add(id)
    if (isTwin) yield { index, value, problems: [...problems, twinOf(id)], notes }
    else yield { index, value, ...(message ? { message } : {}), problems, notes }
  }
}

const twinOf = (id: string): Problem => ({
  code: 'DUPLICATE_ID',
  field: 'message_id',
  message: `Another message of this mailbox has the id ${id.slice(0, 80)}.`,
})

export function readMessage(value: unknown, compat = false): Omit<FoundMessage, 'index' | 'value'> {
  if (!isObject(value)) return { problems: [missingOrWrong('message', 'an object', value ?? null)], notes: [] }
  const { value: raised, notes }: Converted = compat ? convertMessage(value) : { value, notes: [] }
  const problems: Problem[] = []
  const expect = (field: string, expected: string, isFine: boolean) => {
    if (!isFine) problems.push(missingOrWrong(field, expected, raised[field]))
  }
  const { message_id, sender_agent_id, timestamp_dispatched: at, command, params, task_id } = raised
  expect('message_id', 'a text that no other message has', isText(message_id) && message_id.length <= 200)
  expect('sender_agent_id', 'the name of an agent, System or User', isText(sender_agent_id))
  expect('timestamp_dispatched', 'a time', typeof at === 'string' && momentOf(at) !== undefined)
  expect('command', 'a word', isText(command))
  expect('params', 'an object', isObject(params))
  expect('task_id', 'a text', task_id === undefined || task_id === null || typeof task_id === 'string')
  return problems.length > 0 ? { problems, notes } : { message: raised as MailboxMessage, problems, notes }
}

/** A message as it stands in a mailbox, in the order of the specification's fields. */
export function inSpecifiedOrder(message: MailboxMessage): MailboxMessage {
  const { message_id, sender_agent_id, timestamp_dispatched, command, params, task_id, ...rest } = message
  const task = task_id === undefined ? {} : { task_id }
  return { message_id, sender_agent_id, timestamp_dispatched, command, params, ...task, ...rest }
}
