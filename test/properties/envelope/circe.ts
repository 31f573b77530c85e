/** A draft as a message of CIRCE: lowered, written with its headers, read and lifted. */
import fc from 'fast-check'
import { treePath } from '../../../src/kernel/tree-path.ts'
import { splitBody } from '../../../src/protocols/circe/body.ts'
import { lift, lower, textOf } from '../../../src/protocols/circe/envelope.ts'
import { headOf, parseMessage, printMessage } from '../../../src/protocols/circe/format.ts'
import { fileName } from '../../../src/protocols/circe/names.ts'
import { headlineOf } from '../../../src/protocols/circe/store/view.ts'
import type { EnvelopeProtocol } from './drafts.ts'

const name = fileName('20260101_120000_lead-coder-1_question.md')

export const protocol: EnvelopeProtocol = {
  name: 'CIRCE',
  ids: fc.oneof(
    fc.stringMatching(/^20260101_1[0-9]{5}_lead-coder-1_(question|inform)(_[A-Z]{2}-[0-9])?(\.[2-9])?$/),
    fc.constant('acmq:shop:a1b2c3d4'),
  ),
  roundTrip(draft) {
    const { status, headers = [], ...input } = lower(draft)
    const time = Date.parse('2026-01-01T12:00:00Z')
    const printed = printMessage({ ...input, status: status as 'new', time, headers, ...splitBody(input) })
    const parsed = parseMessage(Buffer.from(printed))
    if (parsed.outcome !== 'message') throw new Error(`no message: ${printed}`)
    const { message } = parsed
    const headline = headlineOf({ message, name, place: 'new', path: treePath(`NEW_MESSAGES/${name}`) })
    return { ...lift({ ...headline, head: headOf(message), stage: 'written' }), text: textOf(message) }
  },
}
