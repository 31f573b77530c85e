/** The two logs of an agent: what went wrong, in the specification's shape, and what was evicted. One JSON object a line. */
import { jsonLines } from '../../../formats/json-lines.ts'
import type { TreePath } from '../../../kernel/tree-path.ts'
import { EventLog } from '../../../messaging/events/event-log.ts'
import { isUnread, readOrSayWhy } from '../../../messaging/leaves/readable.ts'
import type { Leaf, Tree } from '../../../tree/tree.ts'
import { type AgentId, errorLogPath, evictionLogPath } from '../layout.ts'
import type { RoutingParts } from './parts.ts'

export interface LoggedError {
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

export async function logError(
  parts: RoutingParts,
  agent: AgentId,
  { code, msgId, issues, action, file }: LoggedError,
) {
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

export interface LoggedEviction {
  readonly msgId: string
  /** How many messages the inbox held when this one had to go. */
  readonly count: number
  readonly file: string
}

export async function logEviction(parts: RoutingParts, recipient: AgentId, { msgId, count, file }: LoggedEviction) {
  const at = new Date(parts.clock.now()).toISOString()
  const line = { event: 'evicted', recipient, count, msg_id: msgId, at, file }
  await new EventLog(parts.tree, evictionLogPath(parts.root, recipient), jsonLines).append(line)
}

const lineEnd = 0x0a
/** A hundred thousand lines. */
const largestLog = 32 * 1024 * 1024

/** A whole log; `undefined` when it is not there, cannot be read, or is too large to be a log of ours. */
export async function logAt(tree: Tree, path: TreePath): Promise<Leaf | undefined> {
  const read = await readOrSayWhy(tree, path, { most: largestLog })
  return read && !isUnread(read) ? read : undefined
}

/** The lines of an agent's log, which is only ever appended to. */
export async function countEvictions({ tree, root }: RoutingParts, agent: AgentId): Promise<number> {
  const log = await logAt(tree, evictionLogPath(root, agent))
  let lines = 0
  for (const byte of log?.bytes ?? []) if (byte === lineEnd) lines++
  return lines
}
