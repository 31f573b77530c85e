/**
 * What a text names exactly: files, identifiers and errors. Two texts that name the same one are about the same thing more
 * surely than any likeness of words can tell.
 */
import { mostCompared } from './words.ts'

const patterns = [
  // `between backticks`, on one line
  /`([^`\n]{2,120})`/g,
  // src/auth/session.ts, findings/plan.md
  /(?<![\w/.:-])((?:[\w.-]+\/)+[\w-]+\.[a-z]\w{0,5})(?![\w/])/g,
  // issueToken, MAX_SIZE, lock_timeout
  /(?<![\w`])([a-z]+[A-Z]\w+|[A-Za-z]+_\w+)(?!\w)/g,
  // TypeError, ECONNREFUSED, OOMKilled
  /(?<!\w)([A-Z]\w*(?:Error|Exception|Killed)|E[A-Z]{4,})(?!\w)/g,
]

const mostNames = 200

/** Each once, in lower case. */
export function namesIn(text: string): ReadonlySet<string> {
  const looked = text.slice(0, mostCompared)
  const names = new Set<string>()
  for (const pattern of patterns) {
    for (const [, found] of looked.matchAll(pattern)) {
      const name = found!.trim().replace(/\(\)$/, '').toLowerCase()
      // A plain word or a number between backticks is no name of anything.
      if (name.length > 2 && !/^[\p{L}]{1,5}$|^\d+$/u.test(name)) names.add(name)
      if (names.size >= mostNames) return names
    }
  }
  return names
}
