/** Tasks that depend on each other and are all done: the parts of the dependency graph that hang together. AC-MQ §13.2. */
import { thoseMeant } from '../../../kernel/short-id.ts'
import { readDependency } from '../dependencies.ts'

export interface Linked {
  readonly id: string
  /** `completed` in its queue or in the archive. */
  readonly status: string
  readonly dependencies: readonly string[]
}

/** Of each message that has some the ids of those it depends on, of those given. */
export type LinksById = ReadonlyMap<string, readonly string[]>

/** Short ids that mean several mean none. */
export function linksOf(messages: readonly Linked[]): LinksById {
  const find = finderIn(messages)
  const links = new Map<string, readonly string[]>()
  for (const { id, dependencies } of messages) {
    if (dependencies.length === 0) continue
    const found = dependencies.flatMap((text) => {
      const read = readDependency(text)
      const asked = read.kind === 'message' ? read.id : read.kind === 'either' ? read.text : undefined
      const other = asked === undefined ? undefined : find(asked)
      return other === undefined || other === id ? [] : [other]
    })
    if (found.length > 0) links.set(id, [...new Set(found)])
  }
  return links
}

function finderIn(messages: readonly Linked[]): (asked: string) => string | undefined {
  const ids = new Set(messages.map(({ id }) => id))
  let byShort: Map<string, Linked[]> | undefined
  return (asked) => {
    if (ids.has(asked)) return asked
    byShort ??= byBeginning(messages)
    const meant = thoseMeant(asked, byShort.get(asked.slice(0, 8)) ?? [])
    return meant.length === 1 ? meant[0]!.id : undefined
  }
}

/** Groups of ids, at least two in each, of which all are completed; one that is not holds its whole group back. */
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

function byBeginning(messages: readonly Linked[]): Map<string, Linked[]> {
  const found = new Map<string, Linked[]>()
  for (const message of messages) {
    const short = message.id.slice(0, 8)
    const same = found.get(short)
    if (same) same.push(message)
    else found.set(short, [message])
  }
  return found
}
