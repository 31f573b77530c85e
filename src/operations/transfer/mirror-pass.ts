/**
 * Makes a directory of plain files follow a tree, one way: what came or changed there is written here, what went there
 * is removed here. Only what changed since the last pass is read again.
 */
import { call, inputs } from '../../kernel/call.ts'
import { conflict, invalidInput } from '../../kernel/errors.ts'
import { childOf, type TreePath } from '../../kernel/tree-path.ts'
import { changeLeaf } from '../../messaging/leaves/change.ts'
import { home } from '../../tree/home.ts'
import type { TimedEntry, Tree } from '../../tree/tree.ts'
import type { Context } from '../define.ts'
import { isCarried } from './walk.ts'

export interface Mirrored {
  readonly outcome: 'mirrored' | 'unchanged'
  readonly directory: string
  readonly written: number
  readonly removed: number
}

/** Says that a directory is a mirror, and of what: only then may files in it be removed. */
const mark = childOf(home, 'mirror.json')

export class Mirror {
  readonly #directory: string
  readonly #source: Tree
  readonly #target: Tree
  readonly #time: { at: number }
  readonly #known = new Map<TreePath, string>()
  #written = 0
  #removed = 0

  private constructor(directory: string, source: Tree, target: Tree, time: { at: number }) {
    this.#directory = directory
    this.#source = source
    this.#target = target
    this.#time = time
  }

  static async open(context: Context, directory: string): Promise<Mirror> {
    const { outside } = context
    // A root of files is often a whole repository, and the directory may lie in it: a mirror would copy itself.
    if ((await context.configuration()).engine === 'files') throw filesAlready(context.root().path)
    const source = await context.tree()
    const path = outside.resolve(outside.currentFolder(), directory)
    const isEmpty = outside.kindOf(path) === undefined || outside.namesIn(path).length === 0
    const time = { at: 0 }
    const target = await context.openTree(path, { now: () => time.at })
    try {
      const marked = await target.read(mark)
      const of = marked && originalIn(marked.bytes)
      if (of === undefined ? !isEmpty : of !== source.place) throw notItsMirror(path, source.place, of)
      time.at = context.clock.now()
      if (!marked) await target.create(mark, Buffer.from(`${JSON.stringify({ of: source.place })}\n`))
      return new Mirror(directory, source, target, time)
    } catch (error) {
      await target.close()
      throw error
    }
  }

  /** Brings one folder up to date, and those in it that are new; `onFolder` is told of each that it looked at. */
  async pass(folder: TreePath, onFolder: (folder: TreePath) => void = () => {}): Promise<Mirrored> {
    onFolder(folder)
    const there = (await this.#source.list(folder, { times: true })).filter(({ name }) =>
      isCarried(childOf(folder, name)),
    )
    const names = new Set(there.map(({ name }) => name))
    for (const { name, kind } of await this.#target.list(folder)) {
      const path = childOf(folder, name)
      if (kind !== 'leaf' || names.has(name) || path === mark || !isCarried(path)) continue
      if ((await this.#target.remove(path)).outcome === 'removed') this.#removed++
      this.#known.delete(path)
    }
    for (const entry of there) {
      const path = childOf(folder, entry.name)
      if (entry.kind === 'leaf') await this.#follow(path, entry)
      else if (entry.kind === 'folder' && !this.#known.has(path)) {
        await this.#target.makeFolder(path)
        await this.pass(path, onFolder)
        // Only now: if the tree had stopped answering within the folder, the next pass must look again.
        this.#known.set(path, 'folder')
      }
    }
    return this.done()
  }

  /** What was done so far. */
  done(): Mirrored {
    const [written, removed] = [this.#written, this.#removed]
    return { outcome: written + removed > 0 ? 'mirrored' : 'unchanged', directory: this.#directory, written, removed }
  }

  close(): Promise<void> {
    return this.#target.close()
  }

  async #follow(path: TreePath, { size, modifiedAt, changedAt }: TimedEntry): Promise<void> {
    const state = `${size} ${modifiedAt} ${changedAt}`
    if (this.#known.get(path) === state) return
    const leaf = await this.#source.read(path)
    // The leaf was moved just now. This pass looks at its new place too.
    if (!leaf) return
    this.#time.at = leaf.modifiedAt
    if ((await changeLeaf(this.#target, path, () => leaf.bytes)).outcome !== 'unchanged') {
      await this.#target.touch(path)
      this.#written++
    }
    this.#known.set(path, state)
  }
}

/** Of what a directory is the mirror; `undefined` when its mark does not say. */
function originalIn(bytes: Uint8Array): string | undefined {
  try {
    const { of } = JSON.parse(Buffer.from(bytes).toString('utf8')) as { of?: unknown }
    return typeof of === 'string' ? of : undefined
  } catch {
    // Not JSON, or nothing in it: not a mark of ours.
    return undefined
  }
}

const filesAlready = (root: string) =>
  invalidInput('FILES_ALREADY', `The workspace in ${root} is plain files already; a mirror follows a cluster.`, {
    hint: `Name the cluster with ${inputs({ engine: null })}, or write a copy: ${call('export', { directory: 'DIR' })}`,
  })

const notItsMirror = (path: string, place: string, of: string | undefined) =>
  conflict(
    'NOT_ITS_MIRROR',
    of === undefined ? `${path} is not empty, and no mirror.` : `${path} is a mirror of ${of}, not of ${place}.`,
    {
      hint: 'Name an empty directory: files in a mirror are removed when their originals go.',
      details: { path, of: of ?? null },
    },
  )
