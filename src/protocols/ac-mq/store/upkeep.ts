/** The upkeep of a mission: what a supervisor and a starting agent do, and archiving. AC-MQ §8.2, §9. */
import { mendIndexes } from '../archive/archive.ts'
import { archivePath } from '../layout.ts'
import type { Manifest } from '../manifest/manifest.ts'
import type { QueueName } from '../schema.ts'
import { type ArchivingOptions, archiveOld } from './archiving.ts'
import type { Documents } from './documents.ts'
import type { Overview } from './overview.ts'
import type { MissionFiles } from './parts.ts'
import type { Reconciliation, Repair } from './reconcile.ts'
import { SendingOnce } from './sending-once.ts'
import type { Supervision, Swept } from './supervising.ts'
import type { AcmqView } from './view.ts'

export interface ReconciledView {
  readonly outcome: 'reconciled'
  readonly counts: Readonly<Record<QueueName, number>>
  readonly manifest: Manifest | undefined
  /** The messages in `processing/` that the agent holds, and whether their time has run out. */
  readonly mine: readonly { readonly message: AcmqView; readonly isStalled: boolean }[]
  readonly repairs: readonly Repair[]
}

interface UpkeepParts {
  readonly files: MissionFiles
  readonly overview: Overview
  readonly documents: Documents
  readonly supervision: Supervision
  readonly reconciliation: Reconciliation
}

export class Upkeep {
  readonly #parts: UpkeepParts

  constructor(parts: UpkeepParts) {
    this.#parts = parts
  }

  /** One pass: claims whose time ran out fail, their senders are asked, malformed files are set aside. */
  async supervise(by?: string): Promise<Swept & { readonly repairs: readonly Repair[] }> {
    const { files, reconciliation, supervision } = this.#parts
    const repairs = await reconciliation.run()
    await new SendingOnce(files).finishAll()
    return { ...(await supervision.sweep(by)), repairs }
  }

  /** Corrects headers, finishes what killed processes began, and tells an agent which messages it holds. */
  async reconcile(agent?: string): Promise<ReconciledView> {
    const { files, reconciliation, supervision, overview, documents } = this.#parts
    const repairs = await reconciliation.run({ everything: true })
    await new SendingOnce(files).finishAll()
    await supervision.askWhatIsOwed()
    await mendIndexes(files.tree, archivePath(files.place), files.settings)
    const stalled = new Set((await supervision.findStalled()).map(({ message }) => message.id))
    const { messages } = agent === undefined ? { messages: [] } : await overview.list('processing')
    const own = messages.filter(({ to }) => to === agent)
    const mine = own.map((message) => ({ message, isStalled: stalled.has(message.id) }))
    const counts = await overview.counts()
    return { outcome: 'reconciled', counts, manifest: await documents.manifest(), mine, repairs }
  }

  /** AC-MQ §9.2. */
  archive(options: ArchivingOptions = {}) {
    const { files, overview } = this.#parts
    return archiveOld(files, async () => (await overview.list('completed')).messages, options)
  }
}
