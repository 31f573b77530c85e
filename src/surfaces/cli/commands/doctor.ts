import { printableLine } from '../../../kernel/printable.ts'
import { doctor } from '../../../operations/doctor.ts'
import { commandFace } from '../command.ts'
import type { Colour } from '../terminal.ts'

const colours = { error: 'red', warning: 'yellow', note: 'cyan' } as const satisfies Record<string, Colour>

export const doctorFace = commandFace(doctor, ({ outcome, root, findings, remaining, repaired }, { paint }) => {
  const lines = findings.map((finding) => {
    const mark = finding.repaired ? paint('green', 'repaired') : paint(colours[finding.severity], finding.severity)
    const hint = finding.repaired ? '' : `  ${paint('dim', 'hint:')} ${printableLine(finding.hint)}\n`
    const place = paint('bold', printableLine(finding.path || '.'))
    return `${mark} ${place}: ${printableLine(finding.message)} ${paint('dim', `(${finding.code})`)}\n${hint}`
  })
  const verdict = {
    healthy: remaining === 0 ? 'Nothing is out of order' : 'Nothing is broken',
    repaired: 'All that was broken is repaired',
    unhealthy: 'Something is broken',
  }[outcome]
  const counts = findings.length === 0 ? '' : ` (${repaired} repaired, ${remaining} left)`
  return `${lines.join('')}${paint(outcome === 'unhealthy' ? 'red' : 'green', verdict)} in ${printableLine(root)}${counts}.\n`
})
