/**
 * The shortest way from a message back to itself, first and last the same: `[a, b, a]`. `undefined` when there is none;
 * cycles among other messages do not count. It does not call itself: a chain of 10,000 messages is ordinary, and a stack
 * would not hold it. Spec: AC-MQ §7.1.
 */
export function findCycle(id: string, dependsOn: (id: string) => readonly string[]): readonly string[] | undefined {
  const cameFrom = new Map<string, string>()
  const found: string[] = [id]
  // `found` grows while it is gone through: nearest messages first.
  for (const at of found) {
    for (const next of dependsOn(at)) {
      if (next === id) return [...wayTo(at, id, cameFrom), id]
      if (cameFrom.has(next)) continue
      cameFrom.set(next, at)
      found.push(next)
    }
  }
  return undefined
}

function wayTo(end: string, start: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const way: string[] = []
  for (let at = end; at !== start; at = cameFrom.get(at)!) way.push(at)
  return [start, ...way.reverse()]
}
