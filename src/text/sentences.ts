/** The sentences of a text, without the Markdown around them, and those of many texts that say most about all of them. */
import { Frequencies, similarity } from './frequencies.ts'
import { termsOf } from './words.ts'

/** In characters. A longer one is data and not a sentence. */
const longest = 400
const mostLooked = 20_000
const mostSentences = 60

/** Kept, because making one takes longer than using it. */
let segmenter: Intl.Segmenter | undefined

/** Prose only: no code, tables, quoted lines, headings, links or rules. */
export function sentencesIn(text: string): string[] {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'sentence' })
  const sentences: string[] = []
  for (const block of proseOf(text.slice(0, mostLooked))) {
    for (const { segment } of segmenter.segment(block)) {
      const sentence = segment.trim()
      if (sentence.length > 0 && sentence.length <= longest) sentences.push(sentence)
      if (sentences.length >= mostSentences) return sentences
    }
  }
  return sentences
}

function proseOf(text: string): string[] {
  const blocks: string[] = ['']
  let fence: string | undefined
  for (const line of text.split(/\r\n|[\n\r\u2028\u2029]/)) {
    const trimmed = line.trim()
    const opening = /^(`{3,}|~{3,})/.exec(trimmed)?.[1]
    if (fence !== undefined) {
      if (opening && opening[0] === fence[0] && opening.length >= fence.length && trimmed === opening) fence = undefined
      continue
    }
    if (opening) fence = opening
    const isProse = !opening && !/^(?:\||>|#|(?:[-*_]\s*){3,}$|\[[^\]]*\]:|<)/.test(trimmed)
    const item = /^(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?(.*)$/.exec(trimmed)
    if (trimmed === '' || !isProse) blocks.push('')
    else if (item) blocks.push(item[1]!)
    else blocks[blocks.length - 1] = `${blocks.at(-1)} ${trimmed}`.trim()
  }
  return blocks.map(plain).filter((block) => block !== '')
}

/** Emphasis and links as people read them. */
const plain = (text: string): string =>
  text
    .replace(/!?\[([^\]\n]*)\]\([^)\n]*\)/g, '$1')
    .replace(/(\*\*|__)(?=\S)(.*?\S)\1/g, '$2')
    .replace(/\s+/g, ' ')
    .trim()

interface KeySentence {
  readonly text: string
  /** The number of the text that it stands in. */
  readonly source: number
}

/** What a sentence loses if it repeats one already taken, and if one of the same text was taken already. */
const repetition = 0.8
const sameSource = 0.7
const leastTerms = 4

/**
 * The sentences that have most in common with all others, in the order of the texts. One that repeats a sentence already
 * taken loses weight; so do long sentences, which have more in common with any other.
 */
export function keySentences(texts: readonly (readonly string[])[], most: number): KeySentence[] {
  const said = new Set<string>()
  const all = texts
    .flatMap((sentences, source) => sentences.map((text) => ({ text, source, terms: termsOf(text) })))
    .filter(({ terms }) => {
      // A summary often repeats the first sentence of its text.
      const words = terms.join(' ')
      const isNew = terms.length >= leastTerms && !said.has(words)
      said.add(words)
      return isNew
    })
  const frequencies = new Frequencies()
  for (const { terms } of all) frequencies.add(terms)
  const candidates = all.slice(0, mostCandidates).map((one) => ({ ...one, weights: frequencies.weigh(one.terms) }))
  const whole = frequencies.weigh(all.flatMap(({ terms }) => terms))
  const taken: (typeof candidates)[number][] = []
  const left = new Set(candidates)
  while (taken.length < most && left.size > 0) {
    let best: (typeof candidates)[number] | undefined
    let bestScore = Number.NEGATIVE_INFINITY
    for (const one of left) {
      const repeats = taken.reduce((worst, other) => Math.max(worst, similarity(one.weights, other.weights)), 0)
      const again = taken.some(({ source }) => source === one.source) ? sameSource : 1
      const score = similarity(one.weights, whole) * (1 - repetition * repeats) * again
      if (score > bestScore) [best, bestScore] = [one, score]
    }
    left.delete(best!)
    taken.push(best!)
  }
  return taken
    .sort((a, b) => a.source - b.source || candidates.indexOf(a) - candidates.indexOf(b))
    .map(({ text, source }) => ({ text, source }))
}

const mostCandidates = 2000
