/** What is made of a mission's messages and files. Each is loaded when it is asked for. AC-MQ §13–16. */
import type { AcmqPorts } from '../../ports.ts'
import type { QueueName } from '../../schema.ts'
import type { Mission } from '../mission.ts'
import type { BusOptions } from './bus.ts'
import type { KeepingOptions } from './keeping.ts'
import type { ReportOptions } from './report.ts'
import type { SearchOptions } from './search.ts'
import type { SummaryDesk } from './summary-task.ts'

export class Memory {
  readonly #mission: Mission

  constructor(mission: Mission) {
    this.#mission = mission
  }

  /** Makes and renews bus documents: of what belongs together, or of what a query finds. AC-MQ §13. */
  async bus(options: BusOptions & { readonly from?: string } = {}) {
    const { from, ...asked } = options
    const { makeBusDocuments } = await import('./bus.ts')
    return makeBusDocuments(this.#mission.files, await this.#ports(), await this.#desk(from), asked)
  }

  /** What supervision does by itself for snapshots and bus documents; nothing where nothing has happened. */
  async keep(options: KeepingOptions, inner: readonly Mission[] = []) {
    const { keepMemory } = await import('./keeping.ts')
    const all = [this.#mission.files, ...inner.map((mission) => mission.files)]
    return keepMemory(all, await this.#ports(), await this.#desk(options.by), options)
  }

  async #desk(from = busAgent): Promise<SummaryDesk> {
    const { SummaryDesk } = await import('./summary-task.ts')
    return new SummaryDesk(this.#mission, from)
  }

  async #ports(): Promise<AcmqPorts> {
    return { ...(await import('../../ports.ts')).withoutPorts, ...this.#mission.ports }
  }

  /** One of the three reports, with the missions inside it that are given. AC-MQ §16. */
  async report(options: ReportOptions & { readonly from?: string }, inner: readonly Mission[] = []) {
    const { from, ...asked } = options
    const { reportOn } = await import('./report.ts')
    const all = [this.#mission.files, ...inner.map((mission) => mission.files)]
    return reportOn(all, await this.#desk(from), asked, await this.#ports())
  }

  /** Moves files of `context/` that belong together into folders of their own; `dryRun` only says which. AC-MQ §15. */
  async organize(options?: { readonly dryRun?: boolean }) {
    return (await import('./organize.ts')).organize(this.#mission.files, await this.#ports(), options)
  }

  /** Puts back what the last `organize` moved, and says what stays and why. */
  async undoOrganize() {
    return (await import('./organize.ts')).undoOrganize(this.#mission.files)
  }

  async pin(paths: readonly string[]) {
    return (await import('./context-files.ts')).pin(this.#mission.files, paths)
  }

  /** Puts a queue, or all four, down as tables. AC-MQ §14.1. */
  async snapshot(queues?: readonly QueueName[]) {
    return (await import('./merging.ts')).takeSnapshots(this.#mission.files, queues)
  }

  /** Takes the snapshots that are due, and archives the completed messages they cover. AC-MQ §14.2. */
  async merge(options?: { readonly by?: string }) {
    return (await import('./merging.ts')).mergeQueues(this.#mission.files, options)
  }

  async merging() {
    return (await import('./merging.ts')).readMerging(this.#mission.files)
  }

  /** Finds messages by words and by meaning, archived ones too. AC-MQ §13.2. */
  async search(query: string, options?: SearchOptions) {
    const { searchMission } = await import('./search.ts')
    return searchMission(this.#mission.files, await this.#ports(), query, options)
  }
}

const busAgent = 'signalbox'
