/** Which messages of its inbox an agent was handed, and which it has acknowledged: one mark each in the workspace's state. */
import { childOf } from '../../../kernel/tree-path.ts'
import { changeLeaf } from '../../../messaging/leaves/change.ts'
import { readIfLeaf } from '../../../messaging/leaves/tolerant.ts'
import { handedPath } from '../layout.ts'
import type { AgentId, FileName } from '../names.ts'
import type { CirceParts } from './parts.ts'

/** `waiting`: it was claimed and that was told, but the answer never reached the agent. Claiming it again hands it out. */
export type Mark = 'waiting' | 'claimed' | 'acknowledged'
export type Handed = Exclude<Mark, 'waiting'>

/**
 * A process claimed it and has yet to print it. After so long, in milliseconds, that process counts as killed or held, and the
 * message as `waiting`.
 */
const handing = 'handing'
const longestHanding = 2000

export async function markOf({ tree }: CirceParts, agent: AgentId, name: FileName): Promise<Mark | undefined> {
  const leaf = await readIfLeaf(tree, childOf(handedPath(agent), name), { atMost: 32 })
  if (!leaf) return undefined
  const text = Buffer.from(leaf.bytes).toString('utf8')
  if (text.startsWith(handing)) {
    const age = (await tree.now()) - leaf.modifiedAt
    // A wrong clock left a time in the future: without this, the message could not be claimed until then.
    return age >= longestHanding || age < -longestHanding ? 'waiting' : 'claimed'
  }
  return (['waiting', 'acknowledged'] as const).find((mark) => text.startsWith(mark)) ?? 'claimed'
}

export async function handedOf(parts: CirceParts, agent: AgentId, name: FileName): Promise<Handed | undefined> {
  const mark = await markOf(parts, agent, name)
  return mark === 'waiting' ? undefined : mark
}

export async function setMark(
  parts: CirceParts,
  agent: AgentId,
  name: FileName,
  mark: Mark | typeof handing,
): Promise<void> {
  await changeLeaf(parts.tree, childOf(handedPath(agent), name), () => Buffer.from(`${mark}\n`))
}

/** The process that claimed it has printed it. An agent that went on with it meanwhile has set another mark. */
export async function handedOut({ tree }: CirceParts, agent: AgentId, name: FileName): Promise<void> {
  await changeLeaf(tree, childOf(handedPath(agent), name), (leaf) =>
    leaf && Buffer.from(leaf.bytes).toString('utf8').startsWith(handing) ? Buffer.from('claimed\n') : undefined,
  )
}

/** The answer did not reach the agent, which can claim the message again. */
export async function takeBack(parts: CirceParts, agent: AgentId, name: FileName): Promise<void> {
  if ((await handedOf(parts, agent, name)) === 'claimed') await setMark(parts, agent, name, 'waiting')
}
