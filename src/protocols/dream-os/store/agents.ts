/** The agents of a workspace: those that have a folder in `runtime/` or a mailbox, or have acted here. */
import { SignalboxError } from '../../../kernel/errors.ts'
import { sameButForCase } from '../../../kernel/same-but-for-case.ts'
import { differsByCase, expectSpelling } from '../../../messaging/agents/directory.ts'
import { listIfFolder } from '../../../messaging/leaves/tolerant.ts'
import { agentPath, presencePath, runtimePath } from '../layout.ts'
import { type AgentId, agentId, isAgentId } from '../names.ts'
import { Part } from './parts.ts'

/** Folders that others make for an agent. The archive is one: a person's answer to a failure moves the failure there. */
const madeByOthers: ReadonlySet<string> = new Set(['inbox', 'archive'])

/** Asked before sending: throws if this agent may not get the message, and answers notices about its name. */
export type Recipient = (agent: string) => Promise<readonly string[]>

/** Notices about the recipient of a message, or why it may get none. */
export interface Judged {
  readonly notices?: readonly string[]
  readonly refused?: string
}

export class Agents extends Part {
  /** Who has a folder. */
  async withFolders(): Promise<AgentId[]> {
    const { tree, places } = this.parts
    const entries = await listIfFolder(tree, runtimePath(places))
    return entries.flatMap(({ name, kind }) => (kind === 'folder' && isAgentId(name) ? [name] : []))
  }

  /** Who has a folder or has been seen: the agents that a message can be meant for. */
  async known(): Promise<AgentId[]> {
    return [...new Set([...(await this.withFolders()), ...(await this.#noted())])].sort()
  }

  async #noted(): Promise<AgentId[]> {
    const names = new Set<string>()
    for await (const { name, in: protocols } of this.parts.directory.all())
      if (protocols?.includes('dream')) names.add(name)
    // Earlier versions kept a leaf for each.
    for (const { name, kind } of await listIfFolder(this.parts.tree, presencePath)) if (kind === 'leaf') names.add(name)
    return [...names].filter(isAgentId)
  }

  /** Who has sent, taken or registered. An agent that was only written to does not count. */
  async *seen(): AsyncGenerator<AgentId> {
    const noted = await this.#noted()
    yield* noted
    for (const agent of await this.withFolders()) {
      if (noted.includes(agent)) continue
      const entries = await listIfFolder(this.parts.tree, agentPath(this.parts.places, agent))
      if (entries.some(({ name }) => !madeByOthers.has(name))) yield agent
    }
  }

  async isSeen(agent: string): Promise<boolean> {
    for await (const one of this.seen()) if (one === agent) return true
    return false
  }

  /** Has a folder, or has been seen. */
  async isKnown(agent: string): Promise<boolean> {
    return (await this.known()).some((one) => one === agent)
  }

  /** This agent has acted here. Its spelling was judged before (`expectName`). */
  async note(agent: string): Promise<void> {
    if (!isAgentId(agent)) return
    await this.parts.directory.acted(agent, { home: 'dream' }).catch((error: unknown) => {
      if (!(error instanceof SignalboxError)) throw error
    })
  }

  /** The name, checked. Refuses another spelling of a known one. */
  async expectName(text: string): Promise<AgentId> {
    const agent = agentId(text)
    const seen = await this.parts.directory.seen(agent)
    if (seen) expectSpelling(agent, seen)
    const other = sameButForCase(agent, await this.known())
    if (other === undefined) return agent
    throw differsByCase(agent, other)
  }

  /** For what is sent to many agents: one that may get nothing stops no other. */
  async judge(agent: string, recipient?: Recipient): Promise<Judged> {
    try {
      return { notices: (await recipient?.(agent)) ?? [] }
    } catch (error) {
      if (error instanceof SignalboxError && error.kind === 'NotFound') return { refused: error.message }
      throw error
    }
  }
}
