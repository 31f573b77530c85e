/** Which messages contributed to a milestone, and why each is thought to. AC-MQ §13.2. */
import { shortOf } from '../../../kernel/short-id.ts'
import { termsOf, wordsIn } from '../../../text/words.ts'
import { type Linked, linksOf } from './chains.ts'

export interface Contributor extends Linked {
  readonly text: string
}

/** How much of the words of a milestone a message has to say, if it neither names it nor belongs to what does. */
const leastShare = 0.6

/** The reason by id. Only completed messages contribute. */
export function contributionsTo(title: string, messages: readonly Contributor[]): ReadonlyMap<string, string> {
  const judge = contributionJudge(title)
  return withDependencies(
    messages,
    messages.flatMap((message) => {
      const reason = message.status === 'completed' ? judge(message) : undefined
      return reason === undefined ? [] : [[message.id, reason] as const]
    }),
  )
}

/** Says why a message contributed to a milestone by itself; `undefined` when it did not. Depends on that message alone. */
export function contributionJudge(title: string): (message: Pick<Contributor, 'id' | 'text'>) => string | undefined {
  const phrase = ` ${wordsIn(title).join(' ')} `
  const wanted = [...new Set(termsOf(title))]
  return ({ id, text }) => {
    if (title.includes(id) || (id.length > 8 && title.includes(shortOf(id)))) return 'the milestone names it'
    if (phrase.trim() !== '' && ` ${wordsIn(text).join(' ')} `.includes(phrase)) return 'it names the milestone'
    const said = new Set(termsOf(text))
    const shared = wanted.filter((term) => said.has(term)).length
    if (shared < 2 || shared / wanted.length < leastShare) return undefined
    return `it is about the same: ${shared} of ${wanted.length} words of the milestone`
  }
}

/** What those depend on, however far back, contributed too, if it is completed. */
export function withDependencies(
  messages: readonly Linked[],
  found: readonly (readonly [id: string, reason: string])[],
): Map<string, string> {
  const reasons = new Map(found)
  if (reasons.size === 0) return reasons
  const links = linksOf(messages.filter(({ status }) => status === 'completed'))
  const queue = [...reasons.keys()]
  for (const id of queue) {
    for (const before of links.get(id) ?? []) {
      if (reasons.has(before)) continue
      reasons.set(before, `${shortOf(id)} depends on it`)
      queue.push(before)
    }
  }
  return reasons
}
