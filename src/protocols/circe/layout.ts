/**
 * Where CIRCE keeps things. Pure; nothing here looks at a disk. Spec: CIRCE, "Message Locations" and "Task State Files".
 *
 *   AI_MANAGER/
 *     NEW_MESSAGES/{file}.md                    nobody has claimed it
 *     AGENTS/{agent}/INBOX/{file}.md            claimed by, or brought to, one agent
 *     AGENTS/{agent}/WORKSPACE/…                being worked on, and whatever else the agent keeps there
 *     TASKS/{task}.status .owner .checks        how a task stands; definitions of tasks lie beside them
 *     LOGS/{file}.md                            every message in the end, once
 *   and of our own:
 *     LOGS/events.log                           one line an event
 *     LOGS/rejected/                            what is no message, each with its reason
 *     LOGS/workspaces/{task}/{agent}/           what a workspace held of a completed task
 */
import { childOf, type TreePath } from '../../kernel/tree-path.ts'
import { cacheOf, stateOf } from '../../tree/home.ts'
import type { AgentId, FileName, TaskId } from './names.ts'

export const topFolders = ['NEW_MESSAGES', 'AGENTS', 'TASKS', 'LOGS'] as const

// All parts are checked already.
const below = (folder: string, rest: string): TreePath => (folder === '' ? rest : `${folder}/${rest}`) as TreePath

export const newPath = (root: TreePath): TreePath => below(root, 'NEW_MESSAGES')
export const agentsPath = (root: TreePath): TreePath => below(root, 'AGENTS')
export const tasksPath = (root: TreePath): TreePath => below(root, 'TASKS')
export const logsPath = (root: TreePath): TreePath => below(root, 'LOGS')
export const rejectedPath = (root: TreePath): TreePath => below(root, 'LOGS/rejected')
export const eventsPath = (root: TreePath): TreePath => below(root, 'LOGS/events.log')

/** `folder`: as it is called on the disk, which may be `Engineer` for the agent `engineer`. */
export const inboxPath = (root: TreePath, folder: string): TreePath => below(root, `AGENTS/${folder}/INBOX`)
export const workspacePath = (root: TreePath, folder: string): TreePath => below(root, `AGENTS/${folder}/WORKSPACE`)
export const keptWorkspacePath = (root: TreePath, task: TaskId, agent: AgentId): TreePath =>
  below(root, `LOGS/workspaces/${task}/${agent}`)

export const taskFiles = ['status', 'owner', 'checks'] as const
export type TaskFile = (typeof taskFiles)[number]
export const taskPath = (root: TreePath, task: TaskId, file: TaskFile): TreePath =>
  below(tasksPath(root), `${task}.${file}`)

/** The task and the kind of a file in `TASKS/`; `undefined` for definitions and everything else. */
export function taskFileFrom(name: string): { readonly task: string; readonly file: TaskFile } | undefined {
  const dot = name.lastIndexOf('.')
  const file = taskFiles.find((kind) => kind === name.slice(dot + 1))
  return file && dot > 0 ? { task: name.slice(0, dot), file } : undefined
}

/** The name under which a rejected file's reason stands beside it. */
export const reasonName = (name: string): string => `${name}.reason`

// What is our own and in no specification. See the README for what each is for.
const state = childOf(stateOf('delivery'), 'circe')
export const deliveryNotes = state
// Below `state/delivery/` names with an ending are files, and all others folders: `doctor` goes by that.
export const unfinishedPath = childOf(state, 'unfinished')
export const allCopiesPath = childOf(state, 'copies')
export const copiesPath = (file: FileName): TreePath => childOf(allCopiesPath, file.slice(0, -'.md'.length))
export const copyPath = (file: FileName, whose: string): TreePath => childOf(copiesPath(file), `${whose}.md`)
export const allHandedPath = childOf(state, 'handed')
export const handedPath = (agent: AgentId): TreePath => childOf(allHandedPath, agent)
/** One note for each key that was ever used, and what waits to be moved to `NEW_MESSAGES/`: see `SendingOnce`. */
export const sentPath = childOf(state, 'sent')
export const stagedPath = childOf(state, 'staged')
export const stateFolder = state

const cache = cacheOf('circe')
export const cacheFolder = cache
/** One leaf a task: which of its messages have been taken into account. */
export const ledgersPath = childOf(cache, 'tasks')
/** One file for each folder with many messages: what was read from their headers. */
export const lyingPath = childOf(cache, 'lying')
/** What is known of `LOGS/`. */
export const loggedPath = childOf(cache, 'logged')
