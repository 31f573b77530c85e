import { describe, expect, it } from 'vitest'
import { aMessage } from '../../../test/support/message-routing-messages.ts'
import { byPriority, byTime, momentOf } from './order.ts'
import type { MrMessage } from './schema.ts'

describe('order', () => {
  const sorted = (messages: MrMessage[], by = byTime) =>
    messages
      .map((one) => ({ message: one, at: momentOf(one) }))
      .sort(by)
      .map(({ message: { msg_id } }) => msg_id.slice(-1))
      .join('')
  const one = (last: string, more: Partial<MrMessage>) =>
    aMessage({ msg_id: `msg_0000000${last}`, sequence: 1, ...more })

  it('[MR-3] is by time, then number, then sender, then id', () => {
    const messages = [
      one('5', { timestamp: '2025-10-06T14:00:00.001Z' }),
      one('4', { sequence: 2, from: 'b' }),
      one('3', { sequence: 2, from: 'a' }),
      one('1', { sequence: 1, from: 'z' }),
      one('2', { sequence: 2, from: 'a' }),
    ].map((each) => (each.msg_id.endsWith('5') ? each : { ...each, timestamp: '2025-10-06T14:00:00.000Z' }))
    expect(sorted(messages)).toBe('12345')
  })
  it('[MR-3b] compares moments, whatever their offset', () => {
    const messages = [
      one('2', { timestamp: '2025-10-06T14:30:00Z' }),
      one('1', { timestamp: '2025-10-06T16:00:00+02:00' }),
      one('3', { timestamp: '2025-10-06T09:30:00.001-05:00' }),
    ]
    expect(sorted(messages)).toBe('123')
  })
  it('[MR-3] is by priority on request only', () => {
    const messages = [one('3', { priority: 1 }), one('1', { priority: 9, sequence: 2 }), one('2', { sequence: 3 })]
    expect(sorted(messages)).toBe('312')
    expect(sorted(messages, byPriority)).toBe('123')
  })
})
