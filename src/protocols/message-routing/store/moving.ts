/** The moves of messages between the folders of an agent: the only place that makes them, and the lifecycle says where to. */
import type { TreePath } from '../../../kernel/tree-path.ts'
import { type SetAside, type SetAsideOptions, setAside } from '../../../messaging/quarantine/quarantine.ts'
import type { Moved, MoveOptions } from '../../../tree/tree.ts'
import { type AgentId, type Folder, folderPath } from '../layout.ts'
import { nextFolder, type Transition } from '../lifecycle.ts'
import { pathIn, type RoutingParts } from './parts.ts'

/** Which message goes which way. */
export interface MessageMove {
  readonly agent: AgentId
  readonly name: string
  readonly from: Folder
  readonly transition: Transition
  /** Its name there, if that is another one. */
  readonly as?: string
}

/** Under its own name unless said, and only if nothing has that there. */
export const moveMessage = (parts: RoutingParts, step: MessageMove, options: MoveOptions = {}): Promise<Moved> =>
  parts.tree.move(...pathsOf(parts, step), options)

/** Moves a staged message into an inbox. Its time is set to now, since the oldest messages are evicted first. */
export const enterInbox = ({ tree }: RoutingParts, staged: TreePath, path: TreePath): Promise<Moved> =>
  tree.move(staged, path, { touched: true })

/** Under a name that is free there. Its own is not when a sender used an id twice. */
export function setMessageAside(parts: RoutingParts, step: MessageMove, options: SetAsideOptions): Promise<SetAside> {
  const { agent, name, from, transition } = step
  const folder = folderPath(parts.root, agent, nextFolder(from, transition))
  return setAside(parts.tree, pathIn(parts, agent, from, name), folder, options)
}

/** Where it is, and where it goes. */
export const pathsOf = (parts: RoutingParts, { agent, name, from, transition, as: newName = name }: MessageMove) =>
  [pathIn(parts, agent, from, name), pathIn(parts, agent, nextFolder(from, transition), newName)] as const
