/**
 * The agents of a workspace: each has a folder. Sending to a new name is allowed, and so is waiting for its first message; the
 * directory of all protocols warns that the name may be mistyped.
 */
import { call } from '../../../kernel/call.ts'
import { notFound } from '../../../kernel/errors.ts'
import { nearest } from '../../../kernel/nearest.ts'
import { AgentDirectory } from '../../../messaging/agents/directory.ts'
import { listIfFolder, unlessFailed } from '../../../messaging/leaves/tolerant.ts'
import { type AgentId, agentId, agentPath, folderPath, isAgentId } from '../layout.ts'
import { resetNumbers } from './issued-numbers.ts'
import type { Initialised } from './outcomes.ts'
import type { RoutingParts } from './parts.ts'
import { expectRestartOf } from './received-numbers.ts'
import { introduce } from './stated-versions.ts'

/** More agents than this are warned about; none is refused. Spec: Message Routing, "Scalability Limits". */
const mostExpected = 20

/** The entries that senders make in an agent's folder: they do not show that the agent has acted. */
const bySenders: ReadonlySet<string> = new Set(['inbox', 'evicted', 'evictions.log'])

export class Agents {
  readonly #parts: RoutingParts
  readonly #directory: AgentDirectory

  constructor(parts: RoutingParts) {
    this.#parts = parts
    this.#directory = new AgentDirectory(parts.tree)
  }

  /** Their names, and a warning where there are more than the specification expects. */
  async known(): Promise<{ readonly names: readonly AgentId[]; readonly notices: readonly string[] }> {
    const entries = await this.#parts.tree.list(this.#parts.root)
    const names = entries.flatMap(({ name, kind }) => (kind === 'folder' && isAgentId(name) ? [name] : []))
    const warning = `There are ${names.length} agents; the protocol expects at most ${mostExpected}.`
    return { names, notices: names.length > mostExpected ? [warning] : [] }
  }

  /** The agents that have sent, received or registered. One that only got messages does not count: its name may be mistyped. */
  async *seen(): AsyncGenerator<AgentId> {
    const { tree, root } = this.#parts
    for (const agent of (await this.known()).names) {
      const entries = await listIfFolder(tree, agentPath(root, agent))
      if (entries.some(({ name }) => !bySenders.has(name))) yield agent
    }
  }

  /** This agent has just sent, received or registered. Other protocols may spell its name with capitals. */
  async acted(agent: AgentId): Promise<void> {
    await this.#directory.acted(agent, { anyCase: true, home: 'mr' })
  }

  /** The agent with the most similar name, when none has this one. */
  async meant(agent: string): Promise<string | undefined> {
    return (await this.#isKnown(agent)) ? undefined : this.#nearest(agent)
  }

  /** A notice for the reader of an inbox that does not exist. */
  async noticesAboutReader(agent: string): Promise<string[]> {
    if (await this.#isKnown(agent)) return []
    const meant = await this.#nearest(agent)
    return [`There is no agent ${agent} yet.${meant === undefined ? '' : ` Did you mean ${meant}?`}`]
  }

  /** Throws NO_SUCH_AGENT when none has this name. */
  async expect(agent: string): Promise<void> {
    if (await this.#isKnown(agent)) return
    const known = (await this.known()).names
    const meant = await this.#nearest(agent)
    throw notFound('NO_SUCH_AGENT', `There is no agent ${agent} under ${this.#parts.root}.`, {
      hint: meant === undefined ? `Make it: ${call('mr init', { agent })}` : `Did you mean ${meant}?`,
      details: { agent, known: known.slice(0, 100) },
    })
  }

  async #nearest(agent: string): Promise<string | undefined> {
    const names: string[] = []
    for await (const name of this.seen()) names.push(name)
    return nearest(agent, names)
  }

  async #isKnown(agent: string): Promise<boolean> {
    return (await this.#parts.tree.look(agentPath(this.#parts.root, agentId(agent)))) !== undefined
  }

  /** Makes the folders of an agent. With `reset` its numbers begin at 1 again; messages stay where they are. */
  async init(name: string, options: { readonly reset?: boolean } = {}): Promise<Initialised> {
    const { tree, root, clock } = this.#parts
    const agent = agentId(name)
    const inbox = folderPath(root, agent, 'inbox')
    const wasThere = (await tree.look(inbox)) !== undefined
    await tree.makeFolder(inbox)
    await introduce(this.#parts, agent)
    await this.acted(agent)
    // If this note cannot be written, a reader notices the restart by the numbers alone, as with other programs.
    const tell = (reader: AgentId) => unlessFailed(expectRestartOf(this.#parts, reader, agent, clock.now()))
    const sequencesReset = options.reset ? await resetNumbers(this.#parts, agent, tell) : 0
    const outcome = options.reset && wasThere ? 'reset' : wasThere ? 'unchanged' : 'created'
    const { notices } = await this.known()
    return { outcome, agent, path: agentPath(root, agent), sequencesReset, notices }
  }
}
