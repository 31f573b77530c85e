/** Whether a bridge runs: each that stays holds a lease of its own, which ends by itself if the bridge is killed. */
import type { Tree } from '../tree/tree.ts'

const prefix = 'bridge '
/** In milliseconds. A bridge renews it at least every thirty seconds. */
const ttl = 90_000

export async function holdBridge(tree: Tree) {
  const name = `${prefix}${crypto.randomUUID()}`
  await tree.lease(name, name, ttl)
  return {
    renew: () => tree.lease(name, name, ttl),
    release: () => tree.release(name, name),
  }
}

export const isBridgeRunning = async (tree: Tree): Promise<boolean> =>
  (await tree.leases()).some(({ resource }) => resource.startsWith(prefix))
