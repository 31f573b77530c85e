/**
 * Names for groups of texts, as a person would choose them: a phrase of one to four words that several of its texts say and others
 * do not, as it is written there.
 */
import type { Embedder } from '../kernel/embedder.ts'
import { mostUsed, type Usage, usageIn } from './labels.ts'
import { stemOf } from './stems.ts'
import { isEnglish, isStopWord } from './stop-words.ts'
import { cosine } from './vectors.ts'
import { mostCompared, wordsIn } from './words.ts'

const longestPhrase = 4
/** Longer phrases say more, if as many texts have them. */
const worthOf = [0, 1, 1.7, 2, 2.1]
/** Paths, identifiers, code and numbers are no names; a name does not go on over a line end. */
const code = /\n|`[^`\n]*`|https?:\S+|\S*[/_\\@#{}=<>]\S*|\S*\w\.\w\S*|\S*\d\S*/g

/** Verbs, adverbs and words of courtesy, which make no name by themselves and neither begin nor end one. */
const weak = new Set(
  `able add added adds again ago allow allowed already also always another answer answered anything around ask asked asks away back bad
  became become before began begin behind believe best better big bring brings broke broken build built call called calls came cannot
  cause caused change changed changes check checked checks choose clear close come comes compare could count counts create created
  cut day days decide decided deep different does done drop dropped drops each early easy either else empty end ended ends enough
  even ever every everybody everything exactly expect fail failed fails fall fallen falls fast fell few fewer fill find finds first
  fix fixed fixes follow found four full gave get gets give given gives go goes going gone good got great grow grows had half happen
  happens hard has have held help helps here high hold holds hour hours instead keep keeps kept kind knew know known knows large last
  late later lead leave leaves left less let like likely little live lives long longer look looked looks lose lost lot low made main
  make makes many may mean means meanwhile measure might minute minutes month months more most move moved much must near need needed
  needs never new next nobody none nothing now often old one open ought other part pass past people percent person place plan please
  point possible prefer put puts quick ran rather read ready real reason remove removed replace report right run running runs said same
  saw say says second seconds see seem seems seen send sends sent set sets several shall short show showed shown shows side since
  slow small somebody something soon start started starts stay stays step still stop stopped stops such sure take taken takes talk
  tell tells ten thank thanks then there thing things think three time times today together told tomorrow too took tried tries try
  turn turned turns twice two under until upon use used uses using usually value very wait waited waits want wanted wants way ways
  week weeks well went were while whole whoever wish within without won word words work worked works worse worst write writes wrong
  wrote year years yes yesterday yet`.split(/\s+/),
)
/** Other words on -ly are adverbs. */
const notAdverbs = /^(?:daily|weekly|monthly|yearly|hourly|nightly|reply|supply|assembly|anomaly|family|early)$/
export const isWeak = (word: string): boolean =>
  weak.has(word) || (/ly$/.test(word) && !notAdverbs.test(word)) || (/ed$/.test(word) && word.length > 4)

interface Phrase {
  readonly size: number
  /** In how many texts. */
  texts: number
  /** How often each spelling occurs. */
  readonly forms: Map<string, number>
}

export interface Candidate {
  /** As it is written. */
  readonly form: string
  /** How many words. */
  readonly size: number
  /** In how many of the texts. */
  readonly texts: number
  readonly score: number
}

/** What a group could be called, the best first: single words that several texts say, and phrases. */
function phraseCandidates(texts: readonly string[], others: readonly string[] | Usage, most: number): Candidate[] {
  const elsewhere = usageIn(others)
  const total = texts.length + elsewhere.texts
  const least = Math.min(2, texts.length)
  const scored = [...phrasesIn(texts)].flatMap(([key, { size, texts: within, forms }]) => {
    if (size === 1 && within < least) return []
    // A phrase is at most as usual as its rarest word.
    const usual = Math.min(...key.split(' ').map((stem) => elsewhere.textsWith(stem)))
    const rarity = Math.log(1 + total / (within + usual)) * (within / (within + usual))
    return [
      { key, size, texts: within, score: (within / texts.length) * rarity * worthOf[size]!, form: mostUsed(forms) },
    ]
  })
  scored.sort((a, b) => b.score - a.score || b.size - a.size || (a.form < b.form ? -1 : 1))
  return scored.slice(0, most)
}

/** The best first; none when the texts have nothing to say in common. */
export function namesFor(texts: readonly string[], others: readonly string[] | Usage): string[] {
  const candidates = phraseCandidates(texts, others, 40).filter((one) => one.texts >= Math.min(2, texts.length))
  const [best, ...rest] = withoutParts(candidates)
  if (!best) return []
  const second = rest.find(({ size }) => size === 1)
  // One word is rarely enough.
  const first =
    best.size === 1 && second && second.score > best.score / 3 ? `${best.form} and ${second.form}` : best.form
  return [...new Set([first, best.form, ...rest.map(({ form }) => form)])].slice(0, 8)
}

/** Of a phrase and what is a part of it, the one with the better score. */
function withoutParts(scored: readonly Candidate[]): Candidate[] {
  const kept: Candidate[] = []
  const isPart = (one: string, of: string) => ` ${of} `.includes(` ${one} `)
  for (const one of scored)
    if (!kept.some(({ form }) => isPart(form, one.form) || isPart(one.form, form))) kept.push(one)
  return kept
}

function phrasesIn(texts: readonly string[]): Map<string, Phrase> {
  const phrases = new Map<string, Phrase>()
  for (const text of texts) {
    const seen = new Set<string>()
    for (const run of runsIn(text)) {
      for (let from = 0; from < run.length; from++) {
        for (let size = 1; size <= longestPhrase && from + size <= run.length; size++) {
          const words = run.slice(from, from + size)
          if (isWeak(words[0]!.plain) || isWeak(words.at(-1)!.plain)) continue
          const key = words.map(({ stem }) => stem).join(' ')
          const phrase = phrases.get(key) ?? { size, texts: 0, forms: new Map<string, number>() }
          const form = words.map(({ written }) => written).join(' ')
          phrase.forms.set(form, (phrase.forms.get(form) ?? 0) + 1)
          if (!seen.has(key)) phrase.texts++
          seen.add(key)
          phrases.set(key, phrase)
        }
      }
    }
  }
  return phrases
}

interface Word {
  readonly plain: string
  readonly stem: string
  readonly written: string
}

/** Words that follow each other, without a sign or a stop word between them. */
function runsIn(text: string): Word[][] {
  const runs: Word[][] = []
  const english = isEnglish(wordsIn(text))
  let run: Word[] = []
  const end = () => {
    if (run.length > 0) runs.push(run)
    run = []
  }
  for (const [found] of text
    .slice(0, mostCompared)
    .replace(code, ' . ')
    .matchAll(/[\p{L}\p{M}'’-]+|[^\s\p{L}\p{M}]/gu)) {
    const plain = found.toLowerCase().replace(/['’]s?$/, '')
    if (!/^\p{L}[\p{L}\p{M}-]+$/u.test(plain) || plain.length > 24 || isStopWord(plain, english)) {
      end()
      continue
    }
    // A capital at the beginning is that of a sentence or a title; several are those of an acronym or a name.
    const written = /\p{Lu}.*\p{Lu}/u.test(found) ? found.replace(/['’]s?$/, '') : plain
    run.push({ plain, stem: stemOf(plain), written })
  }
  end()
  return runs
}

/** So many phrases are compared with what the texts mean. */
const mostPhrases = 24
/** A phrase of one text may be its name if it has a word that many of them say, and two words. */
const manyTexts = 0.4

/**
 * The phrase that is nearest to what the texts mean, of those that stand out. Without vectors the one that stands out most.
 * `vectors`: of the texts, as far as they are known.
 */
export async function groupName(
  texts: readonly string[],
  others: readonly string[] | Usage,
  vectors: readonly Float32Array[] = [],
  embedder?: Pick<Embedder, 'embed' | 'isLocal'>,
): Promise<string | undefined> {
  const [byWords] = namesFor(texts, others)
  if (!embedder?.isLocal || vectors.length < texts.length / 2) return byWords
  const candidates = frequent(phraseCandidates(texts, others, 200), texts.length).slice(0, mostPhrases)
  if (candidates.length === 0) return byWords
  const centre = new Float32Array(vectors[0]!.length)
  for (const vector of vectors) for (let i = 0; i < centre.length; i++) centre[i]! += vector[i]! / vectors.length
  const meant = await embedder.embed(candidates.map(({ form }) => form))
  const worth = candidates.map(
    ({ size, texts: within }, i) => cosine(meant[i]!, centre) * (size > 1 ? 1 : 0.85) + 0.06 * Math.log2(within),
  )
  return candidates[worth.indexOf(Math.max(...worth))]!.form
}

function frequent(candidates: readonly Candidate[], count: number): Candidate[] {
  const heads = new Set(
    candidates.flatMap(({ form, size, texts }) =>
      size === 1 && texts >= Math.max(2, count * manyTexts) ? [form] : [],
    ),
  )
  return candidates.filter(({ form, size, texts }) => {
    if (texts >= Math.min(2, count)) return true
    const words = form.split(' ')
    // A second word on -s may be a verb.
    return size === 2 && words.some((word) => heads.has(word)) && !/s$/.test(words[1]!)
  })
}
