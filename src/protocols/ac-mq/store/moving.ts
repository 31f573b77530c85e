/**
 * The only place where messages move. The lifecycle table says where a move leads, not the caller.
 *
 * Two messages of one second whose ids begin alike have the same file name. A message that finds its name taken gets a longer one.
 */
import { childOf, nameOf, parentOf, type TreePath } from '../../../kernel/tree-path.ts'
import type { Moved, MoveOptions, Tree } from '../../../tree/tree.ts'
import { archivePath, fileNameOf, idLengths, parseFileName } from '../layout.ts'
import { firstState, nextState, type Transition } from '../lifecycle.ts'
import type { QueueName, State } from '../schema.ts'
import type { MissionFiles } from './parts.ts'

export interface Travelled {
  /** `taken`: the same message is in the other queue already. */
  readonly moved: Moved
  readonly path: TreePath
}

export interface MessageMove {
  readonly name: string
  readonly from: QueueName
  readonly transition: Transition
}

/** Moves a message, under a longer name where another message has its name. */
export async function moveMessage(files: MissionFiles, step: MessageMove, given: MoveOptions): Promise<Travelled> {
  const options = { ...files.bounded, ...given }
  const to = targetOf(step)
  if (to === 'archived') throw noSuchWay(step)
  const path = files.at(to, step.name)
  const moved = await files.tree.move(files.at(step.from, step.name), path, options)
  return moved.outcome === 'taken' ? giveWay(files, step, to, options) : { moved, path }
}

/** Moves the second copy of a message out of the queues, under a name of its own. */
export async function setAside(
  files: MissionFiles,
  at: Omit<MessageMove, 'transition'>,
  as: string,
  options: MoveOptions,
): Promise<Travelled> {
  const step: MessageMove = { ...at, transition: 'setAside' }
  if (targetOf(step) !== 'archived') throw noSuchWay(step)
  const path = childOf(childOf(archivePath(files.place), 'duplicates'), as)
  return { moved: await files.tree.move(files.at(at.from, at.name), path, { ...files.bounded, ...options }), path }
}

/** Moves a staged message into the queue, if its name is free there. */
export const enterQueue = (files: MissionFiles, from: TreePath, name: string, options: MoveOptions): Promise<Moved> =>
  files.tree.move(from, files.at(firstState, name), options)

/** Moves a file of the mission that is no message. It replaces nothing. */
export const moveDocument = (tree: Tree, from: TreePath, to: TreePath): Promise<Moved> => tree.move(from, to)

/** Writes a document. Returns false, and writes nothing, if a person has changed the file that is there. */
export async function writeDocument(
  tree: Tree,
  path: TreePath,
  text: string,
  isOurs: (bytes: Uint8Array) => boolean,
): Promise<boolean> {
  const bytes = Buffer.from(text)
  for (let n = 0; n < mostTries; n++) {
    // Listed, not looked up: a listing also puts back what a failed write left under a private name.
    const isThere = (await tree.list(parentOf(path))).some(({ name }) => name === nameOf(path))
    if (!isThere && (await tree.create(path, bytes)).outcome === 'created') return true
    const { outcome } = await tree.move(path, path, { change: (before) => (isOurs(before) ? bytes : undefined) })
    if (outcome === 'moved' || outcome === 'kept') return outcome === 'moved'
  }
  return false
}

const mostTries = 5

/** Changes a document in place; false when `change` returns nothing, or the document is gone. */
export const changeDocument = async (
  tree: Tree,
  path: TreePath,
  change: (before: Uint8Array) => Uint8Array | undefined,
): Promise<boolean> => (await tree.move(path, path, { change })).outcome === 'moved'

function targetOf(step: MessageMove): State {
  const to = nextState(step.from, step.transition)
  if (to === undefined) throw noSuchWay(step)
  return to
}

const noSuchWay = ({ from, transition }: MessageMove) =>
  new Error(`The lifecycle has no ${transition} from ${from} here.`)

async function giveWay(
  files: MissionFiles,
  { name, from }: MessageMove,
  to: QueueName,
  options: MoveOptions,
): Promise<Travelled> {
  const [mine, theirs] = [await files.readRecord(from, name), await files.readRecord(to, name)]
  if (!mine) return { moved: { outcome: 'gone' }, path: files.at(to, name) }
  // A claimed message to all keeps `-to-all` in its file name.
  const named = { ...mine, to: parseFileName(name)?.to ?? mine.to }
  for (const length of mine.id === theirs?.id ? [] : idLengths) {
    const longer = fileNameOf(named, length)
    if (longer === name) continue
    const path = files.at(to, longer)
    const moved = await files.tree.move(files.at(from, name), path, options)
    if (moved.outcome !== 'taken') return { moved, path }
  }
  return { moved: { outcome: 'taken' }, path: files.at(to, name) }
}
