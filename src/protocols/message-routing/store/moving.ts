/** The moves of messages between the folders of an agent. All are made here, and the lifecycle says where they lead. */
import type { TreePath } from '../../../kernel/tree-path.ts'
import { type SetAside, type SetAsideOptions, setAside } from '../../../messaging/quarantine/quarantine.ts'
import type { Moved, MoveOptions } from '../../../tree/tree.ts'
import { type AgentId, type Folder, folderPath } from '../layout.ts'
import { nextFolder, type Transition } from '../lifecycle.ts'
import { pathIn, type RoutingParts } from './parts.ts'

/** Which message makes which transition. */
export interface MessageMove {
  readonly agent: AgentId
  readonly name: string
  readonly from: Folder
  readonly transition: Transition
  /** Its name in the target folder, if that is another one. */
  readonly as?: string
}

/** Only if no file has the name there. */
export const moveMessage = (parts: RoutingParts, step: MessageMove, options: MoveOptions = {}): Promise<Moved> =>
  parts.tree.move(...pathsOf(parts, step), options)

/** Moves a staged message into an inbox. Its time is set to now, since the oldest messages are evicted first. */
export const enterInbox = ({ tree }: RoutingParts, staged: TreePath, path: TreePath): Promise<Moved> =>
  tree.move(staged, path, { touched: true })

/** Under a free name: its own is in use when a sender used an id twice. */
export function setMessageAside(parts: RoutingParts, step: MessageMove, options: SetAsideOptions): Promise<SetAside> {
  const { agent, name, from, transition } = step
  const folder = folderPath(parts.root, agent, nextFolder(from, transition))
  return setAside(parts.tree, pathIn(parts, agent, from, name), folder, options)
}

/** From where a move leads, and where to. */
export const pathsOf = (parts: RoutingParts, { agent, name, from, transition, as: newName = name }: MessageMove) =>
  [pathIn(parts, agent, from, name), pathIn(parts, agent, nextFolder(from, transition), newName)] as const
