import { describe, expect, it } from 'vitest'
import { type Limits, renderTemplate, TemplateError } from './index.ts'

async function attempt(texts: string | Record<string, string>, limits: Partial<Limits> = {}): Promise<string> {
  const all: Record<string, string> = typeof texts === 'string' ? { main: texts } : texts
  try {
    return (await renderTemplate({ name: 'main', data: '{"d": {"a": 1}}', load: async (name) => all[name], limits }))
      .text
  } catch (error) {
    if (error instanceof TemplateError) return `${error.code}: ${error.message}`
    throw error
  }
}

const steps = 'TEMPLATE_LIMIT: main, line 1: the template takes more than 2000000 steps'
const units = 'TEMPLATE_LIMIT: main, line 1: the template makes more than 67108864 characters of text and lists'
const depth = 'TEMPLATE_LIMIT: main, line 1: the template nests more than 200 calls'
const digits = 'TEMPLATE_LIMIT: main, line 1: a number has more than 4300 digits'

describe('what would take for ever', () => {
  const endless: readonly (readonly [what: string, template: string, answer: string])[] = [
    ['a long loop', '{% for i in range(10**9) %}{% endfor %}', steps],
    ['a long range as a list', '{{ range(10**9)|list }}', units],
    ['a list that grows while it is walked', '{% set l = [1] %}{% for i in l %}{{ l.append(i) }}{% endfor %}', steps],
    ['a macro that calls itself', '{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}', depth],
    ['a macro that calls itself twice', '{% macro m() %}{{ m() }}{{ m() }}{% endmacro %}{{ m() }}', depth],
    ['an include that includes itself', "{% include 'main' %}", depth],
    ['one that does so by a variable', "{% set x = 'main' %}{% include x %}", depth],
    ['a template that extends itself', "{% extends 'main' %}", depth],
    ['an import that imports itself', "{% import 'main' as m %}", depth],
    ['a block that prints itself', '{% block b %}{{ self.b() }}{% endblock %}', depth],
    ['a recursive loop without an end', '{% for i in [1] recursive %}{{ loop([1]) }}{% endfor %}', depth],
    [
      'a search for a long text',
      "{% set a = 'a' * 10**6 %}{% set b = 'b' ~ a[:500000] %}{% for i in range(99) %}{{ b in a }}{% endfor %}",
      steps,
    ],
  ]
  for (const [what, template, answer] of endless) {
    it(`[DO-3b][DO-3d] ${what} ends with an error`, async () => expect(await attempt(template)).toBe(answer))
  }
})

describe('what would take all memory', () => {
  const large: readonly (readonly [template: string, answer: string])[] = [
    ["{{ 'x' * 10**9 }}", units],
    ["{{ ('x' * 10**6) * 10**6 }}", units],
    ['{{ [0] * 10**9 }}', units],
    ["{% set ns = namespace(s='x') %}{% for i in range(99) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}", units],
    ["{% set ns = namespace(s='x') %}{% for i in range(99) %}{% set ns.s = ns.s + ns.s %}{% endfor %}", units],
    ['{% set ns = namespace(s=[1]) %}{% for i in range(99) %}{% set ns.s = ns.s + ns.s %}{% endfor %}', units],
    ["{{ 'x'|center(10**9) }}", units],
    ["{{ 'x'.ljust(10**9) }}", units],
    ["{{ '\\t'.expandtabs(10**9) }}", units],
    ["{{ '%1000000000d' % 1 }}", units],
    ["{{ '%.1000000000f' % 1 }}", units],
    ["{{ '{:1000000000}'.format(1) }}", units],
    ["{{ ('x' * 10**6)|replace('', 'y' * 10**6) }}", units],
    ["{{ range(10**5)|join('y' * 10**6) }}", units],
    ['{{ [1]|tojson(indent=10**9) }}', units],
    ["{{ [1]|batch(10**9, 'x')|list }}", units],
    ['{{ 99999 ** 99999999 }}', digits],
    ['{% set ns = namespace(x=9) %}{% for i in range(99) %}{% set ns.x = ns.x * ns.x %}{% endfor %}', digits],
    [
      "{% for i in range(10**5) %}{{ 'x' * 1000 }}{% endfor %}",
      'TEMPLATE_LIMIT: main, line 1: the result has more than 16777216 characters',
    ],
  ]
  for (const [template, answer] of large) {
    it(`[DO-3b][DO-3d] ${template} ends with an error`, async () => expect(await attempt(template)).toBe(answer))
  }

  it('Python numbers have no size, up to the digits that Python prints', async () => {
    expect(await attempt('{{ 10 ** 30 }} {{ (10 ** 4000)|string|length }}')).toBe(`1${'0'.repeat(30)} 4001`)
  })
})

