import { describe, expect, it } from 'vitest'
import { JsonEditor, withoutRemarks } from './json-edit.ts'

const edit = (text: string, change: (json: JsonEditor) => void, bare?: string): string => {
  const json = new JsonEditor(text, bare)
  change(json)
  return json.result()
}

describe('editing JSON', () => {
  it.each([
    ['a value', '{"b": 1.0, "2": 1, "1": 12345678901234567890}', 'b', 2, '{"b": 2, "2": 1, "1": 12345678901234567890}'],
    ['a new key', '{"b": 1}', 'a', [1, { x: null }], '{"b": 1, "a": [1, {"x": null}]}'],
    ['a new key, tightly', '{"b":1}', 'a', [1, 2], '{"b":1,"a":[1,2]}'],
    [
      'a new key on lines',
      '{\n    "b": 1\n}\n',
      'a',
      { c: 1 },
      '{\n    "b": 1,\n    "a": {\n        "c": 1\n    }\n}\n',
    ],
    ['with carriage returns', '{\r\n\t"b": 1\r\n}', 'a', [1], '{\r\n\t"b": 1,\r\n\t"a": [\r\n\t\t1\r\n\t]\r\n}'],
    ['the last of two', '{"a": 1, "a": 2}', 'a', 3, '{"a": 1, "a": 3}'],
    ['an empty object', '{}', 'a', 1, '{\n  "a": 1\n}'],
    ['strings with quotes', '{"x": "a\\\\\\"}{", "y\\"": [1]}', 'y"', 0, '{"x": "a\\\\\\"}{", "y\\"": 0}'],
  ])('sets %s', (_, text, key, value, expected) => {
    expect(edit(text, (json) => json.set(json.root, key, value))).toBe(expected)
    expect(JSON.parse(expected)[key]).toEqual(value)
  })

  it.each(['{"a": "x", "b": [1], "c": {}}', '{"a": "ü€𝄞", "b": [1], "c": {}}'])(
    'gives the same as bytes: %s',
    (text) => {
      const json = new JsonEditor(text)
      json.set(json.root, 'a', 'ö')
      json.push(json.member(json.root, 'b')!, 'long text')
      expect(Buffer.from(json.resultOver(Buffer.from(text))).toString()).toBe(
        '{"a": "ö", "b": [1, "long text"], "c": {}}',
      )
      expect(json.result()).toBe('{"a": "ö", "b": [1, "long text"], "c": {}}')
      const [b, c] = [json.membersAfter()!.get('b')!, json.membersAfter()!.get('c')!]
      expect(json.result().slice(b.start, b.end)).toBe('[1, "long text"]')
      expect(json.result().slice(c.start, c.end)).toBe('{}')
    },
  )

  it.each([
    ['[1, 2, 3]', [0, 1, 2], '[9]'],
    ['[1, 2, 3]', [2], '[1, 2, 9]'],
    ['[1, 2, 3]', [1, 2], '[1, 9]'],
    ['[\n  1,\n  2\n]', [0, 1], '[\n  9\n]'],
    ['[\n  1,\n  2\n]', [1], '[\n  1,\n  9\n]'],
  ])('takes items out of %j and adds one', (text, removed, expected) => {
    const result = edit(text, (json) => {
      json.removeItems(json.root, (index) => removed.includes(index))
      json.push(json.root, 9)
    })
    expect(result).toBe(expected)
  })

  it('takes the last of two values for one key', () => {
    const result = edit('{"a": 1}', (json) => {
      for (const n of [2, 3]) json.set(json.root, 'a', n)
      for (const n of [4, 5]) json.set(json.root, 'b', n)
    })
    expect(result).toBe('{"a": 3, "b": 5}')
  })

  it('sets several at once, and what is nested', () => {
    const text = '{\n  "status": "idle",\n  "messages": [],\n  "zz": {"k": 1}\n}'
    const result = edit(text, (json) => {
      json.set(json.root, 'status', 'busy')
      json.set(json.root, 'new', 1)
      json.set(json.root, 'newer', 2)
      json.push(json.member(json.root, 'messages')!, { id: 'a' })
      json.push(json.member(json.root, 'messages')!, { id: 'b' })
      json.set(json.member(json.root, 'zz')!, 'l', 2)
    })
    expect(result).toBe(`{
  "status": "busy",
  "messages": [
    {
      "id": "a"
    },
    {
      "id": "b"
    }
  ],
  "zz": {"k": 1, "l": 2},
  "new": 1,
  "newer": 2
}`)
  })

  it.each([
    [[0], '[2, 3]'],
    [[1], '[1, 3]'],
    [[2], '[1, 2]'],
    [[0, 1], '[3]'],
    [[1, 2], '[1]'],
    [[0, 2], '[2]'],
    [[0, 1, 2], '[]'],
    [[], '[1, 2, 3]'],
  ])('takes out items %j', (removed, expected) => {
    expect(edit('[1, 2, 3]', (json) => json.removeItems(json.root, (n) => removed.includes(n)))).toBe(expected)
    const spread = edit('[\n  1,\n  2,\n  3\n]', (json) => json.removeItems(json.root, (n) => removed.includes(n)))
    expect(JSON.parse(spread)).toEqual(JSON.parse(expected))
  })

  it('leaves remarks where they are', () => {
    const text = '{\n  "a": "x // no remark", // one\n  "list": [\n    // none yet\n  ],\n  "b": 1 // two\n}'
    const bare = withoutRemarks(text)
    expect(bare.length).toBe(text.length)
    expect(JSON.parse(bare)).toEqual({ a: 'x // no remark', list: [], b: 1 })
    const result = edit(
      text,
      (json) => {
        json.push(json.member(json.root, 'list')!, 5)
        json.set(json.root, 'c', 2)
      },
      bare,
    )
    expect(result).toContain('// none yet')
    expect(result).toContain('"b": 1,\n  "c": 2 // two')
    expect(JSON.parse(withoutRemarks(result))).toEqual({ a: 'x // no remark', list: [5], b: 1, c: 2 })
  })
})
