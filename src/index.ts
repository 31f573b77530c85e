/**
 * Signalbox as a library.
 *
 * ```ts
 * import { openWorkspace } from 'signalbox'
 *
 * const box = await openWorkspace({ root: '.' })
 * const { message } = await box.send({ from: 'claude', to: 'gemini', text: 'Design the schema' })
 *
 * const taken = await box.take('gemini', { waitMs: 60_000 })
 * if (taken) await box.done(taken.receipt, { text: 'Three tables.' })
 * const { result } = await box.wait(message.handle)
 * await box.close()
 * ```
 *
 * These verbs work for agents of all protocols. Each protocol has its own besides; AC-MQ is `workspace.acmq`:
 *
 * ```ts
 * const workspace = await openWorkspace({ root: '.' })
 * const { mission } = await workspace.acmq.create('system-design')
 * await mission.sending.send({ from: 'claude', to: 'gemini', body: 'Design the schema' })
 *
 * const claimed = await mission.claims.next({ agent: 'gemini', waitMs: 60_000 })
 * if (claimed.outcome === 'claimed') {
 *   const { message } = claimed
 *   await mission.settling.complete(message, { agent: 'gemini', attempt: message.attempt }, { text: 'Three tables.' })
 * }
 * await workspace.close()
 * ```
 *
 * Message Routing is `workspace.mr`:
 *
 * ```ts
 * await workspace.mr.sending.send({ from: 'lead', to: 'coder-1', type: 'task-delegation', payload: { task: 'Fix the login' } })
 * const { messages } = await workspace.mr.claiming.receive('coder-1', { waitMs: 60_000 })
 * for (const { message } of messages) console.log(message.payload)
 * ```
 *
 * What waits for a person, in whichever protocol, is `workspace.human`:
 *
 * ```ts
 * const { waiting } = await workspace.human.list()
 * for (const { id, summary, options } of waiting) console.log(id, summary, options)
 * ```
 */
import { fileURLToPath } from 'node:url'
import type { Clock } from './kernel/clock.ts'
import { systemClock } from './kernel/clock.ts'
import type { Environment } from './operations/define.ts'
import { type HumanInbox, humanInbox } from './operations/human-inbox.ts'
import { type Verbs, verbsOf } from './operations/neutral/verbs.ts'
import { type AnyProtocol, allProtocols, type LibraryName, type StoreOf } from './operations/protocols.ts'
import type { Configuration } from './operations/workspace/configuration.ts'
import { lazyWorkspace } from './operations/workspace/workspace.ts'
import type { Durability, Tree } from './tree/tree.ts'

export type * from './bridge/agents.ts'
export type { Awaited, BoxDraft, BoxSent, BoxSettled, TakenMessage, Waiting } from './bridge/box.ts'
export type { Rung } from './bridge/ladder.ts'
export type { FoundMessages, MessageHit, MessageSearch } from './bridge/search.ts'
export type { Conversation } from './bridge/thread.ts'
export type { Explanation } from './bridge/why.ts'
export { type Clock, heldClock, systemClock } from './kernel/clock.ts'
export type { Draft, Envelope, Headline, HeldBy, MessageKind, Origin, Stage, Urgency } from './kernel/envelope.ts'
export { type ErrorKind, errorKinds, SignalboxError } from './kernel/errors.ts'
export type { Problem } from './kernel/problem.ts'
export { childOf, isWithin, nameOf, parentOf, type TreePath, treePath, treeRoot } from './kernel/tree-path.ts'
export type { Environment } from './operations/define.ts'
export type * from './operations/human-inbox.ts'
export type { Verbs, WorkMessage } from './operations/neutral/verbs.ts'
export type { Configuration } from './operations/workspace/configuration.ts'
export type { GraphFormat } from './protocols/ac-mq/graph.ts'
export type { Hydration, Included, LeftOut } from './protocols/ac-mq/hydrate/hydrate.ts'
export type { MissionAddress } from './protocols/ac-mq/layout.ts'
export type { Manifest, Milestone } from './protocols/ac-mq/manifest/manifest.ts'
export type { QueueName, State } from './protocols/ac-mq/schema.ts'
export type { BusDocument, BusMade, BusOptions } from './protocols/ac-mq/store/memory/bus.ts'
export type { Merged, TakenSnapshot } from './protocols/ac-mq/store/memory/merging.ts'
export type { Organized } from './protocols/ac-mq/store/memory/organize.ts'
export type { Reported, ReportOptions } from './protocols/ac-mq/store/memory/report.ts'
export type { FoundMessage, Searched, SearchOptions } from './protocols/ac-mq/store/memory/search.ts'
export type { Mission } from './protocols/ac-mq/store/mission.ts'
export type { Missions } from './protocols/ac-mq/store/missions.ts'
export type { Blocked, Claimed, Holding, MessageRef, Settled } from './protocols/ac-mq/store/outcomes.ts'
export type { ListedMessages, QueueStatus } from './protocols/ac-mq/store/overview.ts'
export type { Repair } from './protocols/ac-mq/store/reconcile.ts'
export type { SendInput, Sent } from './protocols/ac-mq/store/sending.ts'
export type { Stalled, Swept } from './protocols/ac-mq/store/supervising.ts'
export type { ReconciledView } from './protocols/ac-mq/store/upkeep.ts'
export type { AcmqView, AcmqViewWithBody } from './protocols/ac-mq/store/view.ts'
export type { AwaitOptions, EndedMessage, WaitedFor } from './protocols/ac-mq/store/waiting-for-ends.ts'
export type * from './protocols/circe/index.ts'
export type * from './protocols/contract.ts'
export type {
  Dispatched,
  Dream,
  DreamView,
  Fetched,
  GovernanceEvent,
  MailboxClaimed,
  MailboxGiven,
  MailboxLine,
  MailboxMessage,
  MailboxSent,
  OutcomeInput,
  OutcomeRecorded,
  PlanAnswered,
  PlanSent,
  Routed,
  SupervisorState,
  Task,
  TaskSent,
  TaskTaken,
} from './protocols/dream-os/index.ts'
export type * from './protocols/message-routing/index.ts'
export type * from './protocols/shared-agent/index.ts'
export type * from './tree/tree.ts'

