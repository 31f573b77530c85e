/** What the model sees of a sentence, each word and part of a word hashed to a number; for training and running. Pure. */
import type { Token } from './tokens.ts'

/** FNV-1a, mixed once more, because only its lowest bits are used. */
export function hash(text: string): number {
  let h = 0x811c9dc5
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d)
  return (h ^ (h >>> 12)) >>> 0
}

/** What tells the kind of a request. */
export function sentenceFeatures(tokens: readonly Token[]): Set<number> {
  const found = new Set<number>()
  const add = (feature: string) => found.add(hash(feature))
  const words = tokens.filter(({ kind, word }) => kind !== 'mark' || /[=:?]/.test(word)).map(({ word }) => word)
  for (const [i, word] of words.entries()) {
    add(`u ${word}`)
    if (i + 1 < words.length) add(`b ${word} ${words[i + 1]}`)
    if (i + 2 < words.length) {
      add(`s ${word} ${words[i + 2]}`)
      add(`t ${word} ${words[i + 1]} ${words[i + 2]}`)
    }
    if (i + 3 < words.length) add(`s ${word} ${words[i + 3]}`)
    if (word[0] === '<' || word.length < 3) continue
    // Parts of words: what is mistyped, and what has another ending, is still like it.
    const whole = `^${word}$`
    for (let size = 3; size <= 5; size++)
      for (let from = 0; from + size <= whole.length; from++) add(`c ${whole.slice(from, from + size)}`)
  }
  const kinds = new Map<string, number>()
  for (const { kind } of tokens) kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
  for (const [kind, count] of kinds) {
    if (kind === 'word' || kind === 'mark') continue
    add(`k ${kind}`)
    if (count > 1) add(`kk ${kind}`)
  }
  add(`f ${words[0]}`)
  add(`f ${words[0]} ${words[1]}`)
  add(`l ${words.at(-1)}`)
  if (tokens.at(-1)?.word === '?') add('?')
  add(`n ${[3, 6, 10, 16].findIndex((most) => words.length < most)}`)
  add('bias')
  return found
}

const cue =
  /^(?:to|that|as|is|are|be|under|in|into|on|for|from|about|with|because|=|:|of|at|until|till|by|means?|called|named|say(?:ing)?|over|via|know|if|whether|against|since)$/

/** What tells which slot a token belongs to, for each token. */
export function tokenFeatures(tokens: readonly Token[], intent: string): number[][] {
  const word = (i: number): string => (i < 0 ? '<s>' : (tokens[i]?.word ?? '</s>'))
  const kind = (i: number): string => (i < 0 ? '<s>' : (tokens[i]?.kind ?? '</s>'))
  let [lastCue, seen] = ['', '']
  return tokens.map((token, i) => {
    const [w, k, n] = [word(i), kind(i), tokens.length]
    const features = [
      ...[`w ${w}`, `k ${k}`, `pk ${word(i - 1)} ${k}`, `nk ${word(i + 1)} ${k}`],
      ...[`pw ${word(i - 1)} ${w}`, `wn ${w} ${word(i + 1)}`],
      ...[
        `K ${k}`,
        `W ${w}`,
        `P ${word(i - 1)} ${k}`,
        `N ${word(i + 1)} ${k}`,
        `PP ${word(i - 2)} ${word(i - 1)}`,
        `NN ${word(i + 1)} ${word(i + 2)}`,
        `C ${lastCue}`,
        `CS ${lastCue} ${k} ${seen}`,
        `KKK ${kind(i - 1)} ${k} ${kind(i + 1)}`,
        `E ${i === n - 1} ${i === 0} ${k}`,
        `L ${Math.min(4, n - i)} ${w}`,
        `PW ${word(i - 1)} ${w}`,
      ].map((one) => `${intent} ${one}`),
    ]
    if (cue.test(w)) lastCue = w
    const mark = k[0]!
    if (token.kind !== 'word' && token.kind !== 'mark' && !seen.includes(mark) && seen.length < 12) seen += mark
    return features.map(hash)
  })
}
