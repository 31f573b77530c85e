/** From what a sender typed to what is sent. */
import { parseJson } from '../../formats/json.ts'
import { invalidInput, SignalboxError } from '../../kernel/errors.ts'
import type { MessageType, Payload } from '../../protocols/message-routing/schema.ts'
import type { MrSendInput } from '../../protocols/message-routing/store/outcomes.ts'
import { type Context, whoActs } from '../define.ts'

export interface ContentInput {
  readonly from?: string
  readonly type: MessageType
  readonly payload: string
  readonly priority?: number
  readonly requiresAck: boolean
}

export async function contentOf(context: Context, input: ContentInput): Promise<Omit<MrSendInput, 'to'>> {
  const { type, priority, requiresAck } = input
  return {
    from: input.from ?? (await whoActs(context)),
    type,
    payload: payloadOf(input.payload),
    requiresAck,
    ...(priority === undefined ? {} : { priority }),
  }
}

function payloadOf(text: string): Payload {
  const value = readJson(text)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Payload
  throw badPayload(`it is ${Array.isArray(value) ? 'a list' : JSON.stringify(value)}`)
}

function readJson(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    // What somebody typed is a mistake in the request, not a broken file.
    if (error instanceof SignalboxError) throw badPayload(`it is not JSON (${error.message})`, error)
    throw error
  }
}

const badPayload = (why: string, cause?: unknown) =>
  invalidInput('BAD_PAYLOAD', `--payload must be a JSON object; ${why.replace(/\.\)$/, ')')}.`, {
    hint: 'Give one such as \'{"task": "Review the login"}\', or put it into a file: --payload @FILE.',
    ...(cause === undefined ? {} : { cause }),
  })