/** This file, in `src/` or `dist/` of the package. */
const here = fileURLToPath(import.meta.url)
/** In bytes. */
const largestPackageFile = 64 * 1024 * 1024

export interface OpenOptions {
  /**
   * The directory of the workspace. Without it: `SIGNALBOX_ROOT`, else the nearest directory upwards that is a
   * workspace, else the current one.
   */
  readonly root?: string
  /** Makes `root` when it is not there; otherwise that is an error. */
  readonly makeRoot?: boolean
  /** `files` (the default) or an address such as `etcd://localhost:2379/team`. */
  readonly engine?: string
  /** What a write survives before it is acknowledged. */
  readonly durability?: Durability
  /** Who may read and write the files that are made. */
  readonly permissions?: 'owner' | 'group'
  /** Who acts, for operations that need to know. */
  readonly agent?: string
  /** Read the known deviations of other programs. */
  readonly compat?: boolean
  /** The variables to read; those of this process unless given. Options beat them, they beat `signalbox.yaml`. */
  readonly environment?: Environment
  /**
   * What time it is. A clock of your own, as tests hold one, counts as the tree's time too; without one, ages and ends are
   * measured by what files or the cluster say, however wrong this machine's clock is.
   */
  readonly clock?: Clock
}

/** The protocols in a workspace, by name. Always the same objects; nothing is read before it is asked. */
export type Stores = {
  readonly [P in AnyProtocol as LibraryName<P>]: StoreOf<P>
}

export interface Workspace extends Stores, Verbs {
  /** The directory, absolute. */
  readonly root: string
  readonly tree: Tree
  readonly configuration: Configuration
  /** What waits for a person, in whichever protocol, and the ways to answer. */
  readonly human: HumanInbox
  /** Lets go of everything held open. What was acknowledged is safe with or without it. */
  close(): Promise<void>
}

/** Opens a workspace. Throws `SignalboxError` when the root or its settings are not usable. */
export async function openWorkspace(options: OpenOptions = {}): Promise<Workspace> {
  const { environment = process.env, clock = systemClock, makeRoot = false, ...flags } = options
  const outside = await import('./engines/file-system/outside.ts')
  const workspace = lazyWorkspace({
    flags,
    environment,
    clock,
    outside,
    packageFile: (path) => outside.readBytes(outside.resolve(here, `../../${path}`), largestPackageFile),
    engines: {
      files: async (open) => (await import('./engines/file-system/index.ts')).openFileTree(open),
      etcd: async (open) => (await import('./engines/etcd/index.ts')).openEtcdTree(open),
      etcdHealth: async (open) => (await import('./engines/etcd/index.ts')).etcdHealth(open),
    },
  })
  const tree = await workspace.tree({ makeRoot })
  const configuration = await workspace.configuration()
  const opened = await Promise.all(
    (await allProtocols()).map(async (protocol) => [
      protocol.library ?? protocol.name,
      await workspace.store(protocol as AnyProtocol),
    ]),
  )
  const stores = Object.fromEntries(opened) as unknown as Stores
  const human = humanInbox(workspace, async () => configuration.agent)
  const verbs = verbsOf(workspace)
  return { root: workspace.root().path, tree, configuration, ...stores, ...verbs, human, close: workspace.close }
}
