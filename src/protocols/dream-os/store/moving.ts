/** The moves of files between the folders of agents, of responses into the archive, and of locks: the only place that makes them. */
import { childOf, type TreePath } from '../../../kernel/tree-path.ts'
import { type SetAside, type SetAsideOptions, setAside, spareName } from '../../../messaging/quarantine/quarantine.ts'
import type { Moved, MoveOptions } from '../../../tree/tree.ts'
import { brokenLockPath, type Folder, folderPath, lockPath, tempArchivePath } from '../layout.ts'
import { nextFolder, type Transition } from '../lifecycle.ts'
import type { AgentId } from '../names.ts'
import { type DreamParts, pathIn } from './parts.ts'

/** Which file goes which way. */
export interface MessageMove {
  readonly agent: AgentId
  readonly name: string
  readonly from: Folder
  readonly transition: Transition
  /** Into whose folder; its own unless said. */
  readonly to?: AgentId
  /** Its name there, if that is another one. */
  readonly as?: string
}

export const targetOf = (
  parts: DreamParts,
  { agent, to = agent, name, as: newName = name, from, transition }: MessageMove,
): TreePath => pathIn(parts, to, nextFolder(from, transition), newName)

/** Moves a file if its name is free in the target folder. */
export const moveFile = (parts: DreamParts, step: MessageMove, options: MoveOptions = {}): Promise<Moved> =>
  parts.tree.move(pathIn(parts, step.agent, step.from, step.name), targetOf(parts, step), options)

/** Moves a file under the first name that is free in the target folder. */
export async function moveFileSomewhere(parts: DreamParts, step: MessageMove, options: MoveOptions = {}) {
  const name = step.as ?? step.name
  for (let n = 1; ; n++) {
    const attempt = { ...step, as: n === 1 ? name : spareName(name, n) }
    const moved = await moveFile(parts, attempt, options)
    if (moved.outcome !== 'taken') return { moved, path: targetOf(parts, attempt) }
  }
}

export function setFileAside(parts: DreamParts, step: MessageMove, options: SetAsideOptions = {}): Promise<SetAside> {
  const { agent, to = agent, name, from, transition } = step
  return setAside(
    parts.tree,
    pathIn(parts, agent, from, name),
    folderPath(parts.places, to, nextFolder(from, transition)),
    options,
  )
}

/** Moves a response into `temp/archive/`, or renames it there once it was handed on or shown. */
export const moveToArchive = (
  parts: DreamParts,
  path: TreePath,
  name: string,
  options: MoveOptions = {},
): Promise<Moved> => parts.tree.move(path, childOf(tempArchivePath(parts.places), name), options)

/** Moves a staged file into an inbox, under the first name that is free there. */
export async function moveToInbox(parts: DreamParts, from: TreePath, to: AgentId, name: string): Promise<TreePath> {
  for (let n = 1; ; n++) {
    const path = pathIn(parts, to, 'inbox', n === 1 ? name : spareName(name, n))
    const moved = await parts.tree.move(from, path, { touched: true })
    if (moved.outcome !== 'taken') return path
  }
}

/** Moves a lock out of the way if `isLeft`, asked about the lock that was won, says that its holder is gone. */
export const moveLockAway = (
  parts: DreamParts,
  mailbox: number,
  isLeft: (bytes: Uint8Array, modifiedAt: number) => boolean,
): Promise<Moved> =>
  parts.tree.move(lockPath(parts.places, mailbox), brokenLockPath(mailbox), {
    // A lock is one line; a file that another program put there may be of any size.
    atMost: 4096,
    change: (bytes, { modifiedAt }) => (isLeft(bytes, modifiedAt) ? bytes : undefined),
  })
