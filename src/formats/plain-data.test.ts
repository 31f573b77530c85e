import { expect, it } from 'vitest'
import { flag, list, matching, maybe, object, oneOf, readJson, record, text, time } from './plain-data.ts'

const isEven = (value: string): value is 'even' => value === 'even'
const read = object({
  name: text,
  kind: oneOf(['a', 'b']),
  at: time,
  note: maybe(text),
  tags: list(text),
  marks: maybe(record(text)),
  isOn: flag,
  even: maybe(matching(isEven)),
})
const good = { name: 'x', kind: 'a', at: 1, tags: ['t'], isOn: true }

it('reads what was written, and leaves out what it does not know', () => {
  expect(readJson(read, JSON.stringify({ ...good, note: null, more: 1, even: 'even', marks: { a: 'b' } }))).toEqual({
    ...good,
    even: 'even',
    marks: { a: 'b' },
  })
  expect(readJson(read, Buffer.from(JSON.stringify({ ...good, isOn: 'yes' })))).toEqual({ ...good, isOn: false })
})

it.each<[string, unknown]>([
  ['no object', 7],
  ['nothing', null],
  ['a list', []],
  ['a field that is missing', { ...good, name: undefined }],
  ['a word that is not in the list', { ...good, kind: 'c' }],
  ['a word of a prototype', { ...good, kind: 'constructor' }],
  ['a time beyond all', { ...good, at: 1e300 }],
  ['a list of something else', { ...good, tags: [1] }],
  ['marks of something else', { ...good, marks: { a: 1 } }],
  ['no list', { ...good, tags: 't' }],
  ['a text that does not match', { ...good, even: 'odd' }],
])('refuses %s', (_, value) => {
  expect(readJson(read, JSON.stringify(value))).toBeUndefined()
})

it('refuses what is no JSON', () => expect(readJson(read, '{')).toBeUndefined())
