/**
 * What a process remembers of the indexes of an archive: the bytes of the last ones, up to a limit; and for an index that was
 * read twice a hash of each id, so that the index is not read again for an id that it does not have.
 */
import { shortLength } from '../../../kernel/short-id.ts'
import type { TreePath } from '../../../kernel/tree-path.ts'
import type { TimedEntry, Tree } from '../../../tree/tree.ts'
import { readIndex } from './pack.ts'

/** A pack and its index, by the path of the pack. One of the two may be lost. */
export interface PackFile {
  readonly path: TreePath
  readonly pack: TimedEntry | undefined
  readonly index: TimedEntry | undefined
}

const mostBytes = 512 * 1024
/** For all indexes together. When there are more, all are forgotten. */
const mostHashes = 1_000_000

interface Known {
  readonly stamp: string
  /** `undefined` after the first reading: a command that asks once should not parse a whole index. */
  readonly hashes?: Uint32Array
}

export class IndexCache {
  static readonly #all = new WeakMap<Tree, IndexCache>()
  readonly #kept = new Map<TreePath, { readonly stamp: string; readonly bytes: Buffer }>()
  #size = 0
  readonly #known = new Map<TreePath, Known>()
  #hashes = 0

  static of(tree: Tree): IndexCache {
    const known = IndexCache.#all.get(tree) ?? new IndexCache()
    IndexCache.#all.set(tree, known)
    return known
  }

  /** True when this index surely has no message whose id is or begins with this one. */
  cannotHave(pack: PackFile, id: string): boolean {
    const known = this.#known.get(pack.path)
    return known?.hashes !== undefined && known.stamp === stampOf(pack) && !known.hashes.includes(hashOf(id))
  }

  async read(pack: PackFile, load: () => Promise<Buffer>): Promise<Buffer> {
    const { path } = pack
    const stamp = stampOf(pack)
    const kept = this.#kept.get(path)
    if (kept?.stamp === stamp) return kept.bytes
    if (kept) this.#drop(path, kept.bytes.length)
    const bytes = await load()
    this.#learn(path, stamp, bytes)
    for (const [oldest, { bytes: old }] of this.#kept) {
      if (this.#size + bytes.length <= mostBytes) break
      this.#drop(oldest, old.length)
    }
    if (this.#size + bytes.length > mostBytes) return bytes
    this.#kept.set(path, { stamp, bytes })
    this.#size += bytes.length
    return bytes
  }

  #learn(path: TreePath, stamp: string, bytes: Buffer): void {
    const known = this.#known.get(path)
    const isSame = known?.stamp === stamp
    if (isSame && known.hashes) return
    const hashes = isSame ? Uint32Array.from([...readIndex(bytes, path)].map(({ id }) => hashOf(id))) : undefined
    this.#hashes += (hashes?.length ?? 0) - (known?.hashes?.length ?? 0)
    if (this.#hashes > mostHashes) {
      this.#known.clear()
      this.#hashes = hashes?.length ?? 0
    }
    this.#known.set(path, hashes ? { stamp, hashes } : { stamp })
  }

  #drop(path: TreePath, size: number): void {
    if (this.#kept.delete(path)) this.#size -= size
  }
}

const stampOf = ({ pack, index }: PackFile): string =>
  [pack, index].map((file) => (file ? `${file.size} ${file.modifiedAt}` : '')).join(' ')

/** A hash of the first characters, because an id can be asked for by these alone. */
function hashOf(id: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < Math.min(id.length, shortLength); i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
