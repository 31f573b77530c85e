/** The sentences that were written by hand, said otherwise by rules. What has to be asked back still has to be. */
import type { Sentence } from './measure.ts'

/** Other words for the same; none of them changes what is meant. */
const words: readonly (readonly [RegExp, string])[] = [
  [/\bplease\b/gi, 'kindly'],
  [/\bcould you\b/gi, 'would you'],
  [/\bwould you mind letting\b/gi, 'can you let'],
  [/\btell me\b/gi, 'let me know'],
  [/\bI'd like\b/g, 'I would love'],
  [/\bmake a\b/gi, 'create a'],
  [/\bcalled\b/gi, 'named'],
  [/\bgive me\b/gi, 'get me'],
  [/\bshow me\b/gi, 'list'],
  [/\bask\b/gi, 'get'],
  [/\bremember\b/gi, 'note'],
  [/\brelease\b/gi, 'free'],
  [/\broll back\b/gi, 'revert'],
  [/\bannounce\b/gi, 'post'],
  [/\bat the moment\b/gi, 'right now'],
  [/\bso far\b/gi, 'up to now'],
]
const openings = [
  'hey there, ',
  'right, ',
  'listen: ',
  'ok so ',
  'morning! ',
  'one more thing: ',
  'FYI I am in a hurry. ',
]
const endings = [' :)', ' - cheers', '!!', ' ok?', ' (sorry for the noise)', ' ty']
const endsFreely = /\b(?:for|to|that|is|as|on|with|:|=)\b/

export function paraphrased({ said, means }: Sentence, n: number): readonly Sentence[] {
  const others: string[] = []
  // What stands in the command is what was said: another word there would mean something else.
  const isMeant = (word: string) => means.toLowerCase().includes(word.toLowerCase())
  const reworded = words.reduce((text, [from, to]) => text.replace(from, (one) => (isMeant(one) ? one : to)), said)
  if (reworded !== said) others.push(reworded)
  others.push(
    `${openings[n % openings.length]}${said[0]!.toLowerCase() === 'i' && said[1] === ' ' ? said : said[0]!.toLowerCase() + said.slice(1)}`,
  )
  // A question mark would make a question of it, and a text at its end would take the ending in.
  const isOpen = means === '?' || endsFreely.test(said)
  if (!isOpen && !/\?$/.test(said)) others.push(`${said.replace(/[.!]$/, '')}${endings[n % endings.length]}`)
  if (said.length > 12 && !/["“]/.test(said)) others.push(withSlip(said, n, isMeant))
  return others.map((one) => ({ said: one, means }))
}

/** Two letters exchanged in a plain word of at least five. */
function withSlip(said: string, n: number, isMeant: (word: string) => boolean): string {
  const plain = [...said.matchAll(/(?<![\w./:#-])[a-z]{5,}(?![\w./:=-])/g)].filter(([word]) => !isMeant(word))
  if (plain.length === 0) return said.toLowerCase() === said ? `${said} ` : said
  const { index, 0: word } = plain[n % plain.length]!
  const at = index + 1 + (n % (word.length - 3))
  return said.slice(0, at) + said[at + 1] + said[at] + said.slice(at + 2)
}
