/** Puts a finished file at a path by a step that replaces nothing. */
import { parentOf, type TreePath } from '../../kernel/tree-path.ts'
import { codeOf, type Disk, type FilePlace, unless } from './disk.ts'
import type { Folders } from './folders.ts'

export type Publishing = 'done' | 'taken' | 'gone'

/** Moves a file to a path, unless something is there. */
export function publish(disk: Disk, folders: Folders, file: FilePlace, to: TreePath): Publishing {
  for (let attempt = 0; ; attempt++) {
    const outcome = publishAt(disk, file, folders.place(to, true))
    if (outcome !== 'gone') return outcome
    // The file or the folder is gone. If it is the folder, make it again.
    if (attempt < 3 && folders.forget(parentOf(to))) continue
    if (attempt < 3 && disk.stat(file)) continue
    return 'gone'
  }
}

function publishAt(disk: Disk, file: FilePlace, target: FilePlace): Publishing {
  const native = disk.renameNew?.(file, target) ?? 'strange'
  if (native !== 'strange') return native
  try {
    disk.link(file, target)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return 'taken'
    if (codeOf(error) === 'ENOENT') return 'gone'
    throw error
  }
  // The process that moves the leaf next may have removed this name already.
  unless(['ENOENT'], () => disk.unlink(file))
  return 'done'
}
