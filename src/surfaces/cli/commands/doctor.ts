import { printableLine } from '../../../kernel/printable.ts'
import { doctor } from '../../../operations/doctor.ts'
import type { ClusterHealth } from '../../../operations/workspace/engine.ts'
import { commandFace } from '../command.ts'
import type { Colour } from '../terminal.ts'

const colours = { error: 'red', warning: 'yellow', note: 'cyan' } as const satisfies Record<string, Colour>

const verdictColours = { healthy: 'green', repaired: 'green', attention: 'yellow', unhealthy: 'red' } as const

/** A folder of a stranger's files has a finding each; ten show what is wrong with them. */
const mostOfKind = 10

export const doctorFace = commandFace(
  doctor,
  ({ outcome, root, findings, remaining, repaired, cluster }, { paint, next }) => {
    const ofKind = new Map<string, number>()
    const lines = findings.flatMap((finding) => {
      const count = (ofKind.get(finding.code) ?? 0) + 1
      ofKind.set(finding.code, count)
      if (count > mostOfKind) return []
      const mark = finding.repaired ? paint('green', 'repaired') : paint(colours[finding.severity], finding.severity)
      const hint = finding.repaired ? '' : `  ${paint('dim', 'hint:')} ${next(printableLine(finding.hint))}\n`
      const place = paint('bold', printableLine(finding.path || '.'))
      return `${mark} ${place}: ${printableLine(finding.message)} ${paint('dim', `(${finding.code})`)}\n${hint}`
    })
    for (const [code, count] of ofKind)
      if (count > mostOfKind) lines.push(`… and ${count - mostOfKind} more of ${code} (--json has all)\n`)
    const verdict = {
      healthy: remaining === 0 ? 'Nothing is out of order' : 'Nothing is broken',
      repaired: 'All that was broken is repaired',
      attention: 'Nothing is broken, but somebody has to act',
      unhealthy: 'Something is broken',
    }[outcome]
    const counts = findings.length === 0 ? '' : ` (${repaired} repaired, ${remaining} left)`
    const health = cluster ? shownHealth(cluster) : ''
    return `${lines.join('')}${health}${paint(verdictColours[outcome], verdict)} in ${printableLine(root)}${counts}.\n`
  },
)

function shownHealth({ members, sizeBytes, quotaBytes, revision, compactedRevision, readMs }: ClusterHealth): string {
  const lines = members.map(({ address, isReachable, isLeader, version }) => {
    const state = isReachable ? `etcd ${version ?? '?'}${isLeader ? ', leader' : ''}` : 'does not answer'
    return `member ${printableLine(address)}: ${state}`
  })
  const quota =
    quotaBytes === undefined ? 'quota not known' : `${Math.round((sizeBytes / quotaBytes) * 100)} % of its quota`
  lines.push(`size: ${(sizeBytes / 1e6).toFixed(1)} MB, ${quota}`)
  const compacted =
    compactedRevision === undefined
      ? ''
      : compactedRevision > 0
        ? `, compacted up to ${compactedRevision}`
        : ', never compacted'
  lines.push(`history: revision ${revision}${compacted}`)
  if (readMs !== undefined) lines.push(`latency: ${readMs.toFixed(1)} ms for a read (median)`)
  return lines.map((line) => `${line}\n`).join('')
}
