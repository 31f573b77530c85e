/**
 * Opens the keys for a workspace, in a directory that belongs to one user alone. Always in files and never in the workspace:
 * whoever may read a cluster would read the private keys of everybody, and whoever made a workspace could bring some along.
 */
import type { Clock } from '../../../kernel/clock.ts'
import { denied, SignalboxError } from '../../../kernel/errors.ts'
import { treePath } from '../../../kernel/tree-path.ts'
import type { MrPorts } from '../ports.ts'
import { KeyRing } from './keys.ts'

export interface OpenedRing {
  readonly keys: KeyRing
  close(): Promise<void>
}

/** In the directory that `keysFolder` names. */
export const ringFolder = 'keys'

export async function openRing(clock: Clock, named: string | undefined, ports: Partial<MrPorts>): Promise<OpenedRing> {
  const { keysFolder, openTree, sealing } = ports
  if (!keysFolder || !openTree || !sealing) throw withoutPlace()
  const home = named ?? (await keysFolder())
  // Opened with the defaults, so that only its owner can read what is made there.
  const tree = await openTree(home)
  const folder = treePath(ringFolder)
  const keys = new KeyRing({ tree, clock, home, folder, isOwnerOnly: true, sealing: await sealing() })
  return { keys, close: () => tree.close() }
}

/** Also what `keysFolder` throws where the environment names no home directory. */
export const isNoPlace = (error: unknown): boolean =>
  error instanceof SignalboxError && error.code === 'NO_PLACE_FOR_KEYS'

const withoutPlace = () =>
  denied('NO_PLACE_FOR_KEYS', 'There is no place for keys: Message Routing was opened without one.', {
    hint: 'Open the workspace with `openWorkspace`, or hand `keysFolder`, `openTree` and `sealing` to `open`.',
  })
