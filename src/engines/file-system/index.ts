import type { Clock } from '../../kernel/clock.ts'
import type { Durability, Tree } from '../../tree/tree.ts'

export interface FileTreeOptions {
  /** The directory that holds everything. Made if it is not there, unless `mustExist`. */
  readonly root: string
  readonly mustExist?: boolean
  readonly durability?: Durability
  /** `owner` (the default): files 0600, folders 0700. `group`: 0660 and 0770. */
  readonly permissions?: 'owner' | 'group'
  readonly clock?: Clock
}

export async function openFileTree(_options: FileTreeOptions): Promise<Tree> {
  throw new Error('not built yet')
}
