/** What the files of this folder share. */
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

/** What one turn locks: a task with all its messages, or one message without a task. See `journal.ts`. */
export type Subject = `task.${TaskId}` | `file.${FileName}`

/** Messages of one second whose names differ only by the number share a subject: see `fileNameOf`. */
export const subjectOf = (name: FileName, task: TaskId | undefined): Subject =>
  task === undefined ? `file.${name.replace(/\.\d+\.md$/, '.md') as FileName}` : `task.${task}`

export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0
