/** What crashes and strangers leave behind, found and, on request, put right. */
import type { Clock } from '../../kernel/clock.ts'
import { childOf, isSegment, parentOf, type TreePath, treeRoot } from '../../kernel/tree-path.ts'
import { isReserved } from '../../tree/home.ts'
import type { Finding } from '../../tree/tree.ts'
import { type Disk, did, type Folder, Place } from './disk.ts'
import type { Folders } from './folders.ts'
import { hardLinks, oddFolders } from './inspect-kinds.ts'
import type { Locks } from './locks.ts'
import { type Moves, nameFromOwn, ownPrefix } from './moves.ts'
import { type Scratch, strayScratchName } from './scratch.ts'

export interface InspectParts {
  readonly disk: Disk
  readonly folders: Folders
  readonly moves: Moves
  readonly locks: Locks
  readonly scratch: Scratch
  readonly clock: Clock
  readonly repair: boolean
  /** Folders to walk through, beside the engine's own. */
  readonly within: readonly TreePath[]
}

/** Older than any write takes: nobody is still writing it. */
const orphanedAfter = 60 * 60 * 1000

export async function inspectFiles(parts: InspectParts): Promise<Finding[]> {
  const odd = oddFolders(parts.disk, parts.folders)
  // Nothing can be finished or freed by folders that are not there.
  if (odd.length > 0) return [...odd, ...openToTheWorld(parts)]
  return [
    ...openToTheWorld(parts),
    ...(await unfinishedMoves(parts)),
    ...(await strayEntries(parts)),
    ...orphanedDrafts(parts),
    ...(await abandonedLocks(parts)),
  ]
}

function openToTheWorld({ disk, folders, repair }: InspectParts): Finding[] {
  const fd = folders.descriptor(treeRoot)
  const mode = fd === undefined ? 0 : disk.statOpen(fd).mode
  if (fd === undefined || (mode & 0o002) === 0) return []
  return [
    {
      code: 'WORLD_WRITABLE_ROOT',
      severity: 'warning',
      path: folders.root,
      message: 'Every user of this machine may write into the root.',
      hint: `Take that right away: chmod o-w ${folders.root}`,
      // A sticky directory such as /tmp is meant to be so.
      repaired:
        repair && (mode & 0o1000) === 0 && did(['EPERM', 'EACCES', 'EROFS'], () => disk.changeMode(fd, mode & 0o7775)),
    },
  ]
}

async function unfinishedMoves({ folders, moves, repair }: InspectParts): Promise<Finding[]> {
  const open = moves.abandoned().filter(({ intent }) => intent !== undefined && moves.isUnfinished(intent))
  const { stranded } = repair ? await moves.recover() : { stranded: [] }
  const findings: Finding[] = []
  for (const intent of open.map((slot) => slot.intent!)) {
    const isStranded = stranded.some(({ operation }) => operation === intent.operation)
    const renamed = isStranded ? await moves.rename(parentOf(intent.from), moves.ownNameOf(intent)) : undefined
    findings.push(
      unfinished(folders.shown(intent.from), intent.to, renamed, repair && (!isStranded || renamed !== undefined)),
    )
  }
  return findings
}

const unfinished = (path: string, to: string, renamed: string | undefined, repaired: boolean): Finding => ({
  code: 'UNFINISHED_MOVE',
  severity: 'error',
  path,
  message: `A process died while it moved this to ${to}.${renamed ? ` Its name was taken meanwhile; it is now ${renamed}.` : ''}`,
  hint: 'Finish it with `signalbox doctor --fix`; any process that lists the folder does so too.',
  repaired,
})

