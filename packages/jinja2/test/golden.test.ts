/**
 * Templates beside the bytes, or the error, that Jinja2 itself answers. `npm run golden` asks it again; the
 * templates in parts/ are brought in by the others. All get the same data.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { findDifference, isOfJinja2, renderCase } from './compare.ts'
import { askJinja2, haveJinja2, type OracleAnswer } from './oracle.ts'

const folder = new URL('golden/', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, folder), 'utf8')
const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.j2'))
  .sort()
const templates = Object.fromEntries(names.map((name) => [name, read(name)]))
const data = read('data.json')
const cases = names.filter((name) => !name.startsWith('parts/')).map((name) => ({ templates, name, data }))

function expected(name: string): OracleAnswer {
  const path = name.slice(0, -'.j2'.length)
  if (existsSync(new URL(`${path}.txt`, folder))) return { text: read(`${path}.txt`) }
  return { error: JSON.parse(read(`${path}.error.json`)) }
}

const groupOf = (name: string) => name.split('/')[0]!
const count = (...groups: string[]) => cases.filter(({ name }) => groups.includes(groupOf(name))).length

describe('[DO-3a] what Jinja2 answers', () => {
  for (const one of cases) {
    it(one.name, async () => {
      const wanted = expected(one.name)
      const got = await renderCase(one)
      if ('text' in wanted) expect(got).toEqual(wanted)
      else expect(findDifference(wanted, got, one)).toBeUndefined()
    })
  }

  it('is known for 150 templates and more, 40 of them with others, with callers, or about blanks and names', () => {
    expect(cases.length).toBeGreaterThanOrEqual(150)
    expect(count('inheritance', 'macros', 'includes', 'imports', 'whitespace', 'scoping')).toBeGreaterThanOrEqual(40)
  })
})

/** Without the words of Python's own errors, which change from one version to the next. */
function inAllVersions(answer: OracleAnswer): unknown {
  if ('text' in answer) return answer
  const { kind, message, template, line } = answer.error
  return { kind, template, line, ...(isOfJinja2(kind) ? { message } : {}) }
}

const oracle = haveJinja2()
if ('reason' in oracle) it.skip(`the Jinja2 here answers the same (skipped: ${oracle.reason})`, () => {})
else {
  it('[DO-3a] the Jinja2 here answers the same', () => {
    const answers = askJinja2(oracle.python, cases)
    expect(answers.map(inAllVersions)).toEqual(cases.map(({ name }) => inAllVersions(expected(name))))
  })
}
