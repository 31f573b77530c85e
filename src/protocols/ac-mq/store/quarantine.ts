/**
 * Why a file in `failed/` was set aside, for the person who finds it there. It stands at the end of the file; of a file that is
 * too large to be read it stands in one beside it. Either way the file stays as unreadable as it was, until somebody mends it.
 */
import type { Problem } from '../../../kernel/problem.ts'
import { childOf } from '../../../kernel/tree-path.ts'
import { isUnread, readOrSayWhy } from '../../../messaging/leaves/readable.ts'
import { failureOf, withFailure } from '../format.ts'
import type { MissionFiles } from './parts.ts'

export class Quarantine {
  readonly #files: MissionFiles

  constructor(files: MissionFiles) {
    this.#files = files
  }

  /** True when nothing more is to be told: it is gone, or the reason is there. */
  async hasReport(name: string): Promise<boolean> {
    const leaf = await this.#read(name)
    if (leaf === 'too large') return (await this.#files.tree.look(this.#beside(name))) !== undefined
    return leaf === undefined || failureOf(leaf) !== undefined
  }

  /** Writes the reason, once. */
  async report(name: string, { message: reason, hint: detail }: Problem): Promise<void> {
    const { tree, clock } = this.#files
    const leaf = await this.#read(name)
    if (leaf === undefined) return
    const failure = { agent: 'signalbox', at: clock.now(), reason, ...(detail ? { detail } : {}) }
    if (leaf === 'too large') {
      await tree.create(this.#beside(name), withFailure(new Uint8Array(), failure))
      return
    }
    if (failureOf(leaf) !== undefined) return
    // Line by line at the end, so that whoever still writes to the file does not lose a line.
    const report = withFailure(leaf, failure).subarray(leaf.length).toString('utf8')
    for (const line of report.split('\n').slice(0, -1)) {
      await tree.append(this.#files.at('failed', name), line.replaceAll('\r', ''))
    }
  }

  /** `undefined` when it is gone, or this user may not read it. */
  async #read(name: string): Promise<Uint8Array | 'too large' | undefined> {
    const { tree, settings } = this.#files
    const read = await readOrSayWhy(tree, this.#files.at('failed', name), { most: settings.largestMessage })
    if (!read || !isUnread(read)) return read?.bytes
    return read.outcome === 'closed' ? undefined : 'too large'
  }

  /** Not named like a message. File names hold 255 bytes at most. */
  #beside(name: string) {
    return childOf(this.#files.queues.failed, `${name.slice(0, 200)}.reason.txt`)
  }
}
