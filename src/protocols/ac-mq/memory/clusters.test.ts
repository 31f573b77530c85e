import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ContextFile, clustersOf, printReadme } from './clusters.ts'
import { isAsWritten } from './generated.ts'

const readme = (...files: ContextFile[]) => printReadme('alpha', 'a-cluster', files, [])
const lineFor = (name: string, text: string) =>
  /^- \[.*$/m.exec(readme({ name, text }))![0].replace(/^- \[[^\]]*\]\(<[^>]*>\): /, '')

describe('the README of a cluster', () => {
  const kinds: readonly (readonly [string, string, string])[] = [
    ['plan.md', '# The plan\n\nWe add an index.\n', '“We add an index.”'],
    ['title.md', '# Only a title\n', '“Only a title”'],
    ['notes.txt', 'One line without an end', '“One line without an end”'],
    ['times.csv', 'query,ms\nslow,9100\nfast,40\n', 'a table of 2 rows with the columns “query,ms”'],
    ['one.tsv', 'a\tb\n1\t2\n', 'a table of one row with the columns “a b”'],
    ['settings.json', '{"host":"x","port":1}', 'JSON with host, port'],
    ['list.json', '[1,2,3]', 'a JSON list of 3'],
    ['broken.json', '{"host":', 'one line, beginning with “{"host":”'],
    [
      'store.ts',
      'import x from "y"\nexport function open() {}\nclass Store {}\n',
      'code that declares `open`, `Store`',
    ],
    ['job.py', 'def run(a):\n  pass\n', 'code that declares `run`'],
    ['schema.sql', 'CREATE TABLE IF NOT EXISTS orders (id int);\n', 'code that declares `orders`'],
    ['run.sh', 'set -e\nls\n', '2 lines, beginning with “set -e”'],
    ['config.yaml', 'a: 1\n', 'one line, beginning with “a: 1”'],
    ['empty.md', '\n \n', 'nothing in it'],
  ]
  it.each(kinds)('[AC-15.1] says of %s what it is', (name, text, expected) =>
    expect(lineFor(name, text)).toBe(expected),
  )

  it('[AC-15.1] says what files have in common, not which verbs, and counts what is left after an undo', () => {
    const broken = { name: 'broken.md', text: 'A broken van: who takes over its stops?' }
    const winter = { name: 'winter.md', text: 'The van routes take 121 minutes' }
    expect(readme(broken, winter)).toContain('- `broken.md` and `winter.md` speak of van.\n')
    expect(readme(broken, winter)).toContain('2 documents that')
    expect(readme(winter)).toContain('One document that')
  })

  it('[AC-15.1] nothing escapes, whatever files are called and say', () => {
    const nasty = fc.oneof(
      fc.string({ maxLength: 40 }),
      fc.constantFrom('# H', '<b>', '| a |', '](<x>)', '`', '```', '<!-- check', '\u200b', '\r\n', '**'),
    )
    const file = fc.record({
      name: fc.oneof(
        fc.constantFrom('a.md', 'b<c>.csv', 'd%.json', 'e`f.ts', 'g].txt'),
        fc.string({ minLength: 1, maxLength: 12 }),
      ),
      text: fc.array(nasty, { maxLength: 5 }).map((lines) => lines.join('\n')),
    })
    fc.assert(
      fc.property(fc.uniqueArray(file, { minLength: 1, maxLength: 5, selector: ({ name }) => name }), (files) => {
        const text = readme(...files.filter(({ name }) => !/[/\n\r]/.test(name)))
        expect(isAsWritten(text)).toBe(true)
        const lines = text.split('\n')
        expect(lines.filter((line) => line.startsWith('#')).length).toBeLessThanOrEqual(3)
        expect(lines.filter((line) => line.startsWith('- [')).length).toBe(
          files.filter(({ name }) => !/[/\n\r]/.test(name)).length,
        )
        // Without our own marks, the targets of links, and what stands between backticks.
        const shown = text
          .replaceAll(/<!-- (?:made|check).*-->/g, '')
          .replaceAll(/\]\(<[^<>]*>\)/g, '')
          .replaceAll(/(`+)[^`].*?\1/g, '')
        expect(shown).not.toMatch(/<[a-z!]/i)
      }),
      { numRuns: 200 },
    )
  })
})

it('[AC-15.1] the order of files changes nothing', () => {
  const about = [
    'The slow orders query scans the orders table',
    'An index on the orders table makes the orders query fast',
    'The orders query of the orders table was slow',
    'The logo is dark blue on white paper',
    'Blue paper and a dark logo on white',
    'Nobody works at Christmas',
  ]
  const files = about.map((text, n) => ({ name: `${n}.md`, text }))
  const expected = clustersOf(files, new Set())
  expect(expected).toHaveLength(1)
  fc.assert(
    fc.property(fc.shuffledSubarray(files, { minLength: files.length }), (shuffled) => {
      expect(clustersOf(shuffled, new Set())).toEqual(expected)
    }),
    { numRuns: 50 },
  )
})
