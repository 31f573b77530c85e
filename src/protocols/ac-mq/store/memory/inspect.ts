/** What is out of order in the memory of a mission, for `doctor`: files that were moved half-way, and names that lead nowhere. */
import { finding } from '../../../../messaging/inspection/finding.ts'
import type { Finding } from '../../../../tree/tree.ts'
import type { MissionFiles } from '../parts.ts'
import { aliasesOf, readRuns, resolvedAliases } from './aliases.ts'

export async function memoryFindings(files: MissionFiles): Promise<Finding[]> {
  const { tree, place, path } = files
  const runs = await readRuns(tree, place.address)
  if (runs.length === 0) return []
  const findings: Finding[] = []
  if (runs.at(-1)!.state !== 'done') {
    const message = 'Moving its files was interrupted; every name is still found.'
    const hint = 'Finish it: signalbox doctor --fix'
    findings.push(finding('warning', 'ORGANIZE_INTERRUPTED', `${path}/context`, message, hint))
  }
  const found = await resolvedAliases({ tree, address: place.address, path })
  for (const [from, { to }] of aliasesOf(runs)) {
    if (found.has(from) || (await tree.look(files.inside(from)))) continue
    const message = `It was moved to ${to} and is not there any more.`
    const hint = 'Restore it from a copy if something still needs it.'
    findings.push(finding('note', 'MOVED_FILE_LOST', `${path}/${from}`, message, hint))
  }
  return findings
}
