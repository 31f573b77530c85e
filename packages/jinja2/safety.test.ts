/** What a template can reach: the data it is given, and nothing behind it. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { renderTemplate, TemplateError } from './index.ts'

async function attempt(main: string, data: unknown = {}, asked: string[] = []): Promise<string> {
  const load = async (name: string) => {
    asked.push(name)
    return name === 'main' ? main : undefined
  }
  try {
    return (await renderTemplate({ name: 'main', data: data as Record<string, unknown>, load })).text
  } catch (error) {
    if (error instanceof TemplateError) return `${error.code}: ${error.reason}`
    throw error
  }
}

const data = { text: 'x', number: 1, list: [1], map: { key: 'value' } }

describe('nothing behind the data', () => {
  const names = ['constructor', 'prototype', 'toString', 'valueOf', 'hasOwnProperty', 'length', 'slice', 'map', 'then']
  const values = { text: 'str', number: 'int', list: 'list', map: 'dict' }
  for (const [variable, type] of Object.entries(values)) {
    it(`[DO-3b] JavaScript's own names are no attributes of a ${type}`, async () => {
      for (const name of names.filter((one) => !(variable === 'map' && one === 'map'))) {
        const missing = `TEMPLATE_UNDEFINED: '${type} object' has no attribute '${name}'`
        expect(await attempt(`{{ ${variable}.${name} }}`, data)).toBe(missing)
        expect(await attempt(`{{ ${variable}['${name}'] }}`, data)).toBe(missing)
        expect(await attempt(`{{ ${variable}|attr('${name}') }}`, data)).toBe(missing)
      }
    })
  }

  const insides = ['__proto__', '__class__', '__init__', '__globals__', '__subclasses__', '__mro__', '__dict__']
  for (const name of insides) {
    it(`[DO-3b] ${name} is refused by name`, async () => {
      const refusal = `TEMPLATE_REFUSED: the attribute ${name} is not supported`
      for (const value of ["''", '1', '[]', '{}', 'range', 'dict', "'x'.upper", 'namespace()', 'cycler(1)']) {
        expect(await attempt(`{{ (${value}).${name} }}`)).toBe(refusal)
      }
      expect(await attempt(`{{ ''['${name}'] }}`)).toBe(refusal)
      expect(await attempt(`{{ missing is defined }}{{ {}['${name}'] is defined }}`)).toBe('FalseFalse')
    })
  }

  it('[DO-3b] functions have nothing to hold on to', async () => {
    expect(await attempt("{{ range.constructor('return process')() }}")).toBe(
      "TEMPLATE_UNDEFINED: 'builtin_function_or_method object' has no attribute 'constructor'",
    )
    expect(await attempt("{{ '{0.__class__}'.format(1) }}")).toBe(
      "TEMPLATE_FAILED: 'int' object has no attribute '__class__'",
    )
    expect(await attempt('{% macro m() %}{% endmacro %}{{ m._func }}')).toBe(
      "TEMPLATE_UNDEFINED: 'jinja2.runtime.Macro object' has no attribute '_func'",
    )
    expect(await attempt('{{ lipsum }}')).toContain('TEMPLATE_REFUSED')
    expect(await attempt('{{ lipsum() }}')).toBe(
      'TEMPLATE_REFUSED: lipsum(), which makes up text by chance, is not supported',
    )
  })

  it('[DO-3b] names of JavaScript are no variables, filters, tests or keys', async () => {
    for (const name of ['process', 'globalThis', 'require', 'constructor', 'undefined', '__proto__']) {
      expect(await attempt(`{{ ${name} }}`)).toBe(`TEMPLATE_UNDEFINED: '${name}' is undefined`)
    }
    expect(await attempt('{{ 1|constructor }}')).toBe("TEMPLATE_SYNTAX: No filter named 'constructor'.")
    expect(await attempt('{{ 1 is toString }}')).toBe("TEMPLATE_SYNTAX: No test named 'toString'.")
    expect(await attempt("{{ [1]|map('constructor')|list }}")).toBe("TEMPLATE_FAILED: No filter named 'constructor'.")
    expect(await attempt('{% constructor %}')).toBe("TEMPLATE_SYNTAX: Encountered unknown tag 'constructor'.")
    expect(await attempt("{{ 'constructor' in map }}{{ map.get('toString') }}", data)).toBe('FalseNone')
    expect(await attempt("{{ {'__proto__': 1}.get('__proto__') }}{{ {}.get('polluted') }}")).toBe('1None')
  })

  it('[DO-3b] only own keys of the data count, whatever they are called', async () => {
    const own = JSON.parse('{"o": {"constructor": 1, "__proto__": {"x": 2}, "__class__": 3, "toString": 4}}')
    expect(await attempt("{{ o.constructor }}{{ o['__proto__'].x }}{{ o.__class__ }}{{ o.toString }}", own)).toBe(
      '1234',
    )
    const inherited = { o: Object.create({ secret: 1 }) }
    expect(await attempt('{{ o.secret }}', inherited)).toBe(
      "TEMPLATE_UNDEFINED: 'dict object' has no attribute 'secret'",
    )
    expect(await attempt('{{ secret }}', Object.create({ secret: 1 }))).toBe(
      "TEMPLATE_UNDEFINED: 'secret' is undefined",
    )
  })

  it('data is copied: a template cannot change what it was given', async () => {
    const given = { list: [1], map: { a: 1 } }
    expect(await attempt('{{ list.append(2) }}{{ map.update(b=2) }}{{ list }}{{ map }}', given)).toBe(
      "NoneNone[1, 2]{'a': 1, 'b': 2}",
    )
    expect(given).toEqual({ list: [1], map: { a: 1 } })
  })
})

describe('names of templates', () => {
  const outside = ['../x.j2', 'a/../../x.j2', '/etc/passwd', '..', '..\\x.j2', 'a\\0b', '']
  for (const name of outside) {
    it(`[DO-3b] ${JSON.stringify(name)} is not even asked for`, async () => {
      const asked: string[] = []
      for (const tag of ['include', 'extends']) {
        expect(await attempt(`{% ${tag} name %}`, { name: name.replace('\\0', '\0') }, asked)).toMatch(
          /^TEMPLATE_NOT_FOUND: /,
        )
      }
      expect(await attempt(`{% include '${name.replace('\\', '\\\\')}' ignore missing %}fine`, {}, asked)).toBe('fine')
      expect(asked).toEqual(['main', 'main', 'main'])
    })
  }
})

describe('the interpreter itself', () => {
  const folder = new URL('./', import.meta.url)
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))

  it('[DO-3b] makes no code out of text', () => {
    for (const name of files) {
      expect([
        name,
        /\beval\(|new Function|\bFunction\(|await import/.exec(readFileSync(new URL(name, folder), 'utf8')),
      ]).toEqual([name, null])
    }
  })

  it('imports nothing but its own files, so that it could be a package of its own', () => {
    for (const name of files) {
      const imports = [...readFileSync(new URL(name, folder), 'utf8').matchAll(/ from '([^']+)'/g)].map(
        ([, path]) => path!,
      )
      expect(imports.filter((path) => !/^\.\/[a-z-]+\.ts$/.test(path))).toEqual([])
    }
  })
})
