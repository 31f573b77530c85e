/** One mission and its parts. Parts that sending and claiming do not need are loaded at their first use, so that a command starts quickly. */
import type { Clock } from '../../../kernel/clock.ts'
import { once } from '../../../kernel/once.ts'
import type { TreePath } from '../../../kernel/tree-path.ts'
import { AgentDirectory } from '../../../messaging/agents/directory.ts'
import type { Tree } from '../../../tree/tree.ts'
import { type MissionAddress, subMissionsPath } from '../layout.ts'
import type { AcmqPorts } from '../ports.ts'
import type { AcmqSettings } from '../settings.ts'
import { ClaimMove } from './claim-move.ts'
import { Claiming } from './claiming.ts'
import { Finder } from './finder.ts'
import type { InspectionOptions } from './inspect.ts'
import { MissionFiles } from './parts.ts'
import { Policy } from './policy.ts'
import { Sending } from './sending.ts'
import { Settling } from './settling.ts'
import { WaitingMessages } from './waiting/waiting.ts'
import type { AwaitOptions } from './waiting-for-ends.ts'

export interface MissionParts {
  readonly tree: Tree
  readonly clock: Clock
  readonly settings: AcmqSettings
  readonly root: TreePath
  readonly directory?: AgentDirectory
  readonly ports?: Partial<AcmqPorts>
}

export class Mission {
  readonly address: MissionAddress
  readonly path: TreePath
  /** The folder in which missions inside this one are made. */
  readonly inside: TreePath
  /** The queues that a supervisor watches. */
  readonly supervised: readonly TreePath[]
  readonly files: MissionFiles
  readonly ports: Partial<AcmqPorts>
  readonly sending: Sending
  readonly claims: Claiming
  readonly settling: Settling
  readonly #finder: Finder
  readonly #waiting: WaitingMessages
  readonly #policy: Policy

  constructor(
    { tree, clock, settings, root, directory = new AgentDirectory(tree), ports = {} }: MissionParts,
    address: MissionAddress,
  ) {
    const files = new MissionFiles(tree, clock, settings, { root, address })
    const finder = new Finder(files)
    const waiting = new WaitingMessages(files, finder)
    const policy = new Policy(files)
    const claimMove = new ClaimMove(files, waiting)
    this.address = address
    this.path = files.path
    this.inside = subMissionsPath(files.place)
    this.supervised = [files.queues.pending, files.queues.processing, files.queues.completed]
    this.files = files
    this.ports = ports
    this.sending = new Sending({ places: files, policy, directory }, { finder, waiting })
    this.settling = new Settling(files, finder, waiting, claimMove.held)
    const { settling, reconciliation } = this
    this.claims = new Claiming({ files, finder, waiting, policy, directory, claimMove, settling, reconciliation })
    this.#finder = finder
    this.#waiting = waiting
    this.#policy = policy
  }

  readonly overview = once(async () => {
    const [{ Overview }, supervision] = await Promise.all([import('./overview.ts'), this.supervision()])
    return new Overview(this.files, this.#finder, this.#waiting, supervision)
  })

  readonly ends = once(async () => {
    const { waitForEnds } = await import('./waiting-for-ends.ts')
    const parts = { files: this.files, finder: this.#finder, waiting: this.#waiting }
    return { wait: (ids: readonly string[], options?: AwaitOptions) => waitForEnds(parts, ids, options) }
  })

  readonly approvals = once(async () => {
    const [{ Approvals }, overview] = await Promise.all([import('./approvals.ts'), this.overview()])
    return new Approvals(this.files, this.#policy, overview, this.settling)
  })

  readonly supervision = once(async () => {
    const { Supervision } = await import('./supervising.ts')
    return new Supervision(this.files, this.#finder, this.#waiting)
  })

  readonly reconciliation = once(async () => {
    const { Reconciliation } = await import('./reconcile.ts')
    return new Reconciliation(this.files, this.#waiting)
  })

  readonly documents = once(async () => {
    const [{ Documents }, overview] = await Promise.all([import('./documents.ts'), this.overview()])
    return new Documents(this.files, this.#finder, overview)
  })

  readonly upkeep = once(async () => {
    const { Upkeep } = await import('./upkeep.ts')
    const [overview, documents] = [await this.overview(), await this.documents()]
    const [supervision, reconciliation] = [await this.supervision(), await this.reconciliation()]
    return new Upkeep({ files: this.files, overview, documents, supervision, reconciliation })
  })

  readonly inspection = once(async () => {
    const [{ inspectMission }, supervision] = await Promise.all([import('./inspect.ts'), this.supervision()])
    return { run: (options?: InspectionOptions) => inspectMission(this.files, this.#waiting, supervision, options) }
  })

  /** Bus documents, snapshots, reports, search, and the order in `context/`. AC-MQ §13–16. */
  readonly memory = once(async () => {
    const { Memory } = await import('./memory/memory.ts')
    return new Memory(this)
  })
}