describe('sizes and nesting', () => {
  it('[DO-3d] a template may have 1,048,576 characters', async () => {
    expect((await attempt('x'.repeat(1024 * 1024))).length).toBe(1024 * 1024)
    expect(await attempt('x'.repeat(1024 * 1024 + 1))).toBe(
      'TEMPLATE_LIMIT: main, line 1: the template has more than 1048576 characters',
    )
  })

  it('[DO-3d] deep nesting and long chains are refused, not a crash', async () => {
    const nested = 'TEMPLATE_SYNTAX: main, line 1: more than 90 expressions or statements lie in each other'
    const chained = 'TEMPLATE_SYNTAX: main, line 1: more than 300 operators, filters or subscripts follow each other'
    expect(await attempt(`{{ ${'('.repeat(5000)}1${')'.repeat(5000)} }}`)).toBe(nested)
    expect(await attempt(`${'{% if 1 %}'.repeat(500)}${'{% endif %}'.repeat(500)}`)).toBe(nested)
    expect(await attempt(`{{ ${'not '.repeat(5000)}1 }}`)).toBe(nested)
    expect(await attempt(`{{ 1${' + 1'.repeat(5000)} }}`)).toBe(chained)
    expect(await attempt(`{{ d${'.a'.repeat(5000)} }}`)).toBe(chained)
    expect(await attempt(`{{ 1${'|abs'.repeat(5000)} }}`)).toBe(chained)
  })

  it('[DO-3d] data that a template nests too deep is an error', async () => {
    const nest = '{% set ns = namespace(x=[]) %}{% for i in range(30000) %}{% set ns.x = [ns.x] %}{% endfor %}'
    expect(await attempt(`${nest}{{ ns.x }}`)).toBe('TEMPLATE_LIMIT: main, line 1: the template is nested too deep')
  })

  it('only so many templates are loaded', async () => {
    const many = "{% for i in range(99) %}{% include 'x' ~ i ignore missing %}{% endfor %}"
    expect(await attempt(many, { templates: 20 })).toBe(
      'TEMPLATE_LIMIT: main, line 1: more than 20 templates are loaded',
    )
  })

  it('[DO-3b] a list that grows while it is walked ends with an error', async () => {
    const growing = '{% set l = [1] %}{% for i in l %}{{ l.append(i) }}{% endfor %}'
    expect(await attempt(growing, { steps: 20_000 })).toBe(
      'TEMPLATE_LIMIT: main, line 1: the template takes more than 20000 steps',
    )
  })

  it('limits can be set, and count for all passes together', async () => {
    expect(await attempt('{% for i in range(100) %}{{ i }}{% endfor %}', { steps: 50 })).toBe(
      'TEMPLATE_LIMIT: main, line 1: the template takes more than 50 steps',
    )
    // Each include by a variable begins a pass of its own.
    const texts = {
      main: "{% for i in 'abcdef' %}{% set x = i %}{% include x %}{% endfor %}",
      a: '',
      b: '',
      c: '',
      d: '',
      e: '',
      f: '',
    }
    expect(await attempt(texts, { steps: 60 })).toBe(
      'TEMPLATE_LIMIT: main, line 1: the template takes more than 60 steps',
    )
    expect(await attempt(texts)).toBe('')
  })
})
