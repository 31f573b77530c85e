// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are source code
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findCitations, judgeCoverage, printCoverage, readCitations, regenerate } from './architecture/coverage.ts'
import { type Requirement, requirements } from './requirements.ts'
import { repository } from './support/child.ts'

describe('requirements', () => {
  it('each is proven or deferred with a reason, and no test cites one that is not declared', () => {
    expect(judgeCoverage(requirements, readCitations(repository))).toEqual([])
  })

  it('docs/spec-coverage.md says what the tests say', () => {
    const path = join(repository, 'docs/spec-coverage.md')
    const written = existsSync(path) ? readFileSync(path, 'utf8') : ''
    const isCurrent = written === printCoverage(requirements, readCitations(repository))
    expect(isCurrent, `docs/spec-coverage.md is out of date: run ${regenerate}`).toBe(true)
  })
})

describe('how coverage is judged', () => {
  const built: Requirement = { id: 'AC-1', section: 'AC-MQ §1', must: 'One.' }
  const later: Requirement = { id: 'AC-2a', section: 'AC-MQ §2', must: 'Two.', deferred: 'not yet' }
  const cite = (id: string) => ({ id, file: 'test/a.test.ts', line: 7 })

  it('names what nobody proves', () => {
    expect(judgeCoverage([built, later], [])).toEqual(['AC-1 is proven by no test: One.'])
    expect(judgeCoverage([built, later], [cite('AC-1')])).toEqual([])
  })

  it('names what nobody declared, and where', () => {
    expect(judgeCoverage([built], [cite('AC-1'), cite('AC-99')])).toEqual([
      'test/a.test.ts:7 cites AC-99, which test/requirements.ts does not declare',
    ])
  })

  it('names what is deferred no longer', () => {
    expect(judgeCoverage([later], [cite('AC-2a')])).toEqual([
      'AC-2a has a test but is deferred (not yet): mark it as built in test/requirements.ts',
    ])
  })

  it('names what is declared twice', () => {
    expect(judgeCoverage([later, later], [])).toEqual(['AC-2a is declared twice in test/requirements.ts'])
  })

  it('prints section, requirement and test files', () => {
    expect(printCoverage([built, later], [cite('AC-1'), cite('AC-1')])).toBe(
      [
        '# Which test proves which requirement',
        '',
        'Generated from `test/requirements.ts` and the tests by `node scripts/coverage-doc.mjs`; do not edit.',
        '1 of 2 requirements are proven; the others say why not yet.',
        '',
        '## AC-MQ',
        '',
        '### §1',
        '',
        '| Requirement | What must be true | Proven by                           |',
        '| ----------- | ----------------- | ----------------------------------- |',
        '| AC-1        | One.              | [test/a.test.ts](../test/a.test.ts) |',
        '',
        '### §2',
        '',
        '| Requirement | What must be true | Proven by |',
        '| ----------- | ----------------- | --------- |',
        '| AC-2a       | Two.              | _not yet_ |',
        '',
      ].join('\n'),
    )
  })
})

describe('how citations are found', () => {
  const cases: [text: string, ids: string[]][] = [
    ["verifies('AC-4.2b', 'one wins', async () => {})", ['AC-4.2b']],
    ["verifies(['AC-4.2b', 'X-crash'], 'one wins', () => {})", ['AC-4.2b', 'X-crash']],
    ["verifies.unless(reason, 'X-crash', 'no step uncounted', () => {})", ['X-crash']],
    ['verifies(\n  "X-cold",\n  "starts at once",\n  () => {},\n)', ['X-cold']],
    ["it('[AC-4.2b] one of many wins', () => {})", ['AC-4.2b']],
    ['it(`[AC-3.3][AC-3.2b] ${name}`, () => {})', ['AC-3.3', 'AC-3.2b']],
    ["// verifies('AC-4.2b', 'later', () => {})", []],
    ["/* it('[AC-4.2b] later') */", []],
    ["expect(id).toBe('AC-4.2b')", []],
    ["verifies('X-cold', 'reads', () => expect(id).toBe('AC-4.2b'))", ['X-cold']],
  ]
  for (const [text, ids] of cases) {
    it(text.replaceAll('\n', ' '), () => {
      expect(findCitations('a.test.ts', text).map(({ id }) => id)).toEqual(ids)
    })
  }
})
