/** Signatures, encryption and limits on rate, for workspaces that ask for them. Loaded by those alone. */
import { age } from '../../adapters/age.ts'
import { makeGuards, type SecuritySettings } from '../../protocols/message-routing/security/guards.ts'
import type { KeyRing } from '../../protocols/message-routing/security/keys.ts'
import type { Tree } from '../../tree/tree.ts'

export const openGuards = (
  tree: Tree,
  keys: () => Promise<KeyRing>,
  settings: SecuritySettings,
): ReturnType<typeof makeGuards> => makeGuards({ tree, keys, sealing: age, settings })
