/**
 * The stem of an English word, after M. F. Porter's algorithm ("An algorithm for suffix stripping", 1980): `migrations`,
 * `migrated` and `migrating` become `migrat`. For comparing words, not for showing them.
 */

const vowel = (word: string, at: number): boolean => {
  const letter = word[at]!
  if ('aeiou'.includes(letter)) return true
  return letter === 'y' && at > 0 && !vowel(word, at - 1)
}

/** How many times a vowel is followed by a consonant. */
function measure(word: string): number {
  let count = 0
  for (let i = 1; i < word.length; i++) if (!vowel(word, i) && vowel(word, i - 1)) count++
  return count
}

const hasVowel = (word: string): boolean => {
  for (let i = 0; i < word.length; i++) if (vowel(word, i)) return true
  return false
}

const endsDouble = (word: string): boolean =>
  word.length > 1 && word.at(-1) === word.at(-2) && !vowel(word, word.length - 1)

/** Consonant, vowel, consonant, as in `hop`, where the last is not w, x or y. */
const endsShort = (word: string): boolean => {
  const at = word.length - 1
  return at > 1 && !vowel(word, at) && vowel(word, at - 1) && !vowel(word, at - 2) && !'wxy'.includes(word[at]!)
}

type Rule = readonly [end: string, instead: string]

const second: readonly Rule[] = [
  ['ational', 'ate'],
  ['ization', 'ize'],
  ['isation', 'ise'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['tional', 'tion'],
  ['biliti', 'ble'],
  ['entli', 'ent'],
  ['ousli', 'ous'],
  ['ation', 'ate'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['iser', 'ise'],
  ['abli', 'able'],
  ['alli', 'al'],
  ['ator', 'ate'],
  ['eli', 'e'],
]

const third: readonly Rule[] = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['alise', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
]

const fourth = `ement ance ence able ible ment ant ent ism ate iti ous ive ize ise ion al er ic ou`.split(' ')

const replaced = (word: string, rules: readonly Rule[]): string => {
  for (const [end, instead] of rules) {
    if (!word.endsWith(end)) continue
    const stem = word.slice(0, -end.length)
    return measure(stem) > 0 ? stem + instead : word
  }
  return word
}

function withoutPlural(word: string): string {
  if (word.endsWith('sses') || word.endsWith('ies')) return word.slice(0, -2)
  return word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word
}

function withoutPast(word: string): string {
  if (word.endsWith('eed')) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word
  const end = word.endsWith('ed') ? 2 : word.endsWith('ing') ? 3 : 0
  const stem = word.slice(0, -end)
  if (end === 0 || !hasVowel(stem)) return word
  if (/(?:at|bl|iz|is)$/.test(stem)) return `${stem}e`
  if (endsDouble(stem) && !/[lsz]$/.test(stem)) return stem.slice(0, -1)
  return measure(stem) === 1 && endsShort(stem) ? `${stem}e` : stem
}

function withoutEnding(word: string): string {
  const end = fourth.find((one) => word.endsWith(one))
  if (end === undefined) return word
  const stem = word.slice(0, -end.length)
  if (measure(stem) < 2) return word
  return end !== 'ion' || /[st]$/.test(stem) ? stem : word
}

function withoutFinalE(word: string): string {
  if (word.endsWith('e')) {
    const stem = word.slice(0, -1)
    const m = measure(stem)
    if (m > 1 || (m === 1 && !endsShort(stem))) return stem
  }
  return word.endsWith('ll') && measure(word) > 1 ? word.slice(0, -1) : word
}

/** The same words come again and again. */
const known = new Map<string, string>()
const mostKnown = 20_000

export function stemOf(word: string): string {
  const before = known.get(word)
  if (before !== undefined) return before
  const stem = /^[a-z]{3,40}$/.test(word) ? strip(word) : word
  if (known.size >= mostKnown) known.clear()
  known.set(word, stem)
  return stem
}

function strip(word: string): string {
  let stem = withoutPast(withoutPlural(word))
  if (stem.endsWith('y') && hasVowel(stem.slice(0, -1))) stem = `${stem.slice(0, -1)}i`
  return withoutFinalE(withoutEnding(replaced(replaced(stem, second), third)))
}
