/** LANGUAGE.md lists what is supported. `UPDATE_DOCS=1` writes the list anew. */
import { readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { numberAttributes } from './attributes.ts'
import { filters, globals, tests } from './builtins.ts'
import { dictMethods, listMethods, tupleMethods } from './collection-methods.ts'
import { defaultLimits } from './limits.ts'
import { loopAttributes } from './loop.ts'
import { statementNames } from './parse.ts'
import { textMethods } from './text-methods.ts'

const page = new URL('LANGUAGE.md', import.meta.url)
const code = (names: Iterable<string>) => [...names].map((name) => `\`${name}\``).join(', ')
const sorted = (table: object) => Object.keys(table).sort()

const rows: readonly (readonly [string, string])[] = [
  ['Statements', code(statementNames)],
  ['Filters', code(sorted(filters))],
  ['Tests', code(sorted(tests))],
  ['Global names', code([...globals.keys()].filter((name) => name !== 'lipsum').sort())],
  ['Attributes of `loop`', code(sorted(loopAttributes))],
  ['Methods of text', code(sorted(textMethods))],
  ['Methods of lists', code(sorted(listMethods))],
  ['Methods of tuples', code(sorted(tupleMethods))],
  ['Methods of mappings', code(sorted(dictMethods))],
  ['Of numbers', code(numberAttributes.toSorted())],
  ['Of ranges', code(['count', 'index', 'start', 'step', 'stop'])],
  ['Of macros', code(['arguments', 'caller', 'catch_kwargs', 'catch_varargs', 'name'])],
]

const limits: Readonly<Record<keyof typeof defaultLimits, string>> = {
  steps: 'statements, rounds of loops, calls and operations',
  depth: 'macros, blocks, includes, imports and recursive loops under way at once',
  units: 'characters of text made while rendering; an item of a list or mapping counts as 16',
  output: 'characters of the result',
  source: 'characters of one template',
  templates: 'templates in one rendering',
  digits: 'digits of a whole number',
}

/** With columns of one width, as the formatter has them. */
function table(
  head: readonly [string, string],
  lines: readonly (readonly [string, string])[],
  isRight = false,
): string {
  const [first, second] = [0, 1].map((i) => Math.max(...[head, ...lines].map((line) => [...line[i]!].length))) as [
    number,
    number,
  ]
  const pad = (text: string) => (isRight ? text.padStart(first) : text.padEnd(first))
  const row = ([left, right]: readonly [string, string]) => `| ${pad(left)} | ${right.padEnd(second)} |`
  const rule = `| ${isRight ? `${'-'.repeat(first - 1)}:` : '-'.repeat(first)} | ${'-'.repeat(second)} |`
  return [row(head), rule, ...lines.map(row)].join('\n')
}

const lists: Readonly<Record<string, string>> = {
  supported: table(['What', 'Names'], rows),
  limits: table(
    ['At most', 'Of what'],
    Object.entries(limits).map(([name, what]) => [
      defaultLimits[name as keyof typeof limits].toLocaleString('en-US'),
      what,
    ]),
    true,
  ),
}

it('[DO-3d] LANGUAGE.md lists every statement, filter, test, method and limit there is', () => {
  let text = readFileSync(page, 'utf8')
  for (const [name, list] of Object.entries(lists)) {
    const part = new RegExp(
      `(<!-- ${name}, by UPDATE_DOCS=1 npm test -- jinja2/supported -->\n\n)[\\s\\S]*?(\n\n<!-- end -->)`,
    )
    expect(text).toMatch(part)
    text = text.replace(part, (_, before: string, after: string) => before + list + after)
  }
  if (process.env.UPDATE_DOCS !== undefined) writeFileSync(page, text)
  expect(readFileSync(page, 'utf8')).toBe(text)
})

it('[DO-3a] all filters, tests and global names of Jinja2 3.1 are there', () => {
  const wanted =
    'abs attr batch capitalize center count d default dictsort e escape filesizeformat first float forceescape format ' +
    'groupby indent int items join last length list lower map max min pprint random reject rejectattr replace reverse ' +
    'round safe select selectattr slice sort string striptags sum title tojson trim truncate unique upper urlencode ' +
    'urlize wordcount wordwrap xmlattr'
  expect(sorted(filters)).toEqual(wanted.split(' '))
  const asked =
    '!= < <= == > >= boolean callable defined divisibleby eq equalto escaped even false filter float ge greaterthan gt ' +
    'in integer iterable le lessthan lower lt mapping ne none number odd sameas sequence string test true undefined upper'
  expect(sorted(tests)).toEqual(asked.split(' '))
  expect([...globals.keys()].sort()).toEqual(['cycler', 'dict', 'joiner', 'lipsum', 'namespace', 'range'])
})
