import fc from 'fast-check'
import { draftOf } from '../../../src/protocols/message-routing/draft.ts'
import { lift, lower, textOf } from '../../../src/protocols/message-routing/envelope.ts'
import { parseMessage, printMessage } from '../../../src/protocols/message-routing/format.ts'
import { viewOf } from '../../../src/protocols/message-routing/store/view.ts'
import type { EnvelopeProtocol } from './drafts.ts'

const stamp = { msg_id: 'msg_0000000a', sequence: 1, timestamp: '2026-01-01T12:00:00.000Z' }

export const protocol: EnvelopeProtocol = {
  name: 'Message Routing',
  ids: fc.oneof(fc.stringMatching(/^msg_[a-f0-9]{8}$/), fc.constant('acmq:shop:a1b2c3d4')),
  roundTrip(draft) {
    const printed = printMessage(draftOf(lower(draft), 100_000).stamped(stamp))
    const parsed = parseMessage(Buffer.from(printed))
    if (parsed.outcome !== 'message') throw new Error(`no message: ${printed}`)
    const { message } = parsed
    return { ...lift(viewOf(message, 'inbox', 'state/agents/coder-1/inbox/msg_0000000a.json')), text: textOf(message) }
  },
}
