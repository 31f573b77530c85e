/** What Message Routing needs from outside the tree: a place for keys that is the user's own, and encryption. */
import type { MrPorts } from '../../protocols/message-routing/ports.ts'
import type { Around } from '../protocols.ts'
import { keysFolderOf } from './keys-folder.ts'

export const mrPorts = (around: Around): MrPorts => ({
  keysFolder: () => keysFolderOf(around),
  openTree: around.openTree,
  outside: around.outside,
  sealing: async () => (await import('../../adapters/age.ts')).age,
})
