import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SignalboxError } from '../../../kernel/errors.ts'
import { parseManifest, printManifest, tickMilestone } from './manifest.ts'

const byHand = `# Mission: auth

## Mission objective

Build the *login*.
Keep it small.

## High-level status and milestones

**Active**, second week

* [x] Schema
* [ ] Endpoints
  - [X] Login
1. [ ] Docs

## Context pointers

- context/**/*.md — all we know
- \`artifacts/db-schema.sql\`: the schema
- See findings/research.md, and read/write it with care

\`\`\`
findings/*.md   # what was found
artifacts/
\`\`\`

Feature x has [its own manifest](../sub-missions/feature-x/_meta/manifest.md).
`

describe('reading a manifest', () => {
  it('[AC-5a] finds objective, status, milestones and globs as people write them', () => {
    expect(parseManifest(byHand)).toEqual({
      objective: 'Build the *login*.\nKeep it small.',
      status: 'Active, second week',
      milestones: [
        { title: 'Schema', done: true, line: 12 },
        { title: 'Endpoints', done: false, line: 13 },
        { title: 'Login', done: true, line: 14 },
        { title: 'Docs', done: false, line: 15 },
      ],
      patterns: [
        'context/**/*.md',
        'artifacts/db-schema.sql',
        'findings/research.md',
        'findings/*.md',
        'artifacts/**',
        'sub-missions/feature-x/_meta/manifest.md',
      ],
      problems: [],
    })
  })

  it('[AC-5a] bears a byte-order mark, other line ends and no sections at all', () => {
    for (const end of ['\r\n', '\r']) {
      expect(parseManifest(`\ufeff${byHand.replaceAll('\n', end)}`)).toEqual(parseManifest(byHand))
    }
    const empty = { objective: '', status: undefined, milestones: [], patterns: [], problems: [] }
    for (const text of ['', '\ufeff', '\n\n', '---\n---\n']) expect(parseManifest(text)).toEqual(empty)
  })

  const objectives: [text: string, objective: string][] = [
    ['Just a sentence.', 'Just a sentence.'],
    ['# Mission: port the parser\n', 'port the parser'],
    ['# Alpha\n\nPort the parser.\n\n## Milestones\n', 'Port the parser.'],
    ['# Alpha\n**Goal:** port it\n', 'port it'],
    ['# Alpha\nObjective: port it\n', 'port it'],
    ['Objective\n=========\nPort it.\n', 'Port it.'],
    ['# Alpha\n**Objective**\nPort it.\n**Status**\nGood.\n', 'Port it.'],
    ['# Alpha\nsomething\n##Goals\nPort it.\n', 'Port it.'],
    ['# Alpha\nsomething\n## 🎯 Objective ##\nPort it.\n', 'Port it.'],
    ['# Alpha\n## Overview\nWhat.\n## Purpose\nWhy.\n', 'Why.'],
    ['---\nobjective: Port it\n---\n# Alpha\n', 'Port it'],
    ['---\nmission_objective: |\n  Port\n  it\n---\n', 'Port\nit'],
    ['## Objective\n\n<!-- not\nyet -->\n\n## Status\n', ''],
    ['---\nPort it.\n', '---\nPort it.'],
  ]
  for (const [text, objective] of objectives) {
    it(`objective: ${JSON.stringify(text)}`, () => expect(parseManifest(text).objective).toBe(objective))
  }

  const statuses: [text: string, status: string | undefined][] = [
    ['## Status\nactive\n', 'active'],
    ['## Status\n- **active**\n\nMore.\n', 'active'],
    ['**Status:** `active`\n', 'active'],
    ['- **Status**: in review\n', 'in review'],
    ['## Status\n- [ ] One\n', undefined],
    ['---\nstatus: paused\n---\n## Status\nactive\n', 'paused'],
    ['The status: unclear to me and everybody else around here.\n', undefined],
  ]
  for (const [text, status] of statuses) {
    it(`status: ${JSON.stringify(text)}`, () => expect(parseManifest(text).status).toBe(status))
  }

  it('takes no example in code or in a comment for a milestone', () => {
    const text = '```md\n- [ ] one\n```\n<!--\n- [ ] two\n-->\n- [ ] three <!-- soon -->\n- [ ](link) four\n'
    expect(parseManifest(text).milestones).toEqual([{ title: 'three', done: false, line: 7 }])
  })

  it('reads the body when the front matter cannot be read, and says so', () => {
    const { objective, problems } = parseManifest('---\na: b: c\n---\n## Objective\nPort it.\n')
    expect(objective).toBe('Port it.')
    expect(problems).toMatchObject([{ line: 2 }])
  })

  it('reads hostile text in no time', () => {
    const started = performance.now()
    for (const piece of ['`', '[', '[](', '<!--', '**', '{a,', '- [ ] ', '# ', '(', '*/', '> ', '-']) {
      parseManifest(`## Context\n${piece.repeat(20_000)}\n`)
      parseManifest(`## Context\n${`${piece}\n`.repeat(5_000)}\n`)
    }
    expect(performance.now() - started).toBeLessThan(15_000)
  })

  it('throws on no text whatever', () => {
    const pieces = fc.constantFrom(
      '# ',
      '## Context\n',
      '`',
      '- [',
      '] ',
      '---\n',
      '\r\n',
      '../',
      '/',
      '*',
      '{',
      '<!--',
      'a.md',
      ': ',
    )
    fc.assert(fc.property(fc.array(fc.oneof(pieces, fc.string())), (parts) => void parseManifest(parts.join(''))))
  })
})

