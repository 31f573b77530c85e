import { describe, expect, it } from 'vitest'
import { messageOrThrow, parseAnyMessage, parseMessage, withFields } from './format.ts'
import { missionAddress } from './layout.ts'
import { readOwnHeader } from './own-header.ts'
import { printHeader } from './print-header.ts'

const header = printHeader({
  id: 'x1',
  mission_id: 'alpha',
  timestamp: '2025-07-04T10:30:00Z',
  from: 'claude',
  to: 'gemini',
  status: 'processing',
  priority: 2,
  timeout_seconds: 60,
  dependencies: ['msg:a1', 'path:./context/a.md', 'b2'],
  summary: 'Do it.',
  attempt: 2,
})
const context = { fileName: 'x.md', address: missionAddress('alpha'), timeoutSeconds: 3600 }

describe('a header as we write it', () => {
  it('is read without going through YAML', () => {
    const bytes = Buffer.from(`${header}Body`)
    const own = readOwnHeader(bytes)!
    expect([own.header, own.bodyStart]).toEqual([header, header.length])
    const message = { record: own.record, bodyStart: header.length }
    expect(parseAnyMessage(bytes, context)).toEqual({ outcome: 'message', message, problems: [] })
  })

  it('is read the same way when its time is to the millisecond, as sending writes it', () => {
    const bytes = Buffer.from(header.replace('10:30:00Z', '10:30:00.123Z'))
    expect(readOwnHeader(bytes)?.record.timestamp).toBe('2025-07-04T10:30:00.123Z')
    const { message, problems } = messageOrThrow(parseMessage(bytes, context))
    const { header: text, ...read } = message
    expect(parseAnyMessage(bytes, context)).toEqual({ outcome: 'message', message: read, problems: [] })
    expect(text).toBe(bytes.toString('latin1', 0, read.bodyStart))
    expect(problems).toEqual([])
  })

  it.each([
    ['a word for nothing as id', 'id: x1', 'id: null'],
    ['a word for nothing as sender', 'from: claude', 'from: NULL'],
    ['a word for nothing as recipient', 'to: gemini', 'to: Null'],
    ['an open quote', 'id: x1', 'id: "x1'],
    ['a day that is none', '2025-07-04', '2025-02-30'],
    ['a day that is none, to the millisecond', '2025-07-04T10:30:00Z', '2025-02-30T10:30:00.123Z'],
    ['half a millisecond', '10:30:00Z', '10:30:00.1234Z'],
    ['a sender that is none', 'claude', 'a-to-b'],
    ['all in capitals', 'gemini', 'ALL'],
    ['a path that leaves', './context/a.md', '../../a.md'],
    ['a path that leaves later', './context/a.md', 'a/../../b'],
    ['an absolute path', 'path:./context/a.md', '/etc/passwd'],
    ['an escape', 'Do it.', 'Do\\tit.'],
    ['letters beyond ASCII', 'Do it.', 'Tu\u00e9 le.'],
    ['a priority out of range', 'priority: 2', 'priority: 6'],
    ['another field', 'priority: 2', 'extra: 1\npriority: 2'],
    ['a comment', 'priority: 2', 'priority: 2 # soon'],
    ['a status that is none', 'processing', 'progressin'],
    ['no end', '---\n', ''],
  ])('with %s is left to the general reader', (_, before, after) => {
    const at = before === '---\n' ? header.lastIndexOf(before) : header.indexOf(before)
    const bytes = Buffer.from(header.slice(0, at) + after + header.slice(at + before.length))
    expect(readOwnHeader(bytes)).toBeUndefined()
    expect(parseMessage(bytes, context)).toEqual(parseAnyMessage(bytes, context))
  })

  it('of another mission is reported', () => {
    const bytes = Buffer.from(header.replace('alpha', 'beta'))
    expect(parseMessage(bytes, context).problems.map(({ code }) => code)).toEqual(['MISSION_MISMATCH'])
  })

  it('in which somebody changed the quotes keeps them', () => {
    const quoted = header.replace('id: x1', 'id: "x1"').replace('claude', '"claude"')
    const changed = withFields(Buffer.from(`${quoted}Body`), { status: 'failed', to: 'gpt' }).toString()
    expect(changed).toBe(`${quoted.replace('processing', 'failed    ').replace('gemini', 'gpt')}Body`)
  })
})
