/** One command that an agent or a person says in a session, and what is answered. */
import type { Lease } from '../../../tree/tree.ts'
import { bounded, boundedList, boundOf, type Item, inOne, smartDefault } from '../commands/limits.ts'
import type { SessionId, Sitting } from '../layout.ts'
import type { Session } from '../record.ts'
import type { ErrorCode, Refusal } from '../refusal.ts'
import type { Command } from '../schema.ts'
import type { SessionParts } from './parts.ts'

export interface CommandAnswer {
  /** As the specification writes them, without the arrows of its examples. */
  readonly lines: readonly string[]
  /** 0 done, 1 nothing there, 2 refused. */
  readonly exit: 0 | 1 | 2
  readonly code?: ErrorCode
  /** Why it was refused, in a sentence, and where in the line. */
  readonly reason?: string
  readonly at?: number
  /** The time and the name of a command, for `#HEALTH`; absent where the time does not depend on the session. */
  readonly took?: { readonly ms: number; readonly name: string }
  /** An error that an agent reported: it counts among the errors of the session, and is no refusal. */
  readonly isError?: true
  /** The lock that was taken or renewed. The line of the answer has no place for its fence. */
  readonly lock?: Lease
}

export interface Speech extends Command {
  readonly parts: SessionParts
  readonly id: SessionId
  /** As it was when the line was read. */
  readonly session: Session
  readonly agent: string
  /** Ends a wait early. */
  readonly signal?: AbortSignal | undefined
}

/** By the name of the command. */
export type Handlers = Readonly<Record<string, (speech: Speech) => Promise<CommandAnswer>>>

export const sittingOf = ({ id, session: { generation } }: Pick<Speech, 'id' | 'session'>): Sitting => {
  return { id, generation }
}

/** Whether the session in which this was said is still running. */
export async function isRunning({ parts, id, session }: Speech): Promise<boolean> {
  const now = await parts.documents.read(id)
  return now?.status === 'running' && now.generation === session.generation
}

export const told = (...lines: readonly string[]): CommandAnswer => ({ lines, exit: 0 })
export const nothing = (...lines: readonly string[]): CommandAnswer => ({ lines, exit: 1 })
export const notFound = nothing('not_found')

export const refused = ({ answer, code, message: reason, at }: Refusal): CommandAnswer => {
  return { lines: [answer], exit: 2, code, reason, ...(at === undefined ? {} : { at }) }
}

/** Bullets within the limit of the command. */
export async function bullets(speech: Speech, found: readonly (Item | string)[], topic = ''): Promise<CommandAnswer> {
  if (found.length === 0) return notFound
  const items = found.map((one) => (typeof one === 'string' ? { text: one } : one))
  const bound = boundOf(speech.spec, speech.modifier ?? smartDefault(topic, false))
  if (!bound) return told(...items.map((item) => `• ${inOne(item)}`))
  return told(...(await boundedList(items, bound, speech.parts.tokenizer)))
}

/** One free text within the limit of the command. `before` is never cut. */
export async function line(speech: Speech, text: string, before = '', urgent = false): Promise<CommandAnswer> {
  const { spec, modifier, parts } = speech
  const bound = boundOf(spec, modifier ?? smartDefault('', urgent))
  if (!bound) return told(`${before}${text}`)
  // `limit=N` is a total.
  const counted = typeof modifier === 'object' ? (shown: string) => `${before}${shown}` : undefined
  return told(`${before}${await bounded(text, bound.tokens, parts.tokenizer, counted)}`)
}