describe('the patterns of a manifest', () => {
  const inContext: [line: string, patterns: string[]][] = [
    ['- context/*.md', ['context/*.md']],
    ['- ./context/a.md', ['context/a.md']],
    ['- `path:./context/a.md`', ['context/a.md']],
    ['- "context/*.md"', ['context/*.md']],
    ['- context/', ['context/**']],
    ['- notes.txt', ['notes.txt']],
    ['- notes.txt - what I saw', ['notes.txt']],
    ['- Node.js is used', []],
    ['- **Important** things', []],
    ['- Architecture: context/arch.md', ['context/arch.md']],
    ['- context/{a,b}/*.md, findings/x.md', ['context/{a,b}/*.md', 'findings/x.md']],
    ['- read and/or write (n/a)', []],
    ['context/plain.md', ['context/plain.md']],
    ['* `src/main.rs` and `lib.rs`', ['src/main.rs', 'lib.rs']],
    ['- context\\windows\\notes.md', ['context/windows/notes.md']],
    ['- `context/my file.md`', ['context/my file.md']],
    ['- [x] context/done.md', ['context/done.md']],
    ['- [The schema](artifacts/db%20schema.sql#tables)', ['artifacts/db schema.sql']],
    ['- https://example.org/a.md', []],
    ['- `context/[a-c]*.md`', ['context/[a-c]*.md']],
  ]
  for (const [line, patterns] of inContext) {
    it(`under a heading: ${line}`, () =>
      expect(parseManifest(`## Context files\n\n${line}\n`)).toMatchObject({ patterns, problems: [] }))
  }

  const anywhere: [line: string, patterns: string[]][] = [
    ['Read `context/a.md` first.', ['context/a.md']],
    ['Read context/a.md first.', []],
    ['Results go to `findings/`.', ['findings/**']],
    ['Messages wait in `queue/pending/`.', []],
    ['Run `cat context/a.md`, `npm test` or `a/b`.', []],
    ['It speaks `application/json` and `tree.read`.', []],
    ['See `README.md` and `*.sql`.', ['README.md', '*.sql']],
    ['A picture: ![x](context/x.png)', []],
    ['`msg:9f8e7d6c`, `{timestamp}-{id}.md`', ['{timestamp}-{id}.md']],
  ]
  for (const [line, patterns] of anywhere) {
    it(`anywhere: ${line}`, () =>
      expect(parseManifest(`# Alpha\n\n${line}\n`)).toMatchObject({ patterns, problems: [] }))
  }

  const refused: [line: string, text: string, reason: string][] = [
    ['- ../secret.md', '../secret.md', 'it leads out of its folder'],
    ['- context/../../x.md', 'context/../../x.md', 'it leads out of its folder'],
    ['- /etc/passwd', '/etc/passwd', 'it is absolute; paths begin at the mission'],
    ['- `~/.ssh/id.pub`', '~/.ssh/id.pub', 'it is absolute; paths begin at the mission'],
    ['- `C:\\Users\\me\\a.md`', 'C:/Users/me/a.md', 'it is absolute; paths begin at the mission'],
    ['- [x](../../other/_meta/manifest.md)', '../../other/_meta/manifest.md', 'it leads out of its folder'],
    ['- `context/[a.md`', 'context/[a.md', 'a `[` is not closed'],
  ]
  for (const [line, text, reason] of refused) {
    it(`refused: ${line}`, () =>
      expect(parseManifest(`## Context\n${line}\n`)).toMatchObject({
        patterns: [],
        problems: [{ line: 2, text, reason }],
      }))
  }

  it('names each once, in the order of the file, front matter first', () => {
    const text =
      '---\ncontext_files: [z.md, "./a/*.md"]\nglobs: q/*.txt\n---\nRead `a/*.md`, `z.md`.\n## Files\n- b/c.md\n'
    expect(parseManifest(text).patterns).toEqual(['z.md', 'a/*.md', 'q/*.txt', 'b/c.md'])
  })

  it('a link goes up from _meta/ but not from a manifest in the mission itself', () => {
    const text = '[feature x](../sub-missions/x/_meta/manifest.md)'
    expect(parseManifest(text).patterns).toEqual(['sub-missions/x/_meta/manifest.md'])
    expect(parseManifest(text, { folder: '' })).toMatchObject({ patterns: [], problems: [{ line: 1 }] })
  })
})

