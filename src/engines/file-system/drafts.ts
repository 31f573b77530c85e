/** Drafts that processes left behind. Only those of dead processes may be deleted. */
import type { TreePath } from '../../kernel/tree-path.ts'
import { type Disk, did, FilePlace } from './disk.ts'
import { type HolderId, holderOf } from './holder.ts'
import type { Parts } from './parts.ts'
import type { Assumptions } from './recovery.ts'

type DraftParts = Pick<Parts, 'disk' | 'scratch' | 'setAside' | 'slots' | 'recovery' | 'time'>

interface LeftDraft {
  readonly place: FilePlace
  readonly folder: TreePath
  /** `dead`: its process is gone. `unknown`: that cannot be found out. `foreign`: it has no name of ours. */
  readonly by: 'dead' | 'unknown' | 'foreign'
  readonly holder?: HolderId
  readonly isRubbish: boolean
}

/** How long a foreign file is kept, by the file system's time. */
const foreignKeptFor = 7 * 24 * 60 * 60 * 1000

/** All drafts except those of living processes. */
export function leftDrafts(parts: DraftParts, assumptions: Assumptions = {}): LeftDraft[] {
  const found = parts.scratch.folders().flatMap((folder) => draftsIn(parts, folder, assumptions))
  if (!found.some(({ by }) => by === 'dead')) return found
  // Read the notes only once the processes are known to be dead: then they no longer change. A draft that a note may be
  // about stays, because recovery takes a missing draft for one that has arrived.
  const { slots, strange } = parts.slots.read()
  const noted = new Set([...slots, ...strange].map(({ holder }) => holder))
  return found.filter(({ by, holder }) => by !== 'dead' || !noted.has(holder))
}

function draftsIn(parts: DraftParts, folder: TreePath, assumptions: Assumptions): LeftDraft[] {
  const open = parts.setAside.openIfThere(folder)
  if (open === undefined) return []
  return parts.disk.list(open).flatMap((entry): LeftDraft[] => {
    const place = new FilePlace(open, entry.name)
    const holder = entry.isFile() ? holderOf(entry.name)?.holder : undefined
    if (holder === undefined) return [{ place, folder, by: 'foreign', isRubbish: isOld(parts, place) }]
    const life = parts.recovery.lifeOf(holder, assumptions)
    return life === 'alive' ? [] : [{ place, folder, by: life, holder, isRubbish: life === 'dead' }]
  })
}

function isOld({ disk, time }: DraftParts, place: FilePlace): boolean {
  const stats = disk.stat(place)
  return stats?.isFile() === true && time.now() - stats.ctimeMs > foreignKeptFor
}

/** Deletes the drafts of dead processes. */
export function sweepDrafts(parts: DraftParts): void {
  try {
    for (const draft of leftDrafts(parts)) if (draft.isRubbish) removeDraft(parts.disk, draft)
  } catch {
    // No caller waits for this. `doctor` reports what is left.
  }
}

export const removeDraft = (disk: Disk, { place }: LeftDraft): boolean =>
  did(['ENOENT', 'EACCES', 'EPERM', 'EISDIR', 'EROFS'], () => disk.unlink(place))
