import { describe, expect, it } from 'vitest'
import { openTemplates, renderTemplate, TemplateError } from './index.ts'

const loader = (texts: Readonly<Record<string, string>>, asked: string[] = []) => {
  return async (name: string) => {
    asked.push(name)
    return texts[name]
  }
}

describe('loading', () => {
  it('each template is asked for once, however often it is used', async () => {
    const asked: string[] = []
    const texts = {
      main: "{% extends 'base' %}{% block b %}{% for i in [1, 2] %}{% include 'part' %}{% include name %}{% endfor %}{% endblock %}",
      base: '<{% block b %}{% endblock %}>',
      part: 'p',
      late: "l{% include 'last' %}",
      last: '.',
    }
    const { text } = await renderTemplate({ name: 'main', data: { name: 'late' }, load: loader(texts, asked) })
    expect(text).toBe('<pl.pl.>')
    expect(asked).toEqual(['main', 'base', 'part', 'late', 'last'])
  })

  it('what is never reached may be missing or broken, or fail to load', async () => {
    const main = "{% if false %}{% include 'gone' %}{% include 'broken' %}{% include 'locked' %}{% endif %}fine"
    const load = async (name: string) => {
      if (name === 'locked') throw new Error('no key')
      return { main, broken: '{% if' }[name]
    }
    expect(await renderTemplate({ name: 'main', data: {}, load })).toEqual({ text: 'fine' })
  })

  it('what cannot be loaded is told with the error of the loader, when it is reached', async () => {
    const refusal = new Error('no key')
    const load = async (name: string) => {
      if (name === 'locked') throw refusal
      return "{% include 'locked' %}"
    }
    await expect(renderTemplate({ name: 'main', data: {}, load })).rejects.toBe(refusal)
  })

  it('a second pass begins from the beginning: nothing is done twice, and chance stays the same', async () => {
    const main = '{{ l.append(1) }}{% set x = [1, 2, 3]|random %}{{ x }}{% include name %}{{ x }}{{ l }}'
    let draws = 0
    const random = () => [0.1, 0.9][draws++]!
    const load = loader({ main, late: '-' })
    const { text } = await renderTemplate({ name: 'main', data: { l: [], name: 'late' }, load, random })
    expect(text).toBe('None1-1[1]')
    expect(draws).toBe(1)
  })

  it('templates that stay open are rendered with other data, and remember nothing', async () => {
    const asked: string[] = []
    const main = "{% import 'counter' as c %}{{ c.next() }}{{ c.next() }}{{ x }}"
    const counter = "{% set row = cycler('a', 'b', 'c') %}{% macro next() %}{{ row.next() }}{% endmacro %}"
    const templates = openTemplates({ load: loader({ main, counter }, asked) })
    expect((await templates.render({ name: 'main', data: { x: 1 } })).text).toBe('ab1')
    expect((await templates.render({ name: 'main', data: { x: 2 } })).text).toBe('ab2')
    expect(asked).toEqual(['main', 'counter'])
  })

  it('two that render at once do not disturb each other', async () => {
    const load = loader({ main: '{% for i in range(n) %}{% include name %}{% endfor %}', late: '{{ i }}' })
    const render = (n: number) => renderTemplate({ name: 'main', data: { n, name: 'late' }, load })
    const all = await Promise.all([3, 1, 2].map(render))
    expect(all.map(({ text }) => text)).toEqual(['012', '0', '01'])
  })
})

describe('errors', () => {
  const fail = async (main: string, texts: Record<string, string> = {}) => {
    const rendering = renderTemplate({ name: 'main', data: { d: {} }, load: loader({ main, ...texts }) })
    return rendering.then(
      () => 'rendered',
      (error: unknown) => {
        if (!(error instanceof TemplateError)) throw error
        return [error.code, error.template, error.line, error.variable]
      },
    )
  }

  it('[DO-3a] a missing variable is named with template and line in output, condition, loop and argument', async () => {
    const told = (line: number, variable = 'gone') => ['TEMPLATE_UNDEFINED', 'main', line, variable]
    expect(await fail('\n{{ gone }}')).toEqual(told(2))
    expect(await fail('\n\n{% if gone %}{% endif %}')).toEqual(told(3))
    expect(await fail('{% if d %}\n{% elif gone %}{% endif %}')).toEqual(told(2))
    expect(await fail('{% for x in gone %}{% endfor %}')).toEqual(told(1))
    expect(await fail('{% for x in [1] if gone %}{% endfor %}')).toEqual(told(1))
    expect(await fail("\n{{ 'a'|replace('a', gone) }}")).toEqual(told(2))
    expect(await fail("\n{{ 'a'.join(gone) }}")).toEqual(told(2))
    expect(await fail('{{ range(gone) }}')).toEqual(told(1))
    expect(await fail('{% macro m(x) %}\n{{ x }}{% endmacro %}{{ m(gone) }}')).toEqual(told(2))
    expect(await fail('{{ d.key }}')).toEqual(told(1, 'key'))
    expect(await fail('{% include gone %}')).toEqual(told(1))
    expect(await fail('{% set x = gone %}\n{{ x + 1 }}')).toEqual(told(2))
    expect(await fail("{{ gone|default('x') }}{{ gone is defined }}{{ gone is undefined }}")).toBe('rendered')
  })

  it('an error inside another template is told with that template', async () => {
    expect(await fail("{% include 'part' %}", { part: '\n{{ gone }}' })).toEqual([
      'TEMPLATE_UNDEFINED',
      'part',
      2,
      'gone',
    ])
    const lib = '{% macro m() %}\n\n{{ 1 / 0 }}{% endmacro %}'
    expect(await fail("{% import 'lib' as l %}{{ l.m() }}", { lib })).toEqual(['TEMPLATE_FAILED', 'lib', 3, undefined])
    expect(await fail("\n{% include 'part' %}", { part: 'a\n{% if %}' })).toEqual([
      'TEMPLATE_SYNTAX',
      'part',
      2,
      undefined,
    ])
  })

  it('[DO-3d] what is not supported is refused by name, with its line', async () => {
    const refusals: readonly (readonly [template: string, name: RegExp])[] = [
      ["{{ 'x'.encode() }}", /the method encode\(\) of text/],
      ["{{ 'x'.translate({}) }}", /the method translate\(\) of text/],
      ['{{ (1).to_bytes() }}', /to_bytes\(\) of a number/],
      ['{{ lipsum() }}', /lipsum\(\)/],
      ['{{ (-8) ** 0.5 }}', /a complex number/],
      ["{{ '\\N{DASH}' }}", /the escape \\N/],
      ["{{ '&hearts;'|striptags }}", /the entity &hearts;/],
      ['{{ d.keys() - d.keys() }}', /an operator on dict_keys/],
      ['{{ [1]|map("abs") }}', /printing a generator/],
      ['{{ d.__class__ }}', /the attribute __class__/],
    ]
    for (const [template, name] of refusals) {
      const rendering = renderTemplate({ name: 'main', data: { d: {} }, load: loader({ main: `\n${template}` }) })
      const told = { code: 'TEMPLATE_REFUSED', template: 'main', line: 2, reason: expect.stringMatching(name) }
      await expect(rendering).rejects.toMatchObject(told)
    }
    for (const tag of ['do x', 'break', 'continue', 'trans', 'debug']) {
      const rendering = renderTemplate({ name: 'main', data: {}, load: loader({ main: `\n{% ${tag} %}` }) })
      const hint = expect.stringMatching(/needs an extension of Jinja2/)
      await expect(rendering).rejects.toMatchObject({ code: 'TEMPLATE_SYNTAX', line: 2, hint })
    }
  })
})
