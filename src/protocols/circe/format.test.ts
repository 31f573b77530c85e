import { describe, expect, it } from 'vitest'
import { splitBody } from './body.ts'
import { bodyOf, optionsOf, parseMessage, plainTextOf, printMessage, statusOf, timeOf } from './format.ts'
import { type CirceDraft, type CirceMessage, isWhole } from './schema.ts'

const head = (more = '') =>
  `# MESSAGE\nfrom: a\nto: b\nintent: inform\nstatus: new\ncreated_at: 2026-01-01T12:00:00Z\n${more}`
function messageOf(text: string): CirceMessage {
  const parsed = parseMessage(Buffer.from(text))
  if (parsed.outcome !== 'message') throw new Error(parsed.problems[0].message)
  return parsed.message
}
const draft = (more: Partial<CirceDraft> = {}): CirceDraft => ({
  ...{ from: 'a', to: 'b', intent: 'inform', status: 'new', time: Date.parse('2026-01-01T12:00:00Z') },
  ...{ headers: [], lead: '', sections: [{ name: 'Summary', text: 'Hello' }] },
  ...more,
})

describe('options', () => {
  const offered = (text: string) => optionsOf({ sections: [{ name: 'OPTIONS', text }] })
  it('[CI-6b] are the items of the list, with their further lines', () => {
    expect(
      offered('Choose:\n\n1. **RS256**: slower\n   and safer\n2) HS256\n\nas you like\n- none\n* all\n+ some'),
    ).toEqual(['**RS256**: slower and safer', 'HS256 as you like', 'none', 'all', 'some'])
  })
  it('[CI-6b] have the numbers that the message gives them, whatever is listed below each', () => {
    const wanted = ['RS256 - slower - safer', 'HS256 - faster']
    expect(offered('1. RS256\n   - slower\n   - safer\n2. HS256\n   - faster')).toEqual(wanted)
    expect(offered('1. RS256\n- slower\n- safer\n2. HS256\n   - faster')).toEqual(wanted)
    expect(offered(' - one\n   1. a\n   2. b\n- two')).toEqual(['one 1. a 2. b', 'two'])
  })
  it('are none without a list or a section', () => {
    expect([offered(''), offered('just text\n3.14 is a number'), optionsOf({ sections: [] })]).toEqual([[], [], []])
  })
  it('a line with CRLF ends has no trace of them', () => {
    expect(optionsOf(messageOf(head('\n## Options\n1. one\n2. two\n').replaceAll('\n', '\r\n')))).toEqual([
      'one',
      'two',
    ])
  })
})

describe('status and time', () => {
  it('[CI-1c] five statuses, and `done` for completed', () => {
    const words = ['new', 'in_progress', 'completed', 'blocked', 'failed', 'done', 'Done', 'claimed', '', '__proto__']
    expect(words.map(statusOf)).toEqual([
      'new',
      'in_progress',
      'completed',
      'blocked',
      'failed',
      'completed',
      ...Array(4).fill(undefined),
    ])
  })
  it('[CI-1c] a time is in UTC', () => {
    const good = Date.parse('2025-11-06T14:02:11Z')
    for (const text of [
      '2025-11-06T14:02:11Z',
      '2025-11-06 14:02:11z',
      '2025-11-06T14:02:11+00:00',
      '2025-11-06T14:02:11-0000',
    ])
      expect(timeOf(text), text).toBe(good)
    for (const text of [
      '2025-11-06T14:02:11',
      '2025-11-06',
      '2025-11-06T14:02:11+01:00',
      '2025-13-06T14:02:11Z',
      '2025-11-06T25:00:00Z',
      'now',
      '',
      '1762437731',
    ])
      expect(timeOf(text), text).toBeUndefined()
  })
})

describe('body and summary', () => {
  it('the body is everything below the headers, as written', () => {
    expect(bodyOf(messageOf(head('\n## Summary\nX\n\n')))).toBe('## Summary\nX\n\n')
    expect(bodyOf(messageOf(head('## Summary\nX')))).toBe('## Summary\nX')
    expect(bodyOf(messageOf(head('\u00a0\t\n\ntext')))).toBe('\ntext')
    expect(bodyOf(messageOf(head('\n## A\nX\n').replaceAll('\n', '\r\n')))).toBe('## A\r\nX\r\n')
    expect([bodyOf(messageOf(head())), bodyOf(messageOf(head().trimEnd()))]).toEqual(['', ''])
  })
  it('the summary is one harmless line, cut where it is long', () => {
    expect(messageOf(head('\n## SUMMARY\n\nfirst\nsecond\n')).summary).toBe('first')
    expect(messageOf(head('\nlead\n\n## Context\nx\n')).summary).toBe('lead')
    expect(messageOf(head('\n## Context\nx\n')).summary).toBe('x')
    expect(messageOf(head()).summary).toBe('inform')
    expect(messageOf(head('\n## Summary\n\u001b[31mred\u202e\n')).summary).toBe('\\x1b[31mred\\u202e')
    const long = messageOf(head(`\n## Summary\n${'😀'.repeat(200)}\n`)).summary
    expect([long.length, long.isWellFormed(), long.at(-1)]).toEqual([160, true, '…'])
  })
  it('what a sender wrote without sections comes back as it was', () => {
    const sent = (given: Parameters<typeof splitBody>[0]) =>
      plainTextOf(messageOf(printMessage(draft({ sections: splitBody(given).sections }))))
    expect(sent({ body: 'One thing\nand why' })).toBe('One thing\nand why')
    expect(sent({ body: 'One thing', summary: 'In short' })).toBe('One thing')
    expect(sent({ body: 'x', sections: [{ name: 'Context', text: 'y' }] })).toBe('y')
    expect(sent({ body: 'x', artifacts: ['a.md'] })).toBe('## Summary\nx\n\n## Artifacts\n- a.md')
    expect(plainTextOf(messageOf(head(`\n## Summary\n${'x'.repeat(300)}\n\n## Context\ny\n`)))).toContain(
      '## Context\ny',
    )
  })
})

