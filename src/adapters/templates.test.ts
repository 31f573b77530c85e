import { describe, expect, it } from 'vitest'
import { SignalboxError } from '../kernel/errors.ts'
import { renderTemplate } from './templates.ts'

const failing = async (texts: Record<string, string>, data = '{}') => {
  try {
    await renderTemplate({ name: 'main.j2', data, load: async (name) => texts[name] })
  } catch (error) {
    if (error instanceof SignalboxError) return error
    throw error
  }
  throw new Error('it rendered')
}

describe('errors of templates', () => {
  it('[DO-3a] a missing variable is the fault of the request, and is named with its place', async () => {
    const error = await failing({ 'main.j2': 'one\ntwo {{ customer.name }}' })
    expect([error.code, error.exit, error.message]).toEqual([
      'TEMPLATE_UNDEFINED',
      2,
      "main.j2, line 2: 'customer' is undefined",
    ])
    expect(error.details).toEqual({
      template: 'main.j2',
      line: 2,
      variable: 'customer',
    })
    expect(error.hint).toBe("Give customer, or write customer|default('…') where it may be missing.")
  })

  it('a missing template is not found', async () => {
    const own = await failing({})
    expect([own.code, own.exit, own.message]).toEqual(['TEMPLATE_NOT_FOUND', 3, 'There is no template "main.j2".'])
    const inner = await failing({ 'main.j2': "\n{% include 'gone.j2' %}" })
    expect([inner.exit, inner.message]).toEqual([3, 'There is no template "gone.j2" (main.j2, line 2).'])
  })

  it('data that is no object, and a template that is none, are told', async () => {
    const data = await failing({ 'main.j2': '' }, '[1]')
    expect([data.code, data.exit]).toEqual(['BAD_TEMPLATE_DATA', 2])
    const syntax = await failing({ 'main.j2': '{% if %}' })
    expect([syntax.code, syntax.exit, syntax.message]).toEqual([
      'TEMPLATE_SYNTAX',
      5,
      "main.j2, line 1: Expected an expression, got 'end of statement block'",
    ])
  })

  it('what the loader throws comes through', async () => {
    const refusal = new SignalboxError('Corrupt', 'NOT_UTF8', 'No text.')
    const rendering = renderTemplate({
      name: 'main.j2',
      data: {},
      load: async () => {
        throw refusal
      },
    })
    await expect(rendering).rejects.toBe(refusal)
  })
})
