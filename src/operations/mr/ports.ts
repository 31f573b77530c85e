/** What Message Routing needs from outside the tree: a place for keys that is the user's own, and encryption. */
import type { MrPorts } from '../../protocols/message-routing/index.ts'
import type { Around } from '../protocols.ts'

export const mrPorts = (around: Around): MrPorts => ({
  keysFolder: async () => (await import('./keys-folder.ts')).keysFolderOf(around),
  openTree: around.openTree,
  outside: around.outside,
  workspace: around.root.path,
  sealing: async () => (await import('../../adapters/age.ts')).age,
})
