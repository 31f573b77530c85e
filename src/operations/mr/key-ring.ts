/**
 * Where the keys of this workspace are: in its own folder, or in a directory that belongs to one user alone. Always in
 * files: whoever may read a cluster would read the private keys of everybody.
 */
import { age } from '../../adapters/age.ts'
import { treePath } from '../../kernel/tree-path.ts'
import { KeyRing } from '../../protocols/message-routing/security/keys.ts'
import { stateOf } from '../../tree/home.ts'
import type { AssemblyParts } from './assembly.ts'

export interface OpenedRing {
  readonly keys: KeyRing
  close(): Promise<void>
}

export async function openKeyRing({ tree, clock, configuration, openTree }: AssemblyParts): Promise<OpenedRing> {
  const { permissions, sections, engine } = configuration
  const own = sections.mr.keys
  if (own === undefined && engine === 'files') {
    const keys = new KeyRing({ tree, clock, isOwnerOnly: permissions === 'owner', sealing: age })
    return { keys, close: async () => {} }
  }
  // Opened with the defaults, so that only its owner can read what is made there.
  const ring = await openTree(own ?? '.')
  const folder = own === undefined ? stateOf('keys') : treePath('keys')
  const keys = new KeyRing({ tree: ring, clock, isOwnerOnly: true, folder, sealing: age })
  return { keys, close: () => ring.close() }
}
