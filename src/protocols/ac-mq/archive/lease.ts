/** The lease of the one process that may archive a mission. It is renewed during the work and ends soon after a crash. */
import type { TreePath } from '../../../kernel/tree-path.ts'
import type { Lease, Tree } from '../../../tree/tree.ts'

const leaseMs = 15_000

/** Thrown when another process has taken the lease over. That process finishes the work. */
export class LeaseLost extends Error {
  readonly lease: Lease | undefined

  constructor(lease?: Lease) {
    super('Another archiver has taken over.')
    this.lease = lease
  }
}

export class ArchiveLease {
  readonly #tree: Tree
  #lease: Lease
  #renewedAt = performance.now()

  private constructor(tree: Tree, lease: Lease) {
    this.#tree = tree
    this.#lease = lease
  }

  static async take(tree: Tree, archive: TreePath, owner: string): Promise<ArchiveLease | Lease> {
    // Two processes may have the same owner name; each must know its own lease.
    const self = `${owner} ${crypto.randomUUID().slice(0, 8)}`
    const { outcome, lease } = await tree.lease(`ac-mq archive ${archive}`, self, leaseMs)
    return outcome === 'held' ? new ArchiveLease(tree, lease) : lease
  }

  /** For writes: refused when another process holds the lease by now. */
  get guard(): { readonly under: Lease } {
    return { under: this.#lease }
  }

  async keep(): Promise<void> {
    if (performance.now() - this.#renewedAt < leaseMs / 3) return
    const { outcome, lease } = await this.#tree.lease(this.#lease.resource, this.#lease.owner, leaseMs)
    // A new fence means that the lease had run out, and another process may have archived in between.
    if (outcome !== 'held' || lease.fence !== this.#lease.fence) throw new LeaseLost(lease)
    this.#lease = lease
    this.#renewedAt = performance.now()
  }

  async end(): Promise<void> {
    await this.#tree.release(this.#lease.resource, this.#lease.owner)
  }
}
