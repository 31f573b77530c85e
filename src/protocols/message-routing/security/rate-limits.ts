/**
 * How fast a sender may send: a token bucket for each, shared by every process of the workspace.
 *
 * A bucket holds `burst` tokens and gains one every `60000 / perMinute` milliseconds. Instead of counting tokens it
 * remembers when it will be full again: each message moves that moment one interval further away, and a message that
 * would move it further than the bucket is deep has to wait. So nothing is rounded and nothing drifts.
 *
 *   .signalbox/state/rates/message-routing/sent/{sender}.json               what it may still send
 *   .signalbox/state/rates/message-routing/received/{recipient}/{sender}.json   what that inbox still takes from it
 */
import { childOf, type TreePath } from '../../../kernel/tree-path.ts'
import { changeLeaf } from '../../../messaging/leaves/change.ts'
import { stateOf } from '../../../tree/home.ts'
import type { Tree } from '../../../tree/tree.ts'
import { senderFolder } from '../layout.ts'

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
    this.#take(childOf(childOf(ratesHome, 'sent'), `${senderFolder(from)}.json`), now)

  takeForReceiving = (agent: string, from: string, now: number): Promise<Rated> =>
    this.#take(childOf(childOf(childOf(ratesHome, 'received'), agent), `${senderFolder(from)}.json`), now)

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

export interface RateLimit {
  readonly perMinute: number
  /** How many may come at once after a pause. `perMinute` unless said otherwise. */
  readonly burst?: number
}

export interface Bucket {
  /** When it is full again, if nothing else is taken. */
  readonly fullAt: number
  /** The latest moment anything was taken. */
  readonly at: number
}

export type TakenToken =
  | { readonly outcome: 'taken'; readonly bucket: Bucket }
  | { readonly outcome: 'empty'; readonly retryAt: number }

/** Takes one token at `now`. A bucket that was never used is full. */
export function takeToken(bucket: Bucket | undefined, now: number, limit: RateLimit): TakenToken {
  const interval = 60_000 / limit.perMinute
  const depth = interval * (limit.burst ?? limit.perMinute)
  const current = settle(bucket, now, depth)
  const fullAt = Math.max(current.fullAt, current.at) + interval
  const retryAt = fullAt - depth
  // Half a millisecond of tolerance, since the clock counts whole ones and an interval need not be whole.
  if (retryAt > current.at + 0.5) return { outcome: 'empty', retryAt }
  return { outcome: 'taken', bucket: { fullAt, at: current.at } }
}

/**
 * Time does not run backwards: moments a little out of order count as the later one. A clock that was set back by more
 * than it takes to fill the bucket would block a sender for as long, so then the bucket starts anew.
 */
function settle(bucket: Bucket | undefined, now: number, depth: number): Bucket {
  if (!bucket || bucket.at - now > depth) return { fullAt: now, at: now }
  const at = Math.max(bucket.at, now)
  return { fullAt: Math.min(bucket.fullAt, at + depth), at }
}

export const printBucket = ({ fullAt, at }: Bucket): string => `${JSON.stringify({ fullAt, at })}\n`

/** What cannot be read is as good as never written: a full bucket. */
export function parseBucket(text: string): Bucket | undefined {
  const [, fullAt, at] = /^\{"fullAt":(-?\d+(?:\.\d+)?),"at":(-?\d+(?:\.\d+)?)\}\s*$/.exec(text) ?? []
  return fullAt === undefined || at === undefined ? undefined : { fullAt: Number(fullAt), at: Number(at) }
}
