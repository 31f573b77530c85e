import fc from 'fast-check'
import { childOf } from '../../../src/kernel/tree-path.ts'
import { fileNameOf, lift, lower, textOf } from '../../../src/protocols/dream-os/envelope.ts'
import { parseMessage, printMessage } from '../../../src/protocols/dream-os/format.ts'
import { folderPath } from '../../../src/protocols/dream-os/layout.ts'
import { agentId } from '../../../src/protocols/dream-os/names.ts'
import { defaultSettings } from '../../../src/protocols/dream-os/settings.ts'
import { viewOf } from '../../../src/protocols/dream-os/store/view.ts'
import type { EnvelopeProtocol } from './drafts.ts'

const stamp = { id: '0d9f7a44-1c5e-4a63-9a51-6f0a52f8c001', at: '2026-01-01T12:00:00.000Z' }

export const protocol: EnvelopeProtocol = {
  name: 'Dream.OS',
  ids: fc.oneof(fc.uuid(), fc.constant('task-001'), fc.constant('acmq:shop:a1b2c3d4')),
  roundTrip(draft) {
    const parsed = parseMessage(Buffer.from(printMessage(lower(draft, stamp))), { most: 1_000_000 })
    if (parsed.outcome !== 'message') throw new Error(`no message: ${JSON.stringify(draft)}`)
    const { message } = parsed
    const agent = agentId(draft.to)
    const path = childOf(folderPath(defaultSettings.places, agent, 'inbox'), fileNameOf(message))
    return { ...lift(viewOf(message, { agent, state: 'inbox', path, modifiedAt: 0 })), text: textOf(message) }
  },
}
