/** CIRCE in one workspace: what `openWorkspace(…).circe` offers, by its parts. */
import { treePath } from '../../../kernel/tree-path.ts'
import type { Finding } from '../../../tree/tree.ts'
import type { InspectionOptions, Neutral, Surroundings } from '../../contract.ts'
import type { CirceSettings } from '../settings.ts'
import { Agents } from './agents.ts'
import { CatchingUp } from './catching-up.ts'
import { Claiming } from './claiming.ts'
import { Counting } from './counting.ts'
import { FanOut } from './fan-out.ts'
import { Journal } from './journal.ts'
import { MessageIndex } from './message-index.ts'
import { Overview } from './overview.ts'
import type { CirceParts } from './parts.ts'
import { People } from './people.ts'
import { Sending } from './sending.ts'
import { Settling } from './settling.ts'
import { Tasks } from './tasks.ts'

export class Circe {
  readonly #parts: CirceParts
  readonly #journal: Journal
  readonly #catchingUp: CatchingUp
  readonly agents: Agents
  readonly sending: Sending
  readonly claiming: Claiming
  readonly settling: Settling
  readonly tasks: Tasks
  readonly people: People
  readonly overview: Overview

  constructor({ tree, clock, settings }: Surroundings<CirceSettings>) {
    const root = treePath(settings.root)
    const parts: CirceParts = { tree, clock, settings, root, index: new MessageIndex({ tree, root, settings }) }
    const journal = new Journal(parts)
    const fanOut = new FanOut(parts, journal)
    const counting = new Counting(parts, journal)
    const catchingUp = new CatchingUp(parts, journal, fanOut, counting)
    this.#parts = parts
    this.#journal = journal
    this.#catchingUp = catchingUp
    this.agents = new Agents(parts)
    this.sending = new Sending(parts, journal, counting, fanOut, this.agents)
    this.claiming = new Claiming(parts, journal, counting, catchingUp, this.agents)
    this.settling = new Settling(parts, journal, this.claiming, catchingUp)
    this.tasks = new Tasks(parts, journal, catchingUp)
    this.people = new People(parts, journal, catchingUp, this.sending)
    this.overview = new Overview(parts, catchingUp)
  }

  async neutral(): Promise<Neutral> {
    return (await import('./neutral.ts')).circeNeutral(this, this.#parts)
  }

  /** What `doctor` should know; with `repair`, what can be put right is. */
  async inspect(options: Partial<InspectionOptions> = {}): Promise<readonly Finding[]> {
    const { Inspection } = await import('./inspect.ts')
    return new Inspection(this.#parts, this.#journal, this.#catchingUp).inspect({ repair: false, ...options })
  }
}
