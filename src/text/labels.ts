/** The words by which a group of texts stands out: said in the group, and not elsewhere. */
import { stemOf } from './stems.ts'
import { isEnglish, isStopWord } from './stop-words.ts'
import { wordsIn } from './words.ts'

/** How many of some texts say each word, by its stem: what is usual elsewhere. */
export interface Usage {
  readonly texts: number
  textsWith(stem: string): number
}

/** How many of these texts say each word, by its stem. */
export const countStems = (texts: readonly string[]): Map<string, number> =>
  new Map([...formsIn(texts)].map(([stem, { texts: within }]) => [stem, within]))

export const usageOf = (texts: number, counts: ReadonlyMap<string, number>): Usage => ({
  texts,
  textsWith: (stem) => counts.get(stem) ?? 0,
})

/** Of other texts, or as it was counted before. */
export const usageIn = (others: readonly string[] | Usage): Usage =>
  'texts' in others ? others : usageOf(others.length, countStems(others))

/** The same without some of the texts it was counted in. */
export function usageWithout(usage: Usage, without: readonly string[]): Usage {
  if (without.length === 0) return usage
  const less = formsIn(without)
  const textsWith = (stem: string) => Math.max(0, usage.textsWith(stem) - (less.get(stem)?.texts ?? 0))
  return { texts: Math.max(0, usage.texts - without.length), textsWith }
}

/** The terms of a group, the most telling first, each as it is most often written. */
export function keyTerms(texts: readonly string[], others: readonly string[] | Usage, most: number): string[] {
  const here = formsIn(texts)
  const elsewhere = usageIn(others)
  const total = texts.length + elsewhere.texts
  const scored = [...here].flatMap(([stem, { texts: within, forms }]) => {
    if (texts.length > 1 && within < 2) return []
    const everywhere = within + elsewhere.textsWith(stem)
    const share = within / texts.length
    const score = share * Math.log(1 + total / everywhere) * (within / everywhere)
    const uses = [...forms.values()].reduce((sum, count) => sum + count, 0)
    return [{ word: mostUsed(forms), score, uses }]
  })
  return (
    scored
      // Of words that equally many texts say, the one that is said more often comes first.
      .sort((a, b) => b.score - a.score || b.uses - a.uses || (a.word < b.word ? -1 : 1))
      .slice(0, most)
      .map(({ word }) => word)
  )
}

interface Forms {
  /** In how many texts. */
  texts: number
  readonly forms: Map<string, number>
}

function formsIn(texts: readonly string[]): Map<string, Forms> {
  const found = new Map<string, Forms>()
  for (const text of texts) {
    const words = wordsIn(text)
    const stems = isEnglish(words)
    const seen = new Set<string>()
    for (const word of words) {
      if (word.length < 3 || word.length > 24 || isStopWord(word, stems) || /\p{N}/u.test(word)) continue
      const stem = stems ? stemOf(word) : word
      const known = found.get(stem) ?? { texts: 0, forms: new Map<string, number>() }
      known.forms.set(word, (known.forms.get(word) ?? 0) + 1)
      if (!seen.has(stem)) known.texts++
      seen.add(stem)
      found.set(stem, known)
    }
  }
  return found
}

export const mostUsed = (forms: ReadonlyMap<string, number>): string =>
  [...forms].sort(([a, many], [b, others]) => others - many || a.length - b.length || (a < b ? -1 : 1))[0]![0]
