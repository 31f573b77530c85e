import { describe, expect, it } from 'vitest'
import { readFields } from './front-matter.ts'
import { type Changes, editFieldBytes, editFields, editFieldsBytes } from './front-matter-edit.ts'

const wrap = (header: string, eol = '\n') => `---${eol}${header}---${eol}body ---\n---\nstatus: not this\n`

describe('[AC-3.2b] an edit changes one field and nothing else', () => {
  const cases: [name: string, before: string, changes: Changes, after: string][] = [
    ['a plain value', 'a: 1\nstatus: pending\nb: 2\n', { status: 'failed' }, 'a: 1\nstatus: failed\nb: 2\n'],
    ['before a comment', 'priority: 1 # 1 (High) to 5 (Low)\n', { priority: 5 }, 'priority: 5 # 1 (High) to 5 (Low)\n'],
    ['a padded value', 'status: pending   \n', { status: 'completed' }, 'status: completed   \n'],
    ['aligned values', 'from:    claude\nto:      all\n', { to: 'gemini' }, 'from:    claude\nto:      gemini\n'],
    ['a quoted value', 'a: "x # y" # z\nb: \'q\'\n', { a: 'new: text' }, 'a: "new: text" # z\nb: \'q\'\n'],
    ['CRLF', 'a: 1\r\nb: x\r\nc: 3\r\n', { b: 'z' }, 'a: 1\r\nb: z\r\nc: 3\r\n'],
    ['an empty value', 'a:\nb: # none\n', { a: 1, b: 2 }, 'a: 1\nb: 2 # none\n'],
    ['a new field', 'a: 1\n# end\n', { b: 'x' }, 'a: 1\n# end\nb: x\n'],
    ['a new field, CRLF', 'a: 1\r\n', { b: ['x'] }, 'a: 1\r\nb:\r\n  - "x"\r\n'],
    ['a new field in an empty header', '', { b: true }, 'b: true\n'],
    ['a removed field', 'a: 1\nb: 2 # c\nd: 3\n', { b: undefined }, 'a: 1\nd: 3\n'],
    ['a removed list', 'a: 1\nb:\n  - x\n  - y # z\nd: 3\n', { b: undefined }, 'a: 1\nd: 3\n'],
    ['a removed field that is not there', 'a: 1\n', { b: undefined }, 'a: 1\n'],
    ['a list by a value', 'a: # why\n  - x\n  - y\nb: 1\n', { a: [] }, 'a: [] # why\nb: 1\n'],
    ['a list by a list', 'a: # why\r\n- x\r\nb: 1\r\n', { a: ['p', 2] }, 'a: # why\r\n  - "p"\r\n  - 2\r\nb: 1\r\n'],
    ['a value by a list', 'a: [] # none\nb: 1\n', { a: ['p'] }, 'a: # none\n  - "p"\nb: 1\n'],
    ['a folded value', 'a: > # why\n  one\n  two\n\n# next\nb: 1\n', { a: 'x' }, 'a: x # why\n\n# next\nb: 1\n'],
    ['a kept value', 'a: |+\n  one\n\nb: 1\n', { a: 'x' }, 'a: x\n\nb: 1\n'],
    ['a nested value', 'a:\n  b: 1\n  c: [2,\n   3]\n# d\nd: 4\n', { a: null }, 'a: null\n# d\nd: 4\n'],
    ['a quoted text of several lines', 'a: "one\n  two" # c\nb: 1\n', { a: 'x' }, 'a: x # c\nb: 1\n'],
    ['a tagged value', 'a: !!str 5 # c\nb: {x: 1}\n', { a: 6 }, 'a: 6 # c\nb: {x: 1}\n'],
    ['a quoted key', '"a b" : 1\nc: d\n', { 'a b': 2 }, '"a b" : 2\nc: d\n'],
    ['a header in braces', '{a: 1, b: x}\n', { a: 'z' }, '{a: z, b: x}\n'],
    ['several at once', 'a: 1\nb: 2\nc: 3\n', { c: 'z', d: 4, a: undefined, b: 'x' }, 'b: x\nc: z\nd: 4\n'],
    ['Unicode', 'a: é😀\nb: ü\n', { b: '…' }, 'a: é😀\nb: "…"\n'],
    ['a strange key', 'a: 1\n', { '1: #': 'x', __proto__x: 2 }, 'a: 1\n"1: #": x\n__proto__x: 2\n'],
  ]
  it.each(cases)('%s', (_, before, changes, after) => {
    const eol = before.includes('\r\n') ? '\r\n' : '\n'
    expect(editFields(wrap(before, eol), changes)).toBe(wrap(after, eol))
    expect(Buffer.from(editFieldsBytes(Buffer.from(wrap(before, eol)), changes)).toString()).toBe(wrap(after, eol))
  })

  it('keeps a byte-order mark', () => {
    expect(editFields('\ufeff---\na: 1\n---\nx', { a: 2 })).toBe('\ufeff---\na: 2\n---\nx')
    expect(Buffer.from(editFieldBytes(Buffer.from('\ufeff---\na: 1\n---\nx'), 'a', 2)).toString()).toBe(
      '\ufeff---\na: 2\n---\nx',
    )
  })

  it('keeps bytes that are not UTF-8, in the header and in the body', () => {
    const before = Buffer.from('---\na: \xff\xe9\nb: 1\n---\n\xfe\x80\n', 'latin1')
    const after = Buffer.from(editFieldsBytes(before, { b: 'é' }))
    expect(after.toString('latin1')).toBe('---\na: \xff\xe9\nb: "\xc3\xa9"\n---\n\xfe\x80\n')
  })

  it('writes invisible characters as escapes that read back', () => {
    const bytes = editFieldBytes(Buffer.from('---\na: 1\n---\n'), 'a', 'x\u2028\u0085\ud800')
    expect(readFields(Buffer.from(bytes).toString().slice(4, -4)).get('a')?.value).toBe('x\u2028\u0085\ud800')
  })
})

describe('what cannot be changed safely is refused', () => {
  it.each<[string, string, Changes]>([
    ['no front matter', 'text', { a: 1 }],
    ['a key without a colon', '---\n? a\n---\n', { a: 1 }],
    ['an anchor that others use', '---\na: &x 1\nb: *x\n---\n', { a: 2 }],
    ['a new field in braces', '---\n{a: 1}\n---\n', { b: 2 }],
    ['a removed field in braces', '---\n{a: 1, b: 2}\n---\n', { b: undefined }],
    ['two keys on two lines', '---\n? a\n: 1\n---\n', { a: undefined }],
  ])('%s', (_, text, changes) => {
    for (const run of [() => editFields(text, changes), () => editFieldsBytes(Buffer.from(text), changes)]) {
      expect(run).toThrow(expect.objectContaining({ code: 'BAD_FRONT_MATTER' }))
    }
  })
})
