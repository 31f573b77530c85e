/** A draft as a message of AC-MQ: lowered, written with front matter, read and lifted. */
import type { Draft } from '../../../src/kernel/envelope.ts'
import { lift, lower } from '../../../src/protocols/ac-mq/envelope.ts'
import { messageOrThrow, parseMessage, printMessage } from '../../../src/protocols/ac-mq/format.ts'
import { missionAddress } from '../../../src/protocols/ac-mq/layout.ts'
import { recordOf } from '../../../src/protocols/ac-mq/store/sending.ts'
import { viewOf } from '../../../src/protocols/ac-mq/store/view.ts'
import type { EnvelopeProtocol } from './drafts.ts'

const address = missionAddress('alpha')
const given = { address, timeoutSeconds: 3600, now: Date.parse('2026-01-01T12:00:00Z') }

export const protocol: EnvelopeProtocol = {
  name: 'AC-MQ',
  roundTrip(draft: Draft) {
    const input = lower(draft)
    const bytes = printMessage(recordOf(input, input.dependencies ?? [], given), input.body)
    const context = { fileName: 'sent.md', address, timeoutSeconds: 3600 }
    const { record, bodyStart } = messageOrThrow(parseMessage(bytes, context)).message
    const view = { ...viewOf(record, 'pending', 'llm/missions/alpha/queue/pending/sent.md'), place: address }
    return { ...lift(view), text: bytes.toString('utf8', bodyStart) }
  },
}
