/**
 * Where `organize` moved files of `context/`, by their old names: `.signalbox/state/aliases/`. A move is recorded before the file
 * moves, so a reader looks at the old place first.
 */
import { hash } from 'node:crypto'
import { childOf, isSegment, type TreePath } from '../../../../kernel/tree-path.ts'
import { changeLeaf } from '../../../../messaging/leaves/change.ts'
import { unlessUnreadable } from '../../../../messaging/leaves/tolerant.ts'
import { stateOf } from '../../../../tree/home.ts'
import { type MissionAddress, pathInside } from '../../layout.ts'
import { contentDigest } from '../../memory/generated.ts'
import type { MissionFiles } from '../parts.ts'

/** Relative to the mission, both in `context/`. */
export interface FileMove {
  readonly from: string
  readonly to: string
  readonly digest: string
  /** Absent in ledgers of older versions. */
  readonly size?: number
}

export interface Run {
  readonly at: number
  readonly moves: readonly FileMove[]
  readonly clusters: readonly string[]
  /** An earlier version was killed while it did this, and kept its plan here. */
  readonly interrupted?: 'moving' | 'undoing'
}

type Place = Pick<MissionFiles, 'tree' | 'place' | 'path'>

/** A mission's own file among the state of a workspace, without its ending. */
export function missionStateName(address: MissionAddress): string {
  const plain = address.replaceAll('/', '~')
  return plain.length <= 120 ? plain : `${plain.slice(0, 80)}~${hash('sha256', address, 'hex').slice(0, 16)}`
}

export const ledgerPath = ({ place }: Place): TreePath =>
  childOf(stateOf('aliases'), `${missionStateName(place.address)}.json`)

/** Some 50,000 moves. */
const longestLedger = 16 * 1024 * 1024

/** The oldest first. What is no ledger counts as none: another program may have written it. */
export async function readRuns(files: Place): Promise<readonly Run[]> {
  const leaf = await unlessUnreadable(files.tree.read(ledgerPath(files), { atMost: longestLedger }))
  return leaf && leaf.size <= longestLedger ? parseRuns(Buffer.from(leaf.bytes).toString('utf8')) : []
}

export async function writeRuns(files: Place, runs: readonly Run[]): Promise<void> {
  await changeLeaf(files.tree, ledgerPath(files), () => Buffer.from(printRuns(runs)))
}

const printRuns = (runs: readonly Run[]): string =>
  `${JSON.stringify({ runs: runs.map(({ at, moves, clusters }) => ({ at, state: 'done', moves, clusters })) }, undefined, 2)}\n`

/** A longer ledger would not be read any more. */
export const fitsLedger = (runs: readonly Run[]): boolean => Buffer.byteLength(printRuns(runs)) <= longestLedger

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
    const run = { at, moves: moves.filter(isMove), clusters: clusters.filter(isClusterName) }
    if (state === 'moving' || state === 'undoing') return [{ ...run, interrupted: state }]
    return state === 'done' ? [run] : []
  })
}

export const isMove = (move: unknown): move is FileMove => {
  const { from, to, digest, size } = (move ?? {}) as Record<string, unknown>
  const isSize = size === undefined || typeof size === 'number'
  return isInContext(from) && isInContext(to) && typeof digest === 'string' && isSize
}

/** Only paths in `context/` count, since other programs may write this file. */
export const isInContext = (path: unknown): path is string =>
  typeof path === 'string' && path.length < 1000 && path.startsWith('context/') && pathInside(path) === path

export const isClusterName = (name: unknown): name is string =>
  typeof name === 'string' && isInContext(`context/${name}/x`)

/** The last move of each name; of a file that was moved several times, the place where it ended up. */
export function latestMoves(runs: readonly Run[]): ReadonlyMap<string, FileMove> {
  const latest = new Map(runs.flatMap(({ moves }) => moves.map((move) => [move.from, move] as const)))
  return new Map(
    [...latest].map(([from, move]) => {
      let end = move
      for (let n = 0; n < 10; n++) end = latest.get(end.to) ?? end
      return [from, end]
    }),
  )
}

/** Where a file of `context/` is now that is not at its path; `undefined` if `organize` did not move it, or it is gone. */
export async function whereItWent(files: Place, path: string): Promise<string | undefined> {
  if (!path.startsWith('context/')) return undefined
  const move = latestMoves(await readRuns(files)).get(path)
  return move && (await whereTheyAre(files, [move])).get(move)
}

/** Every name that `organize` moved away, with where the file is now. */
export async function movedFiles(files: Place): Promise<ReadonlyMap<string, string>> {
  const left: [string, FileMove][] = []
  for (const [from, move] of latestMoves(await readRuns(files)))
    if (!(await isThere(files, from))) left.push([from, move])
  const moves = left.map(([, move]) => move)
  const found = await whereTheyAre(files, moves)
  return new Map(left.flatMap(([from, move]) => (found.has(move) ? [[from, found.get(move)!]] : [])))
}

/** At their new places, or where a person has moved them since: there they are recognised by their digest. */
async function whereTheyAre(files: Place, moves: readonly FileMove[]): Promise<ReadonlyMap<FileMove, string>> {
  const found = new Map<FileMove, string>()
  const lost = new Map<string, FileMove[]>()
  for (const move of moves) {
    if (await isThere(files, move.to)) found.set(move, move.to)
    else lost.set(move.digest, [...(lost.get(move.digest) ?? []), move])
  }
  for await (const { path, digest } of lost.size === 0 ? [] : digestsIn(files, [...lost.values()].flat())) {
    for (const move of lost.get(digest) ?? []) found.set(move, path)
    lost.delete(digest)
    if (lost.size === 0) break
  }
  return found
}

export const isThere = async ({ tree, path: mission }: Place, path: string): Promise<boolean> =>
  (await tree.look(`${mission}/${path}` as TreePath))?.kind === 'leaf'

const deepest = 16
const mostLooked = 20_000
/** A longer file is not known by its bytes. */
export const longestCompared = 8 * 1024 * 1024

/** Of the files in `context/`, at any depth, that are as long as one of these. */
async function* digestsIn({ tree, path: mission }: Place, wanted: readonly FileMove[]) {
  const sizes = new Set(wanted.map(({ size }) => size))
  const folders = [{ path: 'context', depth: 0 }]
  let looked = 0
  for (const { path: folder, depth } of folders) {
    const entries = await unlessUnreadable(tree.list(`${mission}/${folder}` as TreePath, { times: true }))
    for (const { name, kind, size } of entries ?? []) {
      const path = `${folder}/${name}`
      if (++looked > mostLooked) return
      if (kind === 'folder' && depth < deepest && isSegment(name)) folders.push({ path, depth: depth + 1 })
      if (kind !== 'leaf' || size > longestCompared || !(sizes.has(size) || sizes.has(undefined))) continue
      const leaf = await unlessUnreadable(tree.read(`${mission}/${path}` as TreePath, { atMost: longestCompared }))
      if (leaf && leaf.size <= longestCompared) yield { path, digest: contentDigest(leaf.bytes) }
    }
  }
}
