/** What `doctor` should know of all missions. */
import { insideRoot } from '../../kernel/path-fields.ts'
import { isSegment } from '../../kernel/tree-path.ts'
import type { Mission } from '../../protocols/ac-mq/store/mission.ts'
import type { Repair } from '../../protocols/ac-mq/store/reconcile.ts'
import { findingsOf, oddAmong, oddFinding } from '../../tree/expected.ts'
import type { Finding } from '../../tree/tree.ts'
import type { Context } from '../define.ts'
import { openMissions } from './open.ts'

/** With `repair`, each mission is first put in order as `reconcile` does. */
export async function inspectMissions(context: Context, repair: boolean): Promise<Finding[]> {
  const missions = await openMissions(context)
  const findings: Finding[] = await noMissions(context)
  for (const address of await missions.all()) {
    const mission = await missions.open(address)
    findings.push(...(await findingsOf(address, async () => inspectMission(mission, repair))))
  }
  return findings
}

async function inspectMission(mission: Mission, repair: boolean): Promise<Finding[]> {
  const found = await mission.inspect()
  // With something in the way, a repair would stop half-way.
  const isInTheWay = found.some(({ severity }) => severity === 'error')
  if (!repair || isInTheWay) return found
  const { repairs } = await mission.reconcile()
  return [...repairs.flatMap(repaired), ...(await mission.inspect())]
}

/** Files where the folder of a mission would be. Those with an ending are somebody's notes. */
async function noMissions(context: Context): Promise<Finding[]> {
  const root = insideRoot((await context.configuration()).sections.acmq.root)
  const entries = await (await context.tree()).list(root)
  const isMission = (name: string) => isSegment(name) && !name.includes('.')
  return oddAmong(root, entries, (name) => (isMission(name) ? 'folder' : undefined)).map(oddFinding)
}

/** What was only looked at is no repair; `inspect` tells of it. */
function repaired({ what, path, message }: Repair): Finding[] {
  if (what === 'waiting' || what === 'strange') return []
  const code = `MESSAGE_${what.toUpperCase()}`
  return [{ code, severity: 'warning', path, message, hint: 'Nothing more is to be done.', repaired: true }]
}
