import { describe, expect, it } from 'vitest'
import { SignalboxError } from '../kernel/errors.ts'
import { bodyOf, readFields, readFrontMatter, readFrontMatterBytes, splitFrontMatter } from './front-matter.ts'
import { longestHeader } from './header-field.ts'

const example = `---
id: a1b2c3d4-e5f6-4a7b-8c9d-0e1f2a3b4c5d
mission_id: system-design-alpha
timestamp: 2025-07-04T10:30:00Z
from: claude
to: gemini
status: pending
priority: 1 # 1 (High) to 5 (Low)
timeout_seconds: 3600
dependencies:
  - "path:./context/architecture-spec.md"
  - "msg:9f8e7d6c-5b4a-4c3d-2b1a-0c9d8e7f6a5b"
summary: "Generate initial data models based on the architecture spec."
---

Body
`

const valuesOf = (text: string) => Object.fromEntries([...readFields(text)].map(([key, { value }]) => [key, value]))

function errorOf(run: () => unknown): SignalboxError {
  try {
    run()
  } catch (error) {
    if (error instanceof SignalboxError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

describe('splitting', () => {
  it.each([
    ['plain', '---\na: 1\n---\nbody', 'a: 1\n', 'body'],
    ['CRLF', '---\r\na: 1\r\n---\r\nbody', 'a: 1\r\n', 'body'],
    ['byte-order mark', '\ufeff---\na: 1\n---\nbody', 'a: 1\n', 'body'],
    ['blanks behind the fences', '---  \na: 1\n---\t \nbody', 'a: 1\n', 'body'],
    ['empty header', '---\n---\nbody', '', 'body'],
    ['no body', '---\na: 1\n---', 'a: 1\n', ''],
    ['[AC-3.3] rules in the body', '---\na: 1\n---\n---\nb: 2\n---\n', 'a: 1\n', '---\nb: 2\n---\n'],
    ['almost a fence', '---\na: 1\n----\n---\nbody', 'a: 1\n----\n', 'body'],
  ])('%s', (_, text, header, body) => {
    const place = splitFrontMatter(text)!
    expect([text.slice(place.headerStart, place.headerEnd), text.slice(place.bodyStart)]).toEqual([header, body])
    const bytes = Buffer.from(text)
    const inBytes = splitFrontMatter(bytes)!
    expect(bytes.toString('utf8', inBytes.headerStart, inBytes.headerEnd)).toBe(header)
    expect(Buffer.from(bodyOf(bytes)).toString()).toBe(body)
  })

  it.each(['', 'text', '\n---\na: 1\n---\n', ' ---\n---\n', '--- a\n---\n', '--\n'])('%j has none', (text) => {
    expect(splitFrontMatter(text)).toBeUndefined()
    expect(splitFrontMatter(Buffer.from(text))).toBeUndefined()
  })

  it.each(['---', '---\n', '---\na: 1\n', '---\na: 1\n ---\n'])('%j is not closed', (text) => {
    expect(errorOf(() => splitFrontMatter(text))).toMatchObject({ code: 'BAD_FRONT_MATTER', details: { line: 1 } })
  })

  it('stops looking for the end of a header in a huge file', () => {
    const huge = Buffer.alloc(20_000_000, 'a: b\n')
    huge.write('---\n')
    expect(errorOf(() => splitFrontMatter(huge)).message).toContain(`within ${longestHeader} bytes`)
  })
})

describe('reading', () => {
  it('reads the fields of the specification with their types', () => {
    const { fields, bodyStart } = readFrontMatter(example)!
    expect([...fields].map(([key, { value }]) => [key, value])).toEqual([
      ['id', 'a1b2c3d4-e5f6-4a7b-8c9d-0e1f2a3b4c5d'],
      ['mission_id', 'system-design-alpha'],
      ['timestamp', '2025-07-04T10:30:00Z'],
      ['from', 'claude'],
      ['to', 'gemini'],
      ['status', 'pending'],
      ['priority', 1],
      ['timeout_seconds', 3600],
      ['dependencies', ['path:./context/architecture-spec.md', 'msg:9f8e7d6c-5b4a-4c3d-2b1a-0c9d8e7f6a5b']],
      ['summary', 'Generate initial data models based on the architecture spec.'],
    ])
    expect(example.slice(bodyStart)).toBe('\nBody\n')
    expect([...readFrontMatterBytes(Buffer.from(example))!.fields]).toEqual([...fields])
  })

  it.each([
    ['12345678', 12345678],
    ['00123456', 123456],
    ['12e45678', Number.POSITIVE_INFINITY],
    ['0x1F', 31],
    ['2025-07-04T10:30:00Z', '2025-07-04T10:30:00Z'],
    ['"12345678"', '12345678'],
    ["'it''s'", "it's"],
    ['~', null],
  ])('keeps %s as the text that stands there', (written, value) => {
    const { text, value: read } = readFields(`id: ${written} # c\n`).get('id')!
    expect(read).toBe(value)
    expect(text).toBe(written.startsWith('"') ? '12345678' : written.startsWith("'") ? "it's" : written)
  })

  it('keeps the items of a list as text', () => {
    const header = 'a:\n  - 007\n  - x\nb: [1e3, "y"]\nc: [0x10,\n  007]\nd: [[1]]\n'
    expect([...readFields(header).values()].map(({ texts }) => texts)).toEqual([
      ['007', 'x'],
      ['1e3', 'y'],
      ['0x10', '007'],
      undefined,
    ])
  })

  it('leaves unusual YAML to the complete reader', () => {
    const header = 'a: >\n  folded\n  text\nb: {c: 1, d: [x]}\ne: &n 5\nf: *n\n"g h": |\n  kept\n'
    expect(valuesOf(header)).toEqual({
      a: 'folded text\n',
      b: new Map<string, unknown>([
        ['c', 1],
        ['d', ['x']],
      ]),
      e: 5,
      f: 5,
      'g h': 'kept\n',
    })
  })

  it.each(['', '\n', '# only a comment\n', '~\n'])('%j has no fields', (header) => {
    expect(readFields(header).size).toBe(0)
  })

  it('reads on past bytes that are not UTF-8', () => {
    const bytes = Buffer.concat([
      Buffer.from('---\na: x'),
      Buffer.from([0xff]),
      Buffer.from('\nb: 2\n---\n\xfe', 'latin1'),
    ])
    expect([...readFrontMatterBytes(bytes)!.fields.values()].map(({ value }) => value)).toEqual(['x\ufffd', 2])
  })

  it('treats names of prototypes as names', () => {
    expect(readFields('__proto__: 1\nconstructor: 2\nb: {__proto__: 3}\n').get('__proto__')?.value).toBe(1)
    expect(({} as Record<string, unknown>).b).toBeUndefined()
  })
})

describe('refusing', () => {
  const aliases = `a: &a [x,x]\n${[...'bcdefghij'].map((key, i) => `${key}: &${key} [${`*${'abcdefghij'[i]},`.repeat(9)}]\n`).join('')}`
  it.each([
    ['a key given twice', 'a: 1\nb: 2\na: 3\n', 4],
    ['a key given twice inside', 'a:\n  b: 1\n  b: 2\n', 4],
    ['an open quote', 'a: 1\nb: "x\n', 3],
    ['a list at the top', '- a\n- b\n', 2],
    ['text at the top', 'just text\n', 2],
    ['a tab as indent', 'a:\n\t- b\n', 3],
    ['two values on a line', 'a: b: c\n', 2],
    ['a second document', 'a: 1\n--- x\n', 3],
    ['an alias bomb', aliases, 2],
    ['an alias without an anchor', 'a: *b\n', 2],
    ['deep lists', `a: ${'['.repeat(20_000)}\n`, 2],
    ['deep maps', `a: ${'{a: '.repeat(5000)}\n`, 2],
    ['deep blocks', `${'- '.repeat(10_000)}\n`, 2],
    ['a long header', `a: ${'x'.repeat(longestHeader)}\n`, 2],
  ])('%s', (_, header, line) => {
    const error = errorOf(() => readFields(header, 2))
    expect(error).toMatchObject({ kind: 'Corrupt', code: 'BAD_FRONT_MATTER', details: { line } })
    expect(error.hint).toBeTruthy()
    expect(error.message.length).toBeLessThan(300)
  })

  it('shows nothing of the file that could move a cursor', () => {
    expect(errorOf(() => readFields('a: "\u001b[2J\\q"\n', 2)).message).not.toContain('\u001b')
  })
})
