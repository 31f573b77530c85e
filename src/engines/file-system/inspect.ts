/** For `doctor`: finds what crashes and strangers left behind and, on request, puts it right. */
import { call } from '../../kernel/call.ts'
import { SignalboxError } from '../../kernel/errors.ts'
import { childOf, isSegment, parentOf, type TreePath, treeRoot } from '../../kernel/tree-path.ts'
import { isReserved } from '../../tree/home.ts'
import { type Finding, finding } from '../../tree/tree.ts'
import { did, FilePlace, type Folder } from './disk.ts'
import {
  draftsLeft,
  locksLeft,
  oddFolders,
  setAsideBefore,
  strangeLeases,
  strangeNotes,
  unknownHolder,
} from './inspect-engine.ts'
import { hardLinks, notReadableFolder, notWritable, unreadable } from './inspect-kinds.ts'
import type { Intent } from './note.ts'
import { isOwnName, nameFromOwn, ownPrefix } from './own-paths.ts'
import type { Parts } from './parts.ts'
import { strayScratchName } from './scratch.ts'

export interface InspectParts extends Omit<Parts, 'holders' | 'flushes' | 'moves'> {
  readonly repair: boolean
  /** A person says that processes whose life is unknown are gone. Counts only with `repair`. */
  readonly assumeGone: boolean
  /** Folders to walk through, beside the engine's own. */
  readonly within: readonly TreePath[]
}

export async function inspectFiles(parts: InspectParts): Promise<Finding[]> {
  const before = setAsideBefore(parts)
  const odd = oddFolders(parts)
  // Without those folders no move can be finished and no lock freed.
  if (odd.some(({ repaired }) => !repaired)) return [...odd, ...openToTheWorld(parts), ...before]
  return [
    ...openToTheWorld(parts),
    ...odd,
    ...strangeNotes(parts),
    ...(await unfinishedMoves(parts)),
    ...(await strayEntries(parts)),
    ...draftsLeft(parts),
    ...(await locksLeft(parts)),
    ...(await strangeLeases(parts)),
    ...before,
  ]
}

function openToTheWorld({ disk, folders, repair }: InspectParts): Finding[] {
  const fd = folders.at(treeRoot, false)?.fd
  const mode = fd === undefined ? 0 : disk.statOpen(fd).mode
  if (fd === undefined || (mode & 0o002) === 0) return []
  // A sticky directory such as /tmp is meant to be open to all.
  const isRepaired =
    repair && (mode & 0o1000) === 0 && did(['EPERM', 'EACCES', 'EROFS'], () => disk.changeMode(fd, mode & 0o7775))
  const message = 'Every user of this machine may write into the root.'
  const hint = `Take that right away: chmod o-w ${folders.root}`
  return [finding('warning', 'WORLD_WRITABLE_ROOT', folders.root, message, hint, isRepaired)]
}

async function unfinishedMoves(parts: InspectParts): Promise<Finding[]> {
  const { folders, finishing, recovery, repair, assumeGone } = parts
  const isOpen = (intent: Intent | undefined): intent is Intent =>
    intent !== undefined && finishing.isUnfinished(intent)
  const open = recovery.abandoned({ assumeGone }).flatMap(({ intent }) => (isOpen(intent) ? [intent] : []))
  const uncertain = recovery.uncertain({ assumeGone }).filter(({ intent }) => isOpen(intent))
  const { stranded, stuck } = repair ? await recovery.recover({ assumeGone }) : { stranded: [], stuck: [] }
  const findings = uncertain.map(({ holder, intent }) =>
    unknownHolder(folders.shown(intent!.from), holder, `is moving this to ${intent!.to}, or was`),
  )
  const isAmong = (intents: readonly Intent[], { operation }: Intent) =>
    intents.some((one) => one.operation === operation)
  for (const intent of open) {
    const isStranded = isAmong(stranded, intent)
    const renamed = isStranded ? await recovery.rename(parentOf(intent.from), finishing.ownNameOf(intent)) : undefined
    const isDone = !isAmong(stuck, intent) && (!isStranded || renamed !== undefined)
    const message = `A process died while it moved this to ${intent.to}.${nowCalled(renamed)}`
    const hint = `Finish it with ${call('doctor', { fix: true })}; any process that lists the folder does so too.`
    findings.push(finding('error', 'UNFINISHED_MOVE', folders.shown(intent.from), message, hint, repair && isDone))
  }
  return findings
}

