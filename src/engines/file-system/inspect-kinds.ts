/** Files with a second name. */
import type { TreePath } from '../../kernel/tree-path.ts'
import type { Finding } from '../../tree/tree.ts'
import { type Disk, Place } from './disk.ts'
import type { Folders } from './folders.ts'
import type { Recovery } from './recovery.ts'
import type { Scratch } from './scratch.ts'

/**
 * Finds files with a second name, except those whose second name is a draft or comes from a move under way: they lose it
 * soon.
 */
export function hardLinks(disk: Disk, folders: Folders, recovery: Recovery, scratch: Scratch) {
  let drafts: Set<number> | undefined
  return async (place: Place, shown: string): Promise<Finding[]> => {
    const file = disk.stat(place)
    if (file === undefined || !file.isFile() || file.nlink < 2) return []
    drafts ??= filesIn(disk, folders, scratch.folders())
    if (drafts.has(file.ino)) return []
    await recovery.recoverNamesOf(file.ino)
    if ((disk.stat(place)?.nlink ?? 1) < 2) return []
    return [
      {
        code: 'HARD_LINK',
        severity: 'warning',
        path: shown,
        message: 'This file has a second name, and whoever changes it by either changes both.',
        hint: 'Put a copy in its place: cp FILE FILE.new, then mv FILE.new FILE.',
        repaired: false,
      },
    ]
  }
}

function filesIn(disk: Disk, folders: Folders, within: readonly TreePath[]): Set<number> {
  const files = new Set<number>()
  for (const folder of within) {
    const open = folders.at(folder, false)
    for (const { name } of open ? disk.list(open) : []) {
      const stats = disk.stat(new Place(open!, name))
      if (stats) files.add(stats.ino)
    }
  }
  return files
}
