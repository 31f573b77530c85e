/** Whether what a message depends on is done. A message keeps its file name, so its state is a look instead of a search. */

import { isMeant, shortLength } from '../../../../kernel/short-id.ts'
import type { TreePath } from '../../../../kernel/tree-path.ts'
import { childOf, treePath } from '../../../../kernel/tree-path.ts'
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

/** Milliseconds for which a file that was seen counts as there: many messages depend on the same one. */
const believedFor = 20
/** How many dependencies are remembered as met before the memory starts again. */
const mostMet = 10_000
/** How many names are remembered, besides two for each message that waits. A forgotten one is searched for. */
const mostNames = 10_000

export class DependencyStates {
  readonly #files: MissionFiles
  readonly #finder: Finder
  readonly #names = new Map<string, string>()
  readonly #completed = new Set<string>()
  /** Dependencies that were met, as their messages spell them, and until when that is believed. */
  readonly #met = new Map<string, number>()

  constructor(files: MissionFiles, finder: Finder) {
    this.#files = files
    this.#finder = finder
  }

  readonly #others = new Map<string, DependencyStates>()

  /** `waiting`: how many messages wait, all of which are worth remembering. */
  learn(id: string, name: string, waiting = 0): void {
    const most = mostNames + 2 * waiting
    if (this.#names.size >= most) {
      // Maps keep the order in which things came: the oldest half goes.
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

  /** What still holds the message back; empty when nothing does. `isPending` knows some that wait, by their whole ids. */
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

  /** Short ids are not remembered: a message that fits too may come later. */
  #rememberMet(text: string): void {
    const dependency = readDependency(text)
    if (this.#met.size >= mostMet) this.#met.clear()
    if (dependency.kind === 'path') this.#met.set(text, performance.now() + believedFor)
    if (dependency.kind !== 'message' || !this.#completed.has(dependency.id)) return
    if ((wayOf(dependency.id)?.id ?? dependency.id).length > shortLength) {
      this.#met.set(text, Number.POSITIVE_INFINITY)
    }
  }

  /** Where a message is, by its id or the beginning of one, with the way to it if it is in another mission. */
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

  /** Where a message of another mission will be completed, to be watched while waiting for it. */
  folderBehind(text: string): TreePath | undefined {
    const way = wayOf(text)
    const states = way && this.#statesBehind(way)
    return states?.completedFolder
  }

  get completedFolder(): TreePath {
    return this.#files.queues.completed
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

  /** The one full id meant, from memory if it is there. */
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
      // Another message of the same second whose id begins alike can have this name, so the id is read where the answer
      // is final. In the other queues a wrong answer only means waiting a little longer.
      const isDecided = queue === 'completed' || queue === 'failed'
      if (!isDecided || (await this.#files.readRecord(queue, name!))?.id === id) return queue
    }
    const [archived] = await this.#finder.archived(id)
    if (archived) return archived.status === 'completed' ? 'archived-completed' : 'archived-failed'
    // It was moved between two listings, or renamed: search all queues once.
    const [found] = await this.#finder.findAll(id)
    if (found) this.learn(found.id, found.name)
    return found?.queue
  }

  async #exists(path: string): Promise<boolean> {
    const place = insideOf(this.#files.path, path)
    if (place === undefined) return false
    if ((await this.#files.tree.look(place)) !== undefined) return true
    // A person may have moved it into a folder of its own.
    const inside = place.slice(this.#files.path.length + 1)
    if (!inside.startsWith('context/')) return false
    const { whereItWent } = await import('../memory/moved-files.ts')
    return (await whereItWent(this.#files, inside)) !== undefined
  }
}

/** The place of a mission-relative path; `undefined` when it would leave the mission or cannot be a path. */
function insideOf(mission: TreePath, path: string): TreePath | undefined {
  try {
    const inside = treePath(path.replace(/^(\.\/)+/, '').replace(/\/+$/, ''))
    return inside.split('/').reduce<TreePath>((folder, name) => childOf(folder, name), mission)
  } catch {
    // PATH_ESCAPES_ROOT: it is reported as a dependency outside the mission.
    return undefined
  }
}
