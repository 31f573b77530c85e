/** CIRCE in one workspace: what `openWorkspace(…).circe` offers, by its parts. */
import { treePath } from '../../../kernel/tree-path.ts'
import { AgentDirectory } from '../../../messaging/agents/directory.ts'
import type { Finding } from '../../../tree/tree.ts'
import type { InspectionOptions, Neutral, Surroundings } from '../../contract.ts'
import type { CirceSettings } from '../settings.ts'
import { Agents } from './agents.ts'
import { Claiming } from './claiming.ts'
import { changesOf } from './journal.ts'
import { MessageIndex } from './message-index.ts'
import { Overview } from './overview.ts'
import type { CirceParts } from './parts.ts'
import { People } from './people.ts'
import { Sending } from './sending.ts'
import { Settling } from './settling.ts'
import { Tasks } from './tasks.ts'

export class Circe {
  readonly #parts: CirceParts
  readonly agents: Agents
  readonly sending: Sending
  readonly claiming: Claiming
  readonly settling: Settling
  readonly tasks: Tasks
  readonly people: People
  readonly overview: Overview

  constructor({ tree, clock, settings }: Surroundings<CirceSettings>) {
    const root = treePath(settings.root)
    const index = new MessageIndex({ tree, root, settings })
    const known = { tree, clock, settings, root, index, directory: new AgentDirectory(tree) }
    // The journal is one of the parts, and its steps need all of them.
    const parts: CirceParts = Object.assign(known, { changes: changesOf(known as unknown as CirceParts) })
    this.#parts = parts
    this.agents = new Agents(parts)
    this.sending = new Sending(parts)
    this.settling = new Settling(parts)
    this.claiming = new Claiming(parts, this.settling)
    this.tasks = new Tasks(parts)
    this.people = new People(parts)
    this.overview = new Overview(parts)
  }

  async neutral(): Promise<Neutral> {
    return (await import('./neutral.ts')).circeNeutral(this, this.#parts)
  }

  /** What `doctor` should know; with `repair`, what can be repaired is. */
  async inspect(options: Partial<InspectionOptions> = {}): Promise<readonly Finding[]> {
    return (await import('./inspect.ts')).inspect(this.#parts, { repair: false, ...options })
  }
}
