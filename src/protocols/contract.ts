/** What every protocol folder shows to the rest: one `Protocol`, made the same way five times. */
import type { Clock } from '../kernel/clock.ts'
import type { Tree } from '../tree/tree.ts'

/** The neutral verbs. A protocol that lacks one answers `UNSUPPORTED`, never silence. */
export type Capability = 'send' | 'claim' | 'renew' | 'complete' | 'fail' | 'retry' | 'archive' | 'wait' | 'broadcast'

export interface Surroundings<Settings> {
  readonly tree: Tree
  readonly clock: Clock
  readonly settings: Settings
}

export interface Protocol<Settings, Store> {
  /** As in envelopes and on the command line. */
  readonly name: string
  readonly title: string
  readonly capabilities: readonly Capability[]
  /** Folders by which a workspace of this protocol is recognised. */
  readonly folders: readonly string[]
  readonly defaults: Settings
  open(surroundings: Surroundings<Settings>): Store
}