const nowCalled = (renamed: string | undefined): string =>
  renamed === undefined ? '' : ` Its name was taken meanwhile; it is now ${renamed}.`

/** Walks the folders for private files of dead processes, links and other things that are no files, and unusable names. */
async function strayEntries(parts: InspectParts): Promise<Finding[]> {
  const findings: Finding[] = []
  const waiting = [...parts.within]
  const readOnly = new Set<TreePath>()
  const sharedBy = hardLinks(parts)
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const open = openFolder(parts, folder)
    if (open === undefined) continue
    if (open === 'closed') {
      findings.push(notReadableFolder(parts.folders.shown(folder)))
      continue
    }
    // Only the topmost read-only folder is reported: repairing it repairs those below.
    const isBelow = readOnly.has(parentOf(folder))
    const told = isBelow ? [] : notWritable(parts.disk, open, parts.folders.shown(folder))
    findings.push(...told)
    if (isBelow || told.length > 0) readOnly.add(folder)
    for (const entry of parts.disk.list(open)) {
      const shown = `${parts.folders.shown(folder)}/${entry.name}`
      if (entry.name.startsWith(ownPrefix) && entry.isFile())
        findings.push(...(await privateFile(parts, folder, open, entry.name)))
      else if (entry.name === strayScratchName && entry.isDirectory()) parts.scratch.know(childOf(folder, entry.name))
      else if (isNotText(parts, open, entry.name)) findings.push(notText(shown))
      else if (!isSegment(entry.name) || isOwnName(entry.name)) findings.push(unusableName(shown))
      else if (isReserved(childOf(folder, entry.name))) continue
      else if (entry.isDirectory()) waiting.push(childOf(folder, entry.name))
      else if (entry.isFile()) {
        const place = new FilePlace(open, entry.name)
        const stats = parts.disk.stat(place)
        if (stats)
          findings.push(...unreadable(parts.disk, place, stats, shown), ...(await sharedBy(place, stats, shown)))
      } else findings.push(notAFile(shown))
    }
  }
  return findings
}

function openFolder({ folders }: InspectParts, folder: TreePath): Folder | 'closed' | undefined {
  try {
    return folders.at(folder, false)
  } catch (error) {
    if (error instanceof SignalboxError && error.code === 'PERMISSION_DENIED') return 'closed'
    throw error
  }
}

/** Bytes that are no UTF-8 are read as this sign, and a file of the name that we then have is not there. */
const isNotText = ({ disk }: InspectParts, folder: Folder, name: string): boolean =>
  name.includes('\ufffd') && disk.stat(new FilePlace(folder, name)) === undefined

async function privateFile(parts: InspectParts, folder: TreePath, open: Folder, name: string): Promise<Finding[]> {
  const own = nameFromOwn(name, folder)
  const path = `${parts.folders.shown(folder)}/${name}`
  if (!own) {
    const message = 'This is named like a file in the middle of a change, and no process of ours gives such a name.'
    const hint = 'See where it came from; rename it with plain letters, or delete it.'
    return [finding('warning', 'UNUSABLE_NAME', path, message, hint)]
  }
  const life = parts.recovery.lifeOf(own.holder, parts)
  if (life === 'unknown') return [unknownHolder(path, own.holder, `is changing ${own.name}, or was`)]
  if (!parts.recovery.isAbandoned(own, parts) || !parts.disk.stat(new FilePlace(open, name))) return []
  const restored = parts.repair && (await parts.recovery.restoreOrphan(folder, name))
  const renamed = parts.repair && !restored ? await parts.recovery.rename(folder, name) : undefined
  const message = `A process died while it changed ${own.name}.${nowCalled(renamed)}`
  const hint = `Run ${call('doctor', { fix: true })}: it goes back to its name, or gets a new one if that was taken.`
  return [finding('error', 'STRANDED_LEAF', path, message, hint, restored || renamed !== undefined)]
}

const notText = (path: string) => {
  const message = 'This name is not UTF-8, so the file is never read.'
  return finding('warning', 'UNUSABLE_NAME', path, message, 'Rename it with plain letters; `ls -b` shows its bytes.')
}

const unusableName = (path: string) => {
  const message = 'This name cannot be used in a tree, so the file is never read.'
  return finding('warning', 'UNUSABLE_NAME', path, message, 'Rename it with plain letters.')
}

const notAFile = (path: string) => {
  const message = 'This is a link, pipe, socket or device; it is never followed or read.'
  return finding('warning', 'NOT_A_LEAF', path, message, 'Remove it or move it out of the tree.')
}