/** Walks the folders for private files nobody will settle, for links and odd things, and for unusable names. */
async function strayEntries(parts: InspectParts): Promise<Finding[]> {
  const findings: Finding[] = []
  const waiting = [...parts.within]
  const sharedBy = hardLinks(parts.disk, parts.folders, parts.moves, parts.scratch)
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const open = parts.folders.at(folder, false)
    if (open === undefined) continue
    for (const entry of parts.disk.list(open)) {
      const shown = `${parts.folders.shown(folder)}/${entry.name}`
      if (entry.name.startsWith(ownPrefix)) findings.push(...(await privateFile(parts, folder, open, entry.name)))
      else if (entry.name === strayScratchName) parts.scratch.know(childOf(folder, entry.name))
      else if (!isSegment(entry.name))
        findings.push(
          stray(
            'UNUSABLE_NAME',
            shown,
            'This name cannot be used in a tree, so the file is never read.',
            'Rename it with plain letters.',
          ),
        )
      else if (isReserved(childOf(folder, entry.name))) continue
      else if (entry.isDirectory()) waiting.push(childOf(folder, entry.name))
      else if (entry.isFile()) findings.push(...(await sharedBy(new Place(open, entry.name), shown)))
      else
        findings.push(
          stray(
            'NOT_A_LEAF',
            shown,
            'This is a link, pipe, socket or device; it is never followed or read.',
            'Remove it or move it out of the tree.',
          ),
        )
    }
  }
  return findings
}

async function privateFile(parts: InspectParts, folder: TreePath, open: Folder, name: string): Promise<Finding[]> {
  const own = nameFromOwn(name)
  if (!own || !parts.moves.isAbandoned(own.holder, new Place(open, name))) return []
  const restored = parts.repair && (await parts.moves.restoreOrphan(folder, name))
  const renamed = parts.repair && !restored ? await parts.moves.rename(folder, name) : undefined
  return [
    {
      code: 'STRANDED_LEAF',
      severity: 'error',
      path: `${parts.folders.shown(folder)}/${name}`,
      message: `A process died while it changed ${own.name}.${renamed ? ` Its name was taken meanwhile; it is now ${renamed}.` : ''}`,
      hint: 'Run `signalbox doctor --fix`: it goes back to its name, or gets a new one if that was taken.',
      repaired: restored || renamed !== undefined,
    },
  ]
}

const stray = (code: string, path: string, message: string, hint: string): Finding => ({
  code,
  severity: 'warning',
  path,
  message,
  hint,
  repaired: false,
})

function orphanedDrafts(parts: InspectParts): Finding[] {
  const { disk, folders, scratch, clock, repair } = parts
  return oldDrafts(disk, folders, scratch, clock).map(({ place, shown }) => ({
    code: 'ORPHANED_DRAFT',
    severity: 'note',
    path: shown,
    message: 'A temporary file was left behind by a process that died while writing.',
    hint: 'Remove it with `signalbox doctor --fix`; what it was for was never acknowledged.',
    repaired: repair && did(['ENOENT'], () => disk.unlink(place)),
  }))
}

/** Clears away what was left long ago. Nobody waits for it, so a failure can wait for `doctor`. */
export function sweepDrafts(disk: Disk, folders: Folders, scratch: Scratch, clock: Clock): void {
  try {
    for (const { place } of oldDrafts(disk, folders, scratch, clock)) disk.unlink(place)
  } catch {
    // Gone already, or the disk refuses: `doctor` tells.
  }
}

function oldDrafts(disk: Disk, folders: Folders, scratch: Scratch, clock: Clock): { place: Place; shown: string }[] {
  return scratch.folders().flatMap((folder) => {
    const open = folders.at(folder, false)
    if (open === undefined) return []
    return disk.list(open).flatMap(({ name }) => {
      const place = new Place(open, name)
      const stats = disk.stat(place)
      const isOld = stats !== undefined && clock.now() - stats.ctimeMs >= orphanedAfter
      return isOld ? [{ place, shown: `${folders.shown(folder)}/${name}` }] : []
    })
  })
}

async function abandonedLocks({ folders, locks, repair }: InspectParts): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const { folder } of locks.abandoned()) {
    if (repair) await locks.free(folder)
    findings.push({
      code: 'ABANDONED_LOCK',
      severity: 'note',
      path: folders.shown(folder),
      message: 'The process that held this lock is dead.',
      hint: 'Nothing needs doing: the next process takes it over.',
      repaired: repair,
    })
  }
  return findings
}
