import { expect, it } from 'vitest'
import { withoutUndefined } from './field.ts'

it('leaves out what is undefined, and nothing else', () => {
  const text: string | undefined = undefined
  const given: { readonly a: number; readonly b?: string } = withoutUndefined({ a: 0, b: text })
  expect(Object.entries(given)).toEqual([['a', 0]])
  expect(Object.keys(withoutUndefined({ a: null, b: '', c: false, d: undefined }))).toEqual(['a', 'b', 'c'])
})
