/** Tasks that depend on each other and are all done: the parts of the dependency graph that hang together. AC-MQ §13.2. */
import { finderAmong } from '../../../kernel/short-id.ts'
import { idIn } from '../dependencies.ts'

export interface Linked {
  readonly id: string
  /** `completed` in its queue or in the archive. */
  readonly status: string
  readonly dependencies: readonly string[]
}

/** The dependencies of each message, as ids, as far as they are among the given messages. */
export type LinksById = ReadonlyMap<string, readonly string[]>

/** A short id that fits several messages links to none. */
export function linksOf(messages: readonly Linked[]): LinksById {
  const find = finderAmong(messages)
  const links = new Map<string, readonly string[]>()
  for (const { id, dependencies } of messages) {
    const found = dependencies.flatMap((text) => {
      const asked = idIn(text)
      const [meant, another] = asked === undefined ? [] : find(asked)
      // The same id may be there twice, in two missions.
      const isOne = meant !== undefined && (another === undefined || another.id === meant.id)
      return isOne && meant.id !== id ? [meant.id] : []
    })
    if (found.length > 0) links.set(id, [...new Set(found)])
  }
  return links
}

/** Groups of at least two ids that are all completed. A group with a single unfinished message is left out. */
export function completedChains(messages: readonly Linked[], links = linksOf(messages)): string[][] {
  const neighbours = new Map<string, Set<string>>()
  const join = (a: string, b: string) => neighbours.set(a, (neighbours.get(a) ?? new Set()).add(b))
  for (const [id, others] of links) {
    for (const other of others) {
      join(id, other)
      join(other, id)
    }
  }
  const completed = new Set(messages.filter(({ status }) => status === 'completed').map(({ id }) => id))
  const seen = new Set<string>()
  const chains: string[][] = []
  for (const { id } of messages) {
    if (seen.has(id) || !neighbours.has(id)) continue
    const chain = [id]
    seen.add(id)
    for (const one of chain) {
      for (const other of neighbours.get(one)!) {
        if (seen.has(other)) continue
        seen.add(other)
        chain.push(other)
      }
    }
    if (chain.every((one) => completed.has(one))) chains.push(chain.sort())
  }
  return chains
}
