/**
 * A message to all that is no work goes to every agent known at that moment but its sender, one copy each. The copies are prepared
 * first and then moved one by one: after a crash, the next process moves those that are left. An agent with only a shell may have
 * moved the message into its own inbox before that: the other agents get copies of that file.
 * Spec: CIRCE, "Required Headers" (`to`), and the README.
 */
import { isForFirstMover } from '../intents.ts'
import { copyPath } from '../layout.ts'
import { type AgentId, isEverybody, isSameAgent } from '../names.ts'
import type { CirceMessage } from '../schema.ts'
import { knownAgents } from './agents.ts'
import { apart, commit, type Patience, turn } from './journal.ts'
import { missingLine } from './log.ts'
import { copiesOf, copyForLog } from './moving.ts'
import { type CirceParts, subjectOf } from './parts.ts'
import { isFound, isInLog, type Listed, readAt } from './places.ts'

export const isForEverybody = ({ to, intent }: Pick<CirceMessage, 'to' | 'intent'>): boolean =>
  isEverybody(to) && !isForFirstMover(intent)

/** True when an agent got a copy. Not inside a turn. */
export async function bringAll(parts: CirceParts, found: readonly Listed[]): Promise<boolean> {
  let did = false
  for (const one of found) {
    if (!isForEverybody(one.message) || !(await isDue(parts, one))) continue
    await apart(async () => {
      did = (await bringToAll(parts, one, { isPatient: false })).length > 0 || did
    })
  }
  return did
}

/** In `NEW_MESSAGES/`: once there is a recipient. In an inbox: unless it is in the log, which gets a copy with the agents. */
const isDue = async (parts: CirceParts, one: Listed): Promise<boolean> =>
  one.place === 'new' ? (await recipientsOf(parts, one)).length > 0 : !(await isInLog(parts, one.name))

/** Answers the agents that got a copy. While there is no other agent, the message waits. Not inside a turn. */
export function bringToAll(parts: CirceParts, found: Listed, patience?: Patience): Promise<readonly AgentId[]> {
  return turn(parts, subjectOf(found.name, found.message.task), () => bringInTurn(parts, found), patience)
}

async function bringInTurn(parts: CirceParts, found: Listed): Promise<readonly AgentId[]> {
  const { tree } = parts
  const now = await readAt(parts, found, found.name)
  if (!isFound(now) || !isForEverybody(now.message) || now.message.task !== found.message.task) return []
  if (!(await isDue(parts, now))) return []
  const recipients = await recipientsOf(parts, now)
  // A process that prepared these copies was killed before it wrote its note: none of them has been moved.
  for (const whose of await copiesOf(parts, now.name)) await tree.remove(copyPath(now.name, whose))
  for (const whose of [copyForLog, ...recipients]) await tree.create(copyPath(now.name, whose), now.message.bytes)
  const { from, task } = now.message
  const at = parts.clock.now()
  const detail = `to ${recipients.join(', ') || 'nobody else'}`
  await commit(
    parts,
    subjectOf(now.name, task),
    [{ do: 'deliver', file: now.name }],
    [
      ...(await missingLine(parts, now.name, now.message)),
      { at, event: 'delivered', agent: from, task, file: now.name, detail },
    ],
  )
  return recipients
}

async function recipientsOf(parts: CirceParts, { message, agent: taker }: Listed): Promise<AgentId[]> {
  const agents = await knownAgents(parts)
  return agents.flatMap(({ agent }) => (isSameAgent(agent, message.from) || agent === taker ? [] : [agent]))
}
