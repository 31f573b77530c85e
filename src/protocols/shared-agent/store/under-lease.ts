/** A lease on the tree for as long as some work takes, and no longer than the process lives that does it. */
import type { Tree } from '../../../tree/tree.ts'

export const leaseMs = 30_000
const renewMs = 10_000

/** `outlast`: waits until the lease of another process ends; answers 'busy' only if that process is alive and has renewed it. */
export async function underLease<T>(
  tree: Tree,
  resource: string,
  work: () => Promise<T>,
  { outlast = false, signal }: { readonly outlast?: boolean; readonly signal?: AbortSignal | undefined } = {},
): Promise<T | 'busy'> {
  const owner = `runner-${process.pid}-${process.getBuiltinModule('node:crypto').randomBytes(4).toString('hex')}`
  let got = await tree.lease(resource, owner, leaseMs)
  const { until } = got.lease
  while (got.outcome === 'busy' && outlast && got.lease.until === until && !signal?.aborted) {
    await rest(Math.max(1, until - (await tree.now())), signal)
    got = await tree.lease(resource, owner, leaseMs)
  }
  if (got.outcome === 'busy') return 'busy'
  const renewing = setInterval(() => void tree.lease(resource, owner, leaseMs).catch(() => undefined), renewMs)
  try {
    return await work()
  } finally {
    clearInterval(renewing)
    await tree.release(resource, owner)
  }
}

/** Resolves early when `signal` ends it, which rejects the timer with an `AbortError`. */
const rest = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  process
    .getBuiltinModule('node:timers/promises')
    .setTimeout(ms, undefined, signal ? { signal } : {})
    .catch(() => undefined)
