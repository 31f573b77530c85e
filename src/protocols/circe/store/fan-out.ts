/**
 * A message to all that is no work goes to every agent known at that moment but its sender, one copy each. The copies are
 * prepared first and then moved, one by one: a copy that has been moved is had, whatever its reader does with it, and one that
 * has not is still there for the next process. An agent with nothing but a shell may have moved the message into its own inbox
 * before that: the others get their copies from there. Spec: CIRCE, "Required Headers" (`to`), and the README.
 */
import { childOf } from '../../../kernel/tree-path.ts'
import { lookIfThere } from '../../../messaging/leaves/tolerant.ts'
import { isForFirstMover } from '../intents.ts'
import { copyPath, logsPath } from '../layout.ts'
import { type AgentId, isEverybody, isSameAgent } from '../names.ts'
import type { CirceMessage } from '../schema.ts'
import { knownAgents } from './agents.ts'
import { apart, commit, type Patience, turn } from './journal.ts'
import { missingLine } from './log.ts'
import { copiesOf, copyForLog } from './moving.ts'
import { type CirceParts, subjectOf } from './parts.ts'
import { isFound, type Listed, readAt } from './places.ts'

export const isForEverybody = ({ to, intent }: Pick<CirceMessage, 'to' | 'intent'>): boolean =>
  isEverybody(to) && !isForFirstMover(intent)

/** True when anything was brought to anybody. Not inside a turn. */
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

/** In `NEW_MESSAGES/`, once there is a recipient. With an agent, if it is not in the log: the log gets the first copy. */
async function isDue(parts: CirceParts, one: Listed): Promise<boolean> {
  if (one.place === 'new') return (await recipientsOf(parts, one)).length > 0
  const { tree, root } = parts
  return (await lookIfThere(tree, childOf(logsPath(root), one.name))) === undefined
}

/** Answers who got a copy. Without another agent the message waits. Not inside a turn. */
export function bringToAll(parts: CirceParts, found: Listed, patience?: Patience): Promise<readonly AgentId[]> {
  return turn(parts, subjectOf(found.name, found.message.task), () => bringInTurn(parts, found), patience)
}

async function bringInTurn(parts: CirceParts, found: Listed): Promise<readonly AgentId[]> {
  const { tree } = parts
  const now = await readAt(parts, found, found.name)
  if (!isFound(now) || !isForEverybody(now.message) || now.message.task !== found.message.task) return []
  if (!(await isDue(parts, now))) return []
  const recipients = await recipientsOf(parts, now)
  // Nothing was moved from here as long as no note says so: these are of a process that was killed before.
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