describe('a new message', () => {
  it('[CI-1a] has the headers of the specification in their order, then those of the sender, then the sections', () => {
    const text = printMessage(
      draft({
        ...{
          task: 'FEAT-021',
          replyTo: 'q.md',
          headers: [
            ['priority', 'high'],
            ['due', '2026-01-02'],
          ],
        },
        sections: [
          { name: 'Summary', text: 'Hello' },
          { name: 'Own', text: '\n\nfree\n\n' },
          { name: 'Empty', text: '' },
        ],
      }),
    )
    expect(text).toBe(
      '# MESSAGE\nfrom: a\nto: b\nintent: inform\ntask_id: FEAT-021\nstatus: new\ncreated_at: 2026-01-01T12:00:00Z\nin_reply_to: q.md\npriority: high\ndue: 2026-01-02\n\n## Summary\nHello\n\n## Own\nfree\n\n## Empty\n',
    )
    expect(messageOf(text).sections).toEqual([
      { name: 'Summary', text: 'Hello' },
      { name: 'Own', text: 'free' },
      { name: 'Empty', text: '' },
    ])
  })
  it.each<[string, Partial<CirceDraft>]>([
    ['a header that has a flag', { headers: [['From', 'x']] }],
    ['our own header', { headers: [['in_reply_to', 'x']] }],
    [
      'a header twice',
      {
        headers: [
          ['x', '1'],
          ['X', '2'],
        ],
      },
    ],
    [
      'a header twice in the same words',
      {
        headers: [
          ['x', '1'],
          ['x', '2'],
        ],
      },
    ],
    ['a header of two lines', { headers: [['x', '1\nfrom: evil']] }],
    ['a header with a carriage return', { headers: [['x', '1\rfrom: evil']] }],
    ['a header that is no word', { headers: [['a b', '1']] }],
    ['a header without a name', { headers: [['', '1']] }],
    ['a header of a megabyte', { headers: [['x', 'y'.repeat(1 << 20)]] }],
    ['a section with a heading of its own', { sections: [{ name: 'A', text: '## B\nx' }] }],
    ['a section of two lines', { sections: [{ name: 'A\nB', text: 'x' }] }],
    ['a section without a name', { sections: [{ name: ' ', text: 'x' }] }],
    [
      'a fence that swallows the next section',
      {
        sections: [
          { name: 'A', text: '```\nx' },
          { name: 'B', text: 'y' },
        ],
      },
    ],
    ['a second message', { sections: [{ name: 'A', text: '# MESSAGE\nfrom: evil' }] }],
    ['an agent that is none', { to: '../x' }],
    ['a task that is none', { task: 'a/b' }],
  ])('[CI-1a] is refused with %s', (_, more) => {
    expect(() => printMessage(draft(more))).toThrow(expect.objectContaining({ kind: 'InvalidInput', exit: 2 }))
  })
  it('a whole message is told from a body', () => {
    expect(['# MESSAGE\nx', '\ufeff# MESSAGE \r\n', '# MESSAGE'].map(isWhole)).toEqual([true, true, true])
    expect(['# MESSAGES', '## Summary\n# MESSAGE', '\n# MESSAGE', ''].map(isWhole)).toEqual([
      false,
      false,
      false,
      false,
    ])
  })
})

describe('what a sender gives', () => {
  const names = (given: Parameters<typeof splitBody>[0]) =>
    splitBody(given).sections.map(({ name, text }) => `${name}: ${text}`)
  it('[CI-1a] becomes sections: summary, body, further ones, artifacts', () => {
    const body = 'Free text\n\n## Results\n✅ 47\n\n```\n## no heading\n```'
    expect(
      names({ summary: ' Short ', body, sections: [{ name: 'More', text: 'm' }], artifacts: ['/a.md', 'https://b'] }),
    ).toEqual([
      'Summary: Short',
      'Context: Free text',
      'Results: ✅ 47\n\n```\n## no heading\n```',
      'More: m',
      'Artifacts: - /a.md\n- https://b',
    ])
    expect(names({ body: 'Only this' })).toEqual(['Summary: Only this'])
    expect(names({ body: 'Only this', summary: ' ' })).toEqual(['Summary: Only this'])
    expect(
      names({
        summary: 'S',
        sections: [
          { name: 'summary', text: 'more' },
          { name: 'ARTIFACTS', text: '- x' },
        ],
        artifacts: ['y'],
      }),
    ).toEqual(['Summary: S\n\nmore', 'ARTIFACTS: - x\n- y'])
  })
  it('nothing, two lines for one, and a second message are refused', () => {
    for (const given of [
      {},
      { body: ' \n ' },
      { summary: ' ' },
      { summary: 'a\nb' },
      { artifacts: ['a\nb'] },
      { body: 'x\n# MESSAGE\ny' },
    ])
      expect(() => splitBody(given)).toThrow(expect.objectContaining({ kind: 'InvalidInput', exit: 2 }))
  })
})
