import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isWithin, longestToken } from '../kernel/tokenizer.ts'
import { tokenizerFrom, tokenTable } from './tokens.ts'

const tableOf = (encoding: string) => readFileSync(new URL(`../../${tokenTable(encoding)}`, import.meta.url))

/** The package from which the tables are made counts by code of its own. */
const others = {
  o200k_base: () => import('gpt-tokenizer/encoding/o200k_base'),
  cl100k_base: () => import('gpt-tokenizer/encoding/cl100k_base'),
  p50k_base: () => import('gpt-tokenizer/encoding/p50k_base'),
  r50k_base: () => import('gpt-tokenizer/encoding/r50k_base'),
}
const asPlainText = { disallowedSpecial: new Set<string>() }

const samples = [
  '',
  ' ',
  'tests pass with 95% coverage',
  "I'm sure that they'll've been there; CamelCaseWords and snake_case_names, e.g. parseHTMLText()",
  '    indented\n\n\ttabs\r\n  and blanks at the end   ',
  'naïve façade, Größe, 日本語のテキスト, русский текст, العربية, हिन्दी, 한국어',
  '👩‍👩‍👧‍👦 🏳️‍🌈 \u0301\u0301 \ud800 \u00a0\u2028',
  '<|endoftext|> and <|im_start|>',
  '1234567890 3.14159 0x1f4a9 2024-01-15T14:30:00Z',
  'x'.repeat(700),
  'xqzj'.repeat(100),
  '='.repeat(300),
  ' '.repeat(300),
]

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc
    .array(fc.constantFrom(...samples.slice(2, 9).flatMap((text) => text.split(/(?<= )/)), 'ab', 'e', '\n', '__'), {
      maxLength: 20,
    })
    .map((words) => words.join('')),
)

describe.each(Object.keys(others) as (keyof typeof others)[])('tokens of %s', (encoding) => {
  const own = tokenizerFrom(tableOf(encoding))

  it('are those that another program finds', async () => {
    const { encode } = await others[encoding]()
    const agree = (text: string) => {
      const count = encode(text, asPlainText).length
      expect(own.count(text), JSON.stringify(text)).toBe(count)
      expect(own.first(text, count)).toBe(text)
      for (const most of [1, 2, 5])
        expect(text.toWellFormed().startsWith(own.first(text, most).toWellFormed())).toBe(true)
    }
    expect(own.first('tests pass with 95% coverage', 3)).toBe('tests pass with')
    for (const text of samples) agree(text)
    // That program takes a mark at the beginning of a token for no part of it.
    fc.assert(
      fc.property(
        anyText.filter((text) => !text.includes('\ufeff')),
        agree,
      ),
      { numRuns: 300 },
    )
  })

  it('none is longer than what decides without counting', () => {
    const file = tableOf(encoding)
    const start = file.indexOf(10) + 1
    const { tokens } = JSON.parse(file.subarray(0, start).toString())
    expect(file.subarray(start, start + tokens).every((length) => length <= longestToken)).toBe(true)
  })
})

it('what is surely short or surely long is not counted', async () => {
  const never = () => Promise.reject(new Error('counted'))
  expect(await isWithin('x'.repeat(30), 30, never)).toBe(true)
  expect(await isWithin('é'.repeat(15), 30, never)).toBe(true)
  expect(await isWithin(' '.repeat(30 * longestToken + 1), 30, never)).toBe(false)
  const load = async () => tokenizerFrom(tableOf('o200k_base'))
  expect(await isWithin(' '.repeat(30 * longestToken), 30, load)).toBe(true)
})

it('a damaged table is told', () => {
  for (const bytes of [Buffer.from(''), Buffer.from('x\n'), Buffer.from('{"pattern":"a","tokens":9}\nabc')])
    expect(() => tokenizerFrom(bytes)).toThrowError(expect.objectContaining({ code: 'BAD_TOKEN_TABLE' }))
})
