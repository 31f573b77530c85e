import { describe, expect, it } from 'vitest'
import { renderTemplate, type TemplateData, TemplateError } from './index.ts'

const show = async (data: TemplateData, template = '{{ x }}') => {
  try {
    return (await renderTemplate({ name: 'main', data, load: async () => template })).text
  } catch (error) {
    if (error instanceof TemplateError) return `${error.code}: ${error.message}`
    throw error
  }
}

describe('data as JSON text', () => {
  const cases: readonly (readonly [json: string, printed: string])[] = [
    ['1', '1'],
    ['1.0', '1.0'],
    ['-0', '0'],
    ['-0.0', '-0.0'],
    ['1e2', '100.0'],
    ['12345678901234567890', '12345678901234567890'],
    ['1e400', 'inf'],
    ['"é\\ud83d\\ude00\\n"', 'é😀\n'],
    ['[1, 1.0, null, true, "a"]', "[1, 1.0, None, True, 'a']"],
    ['{"b": 1, "a": {"10": 2, "9": 3}}', "{'b': 1, 'a': {'10': 2, '9': 3}}"],
    ['{"a": 1, "b": 2, "a": 3}', "{'a': 3, 'b': 2}"],
    ['{"__proto__": 1, "constructor": 2}', "{'__proto__': 1, 'constructor': 2}"],
  ]
  for (const [json, printed] of cases) {
    it(`[DO-3d] ${json} is what Python reads`, async () => expect(await show(`{"x": ${json}}`)).toBe(printed))
  }

  it.each([
    ['', 'it ends where a value should be, in line 1, column 1'],
    ['{"x": 1', 'a comma or `}` is missing, in line 1, column 8'],
    ['{"x": 01}', 'a comma or `}` is missing, in line 1, column 8'],
    ['{x: 1}', 'a key in double quotes is missing, in line 1, column 2'],
    ['{"x"\n 1}', 'a colon is missing, in line 2, column 2'],
    ['{"x": [1 2]}', 'a comma or `]` is missing, in line 1, column 10'],
    ['{"x": "a}', 'a text is not closed, or holds a sign that must be escaped, in line 1, column 7'],
    ['{"x": NaN}', 'no value starts like this, in line 1, column 7'],
    ['{} {}', 'there is more after the end of the value, in line 1, column 4'],
    ['[1]', 'it is no JSON object'],
    ['null', 'it is no JSON object'],
    [`{"x": ${'['.repeat(300)}}`, 'it is nested more than 200 levels deep, in line 1, column 207'],
    [`{"x": ${'9'.repeat(5000)}}`, 'a number has too many digits, in line 1, column 5007'],
  ])('%.40s is refused', async (json, reason) => {
    expect(await show(json)).toBe(`BAD_TEMPLATE_DATA: The data of the template cannot be used: ${reason}.`)
  })
})

describe('data as JavaScript values', () => {
  it('numbers without a fraction are whole, undefined is None, and large whole numbers may be bigints', async () => {
    const x = [1, 1.5, -0, 2 ** 60, 12345678901234567890n, undefined, null, true]
    expect(await show({ x })).toBe('[1, 1.5, -0.0, 1.152921504606847e+18, 12345678901234567890, None, None, True]')
  })

  it('what is no data, or has no end, is refused', async () => {
    expect(await show({ x: () => 1 })).toMatch(/it holds a function/)
    expect(await show({ x: Symbol('s') })).toMatch(/it holds a symbol/)
    const endless: Record<string, unknown> = {}
    endless.x = endless
    expect(await show(endless)).toMatch(/nested more than 200 levels/)
  })
})
