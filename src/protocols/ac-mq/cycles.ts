/** Cycles of dependencies. No recursion: a chain of 10,000 messages would overflow the stack. Spec: AC-MQ §7.1. */
type DependsOn = (id: string) => readonly string[]

/** The shortest way from a message back to itself, `[a, b, a]`; cycles among other messages do not count. */
export function findCycle(id: string, dependsOn: DependsOn): readonly string[] | undefined {
  const cameFrom = new Map<string, string>()
  const found: string[] = [id]
  // Breadth first: `found` grows during the loop.
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

/**
 * Every group of messages that wait for each other (`members`, sorted), and the shortest cycle through its first message
 * (`through`). Tarjan's algorithm: linear in messages and dependencies.
 */
export function findCycles(ids: Iterable<string>, dependsOn: DependsOn) {
  const search = new GroupSearch(dependsOn)
  for (const id of ids) search.visit(id)
  return search.groups.map((group) => {
    const members = group.sort()
    const inside = new Set(members)
    const through = findCycle(members[0]!, (id) => dependsOn(id).filter((next) => inside.has(next)))!
    return { through, members }
  })
}

interface Step {
  readonly id: string
  readonly targets: readonly string[]
  next: number
}

class GroupSearch {
  readonly groups: string[][] = []
  readonly #dependsOn: DependsOn
  readonly #order = new Map<string, number>()
  readonly #lowest = new Map<string, number>()
  readonly #open: string[] = []
  readonly #isOpen = new Set<string>()

  constructor(dependsOn: DependsOn) {
    this.#dependsOn = dependsOn
  }

  visit(start: string): void {
    if (this.#order.has(start)) return
    const steps = [this.#enter(start)]
    for (let step = steps.at(-1); step !== undefined; step = steps.at(-1)) {
      const target = step.targets[step.next++]
      if (target === undefined) {
        steps.pop()
        this.#leave(step, steps.at(-1)?.id)
      } else if (!this.#order.has(target)) steps.push(this.#enter(target))
      else if (this.#isOpen.has(target)) this.#lower(step.id, this.#order.get(target)!)
    }
  }

  #enter(id: string): Step {
    const order = this.#order.size
    this.#order.set(id, order)
    this.#lowest.set(id, order)
    this.#open.push(id)
    this.#isOpen.add(id)
    return { id, targets: this.#dependsOn(id), next: 0 }
  }

  #leave({ id, targets }: Step, parent: string | undefined): void {
    const lowest = this.#lowest.get(id)!
    if (parent !== undefined) this.#lower(parent, lowest)
    if (lowest !== this.#order.get(id)) return
    const group = this.#open.splice(this.#open.lastIndexOf(id))
    for (const member of group) this.#isOpen.delete(member)
    if (group.length > 1 || targets.includes(id)) this.groups.push(group)
  }

  #lower(id: string, order: number): void {
    if (order < this.#lowest.get(id)!) this.#lowest.set(id, order)
  }
}
