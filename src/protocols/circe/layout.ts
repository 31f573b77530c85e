/**
 * Where CIRCE keeps things. Pure; nothing here looks at a disk. Spec: CIRCE, "Message Locations" and "Task State Files".
 *
 *   AI_MANAGER/
 *     NEW_MESSAGES/{file}.md                    not claimed yet
 *     AGENTS/{agent}/INBOX/{file}.md            claimed by, or brought to, one agent
 *     AGENTS/{agent}/WORKSPACE/…                being worked on, and other files of the agent
 *     TASKS/{task}.status .owner .checks        the state of a task; definitions of tasks lie beside them
 *     LOGS/{file}.md                            every message in the end, once
 *   and of our own:
 *     LOGS/events.log                           one line an event
 *     LOGS/rejected/                            files that are no messages, each with its reason
 *     LOGS/workspaces/{task}/{agent}/           what a workspace held of a completed task
 */
import { childOf, type TreePath } from '../../kernel/tree-path.ts'
import { cacheOf, stateOf } from '../../tree/home.ts'
import type { AgentId, FileName, TaskId } from './names.ts'

export const topFolders = ['NEW_MESSAGES', 'AGENTS', 'TASKS', 'LOGS'] as const

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

/** The file beside a rejected one, with the reason. */
export const reasonName = (name: string): string => `${name}.reason`

// Our own folders, in no specification: the README says what each is for. Below `state/delivery/`, `doctor` takes names with an
// ending for files, and all other names for folders.
export const stateFolder = childOf(stateOf('delivery'), 'circe')
export const unfinishedPath = childOf(stateFolder, 'unfinished')
export const allCopiesPath = childOf(stateFolder, 'copies')
export const copiesPath = (file: FileName): TreePath => childOf(allCopiesPath, file.slice(0, -'.md'.length))
export const copyPath = (file: FileName, whose: string): TreePath => childOf(copiesPath(file), `${whose}.md`)
export const allHandedPath = childOf(stateFolder, 'handed')
export const handedPath = (agent: AgentId): TreePath => childOf(allHandedPath, agent)
/** A note for each key that was ever used, and the messages that wait to be moved to `NEW_MESSAGES/`: see `SendingOnce`. */
export const sentPath = childOf(stateFolder, 'sent')
export const stagedPath = childOf(stateFolder, 'staged')

export const cacheFolder = cacheOf('circe')
/** One leaf a task: which of its messages have counted. */
export const ledgersPath = childOf(cacheFolder, 'tasks')
/** One leaf for each folder with many messages: what was read from their headers. */
export const lyingPath = childOf(cacheFolder, 'lying')
/** When `LOGS/` was last searched for messages that another program put there. */
export const loggedPath = childOf(cacheFolder, 'logged')
