/**
 * Finds the files that patterns of a manifest and paths of a message name, first in the mission, then in the directory that
 * holds `llm/`. Links are not followed.
 *
 * A message may name files of its mission only. A manifest may also name files in the directory that holds `llm/`, except hidden
 * ones (`.env`, `.git/`) and those in `llm/`, where the other missions are.
 */

import { compileGlob, type GlobMatcher, staticPrefix } from '../../../formats/glob.ts'
import { SignalboxError } from '../../../kernel/errors.ts'
import { childOf, isSegment, nameOf, parentOf, type TreePath, treePath } from '../../../kernel/tree-path.ts'
import type { Entry, Tree } from '../../../tree/tree.ts'
import { subMissions } from '../names.ts'
import type { HydrateOptions } from './hydrate.ts'
import { type LeftOut, leftOutBy, overBudget } from './reader.ts'

export interface SearchLimits {
  readonly mostFiles: number
  readonly mostEntries: number
  readonly deepest: number
}

const standardLimits: SearchLimits = { mostFiles: 2000, mostEntries: 100_000, deepest: 32 }

export interface FoundFiles {
  readonly files: readonly TreePath[]
  readonly leftOut: readonly LeftOut[]
}

/** The manifest is trusted more than a message, which any agent may have sent. */
type NamedBy = 'manifest' | 'message'

/** Folders of messages and of other missions: entered only if a pattern names them. */
const notContext: readonly string[] = ['queue', 'archive', subMissions]

export class FileSearch {
  readonly #tree: Tree
  readonly #mission: TreePath
  readonly #base: TreePath
  readonly #limits: SearchLimits
  readonly #aliases: ReadonlyMap<string, string>
  /** Tried in this order: the mission, and the directory that holds `llm/`. */
  readonly #roots: readonly TreePath[]
  readonly #listings = new Map<TreePath, readonly Entry[]>()
  #entries = 0
  #files = 0

  constructor(tree: Tree, { missionPath, base, limits, aliases = new Map() }: HydrateOptions) {
    this.#tree = tree
    this.#mission = missionPath
    this.#base = base
    this.#limits = { ...standardLimits, ...limits }
    this.#aliases = aliases
    this.#roots = [missionPath, base]
  }

