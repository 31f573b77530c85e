/** A valid message of Message Routing to start from. */
import type { MrMessage } from '../../src/protocols/message-routing/schema.ts'

export const aMessage = (changes: Partial<MrMessage> = {}): MrMessage => ({
  version: '1.0.0',
  msg_id: 'msg_b4e2a7c1',
  from: 'coder-1',
  to: 'coordinator-main',
  timestamp: '2026-01-01T00:00:00.000Z',
  sequence: 5,
  type: 'status-update',
  payload: { status: 'in_progress', progress: 0.65, message: 'Half way' },
  ...changes,
})
