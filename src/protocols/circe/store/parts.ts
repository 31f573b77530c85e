/** What everything in this folder works with. */
import type { Clock } from '../../../kernel/clock.ts'
import type { TreePath } from '../../../kernel/tree-path.ts'
import type { AgentDirectory } from '../../../messaging/agents/directory.ts'
import type { Tree } from '../../../tree/tree.ts'
import type { FileName, TaskId } from '../names.ts'
import type { CirceSettings } from '../settings.ts'
import type { Changes } from './journal.ts'
import type { MessageIndex } from './message-index.ts'

export interface CirceParts {
  readonly tree: Tree
  readonly clock: Clock
  readonly settings: CirceSettings
  /** The folder that holds everything of CIRCE. */
  readonly root: TreePath
  readonly index: MessageIndex
  readonly changes: Changes
  readonly directory: AgentDirectory
}

/** What it takes to read messages. */
export type Reading = Pick<CirceParts, 'tree' | 'root' | 'settings'>

/**
 * What one turn is about: a task with all its messages, or one message without a task. Two processes that change the same
 * thing take turns; see `journal.ts`.
 */
export type Subject = `task.${TaskId}` | `file.${FileName}`

/** Messages of one second that share a name but for its number share the subject: see `fileNameOf`. */
export const subjectOf = (name: FileName, task: TaskId | undefined): Subject =>
  task === undefined ? `file.${name.replace(/\.\d+\.md$/, '.md') as FileName}` : `task.${task}`

export function addTo<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}

export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0
