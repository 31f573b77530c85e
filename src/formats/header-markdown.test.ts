import { describe, expect, it } from 'vitest'
import { parseHeaderMarkdown, printHeaderMarkdown } from './header-markdown.ts'

const message = `# MESSAGE
from: coordinator
to: engineer
created_at: 2025-11-06T14:02:11Z
x-extra: a: b

## Summary
Add an endpoint.

## Odd Section

  indented

## Empty
`

describe('the Markdown message', () => {
  it('keeps headers and sections in order, known or not', () => {
    const read = parseHeaderMarkdown(message)
    expect([...read.headers]).toEqual([
      ['from', 'coordinator'],
      ['to', 'engineer'],
      ['created_at', '2025-11-06T14:02:11Z'],
      ['x-extra', 'a: b'],
    ])
    expect(read.lead).toBe('')
    expect(read.sections).toEqual([
      { name: 'Summary', text: 'Add an endpoint.' },
      { name: 'Odd Section', text: '  indented' },
      { name: 'Empty', text: '' },
    ])
  })

  it('reads CRLF and a byte-order mark as if they were not there', () => {
    expect(parseHeaderMarkdown(`\ufeff${message.replaceAll('\n', '\r\n')}`)).toEqual(parseHeaderMarkdown(message))
  })

  it('prints what it reads back the same', () => {
    const printed = printHeaderMarkdown(parseHeaderMarkdown(message))
    expect(parseHeaderMarkdown(printed)).toEqual(parseHeaderMarkdown(message))
    expect(printHeaderMarkdown(parseHeaderMarkdown(printed))).toBe(printed)
  })

  it.each([
    ['a heading inside code', '```sh\n## not a section\n```', 1],
    ['a longer fence', '````\n```\n## not a section\n````', 1],
    ['a fence never closed', '~~~\n## not a section', 1],
    ['inline code', '```x``` y\n## a section', 2],
    ['deeper headings', '### sub\n##no\n##', 1],
  ])('%s', (_, text, count) => {
    expect(parseHeaderMarkdown(`# MESSAGE\na: b\n\n## S\n${text}\n`).sections).toHaveLength(count)
  })

  it('keeps text before the first section', () => {
    const read = parseHeaderMarkdown('# MESSAGE\na: b\n\nHello:\n\nworld\n\n## S\nx')
    expect([read.lead, read.sections.length]).toEqual(['Hello:\n\nworld', 1])
    expect(printHeaderMarkdown(read)).toBe('# MESSAGE\na: b\n\nHello:\n\nworld\n\n## S\nx\n')
  })

  it.each([
    ['', 1],
    ['# OTHER\na: b\n', 1],
    ['# MESSAGE\na: b\nno colon\n', 3],
    ['# MESSAGE\n: value\n', 2],
    ['# MESSAGE\na: b\na: c\n', 3],
  ])('refuses %j with the line', (text, line) => {
    expect(() => parseHeaderMarkdown(text)).toThrow(
      expect.objectContaining({ code: 'BAD_HEADER', details: expect.objectContaining({ line }) }),
    )
  })

  it.each([
    [new Map([['from', 'a\nto: b']]), []],
    [new Map([['fr om', 'a']]), []],
    [new Map([['a:b', 'a']]), []],
    [new Map(), [{ name: 'a\n## b', text: '' }]],
    [new Map(), [{ name: ' ', text: '' }]],
  ])('does not let a value become a header %#', (headers, sections) => {
    expect(() => printHeaderMarkdown({ headers, lead: '', sections })).toThrow(
      expect.objectContaining({ code: 'BAD_HEADER' }),
    )
  })
})
