/**
 * The notices that people have seen, so that a lasting condition is reported once: a message with an unusual direction, an inbox
 * that is nearly full, a file that cannot be read. One empty file each in the cache; when it is deleted, the notice comes again.
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

  /** True for the first call, false for all later ones, in any process. `forMs`: true again after so many milliseconds. */
  async isNews(kind: NoticeKind, about: readonly [string, string], forMs?: number): Promise<boolean> {
    const path = pathOf(kind, about)
    if (path === undefined) return true
    if (this.#told.has(path) && forMs === undefined) return false
    // If the cache cannot be written, the notice comes again: no message fails because of it.
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

  /** The condition is over: when it comes back, it is news. */
  async forget(kind: NoticeKind, about: readonly [string, string]): Promise<void> {
    const path = pathOf(kind, about)
    if (path === undefined) return
    this.#told.delete(path)
    await unlessFailed(this.#tree.remove(path))
  }

  /** The sentences of the alerts that people have seen already. */
  async toldBefore(alerts: readonly Alert[], after: 'sending' | 'receiving'): Promise<readonly string[]> {
    const told: string[] = []
    for (const alert of alerts) if (!(await this.#isNewAlert(alert, after === 'sending'))) told.push(alert.message)
    return told
  }

  /** Depth is also news when the inbox has just grown above the threshold; a slow step is news again after `freshMs`. */
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