describe('the manifest of a new mission', () => {
  const now = Date.UTC(2026, 10, 16)

  it('has every part, and reads back', () => {
    expect(parseManifest(printManifest({ mission: 'alpha', objective: 'Port `lib/a.rs`.', now }))).toEqual({
      objective: 'Port `lib/a.rs`.',
      status: 'Started 2026-11-16T00:00:00Z',
      milestones: [],
      patterns: ['lib/a.rs', 'context/**', 'artifacts/**', 'findings/**'],
      problems: [],
    })
    expect(parseManifest(printManifest({ mission: 'alpha', objective: '', now })).objective).toBe('')
  })

  it('gives back any objective, also one that looks like a manifest', () => {
    const pieces = fc.constantFrom(
      '# ',
      '## Status',
      'Goals',
      '\n',
      '===',
      '---',
      '- [ ] ',
      '1. [x] a',
      '```',
      '<!--',
      '-->',
      '\\',
      ':',
      '**Context**',
      'Files:',
      ' ',
      '~~~',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(pieces, fc.string()), { maxLength: 12 }), (parts) => {
        const objective = parts
          .join('')
          .replaceAll(/[^\P{C}\n]/gu, '')
          .split('\n')
          .map((line) => line.trimEnd())
          .join('\n')
          .trim()
        const manifest = parseManifest(printManifest({ mission: 'alpha', objective, now }))
        expect(manifest).toMatchObject({ objective, status: 'Started 2026-11-16T00:00:00Z', milestones: [] })
        expect(manifest.patterns.slice(-3)).toEqual(['context/**', 'artifacts/**', 'findings/**'])
      }),
      { numRuns: 1000 },
    )
  })
})

describe('ticking a milestone', () => {
  const text =
    '\ufeff---\r\nstatus: x\r\n---\r\n* [ ] **First** draft\r\n- [X] Review  \r\n```\r\n- [ ] code\r\n```\r\n- [ ] First print'

  it('changes one character', () => {
    expect(tickMilestone(text, 'first draft', true)).toEqual({
      outcome: 'ticked',
      text: text.replace('* [ ]', '* [x]'),
      milestone: { title: '**First** draft', done: true, line: 4 },
    })
    expect(tickMilestone(text, 'Review', false).text).toBe(text.replace('- [X]', '- [ ]'))
    expect(tickMilestone('- [] a\n', 'a', true).text).toBe('- [x] a\n')
  })

  it('takes a number, or a part that only one title has', () => {
    expect(tickMilestone(text, 3, true).text).toBe(text.replace('- [ ] First print', '- [x] First print'))
    expect(tickMilestone(text, '3', true)).toEqual(tickMilestone(text, 3, true))
    expect(tickMilestone(text, 'print', true)).toEqual(tickMilestone(text, 3, true))
    expect(tickMilestone('- [ ] a\n- [ ] 1\n', '1', true).text).toBe('- [ ] a\n- [x] 1\n')
  })

  it('leaves the text alone when there is nothing to change', () => {
    expect(tickMilestone(text, 'Review', true)).toMatchObject({ outcome: 'already', text })
    expect(tickMilestone(text, 'Reviev', true)).toEqual({ outcome: 'unknown', text, nearest: 'Review' })
    expect(tickMilestone(text, 9, true)).toEqual({ outcome: 'unknown', text })
    expect(tickMilestone('', '', true)).toEqual({ outcome: 'unknown', text: '' })
  })

  it('names the candidates when several are meant', () => {
    let thrown: unknown
    try {
      tickMilestone(text, 'first', true)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(SignalboxError)
    expect(thrown).toMatchObject({
      code: 'AMBIGUOUS_MILESTONE',
      message: 'More than one milestone is called "first": 1. **First** draft; 3. First print.',
    })
  })

  it('what is ticked reads back as done, whatever else stands there', () => {
    const line = fc.constantFrom(
      '# A',
      '- [ ] one',
      '* [x] two',
      '1. [ ] three',
      'text',
      '```',
      '<!--',
      '-->',
      '---',
      '',
    )
    fc.assert(
      fc.property(
        fc.array(line),
        fc.constantFrom('\n', '\r\n'),
        fc.nat(8),
        fc.boolean(),
        (lines, end, number, done) => {
          const before = lines.join(end)
          const ticked = tickMilestone(before, number + 1, done)
          const milestones = parseManifest(ticked.text).milestones
          expect(ticked.text.length).toBe(before.length)
          if (ticked.outcome !== 'unknown') expect(milestones[number]!.done).toBe(done)
          else expect(milestones.length).toBeLessThanOrEqual(number)
        },
      ),
    )
  })
})
