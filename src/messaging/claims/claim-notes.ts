/**
 * Claims that are kept beside the messages, one note each: {"holder": "…", "attempt": 1, "until": 1767268800000}. For protocols
 * whose own files have no place for a claim. Each verb is one change of one leaf, judged on what stands there: of many
 * claimers one wins, and a holder whose claim was handed on changes nothing.
 */
import { childOf, type TreePath } from '../../kernel/tree-path.ts'
import type { Leaf, Tree } from '../../tree/tree.ts'
import { changeLeaf } from '../leaves/change.ts'
import { readIfLeaf } from '../leaves/tolerant.ts'
import { type Claim, expectHeld, type Holding, isOver, nextClaim } from './claim.ts'

export type Claimed =
  | { readonly outcome: 'claimed'; readonly claim: Claim }
  /** Another agent, or an earlier attempt of this one, has it. */
  | { readonly outcome: 'held'; readonly claim: Claim }

/** No note of ours is longer. */
const longestNote = 4096

export class ClaimNotes {
  readonly #tree: Tree
  readonly #folder: TreePath

  constructor(tree: Tree, folder: TreePath) {
    this.#tree = tree
    this.#folder = folder
  }

  /** The claim on a message, over or not; `undefined` where there is none. */
  async of(name: string): Promise<Claim | undefined> {
    const leaf = await readIfLeaf(this.#tree, this.#noteOf(name), { atMost: longestNote, fresh: true })
    return leaf && claimIn(leaf)
  }

  /** Claims a message that no agent holds. `ttlMs`: for so long; without it, until it is settled or given back. */
  async take(name: string, holder: string, ttlMs?: number): Promise<Claimed> {
    const now = await this.#tree.now()
    let answer: Claimed | undefined
    await this.#change(name, (before) => {
      if (before && !isOver(before, now)) {
        answer = { outcome: 'held', claim: before }
        return undefined
      }
      const claim = nextClaim(before, holder, ttlMs === undefined ? undefined : now + ttlMs)
      answer = { outcome: 'claimed', claim }
      return claim
    })
    return answer!
  }

  /** The holder still works on it. Throws `LOST_CLAIM`. */
  async renew(name: string, holding: Holding, ttlMs: number): Promise<Claim> {
    const now = await this.#tree.now()
    let renewed: Claim | undefined
    await this.#change(name, (before) => {
      expectHeld(name, before, holding, now)
      renewed = { ...before!, until: now + ttlMs }
      return renewed
    })
    return renewed!
  }

  /** The holder gives it back: it can be claimed again at once, as the next attempt. Throws `LOST_CLAIM`. */
  async giveBack(name: string, holding: Holding): Promise<void> {
    await this.#change(name, (before) => {
      expectHeld(name, before, holding)
      return { ...before!, until: 0 }
    })
  }

  /** The message is dealt with. Only the holder's claim is removed; repeating it is fine. */
  async settle(name: string, holding: Holding): Promise<'settled' | 'gone'> {
    const removed = await this.#tree.remove(this.#noteOf(name), {
      onlyIf: (bytes) => {
        const claim = claimIn({ bytes })
        if (claim) expectHeld(name, claim, holding)
        return true
      },
      atMost: longestNote,
    })
    return removed.outcome === 'removed' ? 'settled' : 'gone'
  }

  #change(name: string, change: (before: Claim | undefined) => Claim | undefined): Promise<unknown> {
    return changeLeaf(
      this.#tree,
      this.#noteOf(name),
      (leaf) => {
        const after = change(leaf && claimIn(leaf))
        return after && Buffer.from(`${JSON.stringify(after)}\n`)
      },
      { fresh: true },
    )
  }

  #noteOf(name: string): TreePath {
    return childOf(this.#folder, `${name}.json`)
  }
}

/** The claim in a note; `undefined` where the note is no claim, since a stranger may have written it. */
function claimIn({ bytes }: Pick<Leaf, 'bytes'>): Claim | undefined {
  try {
    const { holder, attempt, until } = JSON.parse(Buffer.from(bytes).toString('utf8')) as Record<string, unknown>
    const isClaim =
      typeof holder === 'string' &&
      Number.isSafeInteger(attempt) &&
      (attempt as number) > 0 &&
      (until === undefined || typeof until === 'number')
    return isClaim ? ({ holder, attempt, ...(until === undefined ? {} : { until }) } as Claim) : undefined
  } catch {
    // Not JSON, or null.
    return undefined
  }
}
