/** A sender's text inside a document, quoted so that nothing in it can end the quotation or hide in it. AC-MQ §11.2. */
import { printable, printableLine } from './printable.ts'

// Characters that a model reads and a screen does not show: they can hide instructions in harmless text.
const invisible = /[\u{e0000}-\u{e007f}]/gu

/** Plain line ends, no byte-order mark, and every character that shows nothing or moves something made visible. */
export const neutral = (text: string): string =>
  printable(text.replace(/^\ufeff/, '').replaceAll(/\r\n?/g, '\n')).replace(
    invisible,
    (sign) => `\\u{${sign.codePointAt(0)!.toString(16)}}`,
  )

/** Quotes a text between two fences that no line of it can equal. `mark` stands on the opening one. */
export function quote(text: string, mark: string): string {
  const body = neutral(text)
  const fence = shortest(fenceOf('`', body), fenceOf('~', body))
  return `${fence}text ${mark}\n${body}${body === '' || body.endsWith('\n') ? '' : '\n'}${fence}\n`
}

/** A name or path inside a line. */
export function inlineCode(text: string): string {
  const body = printableLine(text).replace(invisible, '?')
  const fence = '`'.repeat(longestRun('`', body) + 1)
  const space = /^[` ]|[` ]$/.test(body) ? ' ' : ''
  return `${fence}${space}${body}${space}${fence}`
}

/** Three signs, or one more than any run of them in the text. */
export const fenceOf = (sign: '`' | '~', text: string): string => sign.repeat(Math.max(3, longestRun(sign, text) + 1))

const shortest = (a: string, b: string): string => (b.length < a.length ? b : a)

function longestRun(sign: string, text: string): number {
  let longest = 0
  for (let at = text.indexOf(sign); at >= 0; at = text.indexOf(sign, at)) {
    const start = at
    while (text[at] === sign) at++
    longest = Math.max(longest, at - start)
  }
  return longest
}
