/** Which messages contributed to a milestone, and the reason for each. AC-MQ §13.2. */
import { groupBy } from '../../../kernel/group-by.ts'
import { shortOf } from '../../../kernel/short-id.ts'
import { termsOf, wordsIn } from '../../../text/words.ts'
import { type Linked, type LinksById, linksOf } from './chains.ts'

interface Contributor extends Linked {
  readonly createdAt: string
}

export interface Milestone {
  readonly title: string
  readonly reachedBy?: string
}

export const milestoneQuery = (title: string): string => `Messages that contributed to the milestone: ${title}`

/** The share of a milestone's words that a message must have if neither names the other. */
const leastShare = 0.6

/** Says why a message contributed to a milestone by itself; `undefined` when it did not. Depends on that message alone. */
export function contributionJudge(
  title: string,
): (message: { readonly id: string; readonly text: string }) => string | undefined {
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

/**
 * The reasons, by title of the milestone and id of the message. To a milestone contributed the messages that `judge` names; those
 * that depend on them (the fix after a diagnosis), unless they belong to another milestone; and all dependencies of these.
 */
export function contributionsTo<T extends Contributor>(
  milestones: readonly Milestone[],
  messages: readonly T[],
  judge: (message: T, title: string) => string | undefined,
): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const own = milestones.map(({ title }) => reasonsOf(messages, (message) => judge(message, title)))
  const belonging = new Set(own.flatMap((reasons) => [...reasons.keys()]))
  if (belonging.size === 0) return new Map(milestones.map(({ title }) => [title, new Map()]))
  const links = linksOf(messages)
  const after = reversed(links)
  const sentAt = new Map(messages.map(({ id, createdAt }) => [id, createdAt]))
  return new Map(
    milestones.map(({ title, reachedBy }, i) => {
      const reasons = own[i]!
      const isLate = (id: string) => reachedBy !== undefined && sentAt.get(id)! > reachedBy
      const isFollowed = (next: string) => !belonging.has(next) && !isLate(next)
      follow(reasons, (id) => (after.get(id) ?? []).filter(isFollowed), dependsOn)
      follow(reasons, (id) => links.get(id) ?? [], isNeededBy)
      return [title, reasons]
    }),
  )
}

const dependsOn = (id: string): string => `it depends on ${shortOf(id)}`
const isNeededBy = (id: string): string => `${shortOf(id)} depends on it`

function reasonsOf<T extends Contributor>(messages: readonly T[], judge: (message: T) => string | undefined) {
  const reasons = new Map<string, string>()
  for (const message of messages) {
    const reason = judge(message)
    if (reason !== undefined) reasons.set(message.id, reason)
  }
  return reasons
}

function follow(
  reasons: Map<string, string>,
  nextOf: (id: string) => readonly string[],
  reason: (id: string) => string,
): void {
  const queue = [...reasons.keys()]
  for (const id of queue) {
    for (const next of nextOf(id)) {
      if (reasons.has(next)) continue
      reasons.set(next, reason(id))
      queue.push(next)
    }
  }
}

function reversed(links: LinksById): LinksById {
  const pairs = [...links].flatMap(([id, others]) => others.map((other) => ({ id, other })))
  const groups = groupBy(pairs, ({ other }) => other)
  return new Map([...groups].map(([other, all]) => [other, all.map(({ id }) => id)]))
}
