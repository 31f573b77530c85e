/** What is handed to Message Routing from outside the tree. Each is asked for when it is first used. */
import type { Tree } from '../../tree/tree.ts'
import type { Sealing } from './security/encryption.ts'

export interface MrPorts {
  /** The directory of the user's own in which the keys for this workspace are, unless the settings name another. */
  keysFolder(): Promise<string>
  /** A tree of plain files in that directory, closed by the caller. */
  openTree(folder: string): Promise<Tree>
  sealing(): Promise<Sealing>
  readonly outside: KeyFiles
  /** The directory of the workspace on this machine, also where a cluster keeps the messages. */
  readonly workspace: string
}

/** How the files of keys lie on the disk, for `doctor`. Paths are those of the system. */
export interface KeyFiles {
  resolve(from: string, path: string): string
  kindOf(path: string): 'file' | 'folder' | 'other' | undefined
  mayRead(folder: string): boolean
  /** False when others than its owner may read, write or enter it. */
  isPrivate(path: string): boolean
  namesIn(folder: string): string[]
}
