/** What the files of this folder share. */
import type { Clock } from '../../../kernel/clock.ts'
import { childOf, isSegment, type TreePath } from '../../../kernel/tree-path.ts'
import { oddAmong, oddEntry } from '../../../messaging/inspection/expected.ts'
import type { Entry, Tree } from '../../../tree/tree.ts'
import type { Hooks } from '../hooks.ts'
import { type AgentId, agentEntries, agentPath, type Folder, folderPath, isMessageName } from '../layout.ts'
import type { MrSettings } from '../settings.ts'
import type { Agents } from './agents.ts'
import type { Delivery } from './delivery.ts'
import type { Inbox } from './inbox.ts'
import type { Foreign } from './reading.ts'
import type { ToldNotices } from './told-notices.ts'

export interface RoutingParts {
  readonly tree: Tree
  readonly clock: Clock
  readonly settings: MrSettings
  /** The folder of all agents. */
  readonly root: TreePath
  readonly hooks: Hooks
  readonly foreign: Foreign
  readonly notices: ToldNotices
}

/** With the parts of the store that other parts use. */
export interface StoreParts extends RoutingParts {
  readonly agents: Agents
  readonly delivery: Delivery
  readonly inbox: Inbox
}

/** The name of the turn in which an inbox is counted, cleared and written to. */
export const turnOf = ({ root }: RoutingParts, agent: AgentId): string => `mr ${folderPath(root, agent, 'inbox')}`

export const pathIn = ({ root }: RoutingParts, agent: AgentId, folder: Folder, name: string): TreePath =>
  childOf(folderPath(root, agent, folder), name)

/**
 * Throws when one of these files or folders of an agent is of the wrong kind. Called before anything is taken or moved: a message
 * must not be lost because something cannot be written afterwards.
 */
export async function expectInOrder({ tree, root }: RoutingParts, agent: AgentId, names: readonly string[]) {
  if (!tree.isOpenToOthers) return
  const folder = agentPath(root, agent)
  const [odd] = oddAmong(folder, await tree.list(folder), (name) =>
    names.includes(name) ? agentEntries[name] : undefined,
  )
  if (odd) throw oddEntry(tree, odd)
}

/** The names of the messages in a folder. Other entries with such names are left to `inspect`. */
export async function messageNames({ tree, root }: RoutingParts, agent: AgentId, folder: Folder): Promise<string[]> {
  return (await tree.list(folderPath(root, agent, folder))).filter(isMessageEntry).map(({ name }) => name)
}

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

export const isMessageEntry = ({ name, kind }: Entry): boolean =>
  kind === 'leaf' && isMessageName(name) && isSegment(name)
