/** What Message Routing needs from outside of the tree. Each is asked for when it is first used. */
import type { Outside } from '../../kernel/outside.ts'
import type { Tree } from '../../tree/tree.ts'
import type { Sealing } from './security/encryption.ts'

export interface MrPorts {
  /** The user's own directory for the keys of this workspace, unless the settings name another. */
  keysFolder(): Promise<string>
  /** A tree of plain files in that directory, closed by the caller. */
  openTree(folder: string): Promise<Tree>
  sealing(): Promise<Sealing>
  /** How the files of keys lie on the disk, for `doctor`. */
  readonly outside: Pick<Outside, 'resolve' | 'kindOf' | 'mayRead' | 'isPrivate' | 'namesIn'>
  /** The directory of the workspace on this machine, also where a cluster keeps the messages. */
  readonly workspace: string
}
