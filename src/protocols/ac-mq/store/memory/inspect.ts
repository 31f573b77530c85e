/** What is out of order in the memory of a mission, for `doctor`: files that were moved half-way, and names that lead nowhere. */
import { unfinishedChanges } from '../../../../messaging/inspection/changes.ts'
import { finding } from '../../../../messaging/inspection/finding.ts'
import type { Finding } from '../../../../tree/tree.ts'
import type { MissionFiles } from '../parts.ts'
import { latestMoves, movedFiles, readRuns } from './moved-files.ts'
import { organizeJournal } from './organize.ts'

export async function memoryFindings(files: MissionFiles, repair: boolean): Promise<Finding[]> {
  const findings = await unfinishedChanges(files.tree, organizeJournal(files), repair)
  const moves = latestMoves(await readRuns(files))
  const found = moves.size === 0 ? new Map() : await movedFiles(files)
  for (const [from, { to }] of moves) {
    if (found.has(from) || (await files.tree.look(files.inside(from)))) continue
    const message = `It was moved to ${to} and is not there any more.`
    const hint = 'Restore it from a copy if something still needs it.'
    findings.push(finding('note', 'MOVED_FILE_LOST', `${files.path}/${from}`, message, hint))
  }
  return findings
}
