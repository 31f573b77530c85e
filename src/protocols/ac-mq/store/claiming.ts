/** Claiming a message, and waiting for one as long as the agent wants to. AC-MQ §4.2. */
import type { TreePath } from '../../../kernel/tree-path.ts'
import { type News, waitFor } from '../../../messaging/waiting/wait.ts'
import { areSame } from '../schema.ts'
import type { Claims } from './claims.ts'
import type { Claimed } from './outcomes.ts'
import type { MissionFiles } from './parts.ts'
import type { Policy } from './policy.ts'
import type { Reconciliation } from './reconcile.ts'
import type { Waiting } from './waiting/waiting.ts'

export interface ClaimOptions {
  readonly agent: string
  readonly id?: string
  readonly waitMs?: number
  /** Not what is for `all`. */
  readonly mine?: boolean
}

export interface ClaimingParts {
  readonly files: MissionFiles
  readonly waiting: Waiting
  readonly policy: Policy
  readonly claims: Claims
  /** Loaded when there is something to set aside. */
  readonly reconciliation: () => Promise<Reconciliation>
}

export async function claimOrWait(parts: ClaimingParts, options: ClaimOptions): Promise<Claimed> {
  const { agent, id, waitMs, mine } = options
  const take = () => (id === undefined ? parts.claims.claim(agent, mine) : parts.claims.claimById(id, agent))
  const first = await take()
  if (first.outcome === 'claimed') return first
  const second = await tryHarder(parts, take, options, first)
  return second.outcome === 'claimed' || !waitMs ? second : waitForOne(parts, take, options, second)
}

type Take = () => Promise<Claimed>

/** Before anyone is told that nothing is there. */
async function tryHarder(
  parts: ClaimingParts,
  take: Take,
  { agent, mine }: ClaimOptions,
  nothing: Claimed,
): Promise<Claimed> {
  const { waiting } = parts
  // Telling what is held back can show that something is not: what it waited for was completed and archived before
  // anybody here saw it.
  const taken = (await waiting.hasReady(agent, mine)) ? await take() : nothing
  if (taken.outcome === 'claimed') return taken
  // Malformed files that nobody is writing any more go out of the way.
  if (waiting.malformed.length === 0) return taken
  const reconciliation = await parts.reconciliation()
  for (const { name, problem } of waiting.malformed) await reconciliation.setAside('pending', name, problem)
  return taken
}

/** Woken by what happens in the folders; looks by itself only now and then. */
async function waitForOne(parts: ClaimingParts, take: Take, options: ClaimOptions, first: Claimed): Promise<Claimed> {
  const { files, policy, claims, waiting } = parts
  const { agent, id, waitMs = 0, mine } = options
  const { pending, completed } = files.queues
  let last = first
  let elsewhere: readonly TreePath[] = []
  const attempt = async (news: News | undefined) => {
    const isArrival = id === undefined && news?.folder === pending
    last = (isArrival ? await claims.claimArrived(news.name, agent, mine) : undefined) ?? (await take())
    if (last.outcome !== 'claimed') last = await tryHarder(parts, take, options, last)
    if (last.outcome === 'claimed') return last
    // Something waits for a message of another mission: from now on that mission is watched too.
    return areSame(waiting.elsewhere, elsewhere) ? undefined : 'again'
  }
  const deadline = performance.now() + waitMs
  const watching = policy.watch()
  try {
    for (;;) {
      elsewhere = waiting.elsewhere
      const left = deadline - performance.now()
      const found = await waitFor(files.tree, [pending, completed, ...elsewhere], attempt, { waitMs: left })
      if (found !== 'again') return found ?? last
      if (performance.now() >= deadline) return last
    }
  } finally {
    // After whoever waited has the message in hand.
    setImmediate(() => watching.close())
  }
}
