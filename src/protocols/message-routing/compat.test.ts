import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { aMessage } from '../../../test/support/message-routing-messages.ts'
import { convert, lowerAnswer, standardIdOf } from './compat.ts'
import { judgeFile } from './judge.ts'

const folder = new URL('../../../test/golden/message-routing/compat/', import.meta.url)
const read = (name: string) => JSON.parse(readFileSync(new URL(name, folder), 'utf8'))
const names = readdirSync(folder)
  .filter((name) => name.endsWith('.found.json'))
  .map((name) => name.replace('.found.json', ''))

describe('a message from the field', () => {
  for (const name of names) {
    it(`${name} means what lies beside it`, () => {
      const found = read(`${name}.found.json`)
      expect(convert(found)).toEqual(read(`${name}.means.json`))
    })
  }

  it('becomes the same message every time, and is left alone the second time', () => {
    const once = convert(read('plain.found.json')).value
    expect(convert(once)).toEqual({ value: once, notes: [] })
  })

  it('is not changed itself', () => {
    const found = read('plain.found.json')
    convert(found)
    expect(found).toEqual(read('plain.found.json'))
  })

  it('says for each field what was found and what it became', () => {
    expect(convert({ timestamp: 1759761135 })).toEqual({
      value: { timestamp: '2025-10-06T14:32:15.000Z' },
      notes: ['time 1759761135 read as 2025-10-06T14:32:15.000Z'],
    })
  })
})

describe('numbers', () => {
  const times: [found: unknown, means: string | undefined][] = [
    [0, '1970-01-01T00:00:00.000Z'],
    [99_999_999_999, '5138-11-16T09:46:39.000Z'],
    [100_000_000_000, '1973-03-03T09:46:40.000Z'],
    ['1759761135', '2025-10-06T14:32:15.000Z'],
    [1e300, undefined],
    [true, undefined],
    ['2025-10-06', undefined],
  ]
  for (const [found, means] of times) {
    it(`as a time, ${JSON.stringify(found)} is ${means ?? 'left as it is'}`, () => {
      expect(convert({ timestamp: found }).value).toEqual({ timestamp: means ?? found })
    })
  }

  const shares: [found: unknown, means: unknown][] = [
    [0, 0],
    [0.5, 0.5],
    [1, 1],
    [1.5, 0.015],
    [100, 1],
    [100.5, 100.5],
    ['1%', 0.01],
    ['0.5', '0.5'],
    [null, null],
  ]
  for (const [found, means] of shares) {
    it(`as progress, ${JSON.stringify(found)} is ${JSON.stringify(means)}`, () => {
      const { value } = convert({ type: 'status-update', payload: { progress: found } })
      expect(value).toEqual({ type: 'status-update', payload: { progress: means } })
    })
  }

  it('of other messages are none of our business', () => {
    const value = { type: 'result', payload: { progress: 65 } }
    expect(convert(value).value).toEqual(value)
  })
})

describe('an answer', () => {
  const answer = aMessage({
    msg_id: 'msg_000004d2',
    timestamp: '2025-10-06T14:40:00.500Z',
    from: 'coordinator-main',
    to: 'coder-1',
    sequence: 9,
    correlation_id: standardIdOf('msg-1759761135-042'),
    priority: 7,
  })

  it('is in the form of the message it answers', () => {
    expect(lowerAnswer(answer, read('plain.found.json'))).toEqual({
      fileName: 'msg-1759761600-234.json',
      message: {
        version: '1.1',
        msg_id: 'msg-1759761600-234',
        from: 'coordinator-main',
        to: 'coder-1',
        timestamp: 1759761600,
        sequence: 9,
        type: 'status-update',
        payload: { status: 'in_progress', progress: 65, message: 'Half way' },
        requires_ack: false,
        priority: 7,
        correlation_id: 'msg-1759761135-042',
      },
    })
  })

  it('has milliseconds where they write milliseconds, and shares where they write shares', () => {
    const { message } = lowerAnswer(answer, read('other-type.found.json'))
    expect(message).toMatchObject({ version: '1.0', timestamp: 1759761600500, payload: { progress: 0.65 } })
  })

  it('to a message of the specification is one of the specification', () => {
    const original = aMessage()
    expect(lowerAnswer({ ...answer, correlation_id: original.msg_id }, original)).toEqual({
      fileName: 'msg_000004d2.json',
      message: { ...answer, correlation_id: original.msg_id, requires_ack: false },
    })
  })

  it('reads back as what was meant', () => {
    const { message } = lowerAnswer(answer, read('plain.found.json'))
    expect(convert(message).value).toMatchObject({
      version: '1.1.0',
      timestamp: '2025-10-06T14:40:00.000Z',
      payload: answer.payload,
      correlation_id: answer.correlation_id,
    })
  })
})

describe('with the rules for files', () => {
  const judge = (found: Record<string, unknown>, agent = String(found.to)) => {
    const bytes = Buffer.from(JSON.stringify(found))
    return judgeFile(bytes, {
      agent,
      fileName: `${found.msg_id}.json`,
      size: bytes.length,
      convert,
    })
  }

  it.each(names.filter((name) => !['beyond-repair', 'not-an-object'].includes(name)))('%s is a message', (name) => {
    expect(judge(read(`${name}.found.json`))).toMatchObject({ outcome: 'message' })
  })

  it('what cannot be repaired is none, nor is one in a wrong inbox', () => {
    expect(judge(read('beyond-repair.found.json'))).toMatchObject({ outcome: 'malformed', code: 'VALIDATION_FAILED' })
    expect(judge(read('plain.found.json'), 'other')).toMatchObject({ outcome: 'malformed', code: 'WRONG_INBOX' })
  })

  it('a type of another program is let in, whatever its name', () => {
    for (const type of ['coordination', 'constructor', '__proto__', 'toString']) {
      expect(judge({ ...read('other-type.found.json'), type })).toMatchObject({ outcome: 'message', message: { type } })
    }
  })
})
