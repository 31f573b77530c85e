/** The agents that have a folder in `AGENTS/`. Their names compare without case; an existing folder keeps its spelling. */
import { nearest } from '../../../kernel/nearest.ts'
import { childOf } from '../../../kernel/tree-path.ts'
import { listIfFolder } from '../../../messaging/leaves/tolerant.ts'
import { eventsIn } from '../events.ts'
import { agentsPath, inboxPath, topFolders, workspacePath } from '../layout.ts'
import { type AgentId, agentId, isAgentId } from '../names.ts'
import { logBytes } from './log.ts'
import type { CirceInitialised } from './outcomes.ts'
import type { CirceParts } from './parts.ts'

export interface KnownAgent {
  readonly agent: AgentId
  /** The name of its folder as it is spelled. */
  readonly folder: string
}

/** Sorted. Of two folders that differ by case alone, the lower-case one counts; `inspect` reports the other. */
export async function knownAgents({ tree, root }: CirceParts): Promise<KnownAgent[]> {
  const known = new Map<string, KnownAgent>()
  for (const { name, kind } of await listIfFolder(tree, agentsPath(root))) {
    if (kind !== 'folder' || !isAgentId(name)) continue
    const agent = agentId(name)
    if (!known.has(agent) || name === agent) known.set(agent, { agent, folder: name })
  }
  return [...known.values()].sort((a, b) => (a.agent < b.agent ? -1 : 1))
}

/** The agents that have a folder, or that the log names because they have sent or claimed something. */
export async function agentsInFiles(parts: CirceParts): Promise<ReadonlySet<string>> {
  const agents = new Set<string>((await knownAgents(parts)).map(({ agent }) => agent))
  for (const { agent } of eventsIn(await logBytes(parts))) if (isAgentId(agent)) agents.add(agent.toLowerCase())
  return agents
}

/** The folder that an agent has, or would get. */
export async function folderOf(parts: CirceParts, agent: AgentId): Promise<string> {
  // Nearly always the folder is spelled like the agent, and one look is enough.
  if (await parts.tree.look(childOf(agentsPath(parts.root), agent))) return agent
  return (await knownAgents(parts)).find((known) => known.agent === agent)?.folder ?? agent
}

/** This agent has sent or claimed something. Not inside a turn. */
export async function acted({ directory }: CirceParts, name: string): Promise<void> {
  if (isAgentId(name)) await directory.acted(agentId(name), { anyCase: true, home: 'circe' })
}

export class Agents {
  readonly #parts: CirceParts

  constructor(parts: CirceParts) {
    this.#parts = parts
  }

  /** Makes the folders of agents, and the shared ones. All names are checked before anything is made. */
  async init(...names: readonly string[]): Promise<readonly CirceInitialised[]> {
    const { tree, root } = this.#parts
    const made: CirceInitialised[] = []
    for (const agent of names.map(agentId)) {
      const folder = await folderOf(this.#parts, agent)
      const inbox = inboxPath(root, folder)
      const wasThere = (await tree.look(inbox)) !== undefined
      for (const top of topFolders) await tree.makeFolder(childOf(root, top))
      await tree.makeFolder(inbox)
      await tree.makeFolder(workspacePath(root, folder))
      const path = childOf(agentsPath(root), folder)
      made.push({ outcome: wasThere ? 'unchanged' : 'created', agent, path })
    }
    return made
  }

  /** A notice for the reader of an inbox that does not exist. */
  async noticesAboutReader(name: string): Promise<readonly string[]> {
    const agent = agentId(name)
    if (await this.#parts.tree.look(childOf(agentsPath(this.#parts.root), await folderOf(this.#parts, agent))))
      return []
    const seen = (await knownAgents(this.#parts)).map((known): string => known.agent)
    for await (const { name } of this.#parts.directory.all()) seen.push(name)
    const meant = nearest(agent, seen)
    return [`There is no agent ${agent} yet.${meant === undefined || meant === agent ? '' : ` Did you mean ${meant}?`}`]
  }
}
