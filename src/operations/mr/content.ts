/** From what a sender typed to what is sent. */
import type { MessageType, MrSendInput, Routing } from '../../protocols/message-routing/index.ts'
import { type Context, whoActs } from '../define.ts'

export interface ContentInput {
  readonly from?: string
  readonly type: MessageType
  readonly payload: string
  readonly priority?: number
  readonly requiresAck: boolean
}

export async function contentOf(
  context: Context,
  routing: Routing,
  input: ContentInput,
): Promise<Omit<MrSendInput, 'to'>> {
  const { type, priority, requiresAck } = input
  return {
    from: input.from ?? (await whoActs(context)),
    type,
    payload: routing.sending.payloadFrom(input.payload),
    requiresAck,
    ...(priority === undefined ? {} : { priority }),
  }
}
