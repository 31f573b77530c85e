/** What a query is about: without the words by which it asks, and without words about messages, which all of them are. */
import { wordsIn } from './words.ts'

/** A longer query is cut: people type less, and each word costs a look at every text. */
const longestQuery = 2000

const asking = `please could can would you i we want need to like summarize summarise summary summaries overview of show find list get give
tell me us search look for collect all any every everything anything something the a an what which who is are was were has have
been do does did there that those these where in from`
const aboutMessages = `message messages mail mails email emails note notes conversation conversations discussion discussions thread
threads document documents text texts said say says saying mention mentions mentioned mentioning talk talks talked talking discuss
discusses discussed discussing deal deals dealt dealing concern concerns concerned concerning regard regards regarding relate
relates related relating relevant refer refers referring about on with to do`

const setOf = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))
const askingWords = setOf(asking)
const messageWords = setOf(aboutMessages)
/** One of these shows that a query speaks about messages; without one its first words may be what is meant. */
const telling = setOf(
  'message messages mail mails email emails note notes conversation conversations discussion discussions',
)
const commands = setOf('summarize summarise summary overview show find list search')

/**
 * `summarize all messages related to database performance` is about `database performance`. Only what stands in front is left out,
 * or behind (`database performance messages`); a query of nothing else stays as it is.
 */
export function subjectOf(query: string): string {
  const cut = query.slice(0, longestQuery)
  const words = [...cut.matchAll(/[\p{L}\p{M}\p{N}'’-]+/gu)].map(({ 0: text, index }) => ({
    word: wordsIn(text)[0] ?? '',
    start: index,
    end: index + text.length,
  }))
  let first = 0
  while (first < words.length && isFrame(words[first]!.word)) first++
  let last = words.length
  while (last > first && telling.has(words[last - 1]!.word)) last--
  const left = [...words.slice(0, first), ...words.slice(last)]
  const isAsking = left.some(({ word }, i) => telling.has(word) || (i === 0 && commands.has(word)))
  return isAsking && first < last ? cut.slice(words[first]!.start, words[last - 1]!.end) : cut
}

const isFrame = (word: string): boolean => askingWords.has(word) || messageWords.has(word)
