/** Opens a tree on plain files. */
import fs from 'node:fs'
import type { Clock } from '../../kernel/clock.ts'
import type { Durability, Tree } from '../../tree/tree.ts'
import { type Disk, realDisk } from './disk.ts'
import { explain } from './failures.ts'
import { FileTree } from './file-tree.ts'
import type { LockPatience } from './locks.ts'

export interface FileTreeOptions {
  /** The directory that holds everything. Made if it is not there, unless `mustExist`. */
  readonly root: string
  readonly mustExist?: boolean
  /** `process` unless said otherwise. */
  readonly durability?: Durability
  /** `owner` (the default): files 0600, folders 0700. `group`: 0660 and 0770. */
  readonly permissions?: 'owner' | 'group'
  /** Used instead of the file system's own time to measure ages and ends. For tests. */
  readonly clock?: Clock | undefined
  /** False: what dead processes left stays as it is, so that it can be inspected first. */
  readonly recover?: boolean
  /** For tests: how long to wait for a lock. */
  readonly patience?: LockPatience
  /** For tests: the calls to the file system. */
  readonly disk?: Disk
}

const modes = {
  owner: { file: 0o600, folder: 0o700 },
  group: { file: 0o660, folder: 0o770 },
}

export async function openFileTree(options: FileTreeOptions): Promise<Tree> {
  const permissions = modes[options.permissions ?? 'owner']
  const tree = new FileTree({
    disk: options.disk ?? realDisk(),
    root: realRoot(options, permissions.folder),
    durability: options.durability ?? 'process',
    modes: permissions,
    clock: options.clock,
    patience: options.patience,
    Commit: options.durability === 'batch' ? (await import('./group-commit.ts')).GroupCommit : undefined,
  })
  if (options.recover !== false) await tree.recover()
  return tree
}

/** The root with links resolved: the user chose it, not a stranger. */
function realRoot({ root, mustExist }: FileTreeOptions, mode: number): string {
  try {
    if (!mustExist) fs.mkdirSync(root, { recursive: true, mode })
    return fs.realpathSync(root)
  } catch (error) {
    // Opening the folder will say this with a hint.
    if (['ENOENT', 'ENOTDIR', 'EEXIST'].includes((error as { code: string }).code)) return root
    throw explain(error, root)
  }
}
