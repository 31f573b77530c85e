/**
 * Ids in a file of lines that is only ever added to, each with its time. What was read of it stays known, so that a file of
 * thousands of lines costs only what has come since.
 */
import { readJsonLines } from '../../../formats/json-lines.ts'
import type { TreePath } from '../../../kernel/tree-path.ts'
import { isUnread, readOrSayWhy } from '../../../messaging/leaves/readable.ts'
import type { Tree } from '../../../tree/tree.ts'

/** The id and the time in a line; `undefined` for a line that we did not write. */
export type IdIn = (value: unknown) => readonly [id: string, at: number] | undefined

export const largestLog = 64 * 1024 * 1024
/** So many bytes before the position of the last read must be unchanged; otherwise the file was replaced. */
const compared = 256
const lineFeed = 10

export class IdLog {
  readonly #tree: Tree
  readonly #path: TreePath
  readonly #idIn: IdIn
  #ids = new Map<string, number>()
  /** How far it was read, to the end of a line, and the last bytes before that. */
  #end = 0
  #before: Uint8Array = new Uint8Array()
  #seen = ''

  constructor(tree: Tree, path: TreePath, idIn: IdIn) {
    this.#tree = tree
    this.#path = path
    this.#idIn = idIn
  }

  async all(): Promise<ReadonlyMap<string, number>> {
    const entry = await this.#tree.look(this.#path)
    const seen = entry?.kind === 'leaf' ? `${entry.size} ${entry.modifiedAt}` : ''
    if (seen === this.#seen) return this.#ids
    const leaf = seen === '' ? undefined : await readOrSayWhy(this.#tree, this.#path, { most: largestLog })
    this.#add(leaf && !isUnread(leaf) ? leaf.bytes : new Uint8Array())
    this.#seen = seen
    return this.#ids
  }

  #add(bytes: Uint8Array): void {
    const before = bytes.subarray(Math.max(0, this.#end - compared), this.#end)
    if (bytes.length < this.#end || Buffer.compare(before, this.#before) !== 0) {
      this.#ids = new Map()
      this.#end = 0
    }
    for (const line of readJsonLines(bytes.subarray(this.#end), { maxBytes: largestLog })) {
      const found = line.kind === 'record' ? this.#idIn(line.value) : undefined
      if (found) this.#ids.set(...found)
    }
    // A last line without an end is read again, when it may be longer.
    this.#end = bytes.lastIndexOf(lineFeed) + 1
    this.#before = bytes.slice(Math.max(0, this.#end - compared), this.#end)
  }
}
