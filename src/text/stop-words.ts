/** Words that say nothing about what a text is about, and which of them show that it is English. */

const english = `a about above after again against all also am an and any are as at be because been before being below between both
but by can cannot could did do does doing done down during each else few for from further had has have having he her here hers
him his how however i if in instead into is it its itself just least less let like made make makes many may me might more most
much must my neither never no nobody nor not nothing now of off on once one only or other others our ours out over own per rather
same say says shall she should since so some somebody something still such than that the their theirs them then there these they
this those though through thus to together too two under until unless up upon us use used uses using very was way we well were
what whatever when where whether which while who whom whose why will with within without would yet you your yours please`

const others = `der die das den dem des ein eine einen einem einer und oder aber nicht ist sind war wird werden wir ihr sie ich es
im in an auf aus bei mit nach von vor zu zum zur für über unter auch noch nur wie was wenn weil dass als sich haben hat muss kann
soll durch gegen ohne um bitte bei beim vom alle
le la les un une des du de et ou mais ne pas est sont été dans sur pour par avec sans ce cette ces il elle nous vous ils elles
que qui quoi dont où au aux se sa son ses leur leurs plus très être avoir fait tout tous à en il faut
el los las una unos unas y o pero no es son fue en sobre para por con sin este esta estos estas lo que quien donde al del se su sus
más muy ser haber hay todo todos como cuando porque
os as um uma e mas não é são foi em no na nos nas com sem ao à seu sua mais muito ter ser está depois até
il lo gli uno dei della delle che di da per con è sono non si più anche
и в во не на я что он она оно мы вы они с со как а то все но да по из у за от для о это к до же бы если или их
de het een en van is dat niet te zijn op voor met`

/** Of these, what means something in English: `van`, `OS`, `hat`. */
const meaningful = `die war hat plus son pour sin con hay com os van`

const setOf = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

const englishWords = setOf(english)
const otherWords = setOf(others)
const ambiguousWords = setOf(meaningful)
/** In both lists, such as `in` and `an`: they tell nothing of the language. */
const telling = new Set([...englishWords].filter((word) => !otherWords.has(word)))

/** `inEnglish`: the word stands in an English text, where a van is a car. */
export const isStopWord = (word: string, inEnglish: boolean): boolean =>
  englishWords.has(word) || (otherWords.has(word) && !(inEnglish && ambiguousWords.has(word)))

/** So much of a text is looked at to find out its language. */
const mostLooked = 400

/** How many words show that a text is English, and how many that it is not. */
function evidence(words: readonly string[]): { forIt: number; against: number; looked: number } {
  let forIt = 0
  let against = 0
  // One that means something in English is no evidence by itself; two different ones are.
  const ambiguous = new Set<string>()
  let doubtful = 0
  const looked = Math.min(words.length, mostLooked)
  for (let i = 0; i < looked; i++) {
    const word = words[i]!
    if (telling.has(word)) forIt++
    else if (!otherWords.has(word) || englishWords.has(word)) continue
    else if (ambiguousWords.has(word)) {
      ambiguous.add(word)
      doubtful++
    } else against++
  }
  return { forIt, against: against + (against > 0 || ambiguous.size > 1 ? doubtful : 0), looked }
}

/**
 * True when English words stand in it more often than those of other languages; a few words without any count as English,
 * since most of what agents write is.
 */
export function isEnglish(words: readonly string[]): boolean {
  const { forIt, against, looked } = evidence(words)
  return forIt >= against && (forIt > 0 || looked < 8)
}

/** Fewer letters of other scripts, or with accents, may be names or quotations. */
const mostlyPlain = 0.9

/** True for what a model of English can be asked about; a text of nothing but names and nouns counts as English. */
export function isEnglishText(text: string): boolean {
  const looked = text.slice(0, 4000).toLowerCase()
  const letters = looked.match(/\p{L}/gu)?.length ?? 0
  const plain = looked.match(/[a-z]/g)?.length ?? 0
  const { forIt, against } = evidence(looked.match(/[\p{L}\p{M}]+/gu) ?? [])
  return letters > 0 && plain >= letters * mostlyPlain && forIt >= against
}
