/** The agents of a workspace: whoever has a folder. */
import { type AgentId, agentId, agentPath, folderPath, isAgentId } from '../layout.ts'
import { StatedVersions } from '../versions.ts'
import { resetNumbers } from './numbers.ts'
import type { Initialised } from './outcomes.ts'
import type { RoutingParts } from './parts.ts'

export class Agents {
  readonly #parts: RoutingParts

  constructor(parts: RoutingParts) {
    this.#parts = parts
  }

  /** Their names, and a warning where there are more than the specification expects. */
  async known(): Promise<{ readonly names: readonly AgentId[]; readonly notices: readonly string[] }> {
    const { tree, root, settings } = this.#parts
    const entries = await tree.list(root)
    const names = entries.flatMap(({ name, kind }) => (kind === 'folder' && isAgentId(name) ? [name] : []))
    const most = settings.agentsExpected
    const isMany = names.length > most
    return { names, notices: isMany ? [`There are ${names.length} agents; the protocol expects at most ${most}.`] : [] }
  }

  async init(name: string, options: { readonly reset?: boolean } = {}): Promise<Initialised> {
    const { tree, root } = this.#parts
    const agent = agentId(name)
    const inbox = folderPath(root, agent, 'inbox')
    const wasThere = (await tree.look(inbox)) !== undefined
    await tree.makeFolder(inbox)
    await new StatedVersions(tree, root).introduce(agent)
    const sequencesReset = options.reset ? await resetNumbers(this.#parts, agent) : 0
    const outcome = options.reset && wasThere ? 'reset' : wasThere ? 'unchanged' : 'created'
    const { notices } = await this.known()
    return { outcome, agent, path: agentPath(root, agent), sequencesReset, notices }
  }
}
