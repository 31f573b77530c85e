import { describe, expect, it } from 'vitest'
import { draftOf, payloadFrom } from './draft.ts'
import { printMessage } from './format.ts'

describe('a draft', () => {
  const input = { from: 'coder-1', to: 'coder-2', type: 'task-delegation', payload: { task: 'x' } }
  const stamp = { msg_id: 'msg_a3f5d8b2', sequence: 7, timestamp: '2025-10-06T14:32:15.234Z' }

  it('[MR-4] becomes a message with its fields in the order of the examples', () => {
    const draft = draftOf(
      { ...input, requiresAck: true, replyTo: 'msg_b4e2a7c1', priority: 8, extra: { trace: 1 } },
      10_240,
    )
    expect(printMessage(draft.stamped(stamp))).toBe(
      `{
  "version": "1.0.0",
  "msg_id": "msg_a3f5d8b2",
  "from": "coder-1",
  "to": "coder-2",
  "timestamp": "2025-10-06T14:32:15.234Z",
  "sequence": 7,
  "type": "task-delegation",
  "requires_ack": true,
  "correlation_id": "msg_b4e2a7c1",
  "priority": 8,
  "payload": {
    "task": "x"
  },
  "trace": 1
}`,
    )
  })
  it('[MR-1d] leaves out what has its default', () => {
    const keys = Object.keys(draftOf({ ...input, requiresAck: false }, 10_240).stamped(stamp))
    expect(keys).toEqual(['version', 'msg_id', 'from', 'to', 'timestamp', 'sequence', 'type', 'payload'])
  })
  it('[MR-1c] over 10 KB is refused with its size and the limit', () => {
    const sized = (letters: number) => ({ ...input, payload: { task: 'x'.repeat(letters) } })
    const frame = Buffer.byteLength(printMessage(draftOf(sized(0), 10_240).stamped({ ...stamp, sequence: 1 })))
    expect(() => draftOf(sized(10_240 - frame), 10_240)).not.toThrow()
    expect(() => draftOf(sized(10_241 - frame), 10_240)).toThrow(
      expect.objectContaining({
        kind: 'InvalidInput',
        code: 'MESSAGE_TOO_LARGE',
        message: 'The message has 10241 bytes; 10240 is the most.',
        details: { size: 10_241, largest: 10_240 },
      }),
    )
  })
  it('[MR-1b] whose payload is not as it should be is refused, with every reason', () => {
    const bad = { ...input, type: 'status-update', payload: { progress: 65, blockers: 'none' } }
    expect(() => draftOf(bad, 10_240)).toThrow(
      expect.objectContaining({
        code: 'VALIDATION_FAILED',
        hint: 'Correct `payload.status`, `payload.progress`, `payload.blockers` and send again.',
      }),
    )
  })
})

describe('a payload', () => {
  it('may be a value or JSON, and is an object in both', () => {
    expect(payloadFrom({ task: 'Fix it' })).toEqual({ task: 'Fix it' })
    expect(payloadFrom('{"task": "Fix it"}')).toEqual({ task: 'Fix it' })
    for (const given of ['[]', [], '{', '1'])
      expect(() => payloadFrom(given)).toThrow(expect.objectContaining({ code: 'BAD_PAYLOAD' }))
  })
})