  /** The files that a pattern of the manifest matches in the first root that has some. */
  async match(pattern: string): Promise<FoundFiles> {
    if (!/[*?[{]/.test(pattern)) return this.path(pattern, 'manifest')
    let matcher: GlobMatcher
    try {
      matcher = compileGlob(pattern)
    } catch (error) {
      return without(refusal(pattern, error))
    }
    let isEmpty = true
    for (const root of this.#roots) {
      const walk = new Walk(pattern, matcher, root)
      await this.#walkFrom(walk)
      if (root === this.#mission) this.#addMoved(walk)
      if (walk.files.length + walk.leftOut.length > 0) return walk
      isEmpty &&= walk.seen === 0
    }
    // A pattern that matches nothing may be mistyped, unless the folder is empty.
    return isEmpty ? { files: [], leftOut: [] } : missing(pattern, 'nothing matches')
  }

  async path(text: string, by: NamedBy): Promise<FoundFiles> {
    let inside: TreePath
    try {
      inside = treePath(text.replace(/^(?:\.\/+)+/, '').replace(/\/+$/, ''))
    } catch (error) {
      return without(refusal(text, error))
    }
    const moved = this.#aliases.get(inside)
    for (const root of this.#roots) {
      const found = await this.#at(join(root, inside), by)
      if (found) return found
      const elsewhere =
        root === this.#mission && moved !== undefined ? await this.#at(join(root, moved as TreePath), by) : undefined
      if (elsewhere) return elsewhere
    }
    return missing(text, 'there is no such file')
  }

  /** Adds moved files whose former path matches. */
  #addMoved(walk: Walk): void {
    for (const [from, to] of this.#aliases) {
      const path = join(walk.root, to as TreePath)
      if (walk.matches(join(walk.root, from as TreePath)) && !walk.files.includes(path) && this.#count())
        walk.files.push(path)
    }
  }

  async #at(path: TreePath, by: NamedBy): Promise<FoundFiles | undefined> {
    const entry = await this.#look(path)
    if (entry === undefined) return undefined
    if (!('kind' in entry)) return without(entry)
    const reason = this.#reasonAgainst(path, by)
    if (reason !== undefined) return without(outside(path, reason))
    if (entry.kind === 'leaf') return this.#count() ? { files: [path], leftOut: [] } : without(tooMany(path))
    if (entry.kind === 'other') return without(notAFile(path))
    const walk = new Walk(`${path}/**`, () => true, path)
    await this.#walk(path, walk, 0)
    return walk
  }

  async #walkFrom(walk: Walk): Promise<void> {
    const start = join(walk.root, staticPrefix(walk.pattern) as TreePath)
    // The pattern begins above the mission, so only the mission is walked.
    if (isBelow(this.#mission, start)) return this.#walk(this.#mission, walk, 0)
    const reason = this.#reasonAgainst(start, 'manifest')
    if (reason === undefined) return this.#walk(start, walk, 0)
    if (await this.#look(start)) walk.leftOut.push(outside(walk.pattern, reason))
  }

  async #walk(folder: TreePath, walk: Walk, depth: number): Promise<void> {
    if (depth > this.#limits.deepest) {
      walk.leftOut.push(overBudget(folder, `deeper than ${this.#limits.deepest} folders`))
      return
    }
    for (const { name, kind } of await this.#list(folder, walk)) {
      walk.seen++
      if (walk.isFull) return
      if (!isSegment(name)) {
        walk.leftOut.push({ path: folder, reason: 'unreadable', detail: 'a name in it cannot be said as a path' })
        continue
      }
      const path = childOf(folder, name)
      if (name.startsWith('.') && !this.#isInMission(path)) continue
      if (kind === 'folder') {
        if (walk.mayEnter(path, depth, this.#isMission(folder))) await this.#walk(path, walk, depth + 1)
      } else if (walk.matches(path)) {
        if (kind === 'other') walk.leftOut.push(notAFile(path))
        else if (this.#count()) walk.files.push(path)
        else walk.giveUp(tooMany(walk.pattern))
      }
    }
  }

  async #list(folder: TreePath, walk: Walk): Promise<readonly Entry[]> {
    const known = this.#listings.get(folder)
    if (known) return known
    let listed: readonly Entry[] = []
    try {
      listed = await this.#tree.list(folder)
    } catch (error) {
      const leftOut = leftOutBy(folder, error)
      if (leftOut.reason !== 'missing') walk.leftOut.push(leftOut)
    }
    this.#entries += listed.length
    this.#listings.set(folder, listed)
    if (this.#entries <= this.#limits.mostEntries) return listed
    walk.giveUp(overBudget(folder, `more than ${this.#limits.mostEntries} names to look through`))
    return []
  }

  async #look(path: TreePath): Promise<Entry | LeftOut | undefined> {
    try {
      return await this.#tree.look(path)
    } catch (error) {
      const leftOut = leftOutBy(path, error)
      return leftOut.reason === 'missing' ? undefined : leftOut
    }
  }

  #count(): boolean {
    return this.#files++ < this.#limits.mostFiles
  }

  #isInMission(path: TreePath): boolean {
    return isBelow(path, this.#mission)
  }

  #reasonAgainst(path: TreePath, by: NamedBy): string | undefined {
    if (this.#isInMission(path)) return undefined
    if (by === 'message' || !isBelow(path, this.#base)) return 'it is not in the mission'
    const names = namesBelow(this.#base, path)
    if (names.length === 0) return 'it is all there is, not a file of it'
    if (names.some((name) => name.startsWith('.'))) return 'outside the mission nothing hidden is read'
    const [llm] = namesBelow(this.#base, this.#mission)
    // File systems that ignore case take another spelling for the same folder.
    return names[0]!.toLowerCase() === llm?.toLowerCase() ? 'it is not in the mission, but beside it' : undefined
  }

  #isMission(folder: TreePath): boolean {
    return folder === this.#mission || (folder !== '' && nameOf(parentOf(folder)) === subMissions)
  }
}

class Walk implements FoundFiles {
  readonly files: TreePath[] = []
  readonly leftOut: LeftOut[] = []
  readonly pattern: string
  readonly root: TreePath
  readonly #matcher: GlobMatcher
  readonly #namesDots: boolean
  readonly #deepest: number
  seen = 0
  isFull = false

  constructor(pattern: string, matcher: GlobMatcher, root: TreePath) {
    this.pattern = pattern
    this.root = root
    this.#matcher = matcher
    this.#namesDots = /(?:^|[/{,])\.[^/.]/.test(pattern)
    // An upper bound: braces may hold slashes.
    const levels = pattern.split('/').length - staticPrefix(pattern).split('/').filter(Boolean).length
    this.#deepest = pattern.includes('**') ? Number.POSITIVE_INFINITY : levels - 1
  }

  matches(path: TreePath): boolean {
    return this.#matcher(this.root === '' ? path : path.slice(this.root.length + 1))
  }

  mayEnter(folder: TreePath, depth: number, isInMission: boolean): boolean {
    const name = nameOf(folder)
    if (name.startsWith('.') && !this.#namesDots) return false
    if (isInMission && notContext.includes(name) && !this.#names(name)) return false
    return depth < this.#deepest
  }

  giveUp(why: LeftOut): void {
    this.isFull = true
    this.leftOut.push(why)
  }

  #names(name: string): boolean {
    return this.pattern.split(/[/{},]/).includes(name)
  }
}

const join = (root: TreePath, rest: TreePath): TreePath =>
  root === '' ? rest : rest === '' ? root : (`${root}/${rest}` as TreePath)

/** Case counts: on a disk that ignores case, a path in another spelling is taken for outside, which is safe. */
const isBelow = (path: TreePath, folder: TreePath): boolean =>
  folder === '' || path === folder || path.startsWith(`${folder}/`)

const namesBelow = (folder: TreePath, path: TreePath): string[] =>
  (folder === '' ? path : path.slice(folder.length + 1)).split('/').filter((name) => name !== '')

const outside = (path: string, detail: string): LeftOut => ({ path, reason: 'outside', detail })

const notAFile = (path: string): LeftOut => ({
  path,
  reason: 'not-a-file',
  detail: 'a link, pipe or device; links are not followed',
})

const tooMany = (path: string): LeftOut => overBudget(path, 'too many files match; the rest is not looked at')

const without = (leftOut: LeftOut): FoundFiles => ({ files: [], leftOut: [leftOut] })

const missing = (path: string, detail: string): FoundFiles => without({ path, reason: 'missing', detail })

function refusal(text: string, error: unknown): LeftOut {
  if (!(error instanceof SignalboxError)) throw error
  const leadsOut = /^(?:\/|~|[A-Za-z]:)|(?:^|\/)\.\.(?:\/|$)/.test(text)
  if (leadsOut) return { path: text, reason: 'outside', detail: 'it leads out of the mission' }
  return { path: text, reason: 'unreadable', detail: String(error.details.reason ?? error.message) }
}
