import { superviseMission } from '../../../../duties/supervise-mission.ts'
import { printableLine } from '../../../../kernel/printable.ts'
import { type Supervised, supervise } from '../../../../operations/acmq/supervise.ts'
import { commandFace } from '../../command.ts'
import type { Screen } from '../../terminal.ts'

export const superviseFace = commandFace(
  supervise,
  (output, screen) => (output.passes === undefined ? onePass(output, screen) : stopped(output)),
  { stay: ({ once }) => (once === true ? undefined : superviseMission) },
)

function onePass({ outcome, stalled, repairs, archived }: Supervised, { paint }: Screen): string {
  if (outcome === 'nothing' && repairs.length === 0) return 'Nothing had to be done.\n'
  const lines = stalled.map(({ message: { id, from, to }, investigation }) => {
    const asked = investigation === undefined ? '' : `; asked ${from} to look into it`
    return `${paint('yellow', 'stalled')} ${printableLine(`${id}: ${to} did not finish${asked}`)}`
  })
  lines.push(
    ...repairs.map(({ what, path, message }) => `${paint('cyan', what)} ${printableLine(`${path}: ${message}`)}`),
  )
  if (archived > 0) lines.push(`${paint('green', 'archived')} ${archived}`)
  return lines.map((line) => `${line}\n`).join('')
}

/** Only the totals: what happened was printed when it did. */
const stopped = ({ stalled, repairs, archived }: Supervised): string =>
  `Stopped. ${stalled.length} stalled, ${repairs.length} put in order, ${archived} archived.\n`
