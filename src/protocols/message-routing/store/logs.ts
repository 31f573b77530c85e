/** The two logs of an agent: what went wrong, in the specification's shape, and what was evicted. One JSON object a line. */
import { jsonLines } from '../../../formats/json-lines.ts'
import type { TreePath } from '../../../kernel/tree-path.ts'
import { EventLog, type LoggedEvent } from '../../../messaging/events/events.ts'
import { unlessFailed } from '../../../messaging/leaves/tolerant.ts'
import type { Tree } from '../../../tree/tree.ts'
import { type AgentId, errorLogPath, evictionLogPath } from '../layout.ts'
import type { RoutingParts } from './parts.ts'

interface LoggedError {
  readonly code: string
  readonly msgId: string
  readonly issues: readonly string[]
  /** What was done about it. */
  readonly action: string
  /** Where the file is now, below the agent's folder. */
  readonly file?: string
}

/** The `action` of a file that was set aside, as the specification words it. */
export const discarded = 'Message discarded, logged to error.log'

/** A hostile file must not fill the log by itself. */
const mostIssues = 20
const longestIssue = 400

export async function logError(parts: RoutingParts, agent: AgentId, logged: LoggedError): Promise<void> {
  const { code, msgId, issues, action, file } = logged
  const line = {
    error: code,
    msg_id: msgId.slice(0, longestIssue),
    issues: issues.slice(0, mostIssues).map((issue) => issue.slice(0, longestIssue)),
    action,
    at: new Date(parts.clock.now()).toISOString(),
    ...(file === undefined ? {} : { file }),
  }
  await new EventLog(parts.tree, errorLogPath(parts.root, agent), jsonLines).append(line)
}

/** `count`: how many messages the inbox held before the eviction. */
export async function logEviction(
  parts: RoutingParts,
  recipient: AgentId,
  { msgId, count, file }: { readonly msgId: string; readonly count: number; readonly file: string },
): Promise<void> {
  const at = new Date(parts.clock.now()).toISOString()
  const line = { event: 'evicted', recipient, count, msg_id: msgId, at, file }
  await new EventLog(parts.tree, evictionLogPath(parts.root, recipient), jsonLines).append(line)
}

/** The last line of a log about each file. `undefined` when the log cannot be read. */
export const linesByFile = (tree: Tree, path: TreePath): Promise<ReadonlyMap<string, LoggedEvent> | undefined> =>
  ifReadable(tree, path, async (log) => {
    const { events } = await log.find()
    return new Map(events.flatMap((line) => (typeof line.file === 'string' ? [[line.file, line] as const] : [])))
  })

export const countEvictions = async ({ tree, root }: RoutingParts, agent: AgentId): Promise<number> =>
  (await ifReadable(tree, evictionLogPath(root, agent), (log) => log.count())) ?? 0

/** In bytes: about a hundred thousand lines. */
const largestLog = 32 * 1024 * 1024

/** `undefined` for another user's log, and for one that is too large to be ours. */
async function ifReadable<T>(tree: Tree, path: TreePath, look: (log: EventLog) => Promise<T>): Promise<T | undefined> {
  const { size = 0 } = (await unlessFailed(tree.look(path))) ?? {}
  return size > largestLog ? undefined : unlessFailed(look(new EventLog(tree, path, jsonLines)))
}
