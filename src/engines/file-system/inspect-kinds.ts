/** Files with a second name, and files and folders that this user may not use. */
import type { TreePath } from '../../kernel/tree-path.ts'
import { type Finding, finding } from '../../tree/tree.ts'
import { codeOf, type Disk, FilePlace, type Folder, type Stats } from './disk.ts'
import type { Folders } from './folders.ts'
import type { Parts } from './parts.ts'

/**
 * Finds files with a second name, except those whose second name is a draft or comes from a move under way: they lose it
 * soon.
 */
export function hardLinks({
  disk,
  folders,
  recovery,
  scratch,
}: Pick<Parts, 'disk' | 'folders' | 'recovery' | 'scratch'>) {
  let drafts: Set<number> | undefined
  return async (place: FilePlace, file: Stats, shown: string): Promise<Finding[]> => {
    if (!file.isFile() || file.nlink < 2) return []
    drafts ??= filesIn(disk, folders, scratch.folders())
    if (drafts.has(file.ino)) return []
    await recovery.recoverNamesOf(file.ino)
    if ((disk.stat(place)?.nlink ?? 1) < 2) return []
    const message = 'This file has a second name, and whoever changes it by either changes both.'
    const hint = 'Put a copy in its place: cp FILE FILE.new, then mv FILE.new FILE.'
    return [finding('warning', 'HARD_LINK', shown, message, hint)]
  }
}

/** A file that this user may not read, so no agent of this user can get it. */
export function unreadable(disk: Disk, place: FilePlace, { uid, mode }: Stats, shown: string): Finding[] {
  const isOwn = uid === process.getuid?.()
  // For nearly all files this is enough, and asking the system takes longer.
  if ((mode & (isOwn ? 0o400 : 0o004)) !== 0) return []
  if (codeIfRefused(() => disk.expectReadable(place)) === undefined) return []
  const hint = isOwn
    ? `Allow it: chmod u+r ${shown}`
    : `Let its owner (user id ${uid}) allow it, chmod a+r ${shown}, or hand it over with chown.`
  const message = `This file cannot be read by this user; it has mode ${modeOf(mode)} and is passed over.`
  return [finding('warning', 'UNREADABLE_FILE', shown, message, hint)]
}

/** A folder in which nothing can be put or taken: every claim, and everything that is sent there, fails. */
export function notWritable(disk: Disk, folder: Folder, shown: string): Finding[] {
  const code = codeIfRefused(() => disk.expectWritable(folder))
  if (code === undefined) return []
  const isDisk = code === 'EROFS'
  const { uid, mode } = disk.statOpen(folder.fd)
  const message = isDisk
    ? 'This folder is on a disk that is mounted read-only: nothing can be sent, claimed or finished here.'
    : `This user may not write in this folder (mode ${modeOf(mode)}, user id ${uid}): nothing can be put there or taken away.`
  const hint = isDisk ? 'Mount it for writing, or choose another root.' : `Allow it: chmod -R u+rwX ${shown}`
  return [finding('error', 'READ_ONLY_FOLDER', shown, message, hint)]
}

export const notReadableFolder = (shown: string): Finding => {
  const hint = `Allow it: chmod -R u+rwX ${shown}`
  return finding('error', 'UNREADABLE_FOLDER', shown, 'This user may not look into this folder.', hint)
}

const modeOf = (mode: number): string => (mode & 0o7777).toString(8).padStart(4, '0')

function codeIfRefused(ask: () => void): string | undefined {
  try {
    ask()
    return undefined
  } catch (error) {
    const code = codeOf(error)
    // Removed by another process in between: nothing to report.
    if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return code
    if (code === 'ENOENT') return undefined
    throw error
  }
}

function filesIn(disk: Disk, folders: Folders, within: readonly TreePath[]): Set<number> {
  const files = new Set<number>()
  for (const folder of within) {
    const open = folders.at(folder, false)
    for (const { name } of open ? disk.list(open) : []) {
      const stats = disk.stat(new FilePlace(open!, name))
      if (stats) files.add(stats.ino)
    }
  }
  return files
}
