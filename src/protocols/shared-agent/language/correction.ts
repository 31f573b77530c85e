/** What a mistyped word meant, among the words of requests. Pure. */
import { nearest } from '../../../kernel/nearest.ts'
import { adjunctWords } from './adjuncts.ts'
import { compile, wordsIn } from './pattern.ts'
import { requests } from './requests/index.ts'
import { timeWords } from './times.ts'
import type { Token } from './tokens.ts'
import { articles, everyday, fillers, joints, nouns, pronouns } from './words.ts'

let known: ReadonlySet<string> | undefined

/** Made when somebody first mistypes something. */
function vocabulary(): ReadonlySet<string> {
  if (known) return known
  const words = requests.flatMap(({ forms }) => forms.flatMap((form) => [...wordsIn(compile(form))]))
  known = new Set([...words, ...adjunctWords, ...timeWords].filter((word) => /^[a-z-]{3,}$/.test(word)))
  return known
}

const right: readonly ReadonlySet<string>[] = [everyday, fillers, articles, joints, pronouns, nouns]

/** Ways to put a sentence right; more than a few mean that it is in another language. */
const mostWays = 24
const mostMeant = 8

/**
 * The sentence with its mistyped words put right, in every way; none where there is nothing to put right. Names and texts
 * keep what was written.
 */
export function corrected(tokens: readonly Token[]): readonly (readonly Token[])[] {
  let ways: (readonly Token[])[] = [tokens]
  for (const [n, token] of tokens.entries()) {
    const meant = meantBy(token)
    if (meant.length === 0) continue
    ways = ways.flatMap((way) => meant.map((word) => way.with(n, { ...token, word })))
    if (ways.length > mostWays) return []
  }
  return ways[0] === tokens ? [] : ways
}

/** The words that it is nearest to, all of the same distance. */
function meantBy({ word, isQuoted, isMark }: Token): readonly string[] {
  const words = vocabulary()
  if (isQuoted || isMark || !/^[a-z]{3,}$/.test(word)) return []
  if (words.has(word) || right.some((some) => some.has(word))) return []
  const mostWrong = word.length >= 8 ? 2 : 1
  // The first letter is seldom wrong; swapped with the second it may be.
  const left = new Set(
    [...words].filter(
      (one) => (one[0] === word[0] || one[1] === word[0]) && Math.abs(one.length - word.length) <= mostWrong,
    ),
  )
  // One wrong letter is likelier than two; of those that are as near, all are tried.
  for (let wrong = 1; wrong <= mostWrong; wrong++) {
    const found = [...nearestOnes(word, left, wrong)]
    if (found.length > 0) return found
  }
  return []
}

function* nearestOnes(word: string, left: Set<string>, wrong: number): Generator<string> {
  for (let n = 0; n < mostMeant; n++) {
    const one = nearest(word, left, wrong)
    if (one === undefined) return
    left.delete(one)
    yield one
  }
}
