/** What `doctor` should know of all missions. */
import type { Repair } from '../../protocols/ac-mq/store/reconcile.ts'
import type { Finding } from '../../tree/tree.ts'
import type { Context } from '../define.ts'
import { openMissions } from './open.ts'

/** With `repair`, each mission is first put in order as `reconcile` does. */
export async function inspectMissions(context: Context, repair: boolean): Promise<Finding[]> {
  const missions = await openMissions(context)
  const findings: Finding[] = []
  for (const address of await missions.all()) {
    const mission = await missions.open(address)
    const repairs = repair ? (await mission.reconcile()).repairs : []
    findings.push(...repairs.flatMap(repaired), ...(await mission.inspect()))
  }
  return findings
}

/** What was only looked at is no repair; `inspect` tells of it. */
function repaired({ what, path, message }: Repair): Finding[] {
  if (what === 'waiting' || what === 'strange') return []
  const code = `MESSAGE_${what.toUpperCase()}`
  return [{ code, severity: 'warning', path, message, hint: 'Nothing more is to be done.', repaired: true }]
}
