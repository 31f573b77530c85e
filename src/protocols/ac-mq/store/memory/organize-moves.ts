/** Does what a journal of `organize` says, as often as it takes: moves the files, and writes or removes the READMEs. */
import { unavailable } from '../../../../kernel/errors.ts'
import { childOf, nameOf, parentOf, type TreePath } from '../../../../kernel/tree-path.ts'
import type { Tree } from '../../../../tree/tree.ts'
import { type ContextFile, printReadme } from '../../memory/clusters.ts'
import { isAsWritten } from '../../memory/generated.ts'
import { moveDocument, writeDocument } from '../moving.ts'
import type { MissionFiles } from '../parts.ts'
import { type FileMove, type Run, readRuns, whereItWent, writeRuns } from './aliases.ts'
import { readme, readText } from './context-files.ts'

export async function finish(files: MissionFiles, run: Run): Promise<void> {
  const { tree, place } = files
  const isUndoing = run.state === 'undoing'
  const isLeaf = async (path: string) => (await tree.look(files.inside(path)))?.kind === 'leaf'
  // Those that are in their cluster in the end. One that vanished is in none, and nothing leads to it.
  const moved: FileMove[] = []
  for (const move of run.moves) {
    const [from, to] = isUndoing ? [move.to, move.from] : [move.from, move.to]
    await bring(tree, files.inside(from), files.inside(to))
    // Moved by us, or by whoever was here before. It stays where it was if somebody else's file has its new name. One that
    // somebody took elsewhere did not come back, and is still found by the name it had.
    const [isAtFrom, isAtTo] = [await isLeaf(move.from), await isLeaf(move.to)]
    if (isUndoing ? isAtTo || !isAtFrom : isAtTo && !isAtFrom) moved.push(move)
  }
  for (const cluster of run.clusters) await (isUndoing ? removeReadme(files, cluster) : writeReadme(files, cluster))
  const others = (await readRuns(tree, place.address)).slice(0, -1)
  const isDropped = isUndoing && moved.length === 0
  await writeRuns(tree, place.address, isDropped ? others : [...others, { ...run, moves: moved, state: 'done' }])
}

/**
 * Moves a file, unless it was moved before or has vanished. One that somebody has in hand, or that a failed move left under a
 * private name, is not found either, but listings show it; and listing puts back what was left.
 */
async function bring(tree: Tree, from: TreePath, to: TreePath): Promise<void> {
  for (let n = 0; n < mostTries; n++) {
    if ((await moveDocument(tree, from, to)).outcome !== 'gone') return
    if (!(await tree.list(parentOf(from))).some(({ name }) => name === nameOf(from))) return
  }
  throw unavailable('FILE_IN_USE', `${from} cannot be moved, because another program is changing it.`, {
    hint: 'Try again in a moment; what has been moved already is remembered.',
    details: { path: from },
  })
}

const mostTries = 5

/** Of the clusters that are there: somebody may have put a file there, or taken one away. One that was removed stays so. */
export async function renewReadmes(files: MissionFiles): Promise<void> {
  const clusters = new Set((await readRuns(files.tree, files.place.address)).flatMap((run) => run.clusters))
  for (const cluster of clusters)
    if (await files.tree.look(files.inside(`context/${cluster}/${readme}`))) await writeReadme(files, cluster)
}

async function writeReadme(files: MissionFiles, cluster: string): Promise<void> {
  const { tree, place } = files
  const folder = files.inside(`context/${cluster}`)
  const inside: ContextFile[] = []
  for (const { name, kind } of await tree.list(folder)) {
    const read = kind === 'leaf' && name !== readme ? await readText(tree, childOf(folder, name)) : undefined
    if (read) inside.push({ name, ...read })
  }
  if (inside.length === 0) return
  const text = printReadme(place.address, cluster, inside, [])
  const path = childOf(folder, readme)
  const before = await tree.read(path)
  if (before && Buffer.from(before.bytes).toString('utf8') === text) return
  await writeDocument(tree, path, text, (bytes) => isAsWritten(Buffer.from(bytes).toString('utf8')))
}

/** Where files of an earlier run are still there, the README speaks of those. */
async function removeReadme(files: MissionFiles, cluster: string): Promise<void> {
  const folder = files.inside(`context/${cluster}`)
  const left = (await files.tree.list(folder)).some(({ name }) => name !== readme)
  if (left) await writeReadme(files, cluster)
  else
    await files.tree.remove(childOf(folder, readme), {
      onlyIf: (bytes) => isAsWritten(Buffer.from(bytes).toString('utf8')),
    })
}

interface WayBack {
  /** Those that can go back. */
  readonly back: readonly FileMove[]
  /** Those that stay where they are, and are still found by the name they had. */
  readonly kept: readonly FileMove[]
  /** What stays, or is gone, with the reason. */
  readonly stay: readonly { readonly path: string; readonly reason: string }[]
}

/** What undoing can put back now. */
export async function wayBack(files: MissionFiles, { moves, clusters }: Run): Promise<WayBack> {
  const [back, kept]: FileMove[][] = [[], []]
  const stay: { path: string; reason: string }[] = []
  const { tree, place, path } = files
  for (const move of moves) {
    const { from, to } = move
    if ((await tree.look(files.inside(to)))?.kind !== 'leaf') {
      const elsewhere = await whereItWent({ tree, address: place.address, path }, from)
      if (elsewhere !== undefined) kept!.push(move)
      stay.push({ path: to, reason: elsewhere === undefined ? 'it is gone' : `somebody moved it to ${elsewhere}` })
    } else if (await tree.look(files.inside(from))) {
      kept!.push(move)
      stay.push({ path: to, reason: `${from} is there again` })
    } else back!.push(move)
  }
  for (const cluster of clusters) {
    const leaf = await tree.read(files.inside(`context/${cluster}/${readme}`))
    if (leaf && !isAsWritten(Buffer.from(leaf.bytes).toString('utf8')))
      stay.push({ path: `context/${cluster}/${readme}`, reason: 'somebody changed it' })
  }
  return { back: back!, kept: kept!, stay }
}
