/** Which messages of its inbox an agent was handed, and which it has acknowledged: one mark each in the workspace's state. */
import { childOf } from '../../../kernel/tree-path.ts'
import { changeLeaf } from '../../../messaging/leaves/change.ts'
import { handedPath } from '../layout.ts'
import type { AgentId, FileName } from '../names.ts'
import { type CirceParts, unlessOdd } from './parts.ts'

/** `waiting`: it was claimed and that was told, but the answer never reached the agent. Claiming it again hands it out. */
export type Mark = 'waiting' | 'claimed' | 'acknowledged'
export type Handed = Exclude<Mark, 'waiting'>

export async function markOf({ tree }: CirceParts, agent: AgentId, name: FileName): Promise<Mark | undefined> {
  const leaf = await unlessOdd(() => tree.read(childOf(handedPath(agent), name), { atMost: 32 }))
  if (!leaf) return undefined
  const text = Buffer.from(leaf.bytes).toString('utf8')
  return (['waiting', 'acknowledged'] as const).find((mark) => text.startsWith(mark)) ?? 'claimed'
}

export async function handedOf(parts: CirceParts, agent: AgentId, name: FileName): Promise<Handed | undefined> {
  const mark = await markOf(parts, agent, name)
  return mark === 'waiting' ? undefined : mark
}

export async function setMark(parts: CirceParts, agent: AgentId, name: FileName, mark: Mark): Promise<void> {
  await changeLeaf(parts.tree, childOf(handedPath(agent), name), () => Buffer.from(`${mark}\n`))
}

/** Nobody got what was handed out: it can be claimed again by the same agent. */
export async function takeBack(parts: CirceParts, agent: AgentId, name: FileName): Promise<void> {
  if ((await handedOf(parts, agent, name)) === 'claimed') await setMark(parts, agent, name, 'waiting')
}
