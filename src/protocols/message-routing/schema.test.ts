import { describe, expect, it } from 'vitest'
import { aMessage } from '../../../test/support/message-routing-messages.ts'
import { type MessageType, unusualDirection } from './schema.ts'

describe('directions', () => {
  it.each([
    ['status-update', 'coder-1', 'coordinator-main', true],
    ['status-update', 'coordinator-main', 'coder-1', false],
    ['task-delegation', 'coder-1', 'coder-2', true],
    ['task-delegation', 'coordinator-main', 'coder-2', true],
    ['task-delegation', 'coder-2', 'coordinator', false],
    ['result', 'coder-1', 'coder-2', true],
    ['result', 'coordinator_2', 'coder-2', false],
    ['command', 'coordinator-main', 'coder-1', true],
    ['command', 'coder-1', 'coder-2', false],
    ['heartbeat', 'coder-1', 'coordinator-main', true],
    ['heartbeat', 'coordinators-friend', 'coder-1', false],
  ] satisfies [MessageType, string, string, boolean][])(
    '[MR-1e] %s from %s to %s is usual: %j',
    (type, from, to, isUsual) => {
      expect(unusualDirection(aMessage({ type, from, to })) === undefined).toBe(isUsual)
    },
  )
  it('[MR-1e] an acknowledgement goes wherever the message came from', () => {
    const ack = aMessage({ type: 'status-update', from: 'coder-1', to: 'coder-2', correlation_id: 'msg_b4e2a7c1' })
    expect(unusualDirection(ack)).toBeUndefined()
  })
})
