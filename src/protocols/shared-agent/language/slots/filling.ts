/**
 * A slot of a request, and what can fill it from a place on. What is a known name costs nothing, free words cost what they
 * are many: so the reading that explains most of a sentence is the cheapest. Pure.
 */
import type { Surroundings } from '../surroundings.ts'
import type { Token } from '../tokens.ts'
import { articles, joints, nouns, pronouns } from '../words.ts'

export interface Hearing {
  readonly text: string
  readonly tokens: readonly Token[]
  readonly around: Surroundings
  /** Whether mistyped names may be taken for those that they are nearest to. */
  readonly mayCorrect: boolean
}

export interface Filling {
  /** Just behind the last token it takes. */
  readonly to: number
  /** What it says; of free text, made only where it is needed. */
  readonly value: string | (() => string)
  readonly cost: number
  /** It takes the place without naming anything. */
  readonly isHollow?: true
  /** Why it should be asked about. */
  readonly doubt?: string
  /** It is free text, in which anything may stand. */
  readonly isText?: true
  /** It is free text that becomes a name, so that articles do not matter. */
  readonly isName?: true
}

export const textOf = ({ value }: Filling): string => (typeof value === 'string' ? value : value())

/** Every way in which a slot can be filled. */
export type Reader = (hearing: Hearing, from: number) => Iterable<Filling>

export const isFree = ({ word, isMark, isQuoted }: Token): boolean =>
  isQuoted || !(isMark || joints.has(word) || pronouns.has(word) || nouns.has(word))

/** An article belongs to the word behind it. Before "is", `a` is a name. */
export const afterArticles = ({ tokens }: Hearing, from: number): number => {
  let at = from
  for (;;) {
    const [token, next] = [tokens[at], tokens[at + 1]]
    if (!token || !next || !articles.has(token.word) || next.isMark || joints.has(next.word)) return at
    at++
  }
}
