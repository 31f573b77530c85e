/** The states of dependencies. A message keeps its file name, so a few looks find its state without a search. */
import { isMeant, shortLength } from '../../../../kernel/short-id.ts'
import { type TreePath, treePath } from '../../../../kernel/tree-path.ts'
import {
  addressBehind,
  type DependencyState,
  judge,
  type Lookup,
  nothingUnmet,
  readDependency,
  type Way,
  wayOf,
} from '../../dependencies.ts'
import type { AcmqRecord, State } from '../../schema.ts'
import { Finder, likeliestFirst } from '../finder.ts'
import { MissionFiles } from '../parts.ts'

type MessageState = ReturnType<Lookup['stateOf']>

/** Milliseconds for which a file that was seen is taken to exist: many messages may depend on the same file. */
const believedFor = 20
/** How many met dependencies are remembered. When there are more, all are forgotten. */
const mostMet = 10_000
/** How many file names are remembered, and two more for each waiting message. A message whose name is forgotten is searched for. */
const mostNames = 10_000

export class DependencyStates {
  readonly #files: MissionFiles
  readonly #finder: Finder
  readonly #names = new Map<string, string>()
  readonly #completed = new Set<string>()
  /** Dependencies that were met, as written in the header, and until when that is taken to be so. */
  readonly #met = new Map<string, number>()
  /** Of other missions, by address. */
  readonly #others = new Map<string, DependencyStates>()

  constructor(files: MissionFiles, finder: Finder) {
    this.#files = files
    this.#finder = finder
  }

  /** `waiting`: how many messages wait. */
  learn(id: string, name: string, waiting = 0): void {
    const most = mostNames + 2 * waiting
    if (this.#names.size >= most) {
      // A map keeps the order of insertion, so this deletes the oldest half.
      let left = most >> 1
      for (const oldest of this.#names.keys()) {
        if (left-- <= 0) break
        this.#names.delete(oldest)
      }
    }
    this.#names.set(id, name)
  }

  nameOf(id: string): string | undefined {
    return this.#names.get(id)
  }

  /** What still holds the message back; empty when nothing does. `isPending`: true for ids of messages known to wait. */
  async judge(
    record: Pick<AcmqRecord, 'id' | 'dependencies'>,
    isPending: (id: string) => boolean,
  ): Promise<readonly DependencyState[]> {
    if (this.areMet(record.dependencies)) return nothingUnmet
    const states = new Map<string, MessageState>()
    const paths = new Set<string>()
    const stateOf = async (id: string) => (isPending(id) ? 'pending' : this.stateOf(id))
    for (const text of record.dependencies) {
      const dependency = readDependency(text)
      if (dependency.kind === 'message') states.set(dependency.id, await stateOf(dependency.id))
      if (dependency.kind === 'either') {
        const state = await stateOf(dependency.text)
        if (state !== undefined) states.set(dependency.text, state)
        else if (await this.#exists(dependency.text)) paths.add(dependency.text)
      }
      if (dependency.kind === 'path' && (await this.#exists(dependency.path))) paths.add(dependency.path)
    }
    const unmet = judge(record, { stateOf: (id) => states.get(id), pathExists: (path) => paths.has(path) })
    if (unmet.length === 0) for (const text of record.dependencies) this.#rememberMet(text)
    return unmet
  }

  /** True when all are known to be met, without looking. */
  areMet(dependencies: readonly string[]): boolean {
    if (dependencies.length === 0) return true
    const now = performance.now()
    return dependencies.every((text) => (this.#met.get(text) ?? 0) > now)
  }

  /** Short ids are not remembered: another message that they mean may come later. */
  #rememberMet(text: string): void {
    const dependency = readDependency(text)
    if (this.#met.size >= mostMet) this.#met.clear()
    if (dependency.kind === 'path') this.#met.set(text, performance.now() + believedFor)
    if (dependency.kind !== 'message' || !this.#completed.has(dependency.id)) return
    if ((wayOf(dependency.id)?.id ?? dependency.id).length > shortLength) {
      this.#met.set(text, Number.POSITIVE_INFINITY)
    }
  }

  /** `id`: a whole id or its beginning, after the way to its mission if that is another. */
  async stateOf(id: string): Promise<MessageState> {
    if (this.#completed.has(id)) return 'completed'
    const state = id.includes('/') ? await this.#stateElsewhere(id) : await this.#stateHere(id)
    if (this.#completed.size >= mostMet) this.#completed.clear()
    if (state === 'completed' || state === 'archived-completed') this.#completed.add(id)
    return state
  }

  async #stateHere(id: string): Promise<MessageState> {
    const full = await this.#resolve(id)
    return typeof full === 'string' ? this.#probe(full) : full
  }

  async #stateElsewhere(text: string): Promise<MessageState> {
    const way = wayOf(text)
    return way && this.#statesBehind(way)?.stateOf(way.id)
  }

  /** The folder in which a message of another mission arrives when it is completed. */
  folderBehind(text: string): TreePath | undefined {
    const way = wayOf(text)
    const states = way && this.#statesBehind(way)
    return states === undefined ? undefined : states.#files.queues.completed
  }

  #statesBehind(way: Way): DependencyStates | undefined {
    const { tree, clock, settings, place } = this.#files
    const address = addressBehind(place.address, way)
    if (address === undefined) return undefined
    if (address === place.address) return this
    let states = this.#others.get(address)
    if (!states) {
      const files = new MissionFiles(tree, clock, settings, { root: place.root, address })
      states = new DependencyStates(files, new Finder(files))
      this.#others.set(address, states)
    }
    return states
  }

  /** The full id that is meant, from memory if possible. */
  async #resolve(id: string): Promise<string | undefined | { ambiguous: readonly string[] }> {
    if (this.#names.has(id)) return id
    const found = await this.#finder.findMeant(id)
    for (const { id: full, name } of found) this.learn(full, name)
    const archived = found.length === 0 ? await this.#finder.archived(id) : []
    const ids = new Set([...found, ...archived].map((entry) => entry.id).filter((full) => isMeant(id, full)))
    if (ids.size > 1) return { ambiguous: [...ids] }
    return [...ids][0]
  }

  async #probe(id: string): Promise<State | 'archived-completed' | 'archived-failed' | undefined> {
    const name = this.#names.get(id)
    for (const queue of name === undefined ? [] : likeliestFirst) {
      if (!(await this.#files.tree.look(this.#files.at(queue, name!)))) continue
      // Another message of the same second whose id begins alike can have this name, so the id is checked where the answer is
      // final. In the other queues a wrong answer only makes a message wait a little longer.
      const isDecided = queue === 'completed' || queue === 'failed'
      if (!isDecided || (await this.#files.readRecord(queue, name!))?.id === id) return queue
    }
    const [archived] = await this.#finder.archived(id)
    if (archived) return archived.status === 'completed' ? 'archived-completed' : 'archived-failed'
    // The message was moved between two looks, or renamed: all queues are searched.
    const [found] = await this.#finder.findAll(id)
    if (found) this.learn(found.id, found.name)
    return found?.queue
  }

  async #exists(path: string): Promise<boolean> {
    let place: TreePath
    try {
      place = treePath(`${this.#files.path}/${path}`)
    } catch {
      return false // PATH_ESCAPES_ROOT: the path is too long.
    }
    if ((await this.#files.tree.look(place)) !== undefined) return true
    // `organize` may have moved it into another folder.
    if (!path.startsWith('context/')) return false
    const { whereItWent } = await import('../memory/moved-files.ts')
    return (await whereItWent(this.#files, path)) !== undefined
  }
}
