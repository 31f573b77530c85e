/**
 * The keys for a workspace, in a directory that belongs to one user alone. Always in files and never in the workspace:
 * whoever may read a cluster would read the private keys of everybody, and whoever made a workspace could bring some along.
 */
import { age } from '../../adapters/age.ts'
import { treePath } from '../../kernel/tree-path.ts'
import { KeyRing } from '../../protocols/message-routing/security/keys.ts'
import type { AssemblyParts } from './assembly.ts'

export interface OpenedRing {
  readonly keys: KeyRing
  close(): Promise<void>
}

/** In the directory that `keysFolder` names. */
export const ringFolder = treePath('keys')

export async function openKeyRing({ clock, openTree, keysFolder }: AssemblyParts): Promise<OpenedRing> {
  // Opened with the defaults, so that only its owner can read what is made there.
  const tree = await openTree(await keysFolder())
  const keys = new KeyRing({ tree, clock, isOwnerOnly: true, folder: ringFolder, sealing: age })
  return { keys, close: () => tree.close() }
}
