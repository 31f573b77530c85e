import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type BusContent, type BusMessage, printBus, readBus } from './bus-document.ts'
import { completedChains } from './chains.ts'
import { contributionJudge, contributionsTo } from './contributions.ts'
import { hydratedText } from './generated.ts'
import { extractiveSummary } from './summary.ts'

const message = (n: number, more: Partial<BusMessage> = {}): BusMessage => ({
  id: `id00000${n}`,
  name: `2026111715000${n}-id00000${n}-from-claude-to-gemini.md`,
  createdAt: `2026-11-17T15:00:0${n}Z`,
  from: 'claude',
  to: 'gemini',
  summary: `Summary ${n}`,
  status: 'completed',
  body: `Body ${n}\n`,
  ...more,
})
const content = (messages: readonly BusMessage[], more: Partial<BusContent> = {}): BusContent => ({
  title: 'auth module',
  trigger: 'query',
  query: 'auth',
  provider: 'local',
  summaryBy: 'extractive',
  summary: 'All fine.',
  messages,
  ...more,
})
const at = '2026-11-17T16:00:00Z'
const print = (messages: readonly BusMessage[], mostBytes = 1_000_000) => printBus(content(messages), at, mostBytes)

/** A reader of its own: lines outside of fences, and the texts inside of them. */
function outline(text: string): { outside: string[]; quoted: string[] } {
  const outside: string[] = []
  const quoted: string[] = []
  let fence: string | undefined
  for (const line of text.split('\n')) {
    const opening = /^(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence === undefined && opening) {
      fence = opening
      quoted.push('')
    } else if (fence !== undefined && line === fence) fence = undefined
    else if (fence !== undefined) quoted[quoted.length - 1] += `${line}\n`
    else outside.push(line)
  }
  expect(fence).toBeUndefined()
  return { outside, quoted }
}

