import { expect, it } from 'vitest'
import { excerptOf } from './excerpt.ts'

const long = `${'before '.repeat(50)}the stones of the bridge ${'after '.repeat(50)}`

it.each([
  ['short text', 'text', 50, '', 'short text'],
  ['two\n\tlines  of it', 'lines', 50, '', 'two lines of it'],
  // What the reader has seen is not repeated.
  ['A title\nand the rest', 'title', 50, 'A title', 'and the rest'],
  ['A title', 'title', 50, 'A title', ''],
  ['A title that was cut and more', 'cut', 50, 'A title that…', 'was cut and more'],
  // Around the words of the query, which may have other endings.
  [long, 'stone bridges', 40, '', '…before the stones of the bridge after…'],
  [long, 'nothing of it', 20, '', 'before before…'],
  ['x'.repeat(100), 'y', 10, '', `${'x'.repeat(8)}…`],
  ['text', 'text', 0, '', ''],
])('%j, asked for %j', (text, query, most, known, expected) => {
  expect(excerptOf(text, query, most, known)).toBe(expected)
})

it('has no more characters than wanted, and no half one', () => {
  for (const text of ['😀'.repeat(100), `${'word '.repeat(30)}needle ${'word '.repeat(30)}`, 'a'.repeat(60_000)])
    for (let most = 1; most < 60; most++) {
      const excerpt = excerptOf(text, 'needle', most)
      expect(excerpt.length).toBeLessThanOrEqual(most + 2)
      expect(excerpt.isWellFormed()).toBe(true)
    }
})
