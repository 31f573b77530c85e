/** For `doctor`: what does not belong among the engine's own files, or belongs to a process that we cannot ask about. */
import { call } from '../../kernel/call.ts'
import { nameOf, type TreePath } from '../../kernel/tree-path.ts'
import { engineHome, home } from '../../tree/home.ts'
import { type Finding, finding } from '../../tree/tree.ts'
import { FilePlace } from './disk.ts'
import { leftDrafts, removeDraft } from './drafts.ts'
import { type HolderId, pidOf } from './holder.ts'
import type { InspectParts } from './inspect.ts'
import { leasesFolder } from './leases.ts'
import { locksFolder } from './locks.ts'
import { slotsFolder } from './own-paths.ts'
import { scratchFolder } from './scratch.ts'
import { type Reason, reasons, setAsideFolder } from './set-aside.ts'

const engineFolders = [slotsFolder, locksFolder, leasesFolder, scratchFolder, setAsideFolder]

/** Something else in place of one of the engine's folders. Repaired first, since other repairs need those folders. */
export function oddFolders(parts: InspectParts): Finding[] {
  const { disk, folders, setAside, repair } = parts
  const above = folders.at(home, false)
  const homeStats = above && disk.stat(new FilePlace(above, nameOf(engineHome)))
  // Then nothing below it can be checked.
  if (homeStats && !homeStats.isDirectory()) return [notAFolder(folders.shown(engineHome), false)]
  const open = setAside.openIfThere(engineHome)
  return engineFolders.flatMap((folder) => {
    const place = open && new FilePlace(open, nameOf(folder))
    const stats = place && disk.stat(place)
    if (!stats || stats.isDirectory()) return []
    const clear = () => (folder === setAsideFolder ? setAside.isReady() : setAside.move(place, 'bad-folder'))
    return [notAFolder(folders.shown(folder), repair && clear())]
  })
}

const notAFolder = (path: string, repaired: boolean): Finding => {
  const hint = 'Move it away; the folder is made again when it is needed.'
  return finding('error', 'NOT_A_FOLDER', path, 'This is not a folder, and Signalbox needs one there.', hint, repaired)
}

export function strangeNotes(parts: InspectParts): Finding[] {
  const { slots, recovery, repair, assumeGone } = parts
  const found = slots.read()
  const isDead = (holder: HolderId) => recovery.lifeOf(holder, { assumeGone }) === 'dead'
  const foreign = found.slots.filter(({ isTrusted }) => !isTrusted)
  return [
    ...found.strange.map((note) =>
      strange(parts, slotsFolder, note.name, note.reason, repair && slots.clear(note, isDead)),
    ),
    ...foreign.map(({ name }) => foreignNote(`${parts.folders.shown(slotsFolder)}/${name}`)),
  ]
}

const foreignNote = (path: string): Finding => {
  const message = 'This note, or the folder it lies in, belongs to another user: it is not acted on.'
  const hint = `If you know whose it is, let that user run ${call('doctor', { fix: true })}; if it is a stranger's, delete it.`
  return finding('warning', 'FOREIGN_NOTE', path, message, hint)
}

export async function locksLeft(parts: InspectParts): Promise<Finding[]> {
  const { folders, locks, repair } = parts
  const found = locks.inspect()
  const findings = found.strange.map((lock) =>
    strange(parts, lock.folder, lock.name, lock.reason, repair && locks.clear(lock)),
  )
  for (const folder of found.abandoned) {
    if (repair) await locks.free(folder)
    const message = 'The process that held this lock is dead, or could not be asked for too long.'
    const hint = 'Nothing needs doing: the next process takes it over.'
    findings.push(finding('note', 'ABANDONED_LOCK', folders.shown(folder), message, hint, repair))
  }
  return findings
}

export async function strangeLeases(parts: InspectParts): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const { name, reason } of parts.leases.strange()) {
    const repaired = parts.repair && (await parts.leases.clear(name, reason))
    findings.push(strange(parts, leasesFolder, name, reason, repaired))
  }
  return findings
}

export function draftsLeft(parts: InspectParts): Finding[] {
  return leftDrafts(parts, parts).map((draft): Finding => {
    const path = `${parts.folders.shown(draft.folder)}/${draft.place.name}`
    if (draft.by === 'unknown') return unknownHolder(path, draft.holder ?? '', 'wrote this temporary file', 'note')
    const [message, hint] = draft.by === 'dead' ? leftByTheDead : leftByStrangers
    const isRemoved = parts.repair && draft.isRubbish && removeDraft(parts.disk, draft)
    return finding('note', 'ORPHANED_DRAFT', path, message, hint, isRemoved)
  })
}

const leftByTheDead = [
  'A temporary file was left behind by a process that died while writing.',
  `Remove it with ${call('doctor', { fix: true })}; what it was for was never acknowledged.`,
] as const
const leftByStrangers = [
  'This lies among the temporary files, and its name does not say whose it is.',
  `Delete it if you do not know it; a file is removed with ${call('doctor', { fix: true })} after seven days.`,
] as const

export function setAsideBefore({ setAside, folders }: InspectParts): Finding[] {
  const hint = 'See where it came from (a cloned repository?), then delete it.'
  return setAside.all().map(({ name, reason }) => {
    const message = `This lay among the engine's own files and was set aside: ${reason}.`
    return finding('warning', 'SET_ASIDE', `${folders.shown(setAsideFolder)}/${name}`, message, hint)
  })
}

/** A process holds this, and we cannot find out whether it lives. */
export const unknownHolder = (
  path: string,
  holder: HolderId,
  did: string,
  severity: Finding['severity'] = 'warning',
): Finding => {
  const message = `Process ${pidOf(holder) || holder} of another machine or container (${holder}) ${did}; whether it still lives cannot be told from here.`
  const hint = `If it is gone for good, run ${call('doctor', { fix: true, assumeGone: true })}; otherwise leave it alone.`
  return finding(severity, 'UNKNOWN_HOLDER', path, message, hint)
}

function strange(parts: InspectParts, folder: TreePath, name: string, reason: Reason, repaired: boolean): Finding {
  const path = `${parts.folders.shown(folder)}/${name}`
  const message = `This lies among the engine's own files and is none of them: ${reasons[reason]}. It is never acted on.`
  const hint = `Move it to ${setAsideFolder} with ${call('doctor', { fix: true })}, and see where it came from.`
  return finding('warning', 'STRANGE_ENGINE_FILE', path, message, hint, repaired)
}
