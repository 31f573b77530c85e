/**
 * What people have been told already, so that a remark comes when something changes and not while it lasts: that a type goes
 * an unusual way, that an inbox is nearly full, that a file cannot be read. One empty file each in the cache: when it is
 * deleted, the remark comes once more.
 *
 *   .signalbox/cache/remarks/message-routing/direction/coder-1/coder-2.command
 */
import { childOf, isSegment, type TreePath } from '../../../kernel/tree-path.ts'
import { unlessFailed } from '../../../messaging/leaves/tolerant.ts'
import { cacheOf } from '../../../tree/home.ts'
import type { Tree } from '../../../tree/tree.ts'
import { type Alert, freshMs } from '../metrics/alerts.ts'

const remarksHome = childOf(cacheOf('remarks'), 'message-routing')

export type NoticeKind = 'direction' | 'direction-read' | 'form' | 'closed' | 'inbox_depth' | 'slow'

export class ToldNotices {
  readonly #tree: Tree
  readonly #told = new Set<string>()

  constructor(tree: Tree) {
    this.#tree = tree
  }

  /** True for the first to ask; false for all after, in whatever process. `forMs`: true again after so long. */
  async isNews(kind: NoticeKind, about: readonly [string, string], forMs?: number): Promise<boolean> {
    const path = pathOf(kind, about)
    if (path === undefined) return true
    if (this.#told.has(path) && forMs === undefined) return false
    // A remark that comes twice is better than a message that fails because of it.
    if ((await unlessFailed(this.#isFirst(path, forMs))) === false) return false
    this.#told.add(path)
    return true
  }

  async #isFirst(path: TreePath, forMs: number | undefined): Promise<boolean> {
    const tree = this.#tree
    const found = await tree.read(path, { atMost: 1 })
    if (!found) await tree.create(path, '')
    else if (forMs === undefined || (await tree.now()) - found.modifiedAt <= forMs) return false
    else await tree.touch(path)
    return true
  }

  /** It is over: when it comes back, that is news. */
  async forget(kind: NoticeKind, about: readonly [string, string]): Promise<void> {
    const path = pathOf(kind, about)
    if (path === undefined) return
    this.#told.delete(path)
    await unlessFailed(this.#tree.remove(path))
  }

  /** The sentences of those alerts that people have been told while it lasts. */
  async toldBefore(alerts: readonly Alert[], after: 'sending' | 'receiving'): Promise<readonly string[]> {
    const told: string[] = []
    for (const alert of alerts) if (!(await this.#isNewAlert(alert, after === 'sending'))) told.push(alert.message)
    return told
  }

  /** An inbox has just grown above its threshold, or its alert was not told yet. A slow step is news again after a while. */
  async #isNewAlert({ metric, value, threshold, agent = '_' }: Alert, isGrowing: boolean): Promise<boolean> {
    if (metric !== 'inbox_depth') return this.isNews('slow', [metric, agent], freshMs)
    const isNew = await this.isNews('inbox_depth', ['inbox', agent])
    return isNew || (isGrowing && value - 1 <= threshold)
  }
}

/** `undefined` for a name that the tree cannot hold. */
function pathOf(kind: NoticeKind, [folder, name]: readonly [string, string]): TreePath | undefined {
  if (!isSegment(folder) || !isSegment(name)) return undefined
  return childOf(childOf(childOf(remarksHome, kind), folder), name)
}
