/** Messages as they come: each file in `ac-mq/` next to the record it means, or the code it is refused with. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  failureOf,
  messageOrThrow,
  parseMessage,
  printMessage,
  resultOf,
  withFailure,
  withStatus,
} from '../../src/protocols/ac-mq/format.ts'
import { fileNameOf, missionAddress, parseTime } from '../../src/protocols/ac-mq/layout.ts'
import type { AcmqRecord } from '../../src/protocols/ac-mq/schema.ts'

interface Golden {
  readonly fileName: string
  readonly mission: string
  readonly record?: AcmqRecord
  /** `CODE field`. */
  readonly problems?: readonly string[]
  readonly failure?: { readonly at?: string; readonly reason: string }
  readonly result?: { readonly at: string; readonly text: string }
  readonly code?: string
  readonly line?: number
}

const folder = new URL('ac-mq/', import.meta.url)
const golden = readdirSync(folder)
  .filter((name) => name.endsWith('.md'))
  .sort()
  .map((file): [name: string, bytes: Buffer, meaning: Golden] => {
    const name = file.slice(0, -3)
    const meaning: Golden = JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'))
    return [name, readFileSync(new URL(file, folder)), meaning]
  })
const read = golden.filter(([, , { record }]) => record !== undefined)
const refused = golden.filter(([, , { code }]) => code !== undefined)
const reported = read.filter(([, , { problems }]) => problems!.length > 0)

const parsed = (bytes: Uint8Array, { fileName, mission }: Golden) =>
  parseMessage(bytes, { fileName, address: missionAddress(mission), timeoutSeconds: 3600 })

const parse = (bytes: Uint8Array, golden: Golden) => {
  const { message, problems } = messageOrThrow(parsed(bytes, golden))
  return { ...message, problems }
}

const timed = (at: string | undefined) => (at === undefined ? undefined : parseTime(at))

describe('messages that are read', () => {
  it.each(read)('[AC-3.2a] %s', (_, bytes, meaning) => {
    const { record, problems, bodyStart } = parse(bytes, meaning)
    expect(record).toEqual(meaning.record!)
    expect(problems.map(({ code, field }) => `${code} ${field}`)).toEqual([...meaning.problems!])
    // What was read is written with the same meaning, and the body is what follows the header.
    const printed = printMessage(record, bytes.subarray(bodyStart))
    expect(parse(printed, meaning).record).toEqual(record)
  })

  it.each(reported)('[AC-3.2d] %s is reported, and the message counts', (_, bytes, meaning) => {
    for (const { field, message } of parse(bytes, meaning).problems) {
      expect(message.startsWith(`\`${field}\`: `)).toBe(true)
      expect(message).not.toMatch(/[\0-\x1f]/)
    }
    expect(() => withStatus(bytes, 'processing')).not.toThrow()
  })

  it.each(read)('%s: the reports in it', (_, bytes, { failure, result }) => {
    expect(failureOf(bytes)).toEqual(failure && { agent: undefined, ...failure, at: timed(failure.at) })
    expect(resultOf(bytes)).toEqual((result && { ...result, at: timed(result.at) }) as never)
  })
})

describe('messages that are refused', () => {
  it('are of many kinds', () => {
    expect(refused.length).toBeGreaterThanOrEqual(20)
  })

  it.each(refused)('%s', (_, bytes, meaning) => {
    const details = meaning.line === undefined ? { file: meaning.fileName } : { file: meaning.fileName, line: meaning.line }
    const { outcome, problems } = parsed(bytes, meaning)
    expect(outcome).toBe('malformed')
    expect({ ...problems[0] }).toMatchObject({ code: meaning.code, hint: expect.stringContaining(' ') })
    expect(() => parse(bytes, meaning)).toThrow(
      expect.objectContaining({
        kind: 'Corrupt',
        code: meaning.code,
        hint: expect.stringContaining(' '),
        details: expect.objectContaining(details),
      }),
    )
  })

  it.each(refused)('%s: can be given a failure report all the same', (_, bytes) => {
    const failure = { agent: 'signalbox', at: Date.UTC(2025, 6, 4), reason: 'It is not a message.', detail: 'See line 1.' }
    const set = withFailure(bytes, failure)
    expect(set.subarray(0, bytes.length).equals(bytes)).toBe(true)
    expect(failureOf(bytes)).toBeUndefined()
    expect(failureOf(set)).toEqual(failure)
  })
})

describe('the specification itself', () => {
  const example = golden.find(([name]) => name === 'specification')!

  it('[AC-3.1] names its example so', () => {
    expect(fileNameOf(parse(example[1], example[2]).record)).toBe('20250704103000-a1b2c3d4-from-claude-to-gemini.md')
  })

  it('[AC-3.2a] has its example written by us with all ten fields', () => {
    expect(printMessage(parse(example[1], example[2]).record, '\nBody\n').toString()).toBe(
      [
        '---',
        'status: pending   ',
        'id: a1b2c3d4-e5f6-4a7b-8c9d-0e1f2a3b4c5d',
        'mission_id: system-design-alpha',
        'timestamp: 2025-07-04T10:30:00Z',
        'from: claude',
        'to: gemini',
        'priority: 1',
        'timeout_seconds: 3600',
        'dependencies:',
        '  - "path:./context/architecture-spec.md"',
        '  - "msg:9f8e7d6c-5b4a-4c3d-2b1a-0c9d8e7f6a5b"',
        'summary: "Generate initial data models based on the architecture spec."',
        '---',
        '',
        'Body',
        '',
      ].join('\n'),
    )
  })

  it('[AC-8.1] has its failure block appended, with time, agent, reason and detail', () => {
    const failure = { agent: 'gemini', at: Date.UTC(2025, 6, 4, 11, 30), reason: 'Too vague.', detail: 'Which\ndatabase?' }
    const failed = withFailure(example[1], failure)
    expect(failed.toString().slice(example[1].length)).toBe(
      [
        '',
        '---',
        '',
        '**Failure Report**',
        '',
        '- Time: 2025-07-04T11:30:00Z',
        '- Agent: gemini',
        '- Reason: Too vague.',
        '',
        '> Which',
        '> database?',
        '',
      ].join('\n'),
    )
    expect(failed.subarray(0, example[1].length).equals(example[1])).toBe(true)
    expect(failureOf(failed)).toEqual(failure)
  })
})
