/**
 * What texts are compared by, remembered by their digest: `.signalbox/cache/search/texts.json`. A text that has changed has another
 * digest, so nothing in here is ever out of date. Disposable: deleting it costs time.
 */
import { digestOf } from '../../formats/digest.ts'
import { childOf } from '../../kernel/tree-path.ts'
import { type Features, featuresOf } from '../../text/features.ts'
import { cacheOf } from '../../tree/home.ts'
import type { Tree } from '../../tree/tree.ts'
import { isWorthWriting, readCacheFile, writeCacheFile } from './cache-file.ts'
import { packFeatures, sealed, unpackFeatures, unsealed } from './cache-format.ts'

const kind = 'signalbox-search-1'
const path = childOf(cacheOf('search'), 'texts.json')

interface Known {
  readonly features: ReadonlyMap<string, Features>
  /** How many texts another process would have to compare again. */
  readonly unsaved: number
}

/** In a process that stays, nothing is read twice. */
const inMemory = new WeakMap<Tree, Known>()

export class TextIndex {
  readonly #tree: Tree
  readonly #known: Known
  readonly #used = new Map<string, Features>()
  #made = 0

  private constructor(tree: Tree, known: Known) {
    this.#tree = tree
    this.#known = known
  }

  static async open(tree: Tree): Promise<TextIndex> {
    const known = inMemory.get(tree)
    if (known) return new TextIndex(tree, known)
    const bytes = await readCacheFile(tree, path)
    return new TextIndex(tree, { features: (bytes && parsed(bytes)) ?? new Map(), unsaved: 0 })
  }

  /** The digest names the text for vectors, too. */
  of(text: string): { readonly digest: string; readonly features: Features } {
    // As AC-MQ names a text to which nothing was added, so that both use one vector.
    const digest = digestOf(text, '')
    const known = this.#used.get(digest) ?? this.#known.features.get(digest)
    const features = known ?? featuresOf(text)
    if (!known) this.#made++
    this.#used.set(digest, features)
    return { digest, features }
  }

  /** `areAll`: all texts there are were asked for, so that the others can be forgotten. */
  async keep({ areAll }: { readonly areAll: boolean }): Promise<void> {
    const features = areAll ? this.#used : new Map([...this.#known.features, ...this.#used])
    const forgotten = areAll ? Math.max(0, this.#known.features.size + this.#made - features.size) : 0
    const unsaved = this.#known.unsaved + this.#made + forgotten
    const isSaved = isWorthWriting(features.size, unsaved)
    inMemory.set(this.#tree, { features, unsaved: isSaved ? 0 : unsaved })
    if (isSaved) await writeCacheFile(this.#tree, path, printed(features))
  }
}

const printed = (features: ReadonlyMap<string, Features>): Buffer =>
  sealed(kind, { digests: [...features.keys()], ...packFeatures([...features.values()]) })

const parsed = (bytes: Uint8Array): ReadonlyMap<string, Features> | undefined =>
  unsealed(kind, bytes, ({ digests, ...lists }) => {
    const features = unpackFeatures(lists)
    const isSound = digests.length === features.length && digests.every((one: unknown) => typeof one === 'string')
    return isSound ? new Map(digests.map((digest: string, i: number) => [digest, features[i]!])) : undefined
  })
