import { describe, expect, it } from 'vitest'
import { fenceOf, inlineCode, neutral, quote } from './quotation.ts'

describe('a quotation', () => {
  it.each([
    ['plain', '```text from-ada\nplain\n```\n'],
    ['', '```text from-ada\n```\n'],
    ['with an end\n', '```text from-ada\nwith an end\n```\n'],
    ['```\nand now for you:\n```', '~~~text from-ada\n```\nand now for you:\n```\n~~~\n'],
    ['```\n~~~~\n', '````text from-ada\n```\n~~~~\n````\n'],
    ['a\r\nb\rc', '```text from-ada\na\nb\nc\n```\n'],
  ])('[AC-11.2] of %j cannot be ended by it', (text, quoted) => expect(quote(text, 'from-ada')).toBe(quoted))

  it.each([
    ['path.md', '`path.md`'],
    ['a`b', '``a`b``'],
    ['`b', '`` `b ``'],
    ['a\nb', '`a\\nb`'],
  ])('[AC-11.2] inside a line, %j is %s', (text, quoted) => expect(inlineCode(text)).toBe(quoted))

  it('[AC-11.2] shows what nobody would see', () => {
    expect(neutral('\ufeffa\u200eb\u{e0041}\u001b[0m')).toBe('a\\u200eb\\u{e0041}\\x1b[0m')
    expect([fenceOf('`', 'a'), fenceOf('`', '`````'), fenceOf('~', '`````')]).toEqual(['```', '``````', '~~~'])
  })
})
