/**
 * The agents: whoever has a folder in `AGENTS/`. They compare without case, and a folder that is there is used as it is
 * called. Sending to a new name is allowed; but a mistyped one looks just like it, so people are told who may have been meant.
 */
import { SignalboxError } from '../../../kernel/errors.ts'
import { nearest } from '../../../kernel/nearest.ts'
import { childOf } from '../../../kernel/tree-path.ts'
import { agentsPath, inboxPath, newPath, presencePath, topFolders, workspacePath } from '../layout.ts'
import { type AgentId, agentId, isAgentId, isSameAgent } from '../names.ts'
import type { CirceInitialised } from './outcomes.ts'
import { type CirceParts, unlessOdd } from './parts.ts'

export interface KnownAgent {
  readonly agent: AgentId
  /** As its folder is called. */
  readonly folder: string
}

/** Sorted. Of two folders that differ by case alone, the lower-case one counts; `inspect` tells of the other. */
export async function knownAgents({ tree, root }: CirceParts): Promise<KnownAgent[]> {
  const known = new Map<string, KnownAgent>()
  for (const { name, kind } of (await unlessOdd(() => tree.list(agentsPath(root)))) ?? []) {
    if (kind !== 'folder' || !isAgentId(name)) continue
    const agent = agentId(name)
    if (!known.has(agent) || name === agent) known.set(agent, { agent, folder: name })
  }
  return [...known.values()].sort((a, b) => (a.agent < b.agent ? -1 : 1))
}

/** The folder that an agent has, or would get. */
export async function folderOf(parts: CirceParts, agent: AgentId): Promise<string> {
  // Nearly always it is called like the agent, and one look is enough.
  if (await parts.tree.look(childOf(agentsPath(parts.root), agent))) return agent
  return (await knownAgents(parts)).find((known) => known.agent === agent)?.folder ?? agent
}

/** Makes the folders of an agent, and those that all share. Nobody can be called `all` or `rooster`. */
export async function initAgent(parts: CirceParts, name: string): Promise<CirceInitialised> {
  const { tree, root } = parts
  const agent = agentId(name)
  const folder = await folderOf(parts, agent)
  const inbox = inboxPath(root, folder)
  const wasThere = (await tree.look(inbox)) !== undefined
  for (const top of topFolders) await tree.makeFolder(childOf(root, top))
  await tree.makeFolder(inbox)
  await tree.makeFolder(workspacePath(root, folder))
  return { outcome: wasThere ? 'unchanged' : 'created', agent, path: childOf(agentsPath(root), folder) }
}

/** Remembers that somebody without a folder has sent something: being written to is not being there, but writing is. */
export async function noteSender({ tree, root }: CirceParts, from: string): Promise<void> {
  if (!isAgentId(from)) return
  const agent = agentId(from)
  if (await tree.look(childOf(agentsPath(root), agent))) return
  try {
    await tree.create(childOf(presencePath, agent), '')
  } catch (error) {
    // Only a remark about an unseen recipient depends on it; no message may fail for that.
    if (!(error instanceof SignalboxError)) throw error
  }
}

/** Everybody who has been here: has a folder, or has sent something. */
export async function seenAgents(parts: CirceParts): Promise<Set<string>> {
  const seen = new Set<string>((await knownAgents(parts)).map(({ agent }) => agent))
  for (const { name } of (await unlessOdd(() => parts.tree.list(presencePath))) ?? [])
    if (isAgentId(name)) seen.add(name)
  return seen
}

/** A sentence for whoever sends to somebody nobody has seen; `undefined` for everybody else. */
export async function noticeAbout(
  parts: CirceParts,
  to: string,
  elsewhere: AsyncIterable<string>,
): Promise<string | undefined> {
  // Not one that could be seen: sending refuses it.
  if (!isAgentId(to)) return undefined
  if (await parts.tree.look(childOf(agentsPath(parts.root), to.toLowerCase()))) return undefined
  const seen = await seenAgents(parts)
  if (seen.has(to.toLowerCase())) return undefined
  for await (const other of elsewhere) {
    if (isSameAgent(other, to)) return undefined
    seen.add(other)
  }
  const meant = nearest(to, seen)
  const waits = `It waits in ${newPath(parts.root)}/ until somebody of that name claims it.`
  return `Nobody has seen ${to} yet.${meant === undefined ? '' : ` Did you mean ${meant}?`} ${waits}`
}

/** A sentence for whoever looks into an inbox that is not there; none when it is. */
export async function noticesAboutReader(parts: CirceParts, agent: AgentId): Promise<string[]> {
  if (await parts.tree.look(childOf(agentsPath(parts.root), await folderOf(parts, agent)))) return []
  const meant = nearest(agent, await seenAgents(parts))
  return [`There is no agent ${agent} yet.${meant === undefined || meant === agent ? '' : ` Did you mean ${meant}?`}`]
}
