import { describe, expect, it } from 'vitest'
import { messageOf, parseMessage, printMessage, withFields, withStatus } from '../format.ts'
import { missionAddress } from '../names.ts'
import type { AcmqRecord } from '../schema.ts'
import { InHand } from './in-hand.ts'

const record: AcmqRecord = {
  id: 'a1b2c3d4-e5f6-4a7b-8c9d-0e1f2a3b4c5d',
  mission_id: 'alpha',
  timestamp: '2025-07-04T10:30:00.000Z',
  from: 'claude',
  to: 'gemini',
  status: 'pending',
  priority: 3,
  timeout_seconds: 3600,
  dependencies: [],
  summary: 'Read the specification.',
  attempt: 1,
}
const waiting = printMessage(record, 'The body.\n')
const context = { fileName: 'm.md', address: missionAddress('alpha'), defaults: { timeoutSeconds: 3600 } }
const message = messageOf(parseMessage(waiting, context))
const claimed = withStatus(waiting, 'processing')

const handWith = (name: string) => {
  const inHand = new InHand()
  inHand.remember(name, message)
  return inHand
}

describe('InHand', () => {
  it('knows what it was told, as long as the header says the same', () => {
    const inHand = handWith('m.md')
    expect(inHand.read('m.md', claimed)).toBe(message)
    expect(inHand.read('m.md', Buffer.concat([claimed, Buffer.from('More body.\n')]))).toBe(message)
  })

  it.each([
    ['another attempt', withFields(claimed, { attempt: 2 })],
    ['another recipient', withFields(claimed, { to: 'codex' })],
    ['another priority, of the same length', withFields(claimed, { priority: 4 })],
    ['another status', waiting],
    ['a header that was cut off', claimed.subarray(0, 60)],
    ['nothing', Buffer.alloc(0)],
  ])('does not vouch for %s', (_what, bytes) => {
    expect(handWith('m.md').read('m.md', bytes)).toBeUndefined()
  })

  it('forgets, and knows nothing of others', () => {
    const inHand = handWith('m.md')
    expect(inHand.read('other.md', claimed)).toBeUndefined()
    inHand.forget('m.md')
    expect(inHand.read('m.md', claimed)).toBeUndefined()
  })

  it('does not grow without end', () => {
    const inHand = handWith('first.md')
    for (let i = 0; i < 1000; i++) inHand.remember(`${i}.md`, message)
    expect(inHand.read('first.md', claimed)).toBeUndefined()
    expect(inHand.read('999.md', claimed)).toBe(message)
  })
})
