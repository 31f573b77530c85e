/**
 * Signalbox as a library.
 *
 * ```ts
 * import { openWorkspace, treePath } from 'signalbox'
 *
 * const workspace = await openWorkspace({ root: '.' })
 * const leaf = await workspace.tree.read(treePath('signalbox.yaml'))
 * await workspace.close()
 * ```
 */
import type { Clock } from './kernel/clock.ts'
import { systemClock } from './kernel/clock.ts'
import type { Environment } from './operations/define.ts'
import type { Configuration } from './operations/workspace/configuration.ts'
import { lazyWorkspace } from './operations/workspace/workspace.ts'
import type { Durability, Tree } from './tree/tree.ts'

export { type Clock, heldClock, systemClock } from './kernel/clock.ts'
export { type ErrorKind, errorKinds, SignalboxError } from './kernel/errors.ts'
export { childOf, isWithin, nameOf, parentOf, type TreePath, treePath, treeRoot } from './kernel/tree-path.ts'
export type { Environment } from './operations/define.ts'
export type { Configuration } from './operations/workspace/configuration.ts'
export type * from './tree/tree.ts'

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
  readonly clock?: Clock
}

export interface Workspace {
  /** The directory, absolute. */
  readonly root: string
  readonly tree: Tree
  readonly configuration: Configuration
  /** Lets go of everything held open. What was acknowledged is safe with or without it. */
  close(): Promise<void>
}

/** Opens a workspace. Throws `SignalboxError` when the root or its settings are not usable. */
export async function openWorkspace(options: OpenOptions = {}): Promise<Workspace> {
  const { environment = process.env, clock = systemClock, makeRoot = false, ...flags } = options
  const workspace = lazyWorkspace({
    flags,
    environment,
    clock,
    outside: await import('./engines/file-system/outside.ts'),
    engines: { files: async (open) => (await import('./engines/file-system/index.ts')).openFileTree(open) },
  })
  const tree = await workspace.tree({ makeRoot })
  return { root: workspace.root().path, tree, configuration: await workspace.configuration(), close: workspace.close }
}
