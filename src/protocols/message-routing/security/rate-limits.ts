/**
 * How fast a sender may send: a token bucket for each sender, shared by every process of the workspace.
 *
 * A bucket holds `burst` tokens and gains one every `60000 / perMinute` milliseconds. Instead of counting tokens, it stores the
 * time at which it will be full again: each message moves that time by one interval. A message that would move it further than a
 * whole bucket ahead has to wait. So nothing is rounded and nothing drifts.
 *
 *   .signalbox/state/rates/message-routing/sent/{sender}.json                   when it sends
 *   .signalbox/state/rates/message-routing/received/{recipient}/{sender}.json   when that recipient receives from it
 */
import { childOf, type TreePath } from '../../../kernel/tree-path.ts'
import { changeLeaf } from '../../../messaging/leaves/change.ts'
import { stateOf } from '../../../tree/home.ts'
import type { Tree } from '../../../tree/tree.ts'
import { senderFolder } from '../layout.ts'

const ratesHome = childOf(stateOf('rates'), 'message-routing')

export class RateLimits {
  readonly #tree: Tree
  readonly #limit: RateLimit

  constructor(tree: Tree, limit: RateLimit) {
    this.#tree = tree
    this.#limit = limit
  }

  takeForSending = (from: string, now: number): Promise<TakenToken> =>
    this.#take(childOf(childOf(ratesHome, 'sent'), `${senderFolder(from)}.json`), now)

  takeForReceiving = (agent: string, from: string, now: number): Promise<TakenToken> =>
    this.#take(childOf(childOf(childOf(ratesHome, 'received'), agent), `${senderFolder(from)}.json`), now)

  /** `changeLeaf` replaces only what it read, so that no token is taken twice. */
  async #take(path: TreePath, now: number): Promise<TakenToken> {
    let taken: TakenToken | undefined
    await changeLeaf(this.#tree, path, (leaf) => {
      const bucket = leaf && parseBucket(Buffer.from(leaf.bytes).toString('latin1'))
      taken = takeToken(bucket, now, this.#limit)
      return taken.outcome === 'empty' ? undefined : Buffer.from(printBucket(taken.bucket))
    })
    return taken!
  }
}

interface RateLimit {
  readonly perMinute: number
  /** How many may come at once after a pause; `perMinute` by default. */
  readonly burst?: number
}

export interface Bucket {
  /** When it will be full again, if no other token is taken. */
  readonly fullAt: number
  /** When the last token was taken. */
  readonly at: number
}

type TakenToken =
  | { readonly outcome: 'taken'; readonly bucket: Bucket }
  | { readonly outcome: 'empty'; readonly retryAt: number }

/** Without a bucket, the sender has sent nothing yet: its bucket is full. */
export function takeToken(bucket: Bucket | undefined, now: number, limit: RateLimit): TakenToken {
  const interval = 60_000 / limit.perMinute
  const depth = interval * (limit.burst ?? limit.perMinute)
  const current = settle(bucket, now, depth)
  const fullAt = Math.max(current.fullAt, current.at) + interval
  const retryAt = fullAt - depth
  // Half a millisecond of tolerance: the clock counts whole milliseconds, an interval may have fractions.
  if (retryAt > current.at + 0.5) return { outcome: 'empty', retryAt }
  return { outcome: 'taken', bucket: { fullAt, at: current.at } }
}

/**
 * A time a little before the last one counts as the last one. If the clock was set back by more than it takes to fill the bucket,
 * the bucket starts anew: otherwise the sender would be blocked for as long.
 */
function settle(bucket: Bucket | undefined, now: number, depth: number): Bucket {
  if (!bucket || bucket.at - now > depth) return { fullAt: now, at: now }
  const at = Math.max(bucket.at, now)
  return { fullAt: Math.min(bucket.fullAt, at + depth), at }
}

export const printBucket = ({ fullAt, at }: Bucket): string => `${JSON.stringify({ fullAt, at })}\n`

/** `undefined`, a full bucket, for a file that cannot be read. */
export function parseBucket(text: string): Bucket | undefined {
  const [, fullAt, at] = /^\{"fullAt":(-?\d+(?:\.\d+)?),"at":(-?\d+(?:\.\d+)?)\}\s*$/.exec(text) ?? []
  return fullAt === undefined || at === undefined ? undefined : { fullAt: Number(fullAt), at: Number(at) }
}
