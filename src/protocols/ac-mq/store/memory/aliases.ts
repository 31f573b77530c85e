/**
 * Where the files of `context/` are that were moved, by the names they had: `.signalbox/state/aliases/`. Written before a file
 * moves, so that at no moment a name leads nowhere; a file that still lies where it was is found there first.
 *
 * Also the journal by which an interrupted `organize` is finished, and by which it is undone.
 */
import { hash } from 'node:crypto'
import { SignalboxError } from '../../../../kernel/errors.ts'
import { childOf, isSegment, type TreePath } from '../../../../kernel/tree-path.ts'
import { changeLeaf } from '../../../../messaging/leaves/change.ts'
import { stateOf } from '../../../../tree/home.ts'
import type { Tree } from '../../../../tree/tree.ts'
import { type MissionAddress, pathInside } from '../../layout.ts'

/** Relative to the mission, both in `context/`. */
export interface FileMove {
  readonly from: string
  readonly to: string
  /** Of the bytes that moved. */
  readonly digest: string
  readonly size?: number
}

/** What one `organize` did, or is doing. */
export interface Run {
  readonly at: number
  readonly moves: readonly FileMove[]
  /** The clusters whose README it wrote. */
  readonly clusters: readonly string[]
  /** `moving` and `undoing`: it is not finished, and whoever comes next finishes it. */
  readonly state: 'moving' | 'done' | 'undoing'
}

export const digestOf = (bytes: Uint8Array): string => hash('sha256', bytes, 'hex').slice(0, 32)

/** A mission's own file among the state of a workspace. */
export function missionStateName(address: MissionAddress): string {
  const plain = address.replaceAll('/', '~')
  return `${plain.length <= 120 ? plain : `${plain.slice(0, 80)}~${hash('sha256', address, 'hex').slice(0, 16)}`}.json`
}

const journalPath = (address: MissionAddress): TreePath => childOf(stateOf('aliases'), missionStateName(address))

/** Some 50,000 moves. */
const longestJournal = 16 * 1024 * 1024

/** The oldest first. What is no journal counts as none: a stranger may have written it. */
export async function readRuns(tree: Tree, address: MissionAddress): Promise<readonly Run[]> {
  try {
    const leaf = await tree.read(journalPath(address), { atMost: longestJournal })
    return leaf && leaf.size <= longestJournal ? parseRuns(Buffer.from(leaf.bytes).toString('utf8')) : []
  } catch (error) {
    if (error instanceof SignalboxError && error.kind !== 'Unavailable') return []
    throw error
  }
}

export async function writeRuns(tree: Tree, address: MissionAddress, runs: readonly Run[]): Promise<void> {
  await changeLeaf(tree, journalPath(address), () => Buffer.from(printRuns(runs)))
}

const printRuns = (runs: readonly Run[]): string => `${JSON.stringify({ runs }, undefined, 2)}\n`

/** A longer journal would not be read any more, and the names in it would lead nowhere. */
export const fitsJournal = (runs: readonly Run[]): boolean => Buffer.byteLength(printRuns(runs)) <= longestJournal

function parseRuns(text: string): Run[] {
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    return [] // A SyntaxError.
  }
  const { runs } = (given ?? {}) as { runs?: unknown }
  if (!Array.isArray(runs)) return []
  return runs.flatMap((one: unknown): Run[] => {
    const { at, moves, clusters, state } = (one ?? {}) as Record<string, unknown>
    if (typeof at !== 'number' || !Array.isArray(moves) || !Array.isArray(clusters)) return []
    if (state !== 'moving' && state !== 'done' && state !== 'undoing') return []
    return [{ at, state, moves: moves.filter(isMove), clusters: clusters.filter(isClusterName) }]
  })
}

/** Both lead into `context/` and nowhere else, whoever wrote them. */
const isMove = (move: unknown): move is FileMove => {
  const { from, to, digest, size } = (move ?? {}) as Record<string, unknown>
  const isSize = size === undefined || typeof size === 'number'
  return isInContext(from) && isInContext(to) && typeof digest === 'string' && isSize
}

const isInContext = (path: unknown): path is string =>
  typeof path === 'string' && path.length < 1000 && path.startsWith('context/') && pathInside(path) === path

