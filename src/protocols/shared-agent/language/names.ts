/** What is said as names of the protocol: words become one, as the specification writes them. Pure. */
import type { Token } from './tokens.ts'
import { writtenIn } from './tokens.ts'
import { articles } from './words.ts'

/** A text of more words stays a text: somebody is to read it. */
const mostWords = 5

const plainWord = /^[\p{L}\p{N}_%+-]+$/u

/** `implement auth` is `implement_auth`; what is quoted, long, or has marks and paths in it stays as it was said. */
export function nameOrText(text: string, tokens: readonly Token[]): string {
  if (tokens.length === 1) return tokens[0]!.raw
  const words = tokens.filter(({ word }) => !articles.has(word))
  const isName =
    words.length > 0 &&
    words.length <= mostWords &&
    words.every(({ raw, isQuoted, isMark }) => plainWord.test(raw) && !isQuoted && !isMark)
  return isName ? words.map(({ raw }) => raw).join('_') : writtenIn(text, tokens)
}
