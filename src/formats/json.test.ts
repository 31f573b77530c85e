import { describe, expect, it } from 'vitest'
import { SignalboxError } from '../kernel/errors.ts'
import { parseJson, printJson } from './json.ts'
import { findJsonFault } from './json-fault.ts'

describe('parsing', () => {
  it('reads text, bytes, and a byte-order mark', () => {
    expect(parseJson('\ufeff{"a":[1,"é"]}')).toEqual({ a: [1, 'é'] })
    expect(parseJson(Buffer.from('\ufeff{"a":[1,"é"]}'))).toEqual({ a: [1, 'é'] })
  })

  it('lets no key reach a prototype', () => {
    const value = parseJson('{"__proto__":{"polluted":1},"constructor":2}') as object
    expect(Object.hasOwn(value, '__proto__')).toBe(true)
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
    expect(({ ...value } as { polluted?: number }).polluted).toBeUndefined()
  })

  it.each([
    ['{"a": 1,}', 1, 9, 'a key in double quotes is missing'],
    ['{\n  "a" 1\n}', 2, 7, 'a colon is missing'],
    ['[1 2]', 1, 4, 'a comma or `]` is missing'],
    ['{"a":1 "b":2}', 1, 8, 'a comma or `}` is missing'],
    ['["a', 1, 2, 'the text that begins here has no closing quote'],
    ['["\\x"]', 1, 3, 'this is not an escape'],
    ['["a\nb"]', 1, 4, 'a control character must be escaped'],
    ['[1] x', 1, 5, 'there is more after the end of the value'],
    ['', 1, 1, 'it ends where a value should be'],
    ['[01]', 1, 3, 'a comma or `]` is missing'],
    ['nul', 1, 1, 'no value starts like this'],
  ])('%j is wrong in line %i, column %i', (text, line, column, reason) => {
    expect(() => parseJson(text)).toThrow(
      expect.objectContaining({ code: 'BAD_JSON', details: { line, column, reason } }),
    )
    expect(findJsonFault(text)?.reason).toBe(reason)
  })

  it('shows an excerpt that is safe to print', () => {
    expect(() => parseJson('{"a": \u001b[2J}')).toThrow('near `{"a": \\x1b[2J}`')
  })

  it.each([
    ['size', () => parseJson('"éé"', { maxBytes: 5 })],
    ['size of bytes', () => parseJson(Buffer.from('"éé"'), { maxBytes: 5 })],
    ['depth', () => parseJson('[[1]]', { maxDepth: 1 })],
    ['great depth', () => parseJson('['.repeat(900_000))],
    ['bytes that are not UTF-8', () => parseJson(Buffer.from([0x22, 0xff, 0x22]))],
    ['a key given twice', () => parseJson('[{"a":1,"\\u0061":2}]', { onDuplicate: 'refuse' })],
  ])('refuses %s', (_, run) => {
    expect(run).toThrow(SignalboxError)
  })

  it('does not count brackets inside text', () => {
    expect(parseJson('["[[[\\"[["]', { maxDepth: 1 })).toEqual(['[[["[['])
  })

  it('lets the last of two keys win unless told otherwise', () => {
    expect(parseJson('{"a":1,"a":2}')).toEqual({ a: 2 })
    expect(parseJson('{"a":{"a":1},"b":{"a":1}}', { onDuplicate: 'refuse' })).toEqual({ a: { a: 1 }, b: { a: 1 } })
  })
})

describe('printing', () => {
  it('indents by two and ends the line', () => {
    expect(printJson({ b: 1, a: [] })).toBe('{\n  "b": 1,\n  "a": []\n}\n')
  })

  it.each([[undefined], [() => 1], [1n]])('refuses what JSON cannot say %#', (value) => {
    expect(() => printJson(value)).toThrow(expect.objectContaining({ code: 'NOT_JSON' }))
  })
})
