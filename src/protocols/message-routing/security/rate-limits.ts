/**
 * The buckets of all senders, shared by every process of the workspace.
 *
 *   .signalbox/state/rates/message-routing/sent/{sender}.json               what it may still send
 *   .signalbox/state/rates/message-routing/received/{recipient}/{sender}.json   what that inbox still takes from it
 */
import { childOf, type TreePath } from '../../../kernel/tree-path.ts'
import { changeLeaf } from '../../../messaging/leaves/change.ts'
import { stateOf } from '../../../tree/home.ts'
import type { Tree } from '../../../tree/tree.ts'
import { parseBucket, printBucket, type RateLimit, takeToken } from './rate.ts'
import { folderNameOf } from './sender-folder.ts'

const ratesHome = childOf(stateOf('rates'), 'message-routing')

export type Rated = { readonly outcome: 'taken' } | { readonly outcome: 'empty'; readonly retryAt: number }

export class RateLimits {
  readonly #tree: Tree
  readonly #limit: RateLimit

  constructor(tree: Tree, limit: RateLimit) {
    this.#tree = tree
    this.#limit = limit
  }

  takeForSending = (from: string, now: number): Promise<Rated> =>
    this.#take(childOf(childOf(ratesHome, 'sent'), `${folderNameOf(from)}.json`), now)

  takeForReceiving = (agent: string, from: string, now: number): Promise<Rated> =>
    this.#take(childOf(childOf(childOf(ratesHome, 'received'), agent), `${folderNameOf(from)}.json`), now)

  /** Writes only over what it read, so no token is taken twice. */
  async #take(path: TreePath, now: number): Promise<Rated> {
    let rated: Rated = { outcome: 'taken' }
    await changeLeaf(this.#tree, path, (leaf) => {
      const bucket = leaf && parseBucket(Buffer.from(leaf.bytes).toString('latin1'))
      const taken = takeToken(bucket, now, this.#limit)
      rated = taken.outcome === 'empty' ? taken : { outcome: 'taken' }
      return taken.outcome === 'empty' ? undefined : Buffer.from(printBucket(taken.bucket))
    })
    return rated
  }
}