const isClusterName = (name: unknown): name is string => typeof name === 'string' && isInContext(`context/${name}/x`)

/** Where files went, the last move of each name counting, with those that were moved again followed to their end. */
export function aliasesOf(runs: readonly Run[]): ReadonlyMap<string, FileMove> {
  const latest = new Map(runs.flatMap(({ moves }) => moves.map((move) => [move.from, move] as const)))
  return new Map(
    [...latest].map(([from, move]) => {
      let end = move
      for (let n = 0; n < 10; n++) {
        const next = latest.get(end.to)
        if (!next) break
        end = next
      }
      return [from, end]
    }),
  )
}

/** A mission as whoever resolves names knows it. */
export interface AliasPlace {
  readonly tree: Tree
  readonly address: MissionAddress
  readonly path: TreePath
}

/** Where a file of `context/` is now that is not at its path any more; `undefined` when nobody moved it, or it is gone. */
export async function whereItWent(place: AliasPlace, path: string): Promise<string | undefined> {
  if (!path.startsWith('context/')) return undefined
  const move = aliasesOf(await readRuns(place.tree, place.address)).get(path)
  return move && (await whereTheyAre(place, [move])).get(move)
}

/** Every name that somebody moved away, with where the file is now. */
export async function resolvedAliases(place: AliasPlace): Promise<ReadonlyMap<string, string>> {
  const left: [string, FileMove][] = []
  for (const [from, move] of aliasesOf(await readRuns(place.tree, place.address)))
    if (!(await isThere(place, from))) left.push([from, move])
  const found = await whereTheyAre(
    place,
    left.map(([, move]) => move),
  )
  return new Map(left.flatMap(([from, move]) => (found.has(move) ? [[from, found.get(move)!]] : [])))
}

/** At their new places, or where a person has put them since: then they are known by their bytes. */
async function whereTheyAre(place: AliasPlace, moves: readonly FileMove[]): Promise<ReadonlyMap<FileMove, string>> {
  const found = new Map<FileMove, string>()
  const lost = new Map<string, FileMove[]>()
  for (const move of moves) {
    if (await isThere(place, move.to)) found.set(move, move.to)
    else lost.set(move.digest, [...(lost.get(move.digest) ?? []), move])
  }
  for await (const { path, digest } of lost.size === 0 ? [] : digestsIn(place, [...lost.values()].flat())) {
    for (const move of lost.get(digest) ?? []) found.set(move, path)
    lost.delete(digest)
    if (lost.size === 0) break
  }
  return found
}

const isThere = async ({ tree, path: mission }: AliasPlace, path: string): Promise<boolean> =>
  (await tree.look(`${mission}/${path}` as TreePath))?.kind === 'leaf'

const deepest = 16
const mostLooked = 20_000

/** Of the files in `context/`, at any depth, that are as long as one of these. */
async function* digestsIn({ tree, path: mission }: AliasPlace, wanted: readonly FileMove[]) {
  const sizes = new Set(wanted.map(({ size }) => size))
  const folders = [{ path: 'context', depth: 0 }]
  let looked = 0
  for (const { path: folder, depth } of folders) {
    const entries = await quietly(() => tree.list(`${mission}/${folder}` as TreePath, { times: true }))
    for (const { name, kind, size } of entries ?? []) {
      const path = `${folder}/${name}`
      if (++looked > mostLooked) return
      if (kind === 'folder' && depth < deepest && isSegment(name)) folders.push({ path, depth: depth + 1 })
      // Journals of older versions do not say how long a file was.
      if (kind !== 'leaf' || size > longestCompared || !(sizes.has(size) || sizes.has(undefined))) continue
      const leaf = await quietly(() => tree.read(`${mission}/${path}` as TreePath, { atMost: longestCompared }))
      if (leaf && leaf.size <= longestCompared) yield { path, digest: digestOf(leaf.bytes) }
    }
  }
}

/** What is no file, vanishes meanwhile or belongs to somebody else is not the one that is sought. */
async function quietly<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof SignalboxError && error.kind !== 'Unavailable') return undefined
    throw error
  }
}

export const longestCompared = 8 * 1024 * 1024
