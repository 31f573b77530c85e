/**
 * The measurements of all processes, added up without a process that collects them.
 *
 * Each process appends one line with what it has measured since its last line. A journal that has grown too large is renamed and,
 * once no process can still be writing to it, added to the totals. The totals name the journals they contain until those are
 * removed, so that a crash in between counts nothing twice.
 *
 *   .signalbox/state/metrics/message-routing/journal.jsonl
 *   .signalbox/state/metrics/message-routing/full-{name}.jsonl
 *   .signalbox/state/metrics/message-routing/totals.json
 */
import { readJsonLines } from '../../../formats/json-lines.ts'
import { childOf, type TreePath } from '../../../kernel/tree-path.ts'
import { writeOver } from '../../../messaging/leaves/change.ts'
import { isUnread, readOrSayWhy } from '../../../messaging/leaves/readable.ts'
import { stateOf } from '../../../tree/home.ts'
import type { Leaf, Revision, Tree } from '../../../tree/tree.ts'
import { emptySnapshot, isSlow, mergeSnapshots, readSnapshot, type Snapshot, shifted } from './snapshot.ts'

export const metricsHome = childOf(stateOf('metrics'), 'message-routing')
const journalPath = childOf(metricsHome, 'journal.jsonl')
const totalsPath = childOf(metricsHome, 'totals.json')
const fullName = /^full-[\w-]+\.jsonl$/

/** About 400 lines; reading them takes a millisecond or two. */
const largestJournal = 64 * 1024
/** A process opens the journal and appends at once, so none still writes to one that was renamed so long ago. */
const settledMs = 2000

interface Totals {
  readonly snapshot: Snapshot
  /** The journals that are in the snapshot, and may not be removed yet. */
  readonly folded: readonly string[]
}

export class MetricsJournal {
  readonly #tree: Tree

  constructor(tree: Tree) {
    this.#tree = tree
  }

  /**
   * One look and one small append; now and then also renaming a full journal. `now`: the time of the clock by which the snapshot
   * was taken, for turning its times into the tree's.
   */
  async append(snapshot: Snapshot, now: number): Promise<void> {
    const told = isSlow(snapshot) ? shifted(snapshot, (await this.#tree.now()) - now) : snapshot
    const found = await this.#tree.look(journalPath)
    if (found && found.size > largestJournal) await this.#putAside()
    await this.#tree.append(journalPath, JSON.stringify(told))
  }

  /** The sum of all measurements that were written. Changes nothing. */
  async read(): Promise<Snapshot> {
    // The journals before the totals: a journal that another process adds to the totals in between is then in both, and skipped.
    const parts: [name: string, snapshot: Snapshot][] = []
    for (const { name } of await this.#tree.list(metricsHome)) {
      if (name === 'journal.jsonl' || fullName.test(name)) parts.push([name, await this.#sumOf(name)])
    }
    const { snapshot, folded } = (await this.#totals()).totals
    const missing = parts.filter(([name]) => !folded.includes(name)).map(([, part]) => part)
    return missing.reduce(mergeSnapshots, snapshot)
  }

  async #putAside(): Promise<void> {
    const unique = process.getBuiltinModule('node:crypto').randomBytes(6).toString('hex')
    await this.#tree.move(journalPath, childOf(metricsHome, `full-${unique}.jsonl`))
    await this.#fold()
  }

  /** Adds settled journals to the totals. A process that loses the race leaves it to the winner. */
  async #fold(): Promise<void> {
    const entries = await this.#tree.list(metricsHome, { times: true })
    const full = entries.filter(({ name }) => fullName.test(name))
    const { totals, revision } = await this.#totals()
    const before = totals.folded.filter((name) => full.some((entry) => entry.name === name))
    const limit = (await this.#tree.now()) - settledMs
    const settled = full.filter(({ name, changedAt }) => changedAt < limit && !before.includes(name))
    let { snapshot } = totals
    for (const { name } of settled) snapshot = mergeSnapshots(snapshot, await this.#sumOf(name))
    const folded = [...before, ...settled.map(({ name }) => name)]
    const bytes = Buffer.from(`${JSON.stringify({ snapshot, folded })}\n`)
    if (folded.length === 0 || !(await writeOver(this.#tree, totalsPath, bytes, revision))) return
    for (const name of folded) await this.#tree.remove(childOf(metricsHome, name))
  }

  /** Totals that cannot be read count from zero again, as Prometheus expects of a counter that was lost. */
  async #totals(): Promise<{ readonly totals: Totals; readonly revision: Revision | undefined }> {
    const leaf = await this.#read(totalsPath)
    const [line] = leaf ? readJsonLines(leaf.bytes) : []
    const value = ((line?.kind === 'record' ? line.value : undefined) ?? {}) as Partial<Record<keyof Totals, unknown>>
    const folded = Array.isArray(value.folded) ? value.folded.filter((name) => typeof name === 'string') : []
    return { totals: { snapshot: readSnapshot(value.snapshot) ?? emptySnapshot, folded }, revision: leaf?.revision }
  }

  async #sumOf(name: string): Promise<Snapshot> {
    const leaf = await this.#read(childOf(metricsHome, name))
    let sum = emptySnapshot
    for (const line of leaf ? readJsonLines(leaf.bytes) : []) {
      // A line that a crash cut off, or that has other buckets, is skipped: measurements may be lost.
      const part = line.kind === 'record' ? readSnapshot(line.value) : undefined
      if (part) sum = mergeSnapshots(sum, part)
    }
    return sum
  }

  /** A file that this user may not read is skipped: measurements may be lost. */
  async #read(path: TreePath): Promise<Leaf | undefined> {
    const read = await readOrSayWhy(this.#tree, path)
    return read && !isUnread(read) ? read : undefined
  }
}