describe('a bus document', () => {
  it('[AC-13.1] looks as the specification shows it', () => {
    const check = /`([0-9a-f]{32})`/.exec(print([message(1), message(2)]).main)![1]
    expect(print([message(1), message(2)])).toEqual({
      parts: [],
      main: `# Message Bus: auth module

**Generated:** 2026-11-17T16:00:00Z
**Query:** auth
**Messages Included:** 2
**Trigger:** query
**Provider:** local
**Summary By:** extractive
**Began With:** \`id000001\` \`id000002\`
**Check:** \`${check}\`

## Summary Table

| Timestamp | From | To | Summary | Status |
| --- | --- | --- | --- | --- |
| 20261117150001 | claude | gemini | Summary 1 | completed |
| 20261117150002 | claude | gemini | Summary 2 | completed |

## Thematic Summary

All fine.

## Full Message Log

---
**File:** \`20261117150001-id000001-from-claude-to-gemini.md\`

\`\`\`text quote-c8d0e5f5
Body 1
\`\`\`

---
**File:** \`20261117150002-id000002-from-claude-to-gemini.md\`

\`\`\`text quote-c8d0e5f5
Body 2
\`\`\`
`.replaceAll('quote-c8d0e5f5', /quote-[0-9a-f]{8}/.exec(print([message(1), message(2)]).main)![0]),
    })
  })

  it('[AC-13.1b] equal texts are printed once, under all their files', () => {
    const { main } = print([message(1, { body: 'same' }), message(2), message(3, { body: 'same' })])
    expect(main.split('same\n')).toHaveLength(2)
    expect(main).toContain(
      '**File:** `20261117150001-id000001-from-claude-to-gemini.md`  \n**File:** `20261117150003-id000003-from-claude-to-gemini.md`\n',
    )
  })

  it('[AC-13.1b] no text leaves its quotation, and every message is there once', () => {
    const nasty = fc.oneof(
      fc.string({ maxLength: 60 }),
      fc.constantFrom(
        '```',
        '~~~~',
        '## Full Message Log',
        '| a | b |',
        '<b>x</b>',
        '---\n**File:** `x`',
        '\u{e0041}\u200b',
        '# H\r\n',
      ),
    )
    const texts = fc.array(fc.tuple(nasty, fc.array(nasty, { maxLength: 4 })), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(texts, fc.integer({ min: 500, max: 5000 }), (all, mostBytes) => {
        const messages = all.map(([summary, lines], n) => message(n, { summary, body: `${n}\n${lines.join('\n')}` }))
        const { main, parts } = printBus(content(messages), at, mostBytes)
        const read = [main, ...parts].map(outline)
        const outside = read.flatMap((one) => one.outside)
        const files = outside.filter((line) => line.startsWith('**File:** '))
        expect(files).toEqual(messages.map(({ name }) => `**File:** \`${name}\``))
        expect(read.flatMap(({ quoted }) => quoted).map((text) => text.split('\n')[0])).toEqual(
          messages.map((_, n) => String(n)),
        )
        expect(outside.filter((line) => line.startsWith('#') && !line.startsWith('# Message Bus'))).toEqual([
          '## Summary Table',
          '## Thematic Summary',
          ...read.map(() => '## Full Message Log'),
        ])
        const rows = outside.filter((line) => line.startsWith('|'))
        expect(rows).toHaveLength(messages.length + 2)
        for (const row of rows) expect(row.replaceAll(/\\./g, '').split('|')).toHaveLength(7)
        expect(outside.join('\n')).not.toMatch(/<|\u200b|\u{e0041}/u)
      }),
      { numRuns: 100 },
    )
  })

  it('[AC-13.1b] a long log goes on in numbered parts', () => {
    const { main, parts } = print(
      [1, 2, 3].map((n) => message(n, { body: `${n}`.repeat(9000) })),
      20_000,
    )
    expect(main).toContain('**Parts:** 2\n')
    expect(parts).toHaveLength(1)
    expect(parts[0]).toMatch(/^# Message Bus: auth module \(part 2 of 2\)\n/)
    expect(
      outline(main)
        .quoted.concat(parts.flatMap((part) => outline(part).quoted))
        .map((text) => text[0]),
    ).toEqual(['1', '2', '3'])
  })

  it('[AC-13.1c] is told from one that somebody changed, and is the same at another time', () => {
    const { main } = print([message(1)])
    expect(readBus(main)).toMatchObject({
      query: 'auth',
      trigger: 'query',
      anchors: ['id000001'],
      parts: 1,
      isOurs: true,
    })
    expect(readBus(main.replace('All fine', 'Not so fine'))?.isOurs).toBe(false)
    expect(readBus(main.replace('Body 1', 'Body 2'))?.isOurs).toBe(false)
    const later = printBus(content([message(1)]), '2027-01-01T00:00:00Z', 1_000_000).main
    expect(readBus(later)?.check).toBe(readBus(main)?.check)
    for (const text of ['', '# Message Bus: x\n', 'hello', `# Other\n${main}`]) expect(readBus(text)).toBeUndefined()
  })

  it('[AC-13.2f] is hydrated without its log; its parts, snapshots and reports not at all', () => {
    const { main } = print([message(1)])
    const head = hydratedText('findings/bus-document-auth-20261117160000.md', main)!
    expect(head).toContain('All fine.')
    expect(head).not.toContain('Body 1')
    expect(hydratedText('findings/bus-document-auth-20261117160000-part-2.md', main)).toBeUndefined()
    expect(hydratedText('artifacts/queue-snapshots/pending-20261117160000.md', 'x')).toBeUndefined()
    expect(hydratedText('findings/mine.md', 'x')).toBe('x')
  })
})

it('the summary names outcomes, open questions and failures with their sources', () => {
  const failed = message(3, {
    status: 'failed',
    body: 'Try it.\n\n---\n\n**Failure Report**\n\n- Time: 2026-11-17T15:00:00Z\n- Agent: gemini\n- Reason: The disk is full.\n',
  })
  const done = message(1, {
    body: 'Do it.\n\n---\n\n**Result**\n\n- Time: 2026-11-17T15:00:00Z\n- Agent: gemini\n\n> It works now.\n',
  })
  const open = message(2, { status: 'pending', body: 'Which database should we use for the orders?' })
  const stuck = message(4, { status: 'pending', body: 'Tell the customers.' })
  const blocked = new Map([[stuck.id, 'id000003, which it depends on, failed']])
  const summary = extractiveSummary([done, open, failed, stuck], blocked)
  expect(
    summary,
  ).toBe(`Of 4 messages 1 is completed, 1 failed, 1 waits and 1 is blocked for good. claude asked for it, and gemini worked on it, on 2026-11-17.

**Results**

- “It works now.” (Summary 1, \`id000001\`)

**Failed**

- Summary 3: “The disk is full.” (\`id000003\`)

**Blocked for good**

- Summary 4 (\`id000004\`): id000003, which it depends on, failed

**Open questions**

- “Which database should we use for the orders?” (\`id000002\`)`)
})

describe('the summary', () => {
  const result = (text: string) =>
    `Do it.\n\n---\n\n**Result**\n\n- Time: 2026-11-17T15:00:00Z\n- Agent: gemini\n\n${text
      .split('\n')
      .map((line) => `> ${line}`)
      .join('\n')}\n`
  it('of one message says what came of it, and does not count it', () => {
    expect(extractiveSummary([message(1, { body: result('The index is live and quick.') })])).toBe(
      '**Results**\n\n- “The index is live and quick.” (Summary 1, `id000001`)',
    )
  })

  it('tells no question that was answered by a message back', () => {
    const asked = message(1, { status: 'processing', body: 'Which of the two certificates shall we take?' })
    const back = { from: 'gemini', to: 'claude' }
    const open = (answer: Partial<BusMessage>) =>
      extractiveSummary([asked, message(2, { ...back, ...answer })]).includes('**Open questions**')
    expect(open({ body: 'Something else.' })).toBe(true)
    expect(open({ body: 'The second (id000001).' })).toBe(false)
    expect(open({ summary: 'Re: Summary 1' })).toBe(false)
    // Somebody else names it, and does not answer.
    expect(open({ from: 'codex', body: 'What about id000001?' })).toBe(true)
  })

  it('keeps the name of a task whatever its result looks like, and says the same once', () => {
    const shapes = [
      '# Cause\n\nThe pool is too old.\n\n- a.ts',
      '\n\n```sh\nnpm test\n```',
      '| a | b |\n| --- | --- |',
      '# Only',
    ]
    const summary = extractiveSummary(shapes.map((text, n) => message(n, { body: result(text) })))
    expect(
      [...summary.matchAll(/^- “(.*)” \((Summary \d), `id00000\d`\)$/gm)].map(([, text, name]) => [name, text]),
    ).toEqual(
      expect.arrayContaining([
        ['Summary 0', 'The pool is too old. a.ts'],
        ['Summary 1', 'npm test'],
        ['Summary 2', 'a \\| b'],
        ['Summary 3', 'Only'],
      ]),
    )
    const same = [1, 2, 3].map((n) => message(n, { body: result(`Done, number ${n}.`) }))
    expect(extractiveSummary(same)).toContain('- “Done, number 1.” (Summary 1, `id000001`, and 2 more like it)')
  })

  it('names the different things that came to the same, and a failure once', () => {
    const done = ['Rotate the keys', 'Pin the image', 'Pin the image'].map((summary, n) =>
      message(n, { summary, body: result('Done.') }),
    )
    expect(extractiveSummary(done)).toContain(
      '- “Done.” (Rotate the keys, `id000000`; Pin the image, `id000001`, and 1 more like it)',
    )
    const body =
      'Run.\n\n---\n\n**Failure Report**\n\n- Time: 2026-11-17T15:00:00Z\n- Agent: gemini\n- Reason: No cookie.\n'
    const failed = [1, 2].map((n) => message(n, { summary: `Smoke test ${n}`, status: 'failed', body }))
    expect(extractiveSummary(failed)).toContain(
      '**Failed**\n\n- Smoke test 1: “No cookie.” (`id000001`, and 1 more like it)',
    )
  })
})

describe('chains', () => {
  const one = (id: string, status: string, ...dependencies: string[]) => ({ id, status, dependencies })
  it('[AC-13.2b] are parts of the graph of which all are completed', () => {
    const done = [
      one('aaaaaaaa', 'completed'),
      one('bbbbbbbb', 'completed', 'msg:aaaaaaaa'),
      one('cccccccc', 'completed'),
    ]
    expect(completedChains(done)).toEqual([['aaaaaaaa', 'bbbbbbbb']])
    expect(completedChains([...done, one('dddddddd', 'failed', 'bbbbbbbb')])).toEqual([])
    expect(completedChains([...done, one('dddddddd', 'completed', 'bbbbbbbb', 'path:x', 'cccccccc')])).toEqual([
      ['aaaaaaaa', 'bbbbbbbb', 'cccccccc', 'dddddddd'],
    ])
    expect(completedChains([one('aaaaaaaa', 'completed', 'msg:aaaaaaaa', 'msg:unknown0')])).toEqual([])
  })
})

describe('contributions to a milestone', () => {
  const one = (id: string, text: string, ...dependencies: string[]) => ({
    ...{ id, status: 'completed', dependencies, text },
    createdAt: '2026-11-17T15:00:00Z',
  })
  const judge = (message: ReturnType<typeof one>, title: string) => contributionJudge(title)(message)
  const to = (title: string, messages: readonly ReturnType<typeof one>[], ...others: { title: string }[]) => [
    ...contributionsTo([{ title }, ...others], messages, judge).get(title)!,
  ]

  it('[AC-13.2c] are by reference, by dependency and by words, each with its reason', () => {
    const all = [
      one('aaaaaaaa', 'Three tables for it'),
      one('bbbbbbbb', 'This finishes: schema is designed.', 'msg:aaaaaaaa'),
      one('cccccccc', 'The designs of all schemas'),
      one('dddddddd', 'Unrelated'),
    ]
    expect(to('Schema is designed', all)).toEqual([
      ['bbbbbbbb', 'it names the milestone'],
      ['cccccccc', 'it is about the same: 2 of 2 words of the milestone'],
      ['aaaaaaaa', 'bbbbbbbb depends on it'],
    ])
    expect(to('Ship msg:dddddddd', all)).toEqual([['dddddddd', 'the milestone names it']])
    expect(to('', all)).toEqual([])
  })

  it('[AC-13.2c] are also what came of them, but for what belongs to another milestone or came later', () => {
    const all = [
      one('diagnose', 'Find out why payments fail'),
      one('fix00000', 'A shorter pool', 'msg:diagnose'),
      one('tests000', 'A thousand kills', 'msg:fix00000'),
      one('invoices', 'Invoices are sent', 'msg:diagnose'),
      one('letters0', 'In an envelope', 'msg:invoices'),
      { ...one('late0000', 'Tell the customers', 'msg:fix00000'), createdAt: '2026-11-18T15:00:00Z' },
    ]
    const title = 'Payments do not fail'
    const reasons = contributionsTo(
      [{ title, reachedBy: '2026-11-17T18:00:00Z' }, { title: 'Invoices are sent' }],
      all,
      judge,
    )
    expect([...reasons.get(title)!]).toEqual([
      ['diagnose', 'it is about the same: 2 of 2 words of the milestone'],
      ['fix00000', 'it depends on diagnose'],
      ['tests000', 'it depends on fix00000'],
    ])
    expect([...reasons.get('Invoices are sent')!.keys()]).toEqual(['invoices', 'letters0', 'diagnose'])
  })
})
