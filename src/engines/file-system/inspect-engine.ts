/** For `doctor`: what does not belong among the engine's own files, or belongs to a process that we cannot ask about. */
import { childOf, nameOf, type TreePath } from '../../kernel/tree-path.ts'
import { engineHome, home } from '../../tree/home.ts'
import type { Finding } from '../../tree/tree.ts'
import { Place } from './disk.ts'
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
  const homeStats = above && disk.stat(new Place(above, nameOf(engineHome)))
  // Then nothing below it can be checked.
  if (homeStats && !homeStats.isDirectory()) return [notAFolder(folders.shown(engineHome), false)]
  const open = setAside.openIfThere(engineHome)
  return engineFolders.flatMap((folder) => {
    const place = open && new Place(open, nameOf(folder))
    const stats = place && disk.stat(place)
    if (!stats || stats.isDirectory()) return []
    const clear = () => (folder === setAsideFolder ? setAside.isReady() : setAside.move(place, 'bad-folder'))
    return [notAFolder(folders.shown(folder), repair && clear())]
  })
}

const notAFolder = (path: string, repaired: boolean): Finding => ({
  code: 'NOT_A_FOLDER',
  severity: 'error',
  path,
  message: 'This is not a folder, and Signalbox needs one there.',
  hint: 'Move it away; the folder is made again when it is needed.',
  repaired,
})

export function strangeNotes(parts: InspectParts): Finding[] {
  const { slots, recovery, repair, assumeGone } = parts
  const found = slots.read()
  const isDead = (holder: HolderId) => recovery.lifeOf(holder, { assumeGone }) === 'dead'
  const foreign = found.slots.filter(({ isTrusted }) => !isTrusted)
  return [
    ...found.strange.map((note) =>
      strange(parts, slotsFolder, note.name, note.reason, repair && slots.clear(note, isDead)),
    ),
    ...foreign.map(({ name }) => ({
      code: 'FOREIGN_NOTE',
      severity: 'warning' as const,
      path: `${parts.folders.shown(slotsFolder)}/${name}`,
      message: 'This note, or the folder it lies in, belongs to another user: it is not acted on.',
      hint: `If you know whose it is, let that user run \`signalbox doctor --fix\`; if it is a stranger's, delete it.`,
      repaired: false,
    })),
  ]
}

export async function locksLeft(parts: InspectParts): Promise<Finding[]> {
  const { folders, locks, repair } = parts
  const found = locks.inspect()
  const findings = found.strange.map((lock) =>
    strange(parts, lock.folder, lock.name, lock.reason, repair && locks.clear(lock)),
  )
  for (const folder of found.abandoned) {
    if (repair) await locks.free(folder)
    findings.push({
      code: 'ABANDONED_LOCK',
      severity: 'note',
      path: folders.shown(folder),
      message: 'The process that held this lock is dead, or could not be asked for too long.',
      hint: 'Nothing needs doing: the next process takes it over.',
      repaired: repair,
    })
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
    return {
      code: 'ORPHANED_DRAFT',
      severity: 'note',
      path,
      message:
        draft.by === 'dead'
          ? 'A temporary file was left behind by a process that died while writing.'
          : 'This lies among the temporary files, and its name does not say whose it is.',
      hint:
        draft.by === 'dead'
          ? 'Remove it with `signalbox doctor --fix`; what it was for was never acknowledged.'
          : 'Delete it if you do not know it; a file is removed with `signalbox doctor --fix` after seven days.',
      repaired: parts.repair && draft.isRubbish && removeDraft(parts.disk, draft),
    }
  })
}

export function setAsideBefore({ setAside, folders }: InspectParts): Finding[] {
  return setAside.all().map(({ name, reason }) => ({
    code: 'SET_ASIDE',
    severity: 'warning',
    path: `${folders.shown(setAsideFolder)}/${name}`,
    message: `This lay among the engine's own files and was set aside: ${reason}.`,
    hint: 'See where it came from (a cloned repository?), then delete it.',
    repaired: false,
  }))
}

/** A process holds this, and we cannot find out whether it lives. */
export const unknownHolder = (
  path: string,
  holder: HolderId,
  did: string,
  severity: Finding['severity'] = 'warning',
): Finding => ({
  code: 'UNKNOWN_HOLDER',
  severity,
  path,
  message: `Process ${pidOf(holder) || holder} of another machine or container (${holder}) ${did}; whether it still lives cannot be told from here.`,
  hint: 'If it is gone for good, run `signalbox doctor --fix --assume-gone`; otherwise leave it alone.',
  repaired: false,
})

const strange = (parts: InspectParts, folder: TreePath, name: string, reason: Reason, repaired: boolean): Finding => ({
  code: 'STRANGE_ENGINE_FILE',
  severity: 'warning',
  path: `${parts.folders.shown(folder)}/${name}`,
  message: `This lies among the engine's own files and is none of them: ${reasons[reason]}. It is never acted on.`,
  hint: `Move it to ${childOf(engineHome, 'set-aside')} with \`signalbox doctor --fix\`, and see where it came from.`,
  repaired,
})
