/**
 * What people have been told already, so that a remark comes when something changes and not while it lasts: that a type goes
 * an unusual way, that an inbox is nearly full, that a file cannot be read. One empty file each in the cache: when it is
 * deleted, the remark comes once more.
 *
 *   .signalbox/cache/remarks/message-routing/direction/coder-1/coder-2.command
 */
import { SignalboxError } from '../../../kernel/errors.ts'
import { childOf, isSegment, type TreePath } from '../../../kernel/tree-path.ts'
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
  async isNews(kind: NoticeKind, about: readonly [string, string], forMs = Number.POSITIVE_INFINITY): Promise<boolean> {
    const path = pathOf(kind, about)
    if (path === undefined) return true
    if (this.#told.has(path) && forMs === Number.POSITIVE_INFINITY) return false
    try {
      const found = await this.#tree.read(path, { atMost: 1 })
      const isOver = found !== undefined && (await this.#isOlder(found.modifiedAt, forMs))
      if (found && !isOver) return false
      if (isOver) await this.#tree.touch(path)
      else await this.#tree.create(path, '')
    } catch (error) {
      // Told once too often is better than a message that fails for it.
      if (!(error instanceof SignalboxError)) throw error
    }
    this.#told.add(path)
    return true
  }

  /** It is over: when it comes back, that is news. */
  async forget(kind: NoticeKind, about: readonly [string, string]): Promise<void> {
    const path = pathOf(kind, about)
    if (path === undefined) return
    this.#told.delete(path)
    try {
      await this.#tree.remove(path)
    } catch (error) {
      if (!(error instanceof SignalboxError)) throw error
    }
  }

  /**
   * Whether an alert is one: the inbox is over its threshold since this message, or nobody has been told. A slow step is
   * news again when there was none for a while.
   */
  async #isNewAlert({ metric, value, threshold, agent = '_' }: Alert, isGrowing: boolean): Promise<boolean> {
    if (metric !== 'inbox_depth') return this.isNews('slow', [metric, agent], freshMs)
    const isNew = await this.isNews('inbox_depth', ['inbox', agent])
    return isNew || (isGrowing && value - 1 <= threshold)
  }

  /** The sentences of those alerts that people have been told while it lasts. */
  async toldBefore(alerts: readonly Alert[], after: 'sending' | 'receiving'): Promise<readonly string[]> {
    const told: string[] = []
    for (const alert of alerts) if (!(await this.#isNewAlert(alert, after === 'sending'))) told.push(alert.message)
    return told
  }

  #isOlder = async (at: number, ms: number): Promise<boolean> =>
    ms !== Number.POSITIVE_INFINITY && (await this.#tree.now()) - at > ms
}

/** `undefined` for a name that the tree cannot hold. */
function pathOf(kind: NoticeKind, [folder, name]: readonly [string, string]): TreePath | undefined {
  if (!isSegment(folder) || !isSegment(name)) return undefined
  return childOf(childOf(childOf(remarksHome, kind), folder), name)
}
